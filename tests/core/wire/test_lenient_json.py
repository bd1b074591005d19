"""JSON that servers send although the standard forbids it, and the one way in which decoding fails."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.lenient_json import as_text, decode, objects


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, null, true, "\u2028"]} \n', {"a": [1, 2.5, None, True, "\u2028"]}),
        ('"a\x0b\tb"', "a\x0b\tb"),
        ('"\\ud83d"', "\ud83d"),
        ('"\\ud83d\\ude00"', "😀"),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        ("1e999", float("inf")),
    ],
)
def test_a_value_is_read_although_it_is_not_quite_json(text: str | bytes, value: Any) -> None:
    assert decode(text) == value


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "1 2", b"\xff", "[" * 100_000, "1" * 5000, '{"a":' * 100_000])
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        decode(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a":1}{"b":2}', ['{"a":1}', '{"b":2}']),
        ('{"a":1}\r{"b":"\x0b"} {"c":', ['{"a":1}', '{"b":"\x0b"}']),
        ('[{"a":1},\n', ['{"a":1}']),
        ('{"a":{"b":1}} }', ['{"a":{"b":1}}']),
        ('1 {"a":1}', []),
        ('{"a":' * 100_000, []),
    ],
)
def test_objects_that_were_glued_are_told_apart(text: str, found: list[str]) -> None:
    assert objects(text) == found


@given(st.text() | st.binary())
def test_anything_is_a_value_or_a_value_error(text: str | bytes) -> None:
    with suppress(ValueError):
        decode(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{"a": 1}', '{"a": 1}'),
        (None, ""),
        ("", ""),
        ({}, "{}"),
        ({"ä": [1, None]}, '{"ä":[1,null]}'),
        (False, "false"),
    ],
)
def test_text_stays_and_a_value_becomes_its_text(value: Any, text: str) -> None:
    assert as_text(value) == text


def test_a_value_without_bottom_is_no_object() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert as_text(deep) == "null"
