"""JSON schema → the subset of OpenAPI that this style takes.

Pure. Above: ``json_pointer``. Below: ``encode``. One keyword that is not in the subset anywhere in a schema makes the
server refuse the whole request, so the translation is total: it keeps what the subset knows
(https://ai.google.dev/api/caching#Schema), says differently what can be said differently, and writes what cannot be
said at all into the description, where the model reads it.

    $ref                   what it refers to; within itself, once more as an object of any kind
    allOf                  merged into one
    oneOf, a list of types anyOf
    type null              nullable
    const                  an enum of one
    enum not of strings    said in the description, as are formats, patterns, defaults and bounds that have no keyword
    prefixItems            any of them
    anything else          dropped

Guarantee: any JSON value gives a schema of this subset; the result is bounded whatever refers to what.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rillet.core.wire.json_pointer import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEPT: dict[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "boolean": (),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
"""Types and the bounds that go with them; a bound of another type is refused."""
_FORMATS = {"string": ("date-time",), "number": ("float", "double"), "integer": ("int32", "int64")}
"""All others are refused: "only 'enum' and 'date-time' are supported for STRING type" (enechange/collmbo#195)."""
_SAID = ("format", "pattern", "default", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems")
_DEEPEST = 32
_LARGEST = 2000
"""Nodes of one schema: references to references could make it grow without end."""


def parameters(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The parameters of a function, which must be an object (livekit/agents#2689) with properties, or None for none.

    ("parameters.properties: should be non-empty for OBJECT type", langchain-ai/langchain-google#416.)
    """
    found = translate(schema)
    if "anyOf" in found:
        found = _united([branch for branch in found["anyOf"] if branch["type"] == "object"])
    if found.get("type") != "object" or not found.get("properties"):
        return None
    found.pop("nullable", None)
    return found


def translate(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema in the subset."""
    return _Translation(schema).node(dict(schema), ())


class _Translation:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def node(self, schema: Any, within: tuple[str, ...]) -> dict[str, Any]:
        """One schema. ``within``: the references that are being followed."""
        self._nodes += 1
        if not isinstance(schema, dict) or self._nodes > _LARGEST or len(within) > _DEEPEST:
            return {"type": "string"}
        resolved = self._resolved(schema, within)
        if resolved is None:
            return _described({"type": "object"}, schema)
        schema, within = resolved
        within = (*within, "")
        schema = self._merged(schema, within)
        values = schema.get("enum")
        if isinstance(values, list) and None in values and values != [None]:
            schema = schema | {"enum": [value for value in values if value is not None], "nullable": True}
        branches = self._branches(schema)
        if branches is None:
            return self._plain(schema, _type(schema), within)
        nullable = bool(schema.get("nullable")) or any(map(_is_null, branches))
        found = [self.node(branch, within) for branch in branches if not _is_null(branch)]
        return _either(found, nullable=nullable, description=schema.get("description"))

    def _plain(self, schema: dict[str, Any], type_: str, within: tuple[str, ...]) -> dict[str, Any]:
        """A schema of one type."""
        found: dict[str, Any] = {"type": type_}
        if schema.get("nullable") is True:
            found["nullable"] = True
        found |= {key: schema[key] for key in _KEPT[type_] if _is_number(schema.get(key))}
        if schema.get("format") in _FORMATS.get(type_, ()):
            found["format"] = schema["format"]
        values = schema.get("enum")
        if type_ == "string" and isinstance(values, list):
            names = [value for value in values if isinstance(value, str) and value]
            found |= {"enum": names} if names else {}
        elif type_ == "array":
            found["items"] = self._items(schema, within)
        elif type_ == "object":
            found |= self._properties(schema, within)
        return _described(found, schema)

    def _properties(self, schema: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or not properties:
            return {}
        found = {str(name): self.node(value, within) for name, value in properties.items()}
        wanted = schema.get("required")
        required = (
            [name for name in wanted if isinstance(name, str) and name in found] if isinstance(wanted, list) else []
        )
        return {"properties": found} | ({"required": required} if required else {})

    def _items(self, schema: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
        """Arrays must say what they hold."""
        items = schema.get("prefixItems", schema.get("items"))
        if isinstance(items, list):
            return _either([self.node(item, within) for item in items], nullable=False)
        return self.node(items, within)

    def _resolved(
        self, schema: dict[str, Any], within: tuple[str, ...]
    ) -> tuple[dict[str, Any], tuple[str, ...]] | None:
        """The schema without ``$ref``; None when it refers to what it stands in, or to nothing."""
        while isinstance(reference := schema.get("$ref"), str):
            target = None if reference in within else resolve(self._root, reference)
            if target is None:
                return None
            within = (*within, reference)
            schema = target | {key: value for key, value in schema.items() if key != "$ref"}
        return schema, within

    def _merged(self, schema: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
        """``allOf`` taken into the schema itself."""
        parts = schema.get("allOf")
        if not isinstance(parts, list):
            return schema
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for part in parts:
            self._nodes += 1
            resolved = self._resolved(part, within) if isinstance(part, dict) else None
            if resolved is not None and len(within) <= _DEEPEST and self._nodes <= _LARGEST:
                merged = _both(merged, self._merged(resolved[0], (*resolved[1], "")))
        return merged

    def _branches(self, schema: dict[str, Any]) -> list[Any] | None:
        """What the value may be instead, each with everything that holds for all; None when there is no choice."""
        types = schema.get("type")
        options = next((schema[key] for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)), None)
        if options:
            base = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "description")}
            return [_both(base, option) if isinstance(option, dict) else base for option in options]
        if isinstance(types, list):
            return [schema | {"type": type_} for type_ in types]
        if "const" in schema:
            rest = {key: value for key, value in schema.items() if key != "const"}
            return [rest | {"enum": [schema["const"]]}]
        return None


def _type(schema: dict[str, Any]) -> str:
    """The type, or what the keywords speak of; text when they speak of nothing."""
    type_ = schema.get("type")
    if isinstance(type_, str) and type_.lower() in _KEPT:
        return type_.lower()
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    values = schema.get("enum")
    if isinstance(values, list) and values:
        return _type_of(values[0])
    return "number" if "minimum" in schema or "maximum" in schema else "string"


def _type_of(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "string"


def _is_null(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    values = schema.get("enum")
    return schema.get("type") == "null" or schema.get("const", 0) is None or values == [None]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _both(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two schemas that hold together: properties and requirements of both; else what ``other`` says."""
    both = schema | other
    for key in ("properties", "required"):
        mine, theirs = schema.get(key), other.get(key)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            both[key] = mine | theirs
        elif isinstance(mine, list) and isinstance(theirs, list):
            both[key] = [*mine, *(name for name in theirs if name not in mine)]
    return both


def _either(branches: list[dict[str, Any]], *, nullable: bool, description: Any = None) -> dict[str, Any]:
    """Any of these. Beside ``anyOf`` nothing may stand, so a description moves into the branches."""
    flat = [inner for branch in branches for inner in branch.get("anyOf", [branch])]
    distinct = [branch for at, branch in enumerate(flat) if branch not in flat[:at]]
    if not distinct:
        distinct = [{"type": "string"}]
    for branch in distinct:
        if nullable:
            branch["nullable"] = True
        if isinstance(description, str) and description:
            inner = branch.get("description")
            branch["description"] = f"{description} {inner}" if inner and inner != description else description
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _united(branches: list[dict[str, Any]]) -> dict[str, Any]:
    """One object for several: all their properties, of which those are required that every one requires."""
    if not branches:
        return {}
    united: dict[str, Any] = {"type": "object", "properties": {}}
    for branch in branches:
        united["properties"] |= branch.get("properties", {})
    required = [
        name for name in branches[0].get("required", []) if all(name in b.get("required", []) for b in branches)
    ]
    return united | ({"required": required} if required else {})


def _described(found: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Put what was lost into the description."""
    said = [f"{key}: {_shown(schema[key])}" for key in _SAID if schema.get(key, found.get(key)) != found.get(key)]
    values = schema.get("enum")
    if isinstance(values, list) and values and values != found.get("enum"):
        said.insert(0, f"one of {', '.join(map(_shown, values))}")
    description = schema.get("description")
    text = description if isinstance(description, str) else ""
    if said:
        text = f"{text} ({'; '.join(said)})".strip()
    return found | ({"description": text} if text else {})


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "…"
