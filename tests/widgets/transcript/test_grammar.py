"""What one line says by itself, by the letter of CommonMark."""

from __future__ import annotations

import pytest
from markdown_it.common.utils import normalizeReference

from rillet.widgets.transcript import grammar


@pytest.mark.parametrize(
    ("line", "indent", "body"),
    [
        ("a", 0, "a"),
        ("   a", 3, "a"),
        ("\ta", 4, "a"),
        ("  \ta", 4, "a"),
        (" \t a", 5, "a"),
        ("", 0, ""),
        ("  ", 2, ""),
    ],
)
def test_tabs_stop_at_multiples_of_four(line: str, indent: int, body: str) -> None:
    assert grammar.indentation(line) == (indent, body)


@pytest.mark.parametrize(
    "line", ["> q", ">", "# h", "###### h", "#", "---", "* * *", "___", "- i", "-", "1. i", "9) i", "```", "~~~ x"]
)
def test_block_starts_are_known(line: str) -> None:
    assert grammar.begins_block(line)


@pytest.mark.parametrize(
    "line", ["word", "#tag", "####### seven", "--", "-x", "1.x", "1234567890. x", "``", "``` a`b", "", "*emph*"]
)
def test_what_only_resembles_a_block_is_none(line: str) -> None:
    assert not grammar.begins_block(line)


@pytest.mark.parametrize(
    ("line", "fence", "closes"),
    [
        ("```", "```", True),
        ("````  ", "```", True),
        ("   ```\r", "```", True),
        ("    ```", "```", False),
        ("``", "```", False),
        ("~~~", "```", False),
        ("``` x", "```", False),
    ],
)
def test_a_fence_is_closed_by_one_at_least_as_long(line: str, fence: str, closes: bool) -> None:
    assert grammar.closes_fence(line, fence) is closes


@pytest.mark.parametrize(("row", "count"), [("| a | b |", 2), ("a | b", 2), ("| a", 1), ("| a \\| b |", 1), ("|||", 2)])
def test_cells_are_counted_as_gfm_counts_them(row: str, count: int) -> None:
    assert grammar.cells(row) == count


@pytest.mark.parametrize("text", ["Docs", " The\t docs \n x", "ẞ straße", "ΑΓΩ", "a[]b"])
def test_labels_are_normalised_as_the_parser_does(text: str) -> None:
    assert grammar.label(text) == normalizeReference(text)


@pytest.mark.parametrize("line", ["[a]: b", "[a]:b", "[a]: <b c>", '[a]: b "t"', "[a]: b (t)  "])
def test_definitions_are_known(line: str) -> None:
    assert grammar.DEFINITION.match(line)


@pytest.mark.parametrize("line", ["[^1]: b", "[a] : b", "[a]: b c", "[]: b", "[a]:", "a [a]: b"])
def test_what_only_resembles_a_definition_is_none(line: str) -> None:
    assert not grammar.DEFINITION.match(line)
