from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.transcript.arguments import LINE, ArgumentsPrinter

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def _laid_out(text: str, *sizes: int) -> str:
    printer = ArgumentsPrinter()
    if not sizes:
        return printer.feed(text)
    pieces = []
    at = place = 0
    while at < len(text):
        size = sizes[place % len(sizes)]
        pieces.append(printer.feed(text[at : at + size]))
        at += size
        place += 1
    return "".join(pieces)


def _without_layout(text: str) -> str:
    """White space outside strings and line ends inside them are layout."""
    kept = []
    quoted = escaped = False
    for character in text:
        if quoted:
            if character == "\n":
                continue
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character.isspace():
            continue
        elif character == '"':
            quoted = True
        kept.append(character)
    return "".join(kept)


def test_members_stand_below_each_other() -> None:
    assert _laid_out('{"path":"a.md","lines":[1,{}],"deep":{"x":null}}') == (
        '{\n  "path": "a.md",\n  "lines": [\n    1,\n    {}\n  ],\n  "deep": {\n    "x": null\n  }\n}'
    )


def test_a_line_of_a_text_is_a_line_on_the_screen() -> None:
    assert _laid_out('{"text":"one\\n  two\\n"}') == '{\n  "text": "one\\n\n  two\\n"\n}'


def test_an_escaped_backslash_before_an_n_is_no_line_end() -> None:
    assert _laid_out('"C:\\\\new"') == '"C:\\\\new"'


@given(VALUES, st.lists(st.integers(1, 7), min_size=1), st.booleans())
def test_nothing_is_lost_and_slices_do_not_matter(value: Any, sizes: list[int], ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
    whole = _laid_out(text)
    assert _laid_out(text, *sizes) == whole
    assert _without_layout(whole) == text


@given(st.text(alphabet='ab "\\{}[],:\n\t1', max_size=60), st.lists(st.integers(1, 5), min_size=1))
def test_what_is_no_json_passes_through_whole(text: str, sizes: list[int]) -> None:
    laid_out = _laid_out(text, *sizes)
    assert laid_out == _laid_out(text)
    assert "".join(laid_out.split()) == "".join(text.split())


def test_words_that_are_no_json_stay_apart() -> None:
    assert _laid_out("just  some words") == "just some words"


def test_a_long_text_is_broken_into_lines() -> None:
    lines = _laid_out(json.dumps("x" * (3 * LINE))).split("\n")
    assert max(map(len, lines)) <= LINE + 2
    assert len(lines) >= 3


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000])
def test_deep_nesting_costs_a_bounded_indent_a_level(text: str) -> None:
    assert len(_laid_out(text)) < len(text) * 40
