"""Schemas of an OpenAPI document → JSON schemas that stand on their own.

Pure. Below: ``openapi``. Versions 3.0 and 3.1 differ in words only: ``nullable``, exclusive bounds as flags. What the
document refers to is taken along as a definition, once, so that schemas within themselves stay finite; what only a
server can say (``readOnly``) is left out. Guarantee: any document gives a schema of bounded size, or a ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from rillet.core.tools.names import legal_name
from rillet.core.visible import is_hidden

_LARGEST: Final = 3_000
"""Schemas within one: what is larger costs more of a model's context than a tool is worth."""
_DEEPEST: Final = 64
LONGEST_TEXT: Final = 1024
"""Characters of a description."""
_LONGEST_CHAIN: Final = 32
_BOUNDS = frozenset(
    ("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems")
)
_LIMITS = frozenset(("maxItems", "uniqueItems", "minProperties", "maxProperties", "pattern", "format", "required"))
_KEPT = _BOUNDS | _LIMITS | frozenset(("type", "enum", "const", "default"))
_ONE = frozenset(("items", "not", "additionalProperties", "propertyNames", "contains", "if", "then", "else"))
_SEVERAL = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
_NAMED = frozenset(("properties", "patternProperties"))


class Document:
    """An OpenAPI document whose parts refer to each other."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root

    def part(self, node: Any) -> Mapping[str, Any]:
        """A part of the document, or what it refers to.

        Raises:
            ValueError: it refers to nothing here, or in circles.
        """
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(node, Mapping):
                raise ValueError("a part of the document is no object")
            if not isinstance(reference := node.get("$ref"), str):
                return node
            node = self.find(reference)
        raise ValueError("its references go in circles")

    def find(self, reference: str) -> Any:
        """What a reference points to (RFC 6901).

        Raises:
            ValueError: nothing here.
        """
        if not reference.startswith("#"):
            raise ValueError(f"{reference} lies outside of the document")
        place: Any = self.root
        for step in filter(None, unquote(reference[1:]).split("/")):
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(place, Mapping) and name in place:
                place = place[name]
            elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
                place = place[int(name)]
            else:
                raise ValueError(f"{reference} points to nothing")
        return place


class Schemas:
    """The schemas of one tool, and the definitions that they share."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self._pending: list[tuple[str, Any]] = []
        self._left = _LARGEST
        self.definitions: dict[str, Any] = {}

    def translate(self, node: Any) -> Any:
        """One schema; what it refers to is among the definitions then.

        Raises:
            ValueError: it refers to what is not there, or is too large.
        """
        translated = self._node(node, 0)
        while self._pending:
            name, wanted = self._pending.pop()
            self.definitions[name] = self._node(wanted, 0)
        return translated

    def _node(self, node: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"its schema has more than {_LARGEST} parts")
        if isinstance(node, bool) or not isinstance(node, Mapping) or depth > _DEEPEST:
            return node if isinstance(node, bool) else {}
        if isinstance(reference := node.get("$ref"), str):
            found: dict[str, Any] = {"$ref": f"#/$defs/{self._defined(reference)}"}
        else:
            found = self._members(node, depth)
        return {"anyOf": [found, {"type": "null"}]} if node.get("nullable") is True else found  # 3.0

    def _members(self, node: Mapping[str, Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.items():
            if key == "description":
                found |= {key: readable(value)} if isinstance(value, str) else {}
            elif key in _KEPT:
                found[key] = value
            elif key in _ONE:
                found[key] = self._node(value, depth + 1)
            elif key in _SEVERAL and isinstance(value, list):
                found[key] = [self._node(each, depth + 1) for each in value]
            elif key in _NAMED and isinstance(value, Mapping):
                found[key] = {name: self._node(each, depth + 1) for name, each in self._sent(value).items()}
        for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(found.get(flag), bool):
                exclusive = found.pop(flag)
                if exclusive and bound in found:
                    found[flag] = found.pop(bound)
        if isinstance(required := found.get("required"), list):
            unsent = _mapping(node.get("properties")).keys() - found.get("properties", {}).keys()
            found["required"] = [name for name in required if name not in unsent]
        elif "required" in found:  # a flag in documents that mix it up with parameters
            del found["required"]
        return found

    def _sent(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Those that a client sends."""
        return {name: value for name, value in properties.items() if _mapping(value).get("readOnly") is not True}

    def _defined(self, reference: str) -> str:
        """The name of the definition that stands for this reference."""
        if reference in self._names:
            return self._names[reference]
        plain = legal_name(unquote(reference).rsplit("/", 1)[-1])
        taken = set(self._names.values())
        name = next(each for each in (plain, *(f"{plain}{n}" for n in range(2, _LARGEST + 2))) if each not in taken)
        self._names[reference] = name
        self._pending.append((name, self._document.find(reference)))
        return name


def readable(text: str) -> str:
    """A stranger's text for a model: of bounded length, and nothing in it that people could not see."""
    return "".join(char for char in text.strip() if not is_hidden(char))[:LONGEST_TEXT]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
