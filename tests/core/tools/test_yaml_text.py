from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.yaml_text import read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: no", {"a": "no"}),
        ("on: yes", {"on": "yes"}),
        ("a: true", {"a": True}),
        ("a: ~", {"a": None}),
        ("a:", {"a": None}),
        ("a: 12:30", {"a": "12:30"}),
        ("a: 2026-11-30", {"a": "2026-11-30"}),
        ("a: 1_000", {"a": "1_000"}),
        ("a: 010", {"a": 10}),
        ("a: 1.10", {"a": 1.1}),
        ("a: [1, -2, 1e3, .5]", {"a": [1, -2, 1000.0, 0.5]}),
        ("200: ok\ntrue: yes", {"200": "ok", "true": "yes"}),
        ("a: >\n  one\n  two\n", {"a": "one two\n"}),
        ("a: |-\n  one\n  two\n", {"a": "one\ntwo"}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1}\nc:\n  <<: *x\n  d: 2", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ('{"a": [true, null]}', {"a": [True, None]}),
        ("", None),
        ("just text", "just text"),
    ],
)
def test_values_are_what_yaml_1_2_says(text: str, value: Any) -> None:
    assert read_yaml(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c",
        "\tx",
        "a: [1",
        "a: !!python/object/apply:os.system ['true']",
        "a: !!binary aGk=",
        "a: !!set {x}",
        "a: !mine 1",
        "? [1, 2]\n: 3",
        "a: &x [*x]",
        "a\x00b",
        "--- 1\n--- 2",
        "[" * 100_000,
        "a: &a [x, x]\n" + "\n".join(f"a{n}: &a{n} [*a{n - 1 or ''}, *a{n - 1 or ''}]" for n in range(1, 40)),
    ],
)
def test_what_is_no_plain_value_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"YAML|JSON|aliases"):
        read_yaml(text)


def test_an_error_names_the_line() -> None:
    with pytest.raises(ValueError, match="in line 2"):
        read_yaml("a: 1\nb: c: d")


@given(st.text(alphabet="a1:-&*!|>[]{}?,# \n\"'", max_size=40))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    try:
        value = read_yaml(text)
    except ValueError:
        return
    assert value is None or isinstance(value, str | bool | int | float | list | dict)
