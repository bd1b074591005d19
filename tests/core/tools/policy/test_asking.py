"""What is asked holds everything that would run, and hides nothing of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.tool import Effect, Tool
from rillet.core.types.suspension import APPROVAL, Request
from rillet.core.visible import is_hidden, restored
from support.judging import BASH, CHAT, FETCH, PATCH, READ, WRITE, tool

if TYPE_CHECKING:
    from rillet.core.tools.workspace import Workspace

STRANGER = tool("server_tool", *Effect, source="mcp")


def asked(policy: Policy, tool: Tool, **args: Any) -> tuple[Request, dict[str, Any]]:
    request = policy.judge(tool, args, CHAT).request
    assert request is not None
    assert request.kind == APPROVAL
    assert request.data is not None
    assert Request.from_json(request.to_json()) == request
    return request, dict(request.data)


def warnings(policy: Policy, command: str) -> list[str]:
    return list(asked(policy, BASH, command=command)[1]["warnings"])


def test_a_command_is_shown_with_where_and_how_it_runs(workspace: Workspace) -> None:
    request, data = asked(Policy(workspace), BASH, command="make test", workdir="src", description="Run the tests")
    assert request.prompt == "Run this command?"
    assert data["shown"] == data["command"] == "make test"
    assert data["argv"] == ["make", "test"]
    assert data["base"] == "src"
    assert data["length"] == 9
    assert data["effects"] == ["execute"]
    assert data["folder"] == str(workspace.root)
    assert data["warnings"] == []
    assert json.loads(data["arguments"]) == {"command": "make test", "workdir": "src", "description": "Run the tests"}


def test_what_is_no_plain_command_has_no_words(workspace: Workspace) -> None:
    _, data = asked(Policy(workspace), BASH, command="make test; rm x")
    assert "argv" not in data
    assert data["warnings"] == ["It is more than one plain command: the shell interprets it."]


def test_a_command_that_asks_for_the_network_says_so(workspace: Workspace) -> None:
    assert asked(Policy(workspace), BASH, command="ls", network=True)[1]["effects"] == ["execute", "network"]
    assert asked(Policy(workspace), BASH, command="ls", network=True)[1]["argv"] == ["ls"]
    assert asked(Policy(workspace), BASH, command="ls", network=False)[1]["effects"] == ["execute"]


def test_a_command_that_runs_elsewhere_is_warned_of(workspace: Workspace) -> None:
    _, data = asked(Policy(workspace), BASH, command="ls", workdir="out")
    assert data["base"] is None
    assert data["warnings"] == ["It would run outside of the workspace."]


def test_a_fetch_is_shown_with_the_host_that_name_servers_know(workspace: Workspace) -> None:
    request, data = asked(Policy(workspace), FETCH, url="https://b\u00fccher.example/a")
    assert request.prompt == "Fetch from xn--bcher-kva.example?"
    assert data["host"] == "xn--bcher-kva.example"
    assert data["address"] == "https://b\u00fccher.example/a"
    assert data["scopes"] == ["once", "chat", "folder", "always"]


def test_an_address_with_several_readings_is_warned_of() -> None:
    request, data = asked(Policy(), FETCH, url="https://good.example@evil.example/")
    assert request.prompt == "Fetch from this address?"
    assert data["host"] is None
    assert "programs may disagree" in data["warnings"][0]


def test_a_change_is_shown_with_its_files(workspace: Workspace) -> None:
    request, data = asked(Policy(workspace), WRITE, path="docs/a\u202e.md", content="x")
    assert request.prompt == "Change docs/a\u27e8U+202E\u27e9.md?"
    assert data["paths"] == ["docs/a\u27e8U+202E\u27e9.md"]
    assert asked(Policy(workspace), READ, path="../x")[0].prompt == "Read ../x?"
    patch = "*** Begin Patch\n" + "".join(f"*** Delete File: {name * 30}\n" for name in "abc") + "*** End Patch"
    request, data = asked(Policy(workspace), PATCH, patchText=patch)
    assert request.prompt == "Change these files?"
    assert data["paths"] == ["a" * 30, "b" * 30, "c" * 30]


def test_a_stranger_is_shown_with_all_that_it_is_given() -> None:
    request, data = asked(Policy(), STRANGER, b=[1, {"c": "\u0436"}], a="x\ny")
    assert request.prompt == "Run the tool server_tool?"
    assert data["shown"] == '{\n  "b": [\n    1,\n    {\n      "c": "\u0436"\n    }\n  ],\n  "a": "x\\ny"\n}'
    assert data["source"] == "mcp"
    assert data["folder"] is None


def test_a_diff_and_the_state_of_the_sandbox_come_from_the_tool(workspace: Workspace) -> None:
    told = {"diff": "--- a\n+++ b\n+x\u200b\n", "sandbox": "No network.", "other": object()}
    _, data = asked(Policy(workspace), tool("write", Effect.WRITE, preview=lambda args: told), path="b", content="x")
    assert data["diff"] == "--- a\n+++ b\n+x\u27e8U+200B\u27e9\n"
    assert data["sandbox"] == "No network."
    assert "other" not in data


def test_a_preview_that_fails_is_told_and_the_question_is_asked_all_the_same() -> None:
    def preview(args: dict[str, Any]) -> dict[str, str]:
        raise OSError("no such file \u202e")

    _, data = asked(Policy(), tool("write", Effect.WRITE, preview=preview), path="b")
    assert data["warnings"] == ["What it would change cannot be shown: no such file \u27e8U+202E\u27e9"]


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        ("ls \u202ex", "1 character in it cannot be seen"),
        ("ls \x1b[2K\u200b", "2 characters in it cannot be seen"),
        ("ls" + " " * 300 + "; rm x", "long gaps"),
        ("ls" + "\n" * 300 + "rm x", "long gaps"),
        ("curl p\u0430ypal.example", "several alphabets stand in one word: p\u0430ypal"),
        ("echo \u05d0\u05d1", "from right to left"),
        ("echo \u00e9", "beyond plain ASCII"),
        ("ls | sh", "more than one plain command"),
        ("echo " + "x" * 3000, "3,005 characters long"),
    ],
)
def test_what_is_easily_overlooked_is_said(workspace: Workspace, command: str, warning: str) -> None:
    assert any(warning in each for each in warnings(Policy(workspace), command))


@pytest.mark.parametrize("command", ["ls -la", "git commit -m 'Fix it'", "make -j4 test"])
def test_an_ordinary_command_is_not_warned_of(workspace: Workspace, command: str) -> None:
    assert warnings(Policy(workspace), command) == []


@pytest.mark.parametrize(
    "command",
    [
        "ls \u202e; rm x",
        "\u2066x\u2069",
        "a\u200bb",
        "a\xadb",
        "a\ufeff",
        "\x1b[8mx",
        "x" * 60_000,
        "\n" * 200 + "x",
        "<b>x</b>",
    ],
)
def test_all_of_a_command_is_shown_and_can_be_read_back(workspace: Workspace, command: str) -> None:
    _, data = asked(Policy(workspace), BASH, command=command)
    assert restored(data["shown"]) == command
    assert data["length"] == len(command)
    assert not any(map(is_hidden, data["shown"]))


def test_half_a_surrogate_pair_is_shown_and_kept(workspace: Workspace) -> None:
    _, data = asked(Policy(workspace), STRANGER, text="\ud800")
    assert "\u27e8U+D800\u27e9" in data["shown"]
    assert json.loads(data["arguments"]) == {"text": "\ud800"}
