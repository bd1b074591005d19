"""JSON schemas in the words that OpenAI takes.

Pure, and the same for both styles of OpenAI. Above: nothing. Below: their encoders. OpenAI refuses a request for a
schema that it does not support; what can be said otherwise is translated here, so that everything that satisfies the
translation satisfies the original.

Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DROPPED = frozenset(
    ("$schema", "$id", "$comment", "$anchor", "default", "examples", "example", "deprecated", "readOnly", "writeOnly")
)
"""Say nothing about what is valid; ``default`` is even "not permitted"."""
_SAID = frozenset(("minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties"))
"""Refused as keywords, so the description says them."""
_FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"))
_BOUNDS = ("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems")
_KEPT = frozenset(("title", "description", "type", "enum", "const", "format", "pattern", *_BOUNDS))
_COMBINING = ("oneOf", "anyOf", "allOf", "enum", "not")


class _Unsayable(Exception):
    """Strict mode has no words for this."""


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema for strict mode, or None when it cannot be said there without changing what it means.

    Strict mode knows only closed objects all of whose properties are required. Objects that leave open whether they
    are closed become so, and optional properties that may be null become required; others that are optional, and
    objects that are open on purpose, cannot be said.
    """
    try:
        strict = _strict(schema)
    except (_Unsayable, RecursionError):
        return None
    return strict if strict.get("type") == "object" else None


def tool_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a function, which need not be strict, but must be an object at the top, and name all items.

    Alternatives at the top, which OpenAI refuses there, become one object with the properties of all of them.
    """
    parameters = {key: value for key, value in schema.items() if key not in _COMBINING}
    properties = dict(_mapping(schema.get("properties")))
    alternatives = [_mapping(branch) for key in ("oneOf", "anyOf", "allOf") for branch in _sequence(schema.get(key))]
    for branch in alternatives:
        properties |= {key: value for key, value in _mapping(branch.get("properties")).items() if key not in properties}
    named: dict[str, Any] = _with_items({**parameters, "type": "object", "properties": properties})
    return named


def _strict(node: Any) -> dict[str, Any]:
    if not isinstance(node, Mapping):
        raise _Unsayable
    if "$ref" in node:
        return {"$ref": node["$ref"]}  # OpenAI takes nothing beside it
    if len(parts := _sequence(node.get("allOf"))) == 1 and isinstance(parts[0], Mapping):
        return _strict({**{key: value for key, value in node.items() if key != "allOf"}, **parts[0]})
    strict: dict[str, Any] = {}
    said: list[str] = []
    for key, value in node.items():
        if (
            key in _SAID
            or (key == "format" and str(value) not in _FORMATS)
            or (key == "pattern" and "(?" in str(value))
        ):
            said.append(f"{key}: {value}")
        elif key in _KEPT:
            strict[key] = value
        elif key in ("anyOf", "oneOf"):
            strict["anyOf"] = [_strict(branch) for branch in _sequence(value)]
        elif key in ("$defs", "definitions"):
            strict[key] = {name: _strict(definition) for name, definition in _mapping(value).items()}
        elif key == "items":
            strict[key] = _strict(value)
        elif key not in (*_DROPPED, "properties", "required", "additionalProperties", "nullable"):
            raise _Unsayable
    if "properties" in node or "object" in _types(node):
        _close(strict, node)
    if node.get("nullable") is True and "type" in strict:
        strict["type"] = [*_types(node), "null"]
    if said:
        strict["description"] = f"{strict.get('description') or ''} ({', '.join(said)})".lstrip()
    if not strict.keys() & {"type", "enum", "const", "anyOf"} or ("array" in _types(node) and "items" not in strict):
        raise _Unsayable
    return strict


def _close(strict: dict[str, Any], node: Mapping[str, Any]) -> None:
    """Say an object: closed, with every property required."""
    if "properties" not in node or node.get("additionalProperties", False) is not False:
        raise _Unsayable
    properties = _mapping(node["properties"])
    required = _sequence(node.get("required"))
    if not all(name in required or _may_be_null(schema) for name, schema in properties.items()):
        raise _Unsayable
    strict.setdefault("type", "object")
    strict["properties"] = {name: _strict(schema) for name, schema in properties.items()}
    strict["required"] = list(properties)
    strict["additionalProperties"] = False


def _may_be_null(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    branches = (*_sequence(schema.get("anyOf")), *_sequence(schema.get("oneOf")))
    return schema.get("nullable") is True or "null" in _types(schema) or any(map(_may_be_null, branches))


def _with_items(value: Any) -> Any:
    """The same with an ``items`` for every array: without it OpenAI refuses the whole request."""
    if isinstance(value, Mapping):
        named = {key: _with_items(item) for key, item in value.items()}
        return {**named, "items": {}} if "array" in _types(value) and "items" not in value else named
    return [_with_items(item) for item in value] if isinstance(value, list | tuple) else value


def _types(node: Mapping[str, Any]) -> tuple[Any, ...]:
    kind = node.get("type")
    return tuple(kind) if isinstance(kind, list | tuple) else (kind,)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
