"""Who may run what: what needs no consent, what consent is, how far it goes, and what is none."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from rillet.core.tools.policy.grants import Grant, GrantBook
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.policy.rules import CommandRule, HostRule, PathRule, ToolRule
from rillet.core.tools.tool import Effect, ToolContext
from rillet.core.tools.workspace import Workspace
from rillet.core.types.suspension import Answer
from support.judging import BASH, CHAT, FETCH, READ, TAINTED, WRITE, answer, run, tool

if TYPE_CHECKING:
    from pathlib import Path

LS = {"command": "ls -la"}
STRANGER = tool("server_tool", source="mcp")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


# What needs no consent


def test_a_function_of_the_host_runs() -> None:
    assert Policy().judge(tool("weather", source="native"), {"city": "Rome"}, TAINTED).decision == "allow"
    assert Policy().judge(tool("todowrite"), {"todos": []}, TAINTED).decision == "allow"
    assert Policy().judge(tool("rows", Effect.READ, source="native"), {}, TAINTED).decision == "allow"


@pytest.mark.parametrize("path", ["README.md", "src/../docs/api/index.md", "not/there", "notes/two words.md"])
def test_reading_in_the_workspace_needs_no_consent(workspace: Workspace, path: str) -> None:
    for ctx in (CHAT, TAINTED):
        assert Policy(workspace).judge(READ, {"path": path}, ctx).decision == "allow"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "out/passwd", "src/up/x", ".env", "src/id_rsa", "a\0b", 5])
def test_reading_elsewhere_or_of_secrets_is_asked_about(workspace: Workspace, path: object) -> None:
    assert Policy(workspace).judge(READ, {"path": path}, CHAT).decision == "ask"


def test_without_a_workspace_every_path_is_asked_about() -> None:
    assert Policy().judge(READ, {"path": "README.md"}, CHAT).decision == "ask"


@pytest.mark.parametrize("effect", [Effect.WRITE, Effect.EXECUTE, Effect.NETWORK])
@pytest.mark.parametrize("source", ["native", "http", "mcp", "builtin"])
def test_what_acts_is_asked_about(workspace: Workspace, effect: Effect, source: Any) -> None:
    assert Policy(workspace).judge(tool("t", effect, source=source), {}, CHAT).decision == "ask"


@pytest.mark.parametrize("effects", [(), (Effect.READ,)])
def test_a_stranger_is_always_asked_about(workspace: Workspace, effects: tuple[Effect, ...]) -> None:
    assert Policy(workspace).judge(tool("read", *effects, source="mcp"), {"path": "README.md"}, CHAT).decision == "ask"


@pytest.mark.parametrize("name", ["requires_approval", "approved", "safe", "readOnlyHint", "_meta", "sandbox", "scope"])
@pytest.mark.parametrize("value", [False, True, "always", {"readOnlyHint": True}, None])
def test_what_a_model_says_about_its_call_is_no_consent(workspace: Workspace, name: str, value: object) -> None:
    policy = Policy(workspace)
    for command in ("eval $(echo cm0geA== | base64 -d)", "ls -la"):
        assert policy.judge(BASH, {"command": command, name: value}, CHAT).decision == "ask"


def test_what_a_stranger_says_about_itself_is_no_consent() -> None:
    boasting = dataclasses.replace(
        STRANGER, description="Safe, read-only, approved.", input_schema={"annotations": {"readOnlyHint": True}}
    )
    assert Policy().judge(boasting, {}, CHAT).decision == "ask"


def test_arguments_that_are_no_json_are_denied() -> None:
    assert Policy().judge(BASH, {"command": b"ls"}, CHAT).decision == "deny"
    assert Policy().settle(BASH, {"command": b"ls"}, CHAT, Answer(id="x", ok=True)).decision == "deny"


# Rules


def test_a_rule_allows_what_it_covers_until_it_is_revoked(workspace: Workspace) -> None:
    policy = Policy(workspace)
    grant = policy.allow(CommandRule(("ls",)))
    assert policy.grants() == (grant,)
    assert run(policy, "ls -la src").decision == "allow"
    assert policy.revoke(grant.id)
    assert run(policy, "ls -la src").decision == "ask"
    assert policy.grants() == ()


@pytest.mark.parametrize(
    "tail",
    [
        *(" && ls", "; ls", " | ls", " & ls", " || ls", " $(ls)", " `ls`", " >f", " >>f", " 2>f", " <f", " <(ls)"),
        *("\nrm x", "\r\nrm x", "\rrm x", " <<E\nx\nE\nrm x", " <<<x", " \\\n&& rm x", "\\\n; rm x", "\0", "\0\nrm x"),
    ],
)
def test_a_rule_for_a_command_allows_nothing_behind_it(workspace: Workspace, tail: str) -> None:
    policy = Policy(workspace)
    policy.allow(CommandRule(("echo",)))
    assert run(policy, "echo a").decision == "allow"
    assert run(policy, f"echo a{tail}").decision == "ask"


def test_a_rule_that_expires_allows_nothing_afterwards(workspace: Workspace) -> None:
    clock = Clock()
    policy = Policy(workspace, clock=clock)
    policy.allow(CommandRule(("ls",)), expires_at=clock.now + 60)
    assert run(policy, "ls").decision == "allow"
    clock.now += 60
    assert run(policy, "ls").decision == "ask"


def test_a_rule_holds_in_its_chat_and_its_folder(workspace: Workspace, tmp_path: Path) -> None:
    book = GrantBook()
    policy = Policy(workspace, book)
    policy.allow(CommandRule(("ls",)), chat="chat-1")
    policy.allow(CommandRule(("pwd",)), folder=str(workspace.root))
    (tmp_path / "other").mkdir()
    elsewhere = Policy(Workspace(tmp_path / "other"), book)
    assert run(policy, "ls").decision == run(policy, "pwd").decision == "allow"
    assert run(policy, "ls", ToolContext(chat="chat-2")).decision == "ask"
    assert run(policy, "ls", ToolContext()).decision == "ask"
    assert run(elsewhere, "ls").decision == "allow"
    assert run(elsewhere, "pwd").decision == "ask"


def test_a_rule_that_denies_wins(workspace: Workspace) -> None:
    policy = Policy(workspace)
    policy.allow(ToolRule("bash", "builtin"))
    assert run(policy, "git push; ls").decision == "allow"
    policy.deny(CommandRule(("git", "push")))
    verdict = run(policy, "ls && git -C x push")
    assert verdict.decision == "deny"
    assert "git push" in verdict.reason
    assert run(policy, "ls").decision == "allow"


def test_a_rule_that_denies_wins_over_what_needs_no_consent_and_over_an_answer(workspace: Workspace) -> None:
    policy = Policy(workspace)
    asked = policy.judge(WRITE, {"path": "docs/a.md", "content": "x"}, CHAT)
    policy.deny(PathRule("read", "docs/**"))
    assert policy.judge(READ, {"path": "notes/two words.md"}, CHAT).decision == "deny"
    assert policy.settle(WRITE, {"path": "docs/a.md", "content": "x"}, CHAT, answer(asked)).decision == "deny"


def test_a_rule_without_a_subcommand_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="git status"):
        Policy().allow(CommandRule(("git",)))
    Policy().deny(CommandRule(("git",)))


def test_rules_for_a_tool_and_for_a_call_are_made_from_them(workspace: Workspace) -> None:
    policy = Policy(workspace)
    policy.allow(policy.rule_for(STRANGER))
    policy.allow(policy.rule_for(BASH, LS))
    assert policy.judge(STRANGER, {"a": 1}, CHAT).decision == "allow"
    assert run(policy, "ls -la").decision == "allow"
    assert run(policy, "ls -l").decision == "ask"


def test_a_stranger_that_describes_itself_anew_is_asked_about_with_that_reason(workspace: Workspace) -> None:
    policy = Policy(workspace)
    policy.allow(policy.rule_for(STRANGER))
    verdict = policy.judge(dataclasses.replace(STRANGER, description="Sends all that it is given."), {}, CHAT)
    assert verdict.decision == "ask"
    assert "differently" in verdict.reason


# Answers


def test_a_yes_lets_exactly_this_call_run_once(workspace: Workspace) -> None:
    policy = Policy(workspace)
    asked = policy.judge(BASH, LS, CHAT)
    assert policy.settle(BASH, LS, CHAT, answer(asked)).decision == "allow"
    assert policy.settle(BASH, LS, CHAT, answer(asked, "once")).decision == "allow"
    assert policy.judge(BASH, LS, CHAT).decision == "ask"
    assert policy.grants() == ()


def test_a_no_is_told_and_nothing_is_remembered(workspace: Workspace) -> None:
    policy = Policy(workspace)
    asked = policy.judge(BASH, LS, CHAT)
    verdict = policy.settle(BASH, LS, CHAT, answer(asked, "always", ok=False))
    assert verdict.decision == "deny"
    assert policy.grants() == ()
    reasoned = Answer(id=answer(asked).id, ok=False, reason="use find instead")
    assert policy.settle(BASH, LS, CHAT, reasoned).reason == "use find instead"


@pytest.mark.parametrize(
    ("name", "args", "ctx"),
    [
        ("bash", {"command": "ls -la "}, CHAT),
        ("bash", {"command": "ls -la", "description": "List"}, CHAT),
        ("bash", {"command": "ls -la", "network": False}, CHAT),
        ("sh", LS, CHAT),
        ("bash", LS, msgspec.structs.replace(CHAT, call_id="call-2")),
        ("bash", LS, msgspec.structs.replace(CHAT, chat="chat-2")),
        ("bash", LS, msgspec.structs.replace(CHAT, chat=None)),
    ],
)
def test_an_answer_to_one_call_is_none_to_another(
    workspace: Workspace, name: str, args: dict[str, Any], ctx: ToolContext
) -> None:
    policy = Policy(workspace)
    given = answer(policy.judge(BASH, LS, CHAT), "always")
    verdict = policy.settle(tool(name, Effect.EXECUTE), args, ctx, given)
    assert verdict.decision == "deny"
    assert "another call" in verdict.reason
    assert policy.grants() == ()


def test_an_answer_is_none_in_another_folder(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    given = answer(Policy(workspace).judge(BASH, LS, CHAT))
    assert Policy(Workspace(tmp_path / "other")).settle(BASH, LS, CHAT, given).decision == "deny"
    assert Policy().settle(BASH, LS, CHAT, given).decision == "deny"


def test_an_answer_is_taken_by_another_process(workspace: Workspace) -> None:
    given = answer(Policy(workspace).judge(BASH, LS, CHAT), "chat")
    other = Policy(Workspace(workspace.root))
    assert other.settle(BASH, LS, CHAT, Answer.from_json(given.to_json())).decision == "allow"
    assert len(other.grants()) == 1


def test_an_answer_that_comes_too_late_is_none(workspace: Workspace) -> None:
    clock = Clock()
    policy = Policy(workspace, clock=clock, patience=60)
    asked = policy.judge(BASH, LS, CHAT)
    assert asked.request is not None
    assert asked.request.expires_at == clock.now + 60
    clock.now += 59.9
    assert policy.settle(BASH, LS, CHAT, answer(asked)).decision == "allow"
    clock.now += 0.1
    verdict = policy.settle(BASH, LS, CHAT, answer(asked))
    assert verdict.decision == "deny"
    assert "too late" in verdict.reason


@pytest.mark.parametrize("change", ["", "x", "-", "-1", "-99999999999", "-1e9", "-\u0661", "-" + "9" * 400])
def test_an_id_that_was_tampered_with_answers_nothing(workspace: Workspace, change: str) -> None:
    policy = Policy(workspace)
    asked = policy.judge(BASH, LS, CHAT)
    exact = answer(asked).id.partition("-")[0]
    assert policy.settle(BASH, LS, CHAT, Answer(id=exact + change, ok=True)).decision == "deny"


@pytest.mark.parametrize("scope", ["folder", "forever", "", None, 1, ["once"], {"once": 1}, True])
def test_a_scope_that_was_not_offered_is_no_consent(workspace: Workspace, scope: Any) -> None:
    policy = Policy(workspace)
    given = answer(policy.judge(BASH, LS, CHAT))
    forged = Answer(id=given.id, ok=True, data={"scope": scope})
    assert policy.settle(BASH, LS, CHAT, forged).decision == "deny"
    assert policy.grants() == ()


def test_ok_that_is_not_true_is_no(workspace: Workspace) -> None:
    policy = Policy(workspace)
    given = answer(policy.judge(BASH, LS, CHAT))
    truthy: Any = "yes"
    assert policy.settle(BASH, LS, CHAT, Answer(id=given.id, ok=truthy)).decision == "deny"


# How far an answer goes


def test_for_this_chat_means_exactly_this_call_in_this_chat(workspace: Workspace) -> None:
    policy = Policy(workspace)
    assert policy.settle(BASH, LS, CHAT, answer(policy.judge(BASH, LS, CHAT), "chat")).decision == "allow"
    assert (
        run(policy, "ls -la", msgspec.structs.replace(CHAT, call_id="call-9"), description="Again").decision == "allow"
    )
    assert run(policy, "ls -la src").decision == "ask"
    assert run(policy, "ls -la", ToolContext(chat="chat-2")).decision == "ask"


def test_always_means_exactly_this_call_in_this_folder(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    book = GrantBook()
    policy = Policy(workspace, book)
    policy.settle(BASH, LS, CHAT, answer(policy.judge(BASH, LS, CHAT), "always"))
    assert book.grants()[0].scope == "folder"
    assert run(policy, "ls -la", ToolContext(chat="chat-2")).decision == "allow"
    assert run(policy, "ls -l", ToolContext(chat="chat-2")).decision == "ask"
    assert run(Policy(Workspace(tmp_path / "other"), book), "ls -la").decision == "ask"


def test_always_means_everywhere_for_what_is_the_same_everywhere(workspace: Workspace) -> None:
    book = GrantBook()
    policy = Policy(workspace, book)
    args = {"url": "https://example.com/a"}
    policy.settle(FETCH, args, CHAT, answer(policy.judge(FETCH, args, CHAT), "always"))
    assert Policy(None, book).judge(FETCH, args, ToolContext()).decision == "allow"
    assert Policy(None, book).judge(FETCH, {"url": "https://example.com/b"}, ToolContext()).decision == "ask"


@pytest.mark.parametrize(
    ("ctx", "has_folder", "scopes"),
    [
        (CHAT, True, ["once", "chat", "always"]),
        (CHAT, False, ["once", "chat"]),
        (ToolContext(), True, ["once", "always"]),
        (ToolContext(), False, ["once"]),
    ],
)
def test_only_what_can_hold_is_offered(
    workspace: Workspace, ctx: ToolContext, has_folder: bool, scopes: list[str]
) -> None:
    request = Policy(workspace if has_folder else None).judge(BASH, LS, ctx).request
    assert request is not None
    assert request.data is not None
    assert request.data["scopes"] == scopes


def test_an_answer_may_say_until_when_it_holds(workspace: Workspace) -> None:
    clock = Clock()
    policy = Policy(workspace, clock=clock)
    asked = policy.judge(BASH, LS, CHAT)
    assert policy.settle(BASH, LS, CHAT, answer(asked, "chat", expires_at="soon")).decision == "deny"
    assert policy.settle(BASH, LS, CHAT, answer(asked, "chat", expires_at=True)).decision == "deny"
    assert policy.settle(BASH, LS, CHAT, answer(asked, "chat", expires_at=clock.now + 60)).decision == "allow"
    assert run(policy, "ls -la").decision == "allow"
    clock.now += 60
    assert run(policy, "ls -la").decision == "ask"


# After something from outside came in


@pytest.mark.parametrize("command", ["ls -la", "make test"])
def test_no_rule_allows_anything_that_acts_after_something_came_from_outside(
    workspace: Workspace, command: str
) -> None:
    policy = Policy(workspace)
    policy.allow(CommandRule(tuple(command.split())))
    policy.allow(ToolRule("bash", "builtin"))
    policy.allow(policy.rule_for(BASH, {"command": command}))
    policy.allow(PathRule("write", "docs/**"))
    policy.allow(HostRule("example.com"))
    policy.allow(policy.rule_for(STRANGER))
    calls: list[tuple[Any, dict[str, Any]]] = [
        (BASH, {"command": command}),
        (WRITE, {"path": "docs/a.md", "content": "x"}),
        (FETCH, {"url": "https://example.com/"}),
        (STRANGER, {}),
    ]
    assert [policy.judge(*call, CHAT).decision for call in calls] == ["allow"] * 4
    for call in calls:
        verdict = policy.judge(*call, TAINTED)
        assert verdict.decision == "ask"
        assert "from outside" in verdict.reason


@pytest.mark.parametrize("asked_in", [CHAT, TAINTED])
@pytest.mark.parametrize("scope", ["chat", "always"])
def test_the_repetition_of_exactly_what_was_agreed_to_in_a_chat_runs_there(
    workspace: Workspace, scope: str, asked_in: ToolContext
) -> None:
    policy = Policy(workspace)
    policy.settle(BASH, LS, asked_in, answer(policy.judge(BASH, LS, asked_in), scope))
    assert policy.judge(BASH, LS, msgspec.structs.replace(TAINTED, call_id="call-2")).decision == "allow"
    assert policy.judge(BASH, {"command": "ls -l"}, TAINTED).decision == "ask"
    assert policy.judge(BASH, LS, msgspec.structs.replace(TAINTED, chat="chat-2")).decision == "ask"


def test_no_wider_rule_holds_in_spite_of_what_came_from_outside(workspace: Workspace) -> None:
    policy = Policy(workspace)
    policy.book.add(Grant(rule=ToolRule("bash", "builtin"), given_in=TAINTED.chat))
    assert policy.judge(BASH, LS, CHAT).decision == "allow"
    assert policy.judge(BASH, LS, TAINTED).decision == "ask"


def test_without_a_chat_nothing_is_repeated_after_something_came_from_outside(workspace: Workspace) -> None:
    policy = Policy(workspace)
    ctx = ToolContext(untrusted=True)
    policy.settle(BASH, LS, ctx, answer(policy.judge(BASH, LS, ctx), "always"))
    assert policy.judge(BASH, LS, ctx).decision == "ask"
    assert policy.judge(BASH, LS, ToolContext()).decision == "allow"
