"""Names and arguments of the built-in tools are those of the public contract (toolnexus 0.16, PyPI)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.sandbox import Sandbox
from rillet.core.tools.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.tools.tool import Tool

CONTRACT = {
    "bash": ({"command"}, {"command", "workdir", "timeout", "description"}),
    "read": ({"path"}, {"path", "offset", "limit"}),
    "write": ({"path", "content"}, {"path", "content"}),
    "edit": ({"path", "oldString", "newString"}, {"path", "oldString", "newString", "replaceAll"}),
    "grep": ({"pattern"}, {"pattern", "path", "include", "limit"}),
    "glob": ({"pattern"}, {"pattern", "path", "limit"}),
    "webfetch": ({"url"}, {"url", "format", "timeout"}),
    "question": ({"questions"}, {"questions"}),
    "apply_patch": ({"patchText"}, {"patchText"}),
    "todowrite": ({"todos"}, {"todos"}),
}
"""Name → (arguments that are needed, arguments)."""


def every(folder: Path) -> dict[str, Tool]:
    return {tool.name: tool for tool in builtin_tools(Workspace(folder), Sandbox("none", folder))}


def test_names_come_in_the_order_of_the_contract(tmp_path: Path) -> None:
    assert list(every(tmp_path)) == list(CONTRACT)


@pytest.mark.parametrize("name", CONTRACT)
def test_arguments_are_those_of_the_contract(tmp_path: Path, name: str) -> None:
    tool = every(tmp_path)[name]
    needed, known = CONTRACT[name]
    assert set(tool.input_schema["required"]) == needed
    assert set(tool.input_schema["properties"]) == known
    assert tool.source == "builtin"


def test_only_a_confined_command_has_the_network_to_ask_for(tmp_path: Path) -> None:
    confined = builtin_tools(Workspace(tmp_path), Sandbox("bubblewrap", tmp_path, "bwrap"))[0]
    assert set(confined.input_schema["properties"]) == CONTRACT["bash"][1] | {"network"}


def test_without_knowing_how_they_are_confined_there_are_no_commands(tmp_path: Path) -> None:
    assert [tool.name for tool in builtin_tools(Workspace(tmp_path))] == list(CONTRACT)[1:]


def test_without_a_workspace_there_are_no_tools_for_files() -> None:
    assert [tool.name for tool in builtin_tools(None)] == ["webfetch", "question", "todowrite"]


def test_nothing_that_a_file_says_is_trusted(tmp_path: Path) -> None:
    trusted = {name for name, tool in every(tmp_path).items() if tool.trusted_output}
    assert trusted.isdisjoint({"read", "edit", "grep", "glob", "apply_patch", "bash", "webfetch"})
