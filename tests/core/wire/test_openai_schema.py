"""Schemas in the words that OpenAI takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.openai_schema import strict_schema, tool_schema

TEXT = {"type": "string"}
MAYBE = {"anyOf": [TEXT, {"type": "null"}]}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def field(schema: dict[str, Any]) -> dict[str, Any] | None:
    """What strict mode makes of one property."""
    strict = strict_schema({"type": "object", "properties": {"x": schema}, "required": ["x"]})
    found: dict[str, Any] | None = strict and strict["properties"]["x"]
    return found


def test_what_is_strict_already_stays_as_it_is() -> None:
    schema = closed(a=TEXT, b=closed(c={"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 3}))
    assert strict_schema(schema) == schema


def test_objects_that_leave_it_open_are_closed() -> None:
    inner = {"properties": {"b": TEXT}, "required": ["b"]}
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": inner}}, "required": ["a"]}
    assert strict_schema(schema) == closed(a={"type": "array", "items": closed(b=TEXT)})


def test_what_may_be_null_becomes_required() -> None:
    for optional in (MAYBE, {"type": ["string", "null"]}):
        assert strict_schema({"type": "object", "properties": {"a": optional}}) == closed(a=optional)
    nullable = {"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}
    assert strict_schema(nullable) == closed(a={"type": ["string", "null"]})


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({**TEXT, "default": "a", "examples": ["b"], "$comment": "c", "title": "T"}, {**TEXT, "title": "T"}),
        ({**TEXT, "minLength": 2, "maxLength": 3}, {**TEXT, "description": "(minLength: 2, maxLength: 3)"}),
        (
            {"type": "array", "items": TEXT, "uniqueItems": True, "description": "Names."},
            {"type": "array", "items": TEXT, "description": "Names. (uniqueItems: True)"},
        ),
        ({**TEXT, "format": "date"}, {**TEXT, "format": "date"}),
        ({**TEXT, "format": "uri"}, {**TEXT, "description": "(format: uri)"}),
        ({**TEXT, "pattern": "^a+$"}, {**TEXT, "pattern": "^a+$"}),
        ({**TEXT, "pattern": "^(?!b)"}, {**TEXT, "description": "(pattern: ^(?!b))"}),
        ({"oneOf": [TEXT, {"type": "integer"}]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        ({"allOf": [TEXT], "description": "d"}, {**TEXT, "description": "d"}),
        ({"$ref": "#/$defs/A", "description": "d"}, {"$ref": "#/$defs/A"}),
        ({"enum": ["a", 1]}, {"enum": ["a", 1]}),
        ({"const": "a"}, {"const": "a"}),
    ],
)
def test_what_can_be_said_otherwise_is(schema: dict[str, Any], strict: dict[str, Any]) -> None:
    assert field(schema) == strict


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"description": "anything"},
        {"type": "object"},
        {"type": "object", "properties": {"a": TEXT}},
        {"type": "object", "additionalProperties": TEXT},
        {**closed(a=TEXT), "additionalProperties": True},
        {**closed(a=TEXT), "patternProperties": {"^x": TEXT}},
        {"type": "array"},
        {"type": "array", "items": True},
        {"type": "array", "prefixItems": [TEXT]},
        {"not": TEXT},
        {**TEXT, "if": TEXT},
        {"allOf": [closed(a=TEXT), closed(b=TEXT)]},
        {"anyOf": [TEXT, {}]},
    ],
)
def test_what_strict_mode_has_no_words_for_is_not_strict(schema: dict[str, Any]) -> None:
    assert field(schema) is None


@pytest.mark.parametrize("schema", [TEXT, {"anyOf": [closed(a=TEXT)]}, {"$ref": "#/$defs/A", "$defs": {"A": closed()}}])
def test_at_the_top_there_must_be_an_object(schema: dict[str, Any]) -> None:
    assert strict_schema(schema) is None


def test_definitions_are_said_strictly_too() -> None:
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}}}
    strict = strict_schema({**closed(first={"$ref": "#/$defs/N"}), "$defs": {"N": node}})
    assert strict is not None
    assert strict["$defs"]["N"]["required"] == ["next"]
    assert strict["$defs"]["N"]["additionalProperties"] is False


def test_endless_nesting_is_not_strict() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5000):
        schema = {"type": "array", "items": schema}
    assert field(schema) is None


def test_parameters_are_an_object_at_the_top() -> None:
    empty = {"type": "object", "properties": {}}
    assert tool_schema({}) == tool_schema({"type": "object"}) == empty
    assert tool_schema({"$schema": "s", "properties": {"a": TEXT}}) == {"type": "object", "properties": {"a": TEXT}}


def test_a_reference_at_the_top_is_followed() -> None:
    definitions = {"A": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, "Loop": {"$ref": "#"}}
    expected = {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "$defs": definitions}
    assert tool_schema({"$ref": "#/$defs/A", "$defs": definitions}) == expected
    one_of = tool_schema({"oneOf": [{"$ref": "#/$defs/A"}], "$defs": definitions})
    assert one_of["properties"] == {"a": TEXT}
    assert tool_schema({"$ref": "#/$defs/Loop", "$defs": definitions})["properties"] == {}


def test_alternatives_at_the_top_become_one_object() -> None:
    schema = {
        "type": "object",
        "properties": {"a": TEXT},
        "required": ["a"],
        "oneOf": [{"properties": {"b": TEXT}, "required": ["b"]}, {"properties": {"a": {}, "c": TEXT}}],
        "not": {"required": ["d"]},
    }
    assert tool_schema(schema) == {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT, "c": TEXT},
        "required": ["a"],
    }


def test_every_array_of_parameters_names_its_items() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array"}, "type": {"type": "array"}, "b": {"items": {"type": "array"}}},
        "$defs": {"c": {"type": "array", "default": {"type": "array"}}},
    }
    assert tool_schema(schema) == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {}},
            "type": {"type": "array", "items": {}},
            "b": {"items": {"type": "array", "items": {}}},
        },
        "$defs": {"c": {"type": "array", "default": {"type": "array"}, "items": {}}},
    }


@pytest.mark.parametrize(
    ("several", "alternatives"),
    [
        (
            {"type": ["string", "null"], "description": "d", "minLength": 1},
            {"description": "d", "anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}]},
        ),
        (
            {"type": ["string", "null"], "enum": ["a", None], "default": None},
            {"default": None, "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        ),
        (
            {"type": ["array", "object"], "properties": {"a": TEXT}},
            {"anyOf": [{"type": "array", "items": {}}, {"type": "object", "properties": {"a": TEXT}}]},
        ),
        ({"type": ["string"]}, {"type": ["string"]}),
        ({"type": ["string", "null"], "anyOf": [{}]}, {"type": ["string", "null"], "anyOf": [{}]}),
        ({"type": "object", "additionalProperties": {}}, {"type": "object"}),
        ({"type": "object", "additionalProperties": False}, {"type": "object", "additionalProperties": False}),
    ],
)
def test_of_several_types_each_is_an_alternative(several: dict[str, Any], alternatives: dict[str, Any]) -> None:
    assert tool_schema({"properties": {"x": several}})["properties"] == {"x": alternatives}
    assert tool_schema({"properties": {"x": {"items": several}}})["properties"] == {"x": {"items": alternatives}}


def test_endless_nesting_is_left_as_it_is() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5000):
        schema = {"type": "array", "items": schema}
    assert tool_schema({"properties": {"x": schema}})["type"] == "object"


def test_the_schema_of_the_caller_is_left_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array"}, "b": {**TEXT, "minLength": 1}},
        "required": ["b"],
    }
    before = json.dumps(schema)
    tool_schema(schema)
    strict_schema(schema)
    assert json.dumps(schema) == before


KEYWORDS = """
    type properties required additionalProperties items anyOf oneOf allOf enum const not $ref $defs description format
    pattern minLength nullable default
"""
words = st.sampled_from(KEYWORDS.split())
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(["object", "string", "array", "null", "a"])
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=4)),
    max_leaves=15,
)


@given(st.dictionaries(words, values, max_size=6))
def test_no_schema_makes_it_raise_and_what_is_strict_stays_strict(schema: dict[str, Any]) -> None:
    assert tool_schema(schema)["type"] == "object"
    strict = strict_schema(schema)
    if strict is not None:
        assert strict_schema(strict) == strict
