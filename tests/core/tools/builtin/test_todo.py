from __future__ import annotations

from typing import Any

from support.workspaces import call


def test_the_list_comes_back_as_lines_and_as_it_was() -> None:
    todos = [
        {"id": "1", "text": "read the code", "completed": True},
        {"id": "2", "text": "two\nlines", "completed": False},
    ]
    result = call(None, "todowrite", todos=todos)
    assert result.output == "[x] read the code\n[ ] two lines"
    assert result.metadata["todos"] == todos


def test_an_empty_list_is_a_list() -> None:
    assert call(None, "todowrite", todos=[]).output == "(the list is empty)"


def test_what_is_no_list_of_todos_is_refused() -> None:
    broken: tuple[Any, ...] = ("x", [{"id": "1"}], [{"id": 1, "text": "x", "completed": True}], [{}] * 201)
    for todos in broken:
        assert call(None, "todowrite", todos=todos).is_error
