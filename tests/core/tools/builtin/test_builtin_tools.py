"""Names and arguments of the built-in tools are those of the public contract (toolnexus 0.16, PyPI)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

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
FILES = {"read", "write", "edit", "grep", "glob", "apply_patch"}


def test_names_come_in_the_order_of_the_contract(tmp_path: Path) -> None:
    names = [tool.name for tool in builtin_tools(Workspace(tmp_path))]
    assert names == [name for name in CONTRACT if name in names]
    assert set(names) >= {*FILES, "question", "todowrite"}


@pytest.mark.parametrize("name", CONTRACT)
def test_arguments_are_those_of_the_contract(tmp_path: Path, name: str) -> None:
    for tool in builtin_tools(Workspace(tmp_path)):
        if tool.name == name:
            needed, known = CONTRACT[name]
            assert set(tool.input_schema["required"]) == needed
            assert set(tool.input_schema["properties"]) == known
            assert tool.source == "builtin"


def test_without_a_workspace_there_are_no_tools_for_files() -> None:
    assert FILES.isdisjoint(tool.name for tool in builtin_tools(None))


def test_nothing_that_a_file_says_is_trusted(tmp_path: Path) -> None:
    trusted = {tool.name for tool in builtin_tools(Workspace(tmp_path)) if tool.trusted_output}
    assert trusted.isdisjoint({"read", "edit", "grep", "glob", "apply_patch"})
