"""A boundary is reported only where nothing is open, and where something ends for certain."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from rillet.widgets.markdown.parse import parse
from rillet.widgets.transcript.grammar import FENCE, indentation
from rillet.widgets.transcript.nesting import Nesting
from support.markdown import texts


def boundaries(text: str) -> list[int]:
    """Numbers of the lines at which nothing is open. For texts without a fence at the top level."""
    nesting = Nesting()
    found = []
    for number, line in enumerate(text.split("\n")):
        indent, body = indentation(line)
        if not body.strip():
            nesting.blank = True
            continue
        seen = nesting.look(indent, body)
        if seen.boundary:
            found.append(number)
        nesting.follow(seen)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n\nc", [0, 3]),
        ("- a\n- b\n\n- c", [0, 1, 3]),
        ("- a\n  - b\n  - c\n- d", [0, 3]),
        ("- a\n\n  more of a\n\nafter", [0, 4]),
        ("1. a\n\n   more of a\n\n  after", [0, 4]),
        ("-\n\n  not in the item", [0, 2]),
        ("words\n14. goes on\n15. goes on", [0]),
        ("words\n1. a list\n2. goes on", [0, 1, 2]),
        ("- a\nlazy\n14. may be a list", [0]),
        ("- a\n\n      code\n\n  more\n- b", [0, 5]),
        ("> a\n> b\n>\n> c", [0, 3]),
        ("> - a\n>\n>   more of a\n>\n> c", [0, 4]),
        ("> ```\n> a\n>\n> b\n> ```\n>\n> c", [0, 6]),
        ("> ```\n> a\n\n> b", [0, 3]),
        ("> ```\n> a\n\n> ```\n>\n> still code", [0, 3]),
        ("    code\n\n    code\n\ntext", [4]),
        ("- a\n***\n- b", [0, 2]),
        ("\t- code\n\n- a", [2]),
    ],
)
def test_boundaries_are_where_commonmark_has_them(text: str, expected: list[int]) -> None:
    assert boundaries(text) == expected


@settings(deadline=None, max_examples=400)
@given(text=texts())
def test_no_block_of_the_parser_reaches_across_a_boundary(text: str) -> None:
    lines = text.split("\n")
    if any(indentation(line)[0] < 4 and FENCE.match(line.strip()) for line in lines):
        return  # the segmenter takes fences before it asks
    across = {
        number
        for token in parse(text)
        if token.map and token.type in ("paragraph_open", "heading_open", "list_item_open", "fence", "code_block")
        for number in range(token.map[0] + 1, token.map[1])
    }
    assert not across & set(boundaries(text))


def test_an_ordered_item_knows_its_number_only_when_it_goes_on() -> None:
    nesting = Nesting()
    seen = []
    for line in ("7. a", "1. b", "- c", "- d", "2) e"):
        nesting.follow(nesting.look(0, line))
        seen.append((nesting.resumed, nesting.ordinal))
    assert seen == [(False, 0), (True, 8), (False, 0), (True, 0), (False, 0)]
