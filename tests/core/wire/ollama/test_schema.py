"""Schemas of tools, as a strictly typed server reads them."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.wire.ollama.schema import parameters


def properties(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = parameters(schema)["properties"]
    return found


def test_parameters_are_an_object_even_when_nobody_says_so() -> None:
    assert parameters({}) == {"type": "object", "properties": {}}
    assert parameters({"properties": {"a": {}}}) == {"type": "object", "properties": {"a": {}}}


@pytest.mark.parametrize("kind", [["object", "null"], "string"])
def test_the_type_at_the_top_is_one_word(kind: Any) -> None:
    assert parameters({"type": kind, "properties": {"a": {}}}) == {"type": "object", "properties": {"a": {}}}


def test_what_fits_stays_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": ["string", "null"], "description": "Where", "enum": ["Oslo", "Bergen"]},
            "days": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "at": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert parameters(schema) == schema


@pytest.mark.parametrize("anything", [True, False, None, "x"])
def test_a_schema_is_an_object(anything: Any) -> None:
    schema = {"properties": {"a": anything, "b": {"items": anything}, "c": {"anyOf": [anything, {"type": "null"}]}}}
    assert properties(schema) == {"a": {}, "b": {"items": {}}, "c": {"anyOf": [{}, {"type": "null"}]}}


def test_a_required_that_is_no_list_is_left_out() -> None:
    assert parameters({"properties": {"a": {"required": True}}, "required": {"a": ["b"]}}) == {
        "type": "object",
        "properties": {"a": {}},
    }


def test_references_are_replaced_and_definitions_left_out() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
            "from": {"$ref": "#/$defs/City", "description": "Start"},
            "to": {"items": {"$ref": "#/$defs/City"}},
            "lost": {"$ref": "#/$defs/Nowhere", "description": "Still said"},
            "far": {"$ref": "https://x.test/schema"},
        },
        "$defs": {
            "City": {"type": "object", "description": "A place", "properties": {"name": {"$ref": "#/$defs/Name"}}},
            "Name": {"type": "string"},
        },
    }
    city = {"type": "object", "description": "A place", "properties": {"name": {"type": "string"}}}
    assert parameters(schema) == {
        "type": "object",
        "properties": {
            "from": city | {"description": "Start"},
            "to": {"items": city},
            "lost": {"description": "Still said"},
            "far": {},
        },
    }


def test_a_schema_within_itself_ends() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}, "name": {"type": "string"}}}
    found = properties({"properties": {"root": {"$ref": "#/$defs/Tree"}}, "$defs": {"Tree": tree}})
    assert found["root"]["properties"] == {"left": {}, "name": {"type": "string"}}


def test_references_that_double_at_every_step_stay_bounded() -> None:
    steps = {str(n): {"properties": {side: {"$ref": f"#/$defs/{n + 1}"} for side in "ab"}} for n in range(40)}
    found = parameters({"properties": {"x": {"$ref": "#/$defs/0"}}, "$defs": steps})
    assert len(repr(found)) < 100_000


def test_choices_and_constants_are_said_in_words_that_are_known() -> None:
    schema = {
        "properties": {"a": {"oneOf": [{"const": 1}, {"type": "string"}]}, "b": {"const": "x", "enum": ["x", "y"]}}
    }
    found = properties(schema)
    assert found["a"] == {"anyOf": [{"enum": [1]}, {"type": "string"}]}
    assert found["b"]["enum"] == ["x", "y"]


def test_the_callers_schema_is_left_as_it_is() -> None:
    schema: dict[str, Any] = {"properties": {"a": {"const": 1}}, "required": 1, "oneOf": []}
    before = repr(schema)
    parameters(schema)
    assert repr(schema) == before
