"""What is known of the built-in tools is what they are; what a stranger says of itself is not listened to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.policy.calls import EVERYTHING, LONGEST_COMMAND, SHAPES, describe, digest, effects_of
from rillet.core.tools.policy.policy import Policy
from rillet.core.tools.tool import Effect
from rillet.core.visible import visible
from support.judging import BASH, CHAT, PATCH, READ, tool

if TYPE_CHECKING:
    from rillet.core.tools.workspace import Workspace


def test_every_built_in_tool_that_touches_something_has_its_shape(workspace: Workspace) -> None:
    tools = {each.name: each for each in builtin_tools(workspace)}
    assert len(tools) > 5
    assert {name for name, each in tools.items() if each.effects} <= set(SHAPES)
    for name in set(tools) & set(SHAPES):
        offered = set(tools[name].input_schema["properties"])
        optional = {SHAPES[name].network}  # a shell that is not confined does not offer to ask for the network
        assert SHAPES[name].names - optional <= offered, name


def test_what_is_no_argument_of_a_command_is_not_understood(workspace: Workspace) -> None:
    shell = next((each for each in builtin_tools(workspace) if each.name == "bash"), None)
    if shell is not None:
        assert set(shell.input_schema["properties"]) <= SHAPES["bash"].names


@pytest.mark.parametrize("args", [{}, {"path": 5}, {"path": None}, {"path": ["a"]}])
def test_a_path_that_is_no_text_has_no_place(workspace: Workspace, args: dict[str, Any]) -> None:
    call = describe(READ, args, workspace)
    assert call.places == ((".",) if args == {} else None)


def test_a_patch_names_the_files_that_it_moves_too(workspace: Workspace) -> None:
    patch = "*** Begin Patch\n*** Update File: a\n*** Move to: src/b\n@@\n-x\n+y\n*** End Patch"
    assert describe(PATCH, {"patchText": patch}, workspace).places == ("a", "src/b")


def test_a_stranger_of_which_nothing_is_known_may_do_everything() -> None:
    assert effects_of(tool("t", source="mcp")) == EVERYTHING
    assert effects_of(tool("t", Effect.READ, source="mcp")) == {Effect.READ}
    assert effects_of(tool("t", source="native")) == frozenset()


@pytest.mark.parametrize("args", [{"a": b"x"}, {"a": {1, 2}}, {"a": object()}, {1: 2, "a": 3}, {"a": float("nan")}])
def test_what_is_no_json_is_refused(args: dict[Any, Any]) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        describe(BASH, args, None)


@pytest.mark.parametrize("text", ["x", "\u200b", "\U000e0041"])
def test_a_command_that_nobody_could_be_shown_whole_is_refused(workspace: Workspace, text: str) -> None:
    begin = "echo "
    most = (LONGEST_COMMAND - len(begin)) // len(visible(text))
    assert describe(BASH, {"command": begin + most * text}, workspace).command is not None
    with pytest.raises(ValueError, match="too long"):
        describe(BASH, {"command": begin + (most + 1) * text}, workspace)
    assert Policy(workspace).judge(BASH, {"command": LONGEST_COMMAND * "x" + "; rm -r ."}, CHAT).decision == "deny"


def test_arguments_that_are_nested_without_end_are_refused() -> None:
    args: dict[str, Any] = {}
    args["self"] = args
    with pytest.raises(ValueError, match="no JSON: Circular"):
        describe(BASH, args, None)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="no JSON"):
        describe(BASH, {"deep": deep}, None)


def test_a_digest_tells_every_value_from_every_other() -> None:
    values = (
        ("a", "b"),
        ("ab",),
        ("a", ["b"]),
        ("a", None),
        ("a", "\ud800"),
        ("a", "\\ud800"),
        ("\ud83d\ude00",),
        ("\U0001f600",),
        (1,),
        (1.0,),
        (True,),
        ("1",),
    )
    assert len({digest(*each) for each in values}) == len(values)
