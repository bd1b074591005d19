"""Schemas, before and after."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rillet.core.wire.anthropic.schema import output_schema, tool_schema


def test_arguments_are_an_object_whatever_was_said() -> None:
    assert tool_schema({}) == {"type": "object", "properties": {}}
    assert tool_schema({"properties": {"x": {}}, "$defs": {"a": {}}}) == {
        "type": "object",
        "properties": {"x": {}},
        "$defs": {"a": {}},
    }


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_alternatives_at_the_top_become_properties_of_which_none_is_required(key: str) -> None:
    schema = {
        "properties": {"x": {"type": "string"}},
        "required": ["x"],
        key: [
            {"properties": {"y": {"type": "integer"}, "x": {"type": "null"}}, "required": ["y"]},
            {"properties": {"z": {"type": "integer"}}},
            {"required": ["x"]},
            True,
        ],
    }
    assert tool_schema(schema) == {
        "type": "object",
        "properties": {"x": {"type": "string"}, "y": {"type": "integer"}, "z": {"type": "integer"}},
        "required": ["x"],
    }


def test_what_all_branches_demand_stays_required() -> None:
    schema = {
        "allOf": [{"properties": {"y": {}}, "required": ["y"]}, {"properties": {"z": {}}, "required": ["z", "y"]}]
    }
    assert tool_schema(schema)["required"] == ["y", "z"]


def test_a_reference_at_the_top_is_followed() -> None:
    definitions = {"A": {"properties": {"a": {}}, "required": ["a"]}}
    expected = {"type": "object", "properties": {"a": {}}, "required": ["a"], "$defs": definitions}
    assert tool_schema({"$ref": "#/$defs/A", "$defs": definitions}) == expected
    assert tool_schema({"allOf": [{"$ref": "#/$defs/A"}], "$defs": definitions}) == expected


@pytest.mark.parametrize("name", ["filter[id]", "$top", "größe", "cwd?", "a b", "", "x" * 65])
def test_a_property_with_a_name_that_is_refused_is_told_in_words(name: str) -> None:
    schema = {
        "description": "All of it.",
        "properties": {"good": {"type": "string"}, name: {"type": "integer"}},
        "required": ["good", name],
        "additionalProperties": False,
    }
    tool = tool_schema(schema)
    assert tool["properties"] == {"good": {"type": "string"}}
    assert tool["required"] == ["good"]
    assert tool["description"].startswith("All of it. Also takes these properties: {")
    assert f'"{name}": {{"type": "integer"}}' in tool["description"]
    assert f'Required of them: ["{name}"]' in tool["description"]
    assert "additionalProperties" not in tool


def test_combinations_below_the_top_stay() -> None:
    inner = {"x": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    assert tool_schema({"properties": inner})["properties"] == inner


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string", "minLength": 1}, {"type": "string", "description": "minLength: 1"}),
        (
            {"type": "number", "description": "Age", "minimum": 0, "maximum": 9},
            {"type": "number", "description": "Age (minimum: 0; maximum: 9)"},
        ),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        ({"type": "string", "format": "color"}, {"type": "string", "description": 'format: "color"'}),
        ({"type": "array", "items": {}, "minItems": 1}, {"type": "array", "items": {}, "minItems": 1}),
        ({"type": "array", "minItems": 2}, {"type": "array", "description": "minItems: 2"}),
        ({"oneOf": [{"const": 1}]}, {"anyOf": [{"const": 1}]}),
        ({"$schema": "x", "$id": "y", "enum": ["a"]}, {"enum": ["a"]}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
         {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "additionalProperties": False}}}),
        ({"type": ["object", "null"], "additionalProperties": {"type": "string"}},
         {"type": ["object", "null"], "additionalProperties": False}),
    ],
)  # fmt: skip
def test_what_cannot_be_enforced_becomes_words(schema: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert output_schema(schema) == wanted


def test_every_level_is_closed_and_the_schema_that_was_given_is_left_alone() -> None:
    schema = {"properties": {"a": {"type": "array", "items": {"properties": {"b": {"type": "object"}}}}}}
    before = copy.deepcopy(schema)
    closed = output_schema(schema)
    assert closed["additionalProperties"] is False
    items = closed["properties"]["a"]["items"]
    assert items["additionalProperties"] is False
    assert items["properties"]["b"]["additionalProperties"] is False
    assert schema == before


def test_a_property_may_be_called_like_a_keyword() -> None:
    schema = {"type": "object", "properties": {"minimum": {"type": "integer"}, "oneOf": {"type": "string"}}}
    assert output_schema(schema)["properties"] == schema["properties"]
