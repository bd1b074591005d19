"""What a server says of its tools, cleaned and bounded."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.tools.mcp.definition import define, depth, seen
from rillet.core.tools.mcp.listing import Listing


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


def test_a_definition_is_what_the_model_is_told() -> None:
    tool = define("read", "Reads.", {"type": "object", "properties": {"path": {"type": "string"}}})
    assert (tool.name, tool.description) == ("read", "Reads.")
    assert tool.input_schema == {"type": "object", "properties": {"path": {"type": "string"}}}
    assert tool.lines[:2] == ("tool: read", "Reads.")
    assert '      "type": "string"' in tool.lines


def test_a_schema_without_a_type_is_that_of_an_object() -> None:
    assert define("t", None, {}).input_schema == {"type": "object"}


def test_what_nobody_sees_is_told_to_nobody() -> None:
    hidden = "Adds.\U000e0049\U000e0067\u200b\u202e\ufeff\x1b[2K"
    tool = define("add", hidden, {"properties": {"a": {"description": hidden, "title": hidden}}})
    assert tool.description == "Adds.[2K"
    assert tool.input_schema["properties"]["a"] == {"description": "Adds.[2K", "title": "Adds.[2K"}


def test_names_and_constants_in_a_schema_stay_as_they_are() -> None:
    schema = {"type": "object", "properties": {"a\u200bb": {"const": "x\u200b", "enum": ["\u202e"]}}}
    assert define("t", "", schema).input_schema == schema


def test_lines_stay_lines_and_blanks_become_blanks() -> None:
    assert seen("a\nb\tc\u00a0d\u3000e") == "a\nb c d e"
    assert seen("Überraschung, 天気") == "Überraschung, 天気"


@pytest.mark.parametrize(
    ("name", "description", "schema", "why"),
    [
        ("", "", {}, "0 characters"),
        ("a" * 300, "", {}, "300 characters"),
        ("a\u202eb", "", {}, "cannot be seen"),
        ("a\nb\x00", "", {}, "cannot be seen"),
        ("t", "x" * 16_001, {}, "its description has 16,001"),
        ("t", "", {"type": "string"}, "no object"),
        ("t", "", {"type": ["object"]}, "no object"),
        ("t", "", nested(20), "nested too deeply"),
        ("t", "", {"description": "x" * 70_000}, "its schema has"),
    ],
)
def test_what_is_out_of_bounds_says_so(name: str, description: str, schema: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        define(name, description, schema)


def test_depth_is_counted_no_further_than_it_matters() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    assert depth(endless) == 33
    assert depth({"a": [{"b": 1}]}) == 3


def test_a_list_is_bounded_in_number_and_in_all() -> None:
    listing = Listing()
    for number in range(20):
        listing.add(define(f"t{number}", "x" * 12_000, {"description": "y" * 30_000}))
    assert 10 < len(listing.tools) < 15
    assert "all tools of its server together" in listing.refused["t19"]
    many = Listing()
    while not many.is_full:
        many.add(define(f"t{len(many.tools)}", "", {}))
    assert len(many.tools) == 512


def test_half_a_character_costs_that_character() -> None:
    assert define("t", "a\ud83d", {}).description == "a\ufffd"
