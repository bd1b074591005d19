from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import parse_arguments
from rillet.core.wire.gemini.partial_args import PartialArgs, parse_path


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$.a", ("a",)),
        ("$.foo.bar[0].data", ("foo", "bar", 0, "data")),
        ("$['b.c']", ("b.c",)),
        ('$["b]"][2]', ("b]", 2)),
        (r"$['it\'s']", ("it's",)),
        ("$.größe", ("größe",)),
        ("$", None),
        ("", None),
        ("a", None),
        ("$a", None),
        ("$.a[*]", None),
        ("$..a", None),
        ("$.a[-1]", None),
        ("$" + ".a" * 65, None),
        (None, None),
    ],
)
def test_a_path_is_names_and_indexes(path: Any, steps: Any) -> None:
    assert parse_path(path) == steps


def test_values_of_every_kind_find_their_place() -> None:
    args = PartialArgs()
    for change in (
        {"jsonPath": "$.list[0].s", "stringValue": "a", "willContinue": True},
        {"jsonPath": "$.list[0].n", "numberValue": 0.5},
        {"jsonPath": "$.list[0].s", "stringValue": "b", "willContinue": True},
        {"jsonPath": "$.list[0].s", "stringValue": ""},
        {"jsonPath": "$.list[1]", "boolValue": False},
        {"jsonPath": "$.none", "nullValue": "NULL_VALUE"},
        {"jsonPath": "$.obj", "structValue": {"x": [1]}},
        {"jsonPath": "$.empty", "willContinue": True},
    ):
        args.add(change)
    assert json.loads(args.json()) == {"list": [{"s": "ab", "n": 0.5}, False], "none": None, "obj": {"x": [1]}}


def test_several_values_of_one_item_make_one_item() -> None:
    args = PartialArgs()
    for name in ("a", "ä"):
        args.add({"jsonPath": f"$.list[0].{name}", "numberValue": 1})
    args.add({"jsonPath": "$.list[0].a", "numberValue": 2})
    assert args.json() == '{"list": [{"a": 2, "ä": 1}]}'


def test_a_string_without_more_to_come_replaces_what_was_there() -> None:
    args = PartialArgs()
    args.add({"jsonPath": "$.s", "stringValue": "a"})
    args.add({"jsonPath": "$.s", "stringValue": "b"})
    assert args.json() == '{"s": "b"}'


def test_arguments_that_come_whole_are_taken_whole() -> None:
    args = PartialArgs()
    args.update({"a": 1})
    args.update(None)
    args.add({"jsonPath": "$.b", "numberValue": 2})
    assert args.json() == '{"a": 1, "b": 2}'
    assert PartialArgs().json() == "{}"


@pytest.mark.parametrize(
    "changes",
    [
        [{"jsonPath": "$.a", "numberValue": 1}, {"jsonPath": "$.a.b", "numberValue": 1}],
        [{"jsonPath": "$.a[1]", "numberValue": 1}],
        [{"jsonPath": "$.a[999999].b", "numberValue": 1}],
        [{"jsonPath": "$.a[0]", "numberValue": 1}, {"jsonPath": "$.a.b", "numberValue": 1}],
        [{"jsonPath": "$[0]", "numberValue": 1}],
        [{"jsonPath": "a", "numberValue": 1}],
        [{"jsonPath": "$.a", "stringValue": "x", "willContinue": True}],
        [{"numberValue": 1}],
        ["x"],
    ],
)
def test_arguments_that_are_not_whole_never_look_so(changes: list[Any]) -> None:
    args = PartialArgs()
    args.add({"jsonPath": "$.fine", "numberValue": 1})
    for change in changes:
        args.add(change)
    assert args.json().startswith('{"fine": 1')
    assert parse_arguments(args.json()) is None


def test_arguments_that_were_cut_say_what_there_is_of_them() -> None:
    args = PartialArgs()
    assert args.json(cut=True) == "{"
    args.add({"jsonPath": "$.a", "numberValue": 1})
    assert args.json(cut=True) == '{"a": 1'
    args.add({"jsonPath": "$.s", "stringValue": "unfin", "willContinue": True})
    assert args.json() == '{"a": 1, "s": "unfin"'


def test_arguments_that_are_no_object_never_look_whole() -> None:
    args = PartialArgs()
    args.update([1])
    assert parse_arguments(args.json()) is None


paths = st.lists(st.sampled_from([".a", ".b", "[0]", "[1]", "['c']"]), max_size=4).map(
    lambda steps: "$" + "".join(steps)
)
change = st.fixed_dictionaries(
    {"jsonPath": paths},
    optional={"stringValue": st.text(max_size=3), "numberValue": st.floats(), "willContinue": st.booleans()},
)


@given(st.lists(change, max_size=8))
def test_no_changes_make_it_raise_and_whole_arguments_are_an_object(changes: list[Any]) -> None:
    args = PartialArgs()
    for each in changes:
        args.add(each)
    assert parse_arguments(args.json(cut=True)) is None
    whole = parse_arguments(args.json())
    assert whole is None or isinstance(whole, dict)
