"""JSON schemas as Anthropic accepts them.

Pure. Above: ``json_pointer``. Below: ``encode``. What cannot be said in the accepted words is told to the model in a
``description``, so that it may still follow it. The schema that is given is left as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from rillet.core.wire.json_pointer import referent

_COMBINATIONS = ("allOf", "anyOf", "oneOf")
_KEPT = frozenset(
    ("$ref", "type", "enum", "const", "default", "title", "description", "required", "minItems", "format")
)
_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),
)

_KEY: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""What the properties of a tool may be called."""
_LONGEST_NOTE = 2000


def tool_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tool: an object, which at its top combines no other schemas.

    Anthropic answers 400 "input_schema does not support oneOf, allOf, or anyOf at the top level"
    (windoze95/cantinarr#497). The properties of all branches are offered instead; what every branch of ``allOf`` asks
    for stays required.
    """
    top = referent(schema, schema)
    tool = {key: value for key, value in top.items() if key not in _COMBINATIONS}
    tool["type"] = "object"
    properties = dict(_mapping(tool.get("properties")))
    required = list(_list(tool.get("required")))
    for key in _COMBINATIONS:
        for branch in _list(top.get(key)):
            offered = referent(schema, _mapping(branch))
            properties = dict(_mapping(offered.get("properties"))) | properties
            if key == "allOf":
                required += [name for name in _list(offered.get("required")) if name not in required]
    tool["properties"] = properties
    if required:
        tool["required"] = required
    return _named(tool)


def _named(tool: dict[str, Any]) -> dict[str, Any]:
    """With properties called as Anthropic allows: one other name makes it refuse the request with all its tools.

    (decocms/studio#6874; Anthropic looks at the top alone.) The others are told in words, and may still be sent.
    """
    others = {name: value for name, value in tool["properties"].items() if not _KEY.fullmatch(name)}
    if not others:
        return tool
    said = f"Also takes these properties: {json.dumps(others, ensure_ascii=False)[:_LONGEST_NOTE]}"
    if unnamed := [name for name in _list(tool.get("required")) if name in others]:
        said += f" Required of them: {json.dumps(unnamed, ensure_ascii=False)}"
    named = tool | {
        "properties": {name: value for name, value in tool["properties"].items() if name not in others},
        "description": f"{tool['description']} {said}" if tool.get("description") else said,
    }
    if "required" in named:
        named["required"] = [name for name in named["required"] if name not in others]
    if named.get("additionalProperties") is False:
        del named["additionalProperties"]
    return named


def output_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an answer: objects are closed, and limits of numbers, strings and lists become words.

    https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
    """
    kept: dict[str, Any] = {}
    words: dict[str, Any] = {}
    for key, value in schema.items():
        match key:
            case "properties" | "$defs" | "definitions":
                kept[key] = {name: _inner(inner) for name, inner in _mapping(value).items()}
            case "items":
                kept[key] = _inner(value)
            case "anyOf" | "allOf":
                kept[key] = [_inner(inner) for inner in _list(value)]
            case "oneOf":
                kept["anyOf"] = [_inner(inner) for inner in _list(value)]
            case "additionalProperties" | "$schema" | "$id":
                pass
            case "format" if value not in _FORMATS:
                words[key] = value
            case "minItems" if value not in (0, 1):
                words[key] = value
            case _ if key in _KEPT:
                kept[key] = value
            case _:
                words[key] = value
    if schema.get("type") == "object" or "object" in _list(schema.get("type")) or "properties" in schema:
        kept["additionalProperties"] = False
    if words:
        said = "; ".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in words.items())
        kept["description"] = f"{kept['description']} ({said})" if kept.get("description") else said
    return kept


def _inner(schema: Any) -> Any:
    return output_schema(schema) if isinstance(schema, Mapping) else schema


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
