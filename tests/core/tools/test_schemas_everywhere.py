"""What a model is told of a tool, in the words of every provider: what each of them refuses is not in it."""

from __future__ import annotations

import asyncio
import datetime
import enum
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest

from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.native import tool
from rillet.core.tools.openapi import openapi_tools
from rillet.core.tools.skill_file import Skill
from rillet.core.tools.skills import Skills
from rillet.core.tools.tool import Tool
from rillet.core.tools.workspace import Workspace
from rillet.core.types import ChatMessage, ChatRequest
from rillet.core.wire.codecs import codec_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from rillet.core.types import ToolSpec


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


@dataclass
class Node:
    value: int | None
    children: list[Node] = field(default_factory=list)


@tool
def everything(
    *,
    city: Annotated[str, "Name of the city"],
    unit: Unit,
    level: Literal[1, 2, "high"],
    day: datetime.date,
    pair: tuple[int, str],
    names: set[str],
    more: dict[str, list[float]],
    anything: Any,
    tree: Node | None = None,
    choice: int | str | Node | None = None,
) -> str:
    """Takes one of each."""
    return ""


@tool
def nothing() -> str:
    """Takes nothing."""
    return ""


def strange() -> Iterator[Tool]:
    """Schemas that servers were seen to give (MCP, OpenAPI)."""
    schemas: list[dict[str, Any]] = [
        {},
        {"type": "object"},
        {"type": "object", "properties": {"filter[id]": {"type": "string"}, "$top": {}}, "required": ["$top"]},
        {"$ref": "#/$defs/In", "$defs": {"In": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}},
        {"anyOf": [{"properties": {"a": {"type": "array"}}}, {"properties": {"b": {"const": 1}}}]},
        {"properties": {"x": {"oneOf": [{"type": "object", "additionalProperties": {}}, {"items": {}}]}}},
        {"properties": {"x": {"$ref": "#"}, "y": {"type": "array", "items": {"$ref": "#/properties/x"}}}},
        {"properties": {"x": True, "y": {"enum": [1, None, "a"]}, "z": {"type": "object", "properties": {}}}},
    ]
    for number, schema in enumerate(schemas):
        yield Tool.native(f"strange_{number}", "", schema, lambda args: None)


def operations() -> tuple[Tool, ...]:
    person = {"type": "object", "properties": {"name": {"type": "string", "nullable": True}, "boss": {"$ref": "#/p"}}}
    post = {
        "parameters": [{"name": "filter[age]", "in": "query", "schema": {"type": "integer", "nullable": True}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/p"}}}},
    }
    document = {"openapi": "3.0.3", "paths": {"/2fa/{id}": {"post": post}, "/all": {"get": {}}}, "p": person}
    return openapi_tools(document, base_url="https://example.com").tools


@pytest.fixture
def specs(tmp_path: Path) -> list[ToolSpec]:
    skills = asyncio.run(Skills(data=[Skill("a", "A.", "")]).load())
    assert skills.tool is not None
    builtin = builtin_tools(Workspace(tmp_path))
    return [each.spec for each in (everything, nothing, skills.tool, *strange(), *operations(), *builtin)]


def nodes(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every schema within a schema."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("properties", "$defs", "definitions"):
        for inner in schema.get(key, {}).values():
            yield from nodes(inner)
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(key, []):
            yield from nodes(inner)
    for key in ("items", "additionalProperties", "not"):
        yield from nodes(schema.get(key))


def said(style: str, specs: list[ToolSpec]) -> list[dict[str, Any]]:
    """The tools in the body of a request."""
    body = codec_for(style).encode(ChatRequest([ChatMessage.user("x")], tools=specs), "model", stream=True)
    tools: list[dict[str, Any]] = json.loads(json.dumps(body["tools"]))
    if style == "gemini":
        [together] = tools
        return list(together["functionDeclarations"])
    assert len(tools) == len(specs)
    return tools


def test_openai_gets_objects_whose_arrays_name_their_items_and_no_lists_of_types(specs: list[ToolSpec]) -> None:
    for style, parameters in [
        *(("openai", each["function"]["parameters"]) for each in said("openai", specs)),
        *(("openai-responses", each["parameters"]) for each in said("openai-responses", specs)),
    ]:
        assert parameters["type"] == "object", style
        assert "properties" in parameters
        assert not parameters.keys() & {"oneOf", "anyOf", "allOf", "enum", "not", "$ref"}
        for node in nodes(parameters):
            assert node.get("type") != "array" or "items" in node
            assert not isinstance(node.get("type"), list)


def test_anthropic_gets_objects_whose_properties_have_names_that_it_takes(specs: list[ToolSpec]) -> None:
    for each in said("anthropic", specs):
        schema = each["input_schema"]
        assert schema["type"] == "object"
        assert not schema.keys() & {"oneOf", "anyOf", "allOf", "$ref"}
        assert all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) for name in schema["properties"])
        assert set(schema.get("required", [])) <= schema["properties"].keys()


def test_gemini_gets_its_own_subset_and_names_that_begin_with_a_letter(specs: list[ToolSpec]) -> None:
    allowed = {"type", "nullable", "description", "format", "enum", "items", "properties", "required", "anyOf"} | {
        f"{bound}{of}" for bound in ("min", "max") for of in ("imum", "Length", "Items", "Properties")
    }
    for each in said("gemini", specs):
        assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", each["name"])
        if "parameters" not in each:
            continue
        assert each["parameters"]["type"] == "object"
        assert each["parameters"]["properties"]
        for node in nodes(each["parameters"]):
            assert node.keys() <= allowed
            assert "anyOf" in node or isinstance(node["type"], str)
            assert node.get("type") != "array" or "items" in node


def test_ollama_gets_no_references_and_every_property_is_an_object(specs: list[ToolSpec]) -> None:
    for each in said("ollama", specs):
        parameters = each["function"]["parameters"]
        assert parameters["type"] == "object"
        for node in nodes(parameters):
            assert "$ref" not in node
            assert all(isinstance(inner, dict) for inner in node.get("properties", {}).values())
            assert isinstance(node.get("required", []), list)
