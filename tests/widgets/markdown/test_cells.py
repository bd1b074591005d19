"""Rows become cells as GFM says."""

from __future__ import annotations

import pytest

from rillet.widgets.markdown.cells import alignments, cells, fitted
from rillet.widgets.markdown.clipboard import tab_separated, table_texts


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        ("| a | b", ["a", "b"]),
        ("|a||c|", ["a", "", "c"]),
        ("| a \\| b | `c \\| d` |", ["a | b", "`c | d`"]),
        ("|", [""]),
        ("a", ["a"]),
        ("| a |  ", ["a"]),
        ("|  | b |", ["", "b"]),
    ],
)
def test_pipes_divide_cells(row: str, parts: list[str]) -> None:
    assert cells(row) == parts


def test_colons_align() -> None:
    assert alignments("|---|:--|:-:|--:|") == ("", "left", "center", "right")


def test_rows_have_as_many_cells_as_the_head() -> None:
    assert fitted(["a"], 3) == ["a", "", ""]
    assert fitted(["a", "b", "c"], 2) == ["a", "b"]


def test_the_text_of_cells_has_no_marks() -> None:
    source = "| **a** | b |\n|--|--|\n| [c](http://d) `e` | $f$ ![g](h) |\n| only one |"
    assert table_texts(source) == [["a", "b"], ["c e", "$f$ g"], ["only one", ""]]


def test_tabs_and_line_ends_inside_cells_are_spaces() -> None:
    assert tab_separated([["a\tb", "c\nd"], ["e", ""]]) == "a b\tc d\ne\t"
