"""JSON schemas in the words that OpenAI takes.

Pure, and the same for both styles of OpenAI. Above: ``json_pointer``. Below: their encoders. OpenAI refuses a request
for a schema that it does not support; what can be said otherwise is translated here, so that everything that satisfies
the translation satisfies the original. Others speak the same style and take less, such as Gemini and Kimi: what they
refuse is said otherwise too, where that costs nothing.

Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rillet.core.wire.json_pointer import referent

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
_ONE = frozenset(("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"))
_SEVERAL = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions"))
_DEEPEST = 100


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

    Alternatives at the top, which OpenAI refuses there, become one object with the properties of all of them. Of
    several types each becomes an alternative: Gemini refuses lists of types (aoci-spec/aoci-code#61).
    """
    top = referent(schema, schema)
    parameters = {key: value for key, value in top.items() if key not in (*_COMBINING, "$schema", "$id")}
    properties = dict(_mapping(top.get("properties")))
    alternatives = [_mapping(branch) for key in ("oneOf", "anyOf", "allOf") for branch in _sequence(top.get(key))]
    for branch in alternatives:
        offered = _mapping(referent(schema, branch).get("properties"))
        properties |= {key: value for key, value in offered.items() if key not in properties}
    named: dict[str, Any] = _taken({**parameters, "properties": properties}, 0)
    return named | {"type": "object"}


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


def _taken(node: Any, depth: int) -> Any:
    """The same with an ``items`` for every array, without which OpenAI refuses the whole request, and one type each."""
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return node
    taken: dict[str, Any] = {}
    for key, value in node.items():
        if key in _ONE and isinstance(value, Mapping):
            taken[key] = _taken(value, depth + 1)
        elif key in _SEVERAL or key in _ONE:
            taken[key] = [_taken(each, depth + 1) for each in value] if isinstance(value, list | tuple) else value
        elif key in _NAMED and isinstance(value, Mapping):
            taken[key] = {name: _taken(each, depth + 1) for name, each in value.items()}
        else:
            taken[key] = value
    if taken.get("additionalProperties") == {}:
        del taken[
            "additionalProperties"
        ]  # the same, in words that Kimi takes (TencentCloudBase/CloudBase-AI-Toolkit#626)
    kinds = _types(node)
    if "array" in kinds:
        taken.setdefault("items", {})
    if len(kinds) > 1 and depth > 0 and "anyOf" not in taken:
        description = {key: taken.pop(key) for key in ("title", "description", "default") if key in taken}
        return description | {"anyOf": [_of_type(taken, kind) for kind in kinds]}
    return taken


def _of_type(node: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """A schema for several types, for one of them: without what only speaks of others."""
    if kind == "null":
        return {"type": "null"}
    own = {"array": ("items", "prefixItems"), "object": ("properties", "required", "additionalProperties")}
    others = {key for each, keys in own.items() if each != kind for key in keys}
    kept = {key: value for key, value in node.items() if key not in others}
    if isinstance(values := kept.get("enum"), list):
        kept["enum"] = [value for value in values if value is not None]
    return kept | {"type": kind}


def _types(node: Mapping[str, Any]) -> tuple[Any, ...]:
    kind = node.get("type")
    return tuple(kind) if isinstance(kind, list | tuple) else (kind,)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
