"""Arguments without end: whatever a model sends, only what a rule means runs unasked, and all of the rest is shown."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

import pytest

from rillet.core.tools.policy.grants import Grant
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.policy.programs import PROGRAMS
from rillet.core.tools.policy.rules import CommandRule, HostRule, PathRule
from rillet.core.tools.tool import Effect
from rillet.core.visible import is_hidden, restored
from support.judging import BASH, CHAT, FETCH, PATCH, READ, WRITE, tool
from support.shell_commands import EVASIONS, HEADS, ORDINARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.tools.tool import Tool
    from rillet.core.tools.workspace import Workspace

COUNT: Final = int(os.environ.get("RILLET_ARGUMENTS", "10000"))
"""How many; 100,000 for a release."""
STRANGER: Final = tool("server_tool", *Effect, source="mcp")
TOOLS: Final = (BASH, BASH, BASH, WRITE, PATCH, FETCH, READ, STRANGER)
MARKS: Final = (
    *";&|<>()`$\\\"'*?[]{}~#!=%^\n\r\t\0 ",
    *(
        "\u202e",
        "\u200b",
        "\ufeff",
        "\u00a0",
        "\ud800",
        "\U000e0041",
        "\u27e8",
        "\u0436",
        "\x1b[2K",
        " " * 50,
        "\n" * 9,
    ),
    *("$(id)", "&& id", "; id", "--output=x", "-exec", "-o", "-c", "-delete", "@x", "../x", "/etc/passwd", "a" * 50),
    *("https://example.com@evil.example", "docs/../../x", "true", "git"),
)
A_PATCH: Final = (
    "*** Begin Patch\n*** Add File: docs/a.md\n+x\n*** Update File: docs/b.md\n*** Move to: docs/c.md\n@@\n-x\n+y\n"
    "*** Delete File: docs/d.md\n*** End Patch"
)
HEADER: Final = re.compile(r"^\s*\*\*\* (?:\w+ File|Move to): (.*?)\s*$", re.MULTILINE)
NAMES: Final = (
    "command",
    "path",
    "url",
    "content",
    "workdir",
    "network",
    "description",
    "approved",
    "requires_approval",
)
FINDING: Final = re.compile(r"-(?:exec|execdir|ok|okdir|delete|fprint\w*|fls|follow|newer|samefile|L|H)")
"""Words that no allowed search for files has."""
UNSAFE: Final = re.compile(r"--(?:output|ext-diff|textconv|pre|config|no-index|compress-program)\b.*|@.*")
"""Words that no allowed command has, unless it searches for them or prints them."""
TAKES_TEXT: Final = (
    "echo",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "git",
    "tr",
    "basename",
    "dirname",
    "pytest",
    "sed",
    "find",
)


@pytest.mark.timeout(120 + COUNT / 100)
def test_only_what_a_rule_means_runs_unasked_and_all_else_is_shown(workspace: Workspace) -> None:
    policy = Policy(workspace)
    for words in PROGRAMS:
        policy.book.add(Grant(rule=CommandRule(words)))
    policy.allow(PathRule("write", "docs/**/*.md"))
    policy.allow(HostRule("example.com"))
    decisions = {"allow": 0, "ask": 0, "deny": 0}
    for called, args in calls(COUNT):
        verdict = policy.judge(called, args, CHAT)
        decisions[verdict.decision] += 1
        if verdict.decision == "allow":
            check_allowed(called, args, workspace)
        else:
            assert verdict.request is not None
            assert verdict.request.data is not None
            check_shown(dict(verdict.request.data), args, command=args.get("command") if called is BASH else None)
    assert decisions["allow"] > COUNT / 100
    assert decisions["ask"] > COUNT / 2
    assert decisions["deny"] == 0


def check_allowed(tool: Tool, args: dict[str, Any], workspace: Workspace) -> None:
    """Look at a call that would run unasked with other eyes than those of the policy."""
    if tool is BASH:
        assert set(args) <= {"command", "workdir", "description", "timeout", "network"}
        assert not args.get("network")
        words = shlex.split(args["command"])
        assert words[0] != "find" or not any(map(FINDING.fullmatch, words)), args
        if words[0] not in TAKES_TEXT:
            assert not any(map(UNSAFE.fullmatch, words)), args
            base = workspace.root / args.get("workdir", ".")
            # Neither options nor what follows one, which may be its value.
            named = [word for before, word in itertools.pairwise(words) if "-" not in (before[:1], word[:1])]
            assert all((base / word).resolve().is_relative_to(workspace.root) for word in named), args
        quoted = re.sub(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.", "", args["command"])
        assert not re.search(r"[;&|<>()`$*?\[\]{}#!\n\r\t\0\\\"']", quoted), args
    elif tool in (WRITE, READ, PATCH):
        named = HEADER.findall(args["patchText"]) if tool is PATCH else [args["path"]]
        assert named, args
        for real in ((workspace.root / path).resolve() for path in named):
            assert real.is_relative_to(workspace.root), args
            assert tool is READ or (real.suffix == ".md" and real.is_relative_to(workspace.root / "docs")), args
    else:
        assert tool is FETCH
        assert re.fullmatch(r"https?://example\.com(?:[/?#].*)?", args["url"]), args


def check_shown(data: dict[str, Any], args: dict[str, Any], command: object) -> None:
    exact = restored(data["shown"])
    assert data["length"] == len(exact)
    assert exact == command if isinstance(command, str) else json.loads(exact) == args
    assert json.loads(data["arguments"]) == args
    assert not any(is_hidden(char) for text in texts(data) for char in text)


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts(each)


def calls(count: int) -> Iterator[tuple[Tool, dict[str, Any]]]:
    """Calls as models send them, and everything around; the same ones every time."""
    source = random.Random(14)
    commands = (*ORDINARY, *HEADS, *(text for _, text in EVASIONS))
    for _ in range(count):
        tool = source.choice(TOOLS)
        args: dict[str, Any] = {}
        if tool is BASH:
            args["command"] = spoiled(source, source.choice(commands))
        elif tool in (READ, WRITE):
            args["path"] = spoiled(source, source.choice(("docs/a.md", "docs/api/b.md", "README.md", "src/app.py")))
            args |= {"content": spoiled(source, "x\n")} if tool is WRITE else {}
        elif tool is PATCH:
            args["patchText"] = spoiled(source, A_PATCH)
        elif tool is FETCH:
            args["url"] = spoiled(
                source, source.choice(("https://example.com/a", "https://a.example.com", "http://x.y"))
            )
        while source.random() < 0.2:
            args[source.choice(NAMES)] = anything(source)
        yield tool, json.loads(json.dumps(args))  # as it comes from the wire: two halves make a letter


def spoiled(source: random.Random, text: str) -> str:
    """``text`` with marks put in, words repeated, parts left out; often as it is."""
    while source.random() < 0.6:
        at = source.randint(0, len(text))
        match source.randint(0, 3):
            case 0:
                text = text[:at] + source.choice(MARKS) + text[at:]
            case 1:
                text = f"{text} {source.choice(MARKS)}"
            case 2:
                text = text[:at] + text[at + source.randint(1, 4) :]
            case _:
                text = text[:at] + text[source.randint(0, len(text)) :][:200]
    return text


def anything(source: random.Random, depth: int = 0) -> Any:
    kinds = 7 if depth < 3 else 5
    match source.randint(0, kinds - 1):
        case 0:
            return source.choice((None, True, False))
        case 1:
            return source.choice((0, -1, 2**70, 0.1, 1e300))
        case 2:
            return source.choice(MARKS)
        case 3:
            return spoiled(source, source.choice(ORDINARY))
        case 4:
            return "".join(chr(source.randint(0, 0x10FFFF)) for _ in range(5))
        case 5:
            return [anything(source, depth + 1) for _ in range(source.randint(0, 3))]
        case _:
            return {spoiled(source, name): anything(source, depth + 1) for name in source.sample(NAMES, 2)}
