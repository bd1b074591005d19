from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.tools.schema import MOST_SHOWN, problems, shortcut

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "unit": {"enum": ["c", "f"]},
        "places": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
    "required": ["city"],
    "additionalProperties": False,
}
TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["name"],
        }
    },
}


def of(value: Any, schema: dict[str, Any], *, patterns: bool = False) -> list[str]:
    """What is wrong with ``value`` as the only argument."""
    return problems({"type": "object", "properties": {"x": schema}}, {"x": value}, patterns=patterns)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "city is missing"),
        ({"city": 5}, "city must be a string, not 5"),
        ({"city": ""}, "city must have at least 1 character, not 0"),
        ({"city": "Oslo", "days": "two"}, 'days must be an integer, not "two"'),
        ({"city": "Oslo", "days": True}, "days must be an integer, not true"),
        ({"city": "Oslo", "days": 0}, "days must be at least 1, not 0"),
        ({"city": "Oslo", "days": 15}, "days must be at most 14, not 15"),
        ({"city": "Oslo", "unit": "k"}, 'unit must be one of "c", "f", not "k"'),
        ({"city": "Oslo", "places": [{}, {"name": 1}]}, "places[1].name must be a string, not 1"),
        ({"city": "Oslo", "town": 1}, "town is unknown (the arguments may have: city, days, unit, places)"),
        ([], "the arguments must be an object, not []"),
    ],
)
def test_a_problem_is_named_with_its_place(arguments: Any, expected: str) -> None:
    assert problems(WEATHER, arguments) == [expected]


def test_every_problem_is_named_up_to_a_limit() -> None:
    assert len(problems(WEATHER, {"days": "x", "unit": 1})) == 3
    many = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(99)}}
    assert len(problems(many, {f"p{n}": n for n in range(99)})) == MOST_SHOWN


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (3, {"type": "number"}),
        (3.0, {"type": "integer"}),
        (10**400, {"type": "integer", "minimum": 0}),
        (None, {"type": ["string", "null"]}),
        (None, {"type": "string", "nullable": True}),
        ("a", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (2, {"oneOf": [{"type": "integer"}, {"type": "number"}]}),
        (2, {"allOf": [{"minimum": 1}, {"maximum": 3}]}),
        ({"k": 1}, {"type": "object"}),
        ({"k": 1}, {"type": "object", "patternProperties": {"^k": {}}, "additionalProperties": False}),
        ({"k": 1}, {"additionalProperties": {"type": "integer"}}),
        ([1, "a"], {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}),
        ([1, "a"], {"items": [{"type": "integer"}], "additionalItems": {"type": "string"}}),
        ([1, True], {"uniqueItems": True}),
        (5, {"exclusiveMinimum": 4, "exclusiveMaximum": 6}),
        (5, {"not": {"type": "string"}}),
        ("x", {"$ref": "https://example.com/schema.json"}),
        ("x", {"$ref": "#/nowhere"}),
        ("x", {"type": "strnig"}),
        ("x", {"unknownKeyword": 1, "minLength": "three"}),
        ("x", True),
        ("x", {"pattern": "(?<broken"}),
    ],
)
def test_what_is_right_or_unclear_passes(value: Any, schema: Any) -> None:
    assert of(value, schema, patterns=True) == []


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (None, {"type": "string"}),
        (3.5, {"type": "integer"}),
        (float("inf"), {"type": "integer"}),
        (1, {"const": True}),
        (0, {"enum": [False]}),
        ("a", False),
        ({"k": "v"}, {"additionalProperties": {"type": "integer"}}),
        ([1, 2], {"prefixItems": [{}], "items": False}),
        ([1], {"minItems": 2}),
        ([1, 2, 3], {"maxItems": 2}),
        ([{"a": 1}, {"a": 1}], {"uniqueItems": True}),
        (4, {"minimum": 4, "exclusiveMinimum": True}),
        (4, {"exclusiveMaximum": 4}),
        (5, {"multipleOf": 2}),
        ("", {"minLength": 1}),
        ({}, {"minProperties": 1}),
        (5, {"not": {"type": "integer"}}),
        (9, {"allOf": [{"minimum": 1}, {"maximum": 3}]}),
        ([], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (5, {"$ref": "#/properties/x/$defs/S", "$defs": {"S": {"type": "string"}}}),
        (5, {"$ref": "#", "type": "string"}),
    ],
)
def test_what_is_certainly_wrong_is_found(value: Any, schema: Any) -> None:
    assert len(of(value, schema)) == 1


def test_of_alternatives_the_one_that_was_meant_is_explained() -> None:
    union = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["name"]}]}
    assert of({}, union) == ["x.name is missing"]


def test_references_are_followed_into_recursive_values() -> None:
    good = {"root": {"name": "a", "children": [{"name": "b", "children": []}]}}
    assert problems(TREE, good) == []
    good["root"]["children"][0]["children"] = [{"children": []}]  # type: ignore[index]
    assert problems(TREE, good) == ["root.children[0].children[0].name is missing"]


def test_a_reference_to_itself_ends() -> None:
    assert problems({"$ref": "#"}, {}) == []
    assert problems({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, {}) == []


def test_the_expression_of_a_stranger_is_never_matched() -> None:
    hostile = {"type": "string", "pattern": "(a+)+$"}
    assert of("a" * 40 + "!", hostile) == []


def test_the_expression_of_the_host_is_matched() -> None:
    assert of("x1", {"pattern": "^[a-z]+$"}, patterns=True) == ["x must match ^[a-z]+$"]


def test_values_nested_beyond_every_measure_are_let_through() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert problems({"type": "object", "properties": {"x": {"items": {"$ref": "#/properties/x"}}}}, {"x": deep}) == []


def test_a_long_value_is_quoted_in_part() -> None:
    [problem] = of("a" * 10_000, {"type": "integer"})
    assert len(problem) < 200


SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.sampled_from(("", "a", "object", "#", "null"))
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
KEYWORDS = st.one_of(
    st.sampled_from(("type", "enum", "const", "properties", "required", "additionalProperties", "items", "$ref")),
    st.sampled_from(("anyOf", "oneOf", "allOf", "not", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
    st.sampled_from(("multipleOf", "minLength", "maxItems", "pattern", "uniqueItems", "nullable", "prefixItems")),
)
SCHEMAS = st.recursive(
    JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4), max_leaves=8
)


@given(schema=st.dictionaries(KEYWORDS, SCHEMAS), value=JSON)
def test_any_schema_and_any_value_give_an_answer(schema: dict[str, Any], value: Any) -> None:
    found = problems(schema, value)
    assert json.dumps(found)
    assert len(found) <= MOST_SHOWN


class Maker:
    """Makes schemas in the words that are judged here, and values that satisfy about every third."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def value(self, depth: int = 0) -> Any:
        choice = self._random.random()
        if depth > 2 or choice < 0.65:
            return self._random.choice([None, True, False, 0, 1, 2, 5, 2.5, "", "a", "b", "abc", 3])
        if choice < 0.8:
            return [self.value(depth + 1) for _ in range(self._random.randrange(4))]
        return {self._random.choice("abc"): self.value(depth + 1) for _ in range(self._random.randrange(3))}

    def schema(self, depth: int = 0) -> dict[str, Any]:
        kinds = ["string", "integer", "number", "boolean", "array", "object", "null"]
        schema: dict[str, Any] = {}
        if self._maybe(0.5):
            schema["type"] = self._random.choice(kinds) if self._maybe(0.8) else self._random.sample(kinds, 2)
        if self._maybe(0.1):
            schema["enum"] = [self.value(2) for _ in range(self._random.randrange(1, 4))]
        if self._maybe(0.05):
            schema["const"] = self.value(2)
        for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"):
            schema |= {word: self._random.randrange(4)} if self._maybe(0.07) else {}
        for word in ("minItems", "maxItems", "minProperties", "maxProperties"):
            schema |= {word: self._random.randrange(3)} if self._maybe(0.07) else {}
        schema |= {"multipleOf": 2} if self._maybe(0.05) else {}
        schema |= {"uniqueItems": True} if self._maybe(0.05) else {}
        schema |= {"not": {"type": self._random.choice(kinds)}} if self._maybe(0.05) else {}
        schema |= {"required": self._names()} if self._maybe(0.1) else {}
        if depth < 3:
            schema |= (
                {"properties": {name: self.schema(depth + 1) for name in self._names()}} if self._maybe(0.3) else {}
            )
            for word in ("additionalProperties", "items"):
                inner = self.schema(depth + 1) if self._maybe(0.8) else self._maybe(0.5)
                schema |= {word: inner} if self._maybe(0.2) else {}
            for word in ("anyOf", "allOf", "prefixItems"):
                members = [self.schema(depth + 1) for _ in range(self._random.randrange(1, 3))]
                schema |= {word: members} if self._maybe(0.1) else {}
        return schema

    def _names(self) -> list[str]:
        return self._random.sample("abc", self._random.randrange(1, 3))

    def _maybe(self, chance: float) -> bool:
        return self._random.random() < chance


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_validator_agrees_about_what_is_right(seed: int) -> None:
    validator = pytest.importorskip("jsonschema", reason="comes with the MCP SDK").Draft202012Validator
    maker = Maker(seed)
    agreed = {True: 0, False: 0}
    for _ in range(500):
        schema, value = maker.schema(), maker.value()
        is_right = validator(schema).is_valid(value)
        assert (problems(schema, value) == []) == is_right, (schema, value)
        agreed[is_right] += 1
    assert min(agreed.values()) > 100


PLAIN = st.dictionaries(
    st.sampled_from("abcd"),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])},
        optional={"description": st.just("said")},
    ),
)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.text(max_size=2), st.just([]), st.just({})
)


@given(
    PLAIN,
    st.lists(st.sampled_from("abcd")),
    st.sampled_from([None, True, False]),
    st.dictionaries(st.sampled_from("abcde"), VALUES),
)
def test_the_shortcut_lets_nothing_pass_that_is_wrong(
    properties: dict[str, Any], required: list[str], others: bool | None, arguments: dict[str, Any]
) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if others is not None:
        schema["additionalProperties"] = others
    fits = shortcut(schema)
    assert fits is not None
    if fits(arguments):
        assert problems(schema, arguments) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}},
        {"type": "object", "properties": {"a": {"enum": [1]}}},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "minProperties": 1},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "properties": {"a": {"type": "thing"}}},
        {"anyOf": [{"type": "object"}]},
        {"type": "array"},
    ],
)
def test_there_is_no_shortcut_for_a_schema_that_asks_for_more(schema: dict[str, Any]) -> None:
    assert shortcut(schema) is None
