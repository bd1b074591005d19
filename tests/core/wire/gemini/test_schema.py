from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.gemini.schema import parameters, translate

ALLOWED = {
    "type",
    "nullable",
    "description",
    "format",
    "enum",
    "items",
    "properties",
    "required",
    "anyOf",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
}
TYPES = {"string", "number", "integer", "boolean", "array", "object"}


def check(schema: dict[str, Any]) -> int:
    """The rules that Google enforces with 400; returns how many nodes there are."""
    assert schema.keys() <= ALLOWED
    if "anyOf" in schema:
        assert schema.keys() == {"anyOf"}
        assert len(schema["anyOf"]) > 1
        return 1 + sum(map(check, schema["anyOf"]))
    type_ = schema["type"]
    assert type_ in TYPES
    assert "enum" not in schema or (type_ == "string" and all(isinstance(v, str) and v for v in schema["enum"]))
    assert ("items" in schema) == (type_ == "array")
    assert "properties" not in schema or type_ == "object"
    assert set(schema.get("required", [])) <= schema.get("properties", {}).keys()
    assert schema.get("format") in (None, "date-time", "float", "double", "int32", "int64")
    nodes = list(schema.get("properties", {}).values()) + ([schema["items"]] if "items" in schema else [])
    return 1 + sum(map(check, nodes))


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (
            {"type": "string", "description": "d", "minLength": 1},
            {"type": "string", "description": "d", "minLength": 1},
        ),
        ({"$schema": "x", "$id": "y", "title": "T", "type": "boolean", "examples": [1]}, {"type": "boolean"}),
        ({"type": "STRING"}, {"type": "string"}),
        ({"type": "integer", "minLength": 1, "maximum": 5}, {"type": "integer", "maximum": 5}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "string", "format": "uri"}, {"type": "string", "description": '(format: "uri")'}),
        ({"type": "integer", "format": "int64"}, {"type": "integer", "format": "int64"}),
        (
            {"type": "number", "description": "d", "exclusiveMinimum": 0, "multipleOf": 5},
            {"type": "number", "description": "d (exclusiveMinimum: 0; multipleOf: 5)"},
        ),
        (
            {"type": "string", "pattern": "(?=a)", "default": "ä"},
            {"type": "string", "description": '(pattern: "(?=a)"; default: "ä")'},
        ),
        ({"type": "string", "default": None}, {"type": "string"}),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}),
        ({"type": "string", "enum": ["", "a"]}, {"type": "string", "enum": ["a"], "description": '(one of "", "a")'}),
        ({"enum": [1, 2]}, {"type": "integer", "description": "(one of 1, 2)"}),
        ({"const": "x", "description": "d"}, {"type": "string", "enum": ["x"], "description": "d"}),
        ({"const": True}, {"type": "boolean", "description": "(one of true)"}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
        (
            {
                "description": "d",
                "oneOf": [{"type": "string", "description": "e"}, {"type": "integer"}, {"type": "null"}],
            },
            {
                "anyOf": [
                    {"type": "string", "description": "d e", "nullable": True},
                    {"type": "integer", "description": "d", "nullable": True},
                ]
            },
        ),
        (
            {"anyOf": [{"anyOf": [{"type": "string"}, {"type": "number"}]}, {"type": "string"}]},
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
        ),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        ({"items": {"type": "number"}, "minItems": 1}, {"type": "array", "items": {"type": "number"}, "minItems": 1}),
        (
            {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]},
            {"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}},
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object"}),
        ({"additionalProperties": {"type": "string"}}, {"type": "object"}),
        ({"properties": {"a": {}}, "required": [[], 1]}, {"type": "object", "properties": {"a": {"type": "string"}}}),
        ({"minimum": 1}, {"type": "number", "minimum": 1}),
        ({"enum": []}, {"type": "string"}),
        (
            {"description": 1, "anyOf": [{"type": "string"}, {"type": "number"}, 3]},
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
        ),
        (
            {"properties": {"a": {}, "b": True}, "required": ["a", "zzz"], "additionalProperties": False},
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]},
        ),
        (
            {
                "allOf": [
                    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {"type": "string"}}, "required": ["b"]},
                ],
                "type": "object",
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "required": ["a", "b"],
            },
        ),
        (
            {"description": "d", "minLength": 1, "allOf": [{"type": "string", "maxLength": 5}]},
            {"type": "string", "description": "d", "minLength": 1, "maxLength": 5},
        ),
        ({"$ref": "https://x.test/schema", "description": "d"}, {"type": "object", "description": "d"}),
        ({"$ref": "#/nowhere"}, {"type": "object"}),
        ({"type": "string", "enum": [""]}, {"type": "string", "description": '(one of "")'}),
        ({"type": "string", "properties": {"a": {}}, "required": ["a"], "items": {}}, {"type": "string"}),
        ({"type": "null"}, {"type": "string"}),
        ({}, {"type": "string"}),
    ],
)
def test_a_schema_is_said_in_the_words_that_are_accepted(schema: dict[str, Any], wanted: dict[str, Any]) -> None:
    before = repr(schema)
    assert translate(schema) == wanted
    check(translate(schema))
    assert repr(schema) == before


def test_references_are_followed_and_cut_where_they_go_round() -> None:
    schema = {
        "type": "object",
        "properties": {
            "tree": {"$ref": "#/$defs/Node", "description": "the tree"},
            "p": {"$ref": "#/definitions/a~1b"},
        },
        "$defs": {
            "Node": {
                "type": "object",
                "properties": {
                    "v": {"type": "integer"},
                    "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                },
                "required": ["v"],
            }
        },
        "definitions": {"a/b": {"$ref": "#/definitions/c"}, "c": {"type": "number"}},
    }
    assert translate(schema) == {
        "type": "object",
        "properties": {
            "tree": {
                "type": "object",
                "description": "the tree",
                "properties": {"v": {"type": "integer"}, "next": {"type": "object", "nullable": True}},
                "required": ["v"],
            },
            "p": {"type": "number"},
        },
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {
            "$ref": "#/$defs/x0",
            "$defs": {f"x{i}": {"allOf": [{"$ref": f"#/$defs/x{i + 1}"}] * 2} for i in range(40)},
        },
        {
            "$ref": "#/$defs/x0",
            "$defs": {
                f"x{i}": {"properties": {"a": {"$ref": f"#/$defs/x{i + 1}"}, "b": {"$ref": f"#/$defs/x{i + 1}"}}}
                for i in range(40)
            },
        },
    ],
)
def test_references_that_multiply_do_not_multiply_without_end(schema: dict[str, Any]) -> None:
    assert check(translate(schema)) <= 6000


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {}},
        {"type": "object", "additionalProperties": True},
        {"type": ["object", "null"]},
        {"type": "string"},
        {"anyOf": [{"type": "object"}, {"type": "string"}]},
    ],
)
def test_a_function_without_parameters_says_nothing_of_them(schema: dict[str, Any]) -> None:
    assert parameters(schema) is None


def test_the_parameters_of_a_function_are_always_an_object() -> None:
    branches = [
        {"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "string"}}, "required": ["a", "c"]},
        {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "string"}}, "required": ["b", "c"]},
        {"type": "string"},
    ]
    assert parameters({"oneOf": branches}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "c": {"type": "string"}, "b": {"type": "string"}},
        "required": ["c"],
    }


KEYWORDS = """
    type properties required items prefixItems anyOf oneOf allOf $ref $defs enum const format nullable minimum maxLength
    description default additionalProperties pattern not if
"""
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from(["object", "array", "string", "null", "#", "#/$defs/type", "date", "a", "\ud83d"]),
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYWORDS.split()), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(KEYWORDS.split()), schemas, max_size=6))
def test_any_json_gives_a_schema_that_is_accepted(schema: dict[str, Any]) -> None:
    check(translate(schema))
    found = parameters(schema)
    if found is not None:
        check(found)
        assert found["type"] == "object"
        assert found["properties"]
