"""JSON schemas of tools → what Ollama can read.

Pure. Above: ``json_pointer``. Below: ``encode``. Ollama reads the parameters of a tool into types of its own
(``ToolFunctionParameters`` and ``ToolProperty`` in api/types.go of ollama/ollama): what does not fit there is an error
400, and a keyword that they lack is lost before the model sees it (ollama/ollama#11444). So:

- the type at the top is one word, and a tool takes an object;
- a schema is an object: ``true`` becomes one that allows anything (can1357/oh-my-pi#4488);
- ``required`` is a list (ollama/ollama#18051);
- references are replaced by what they refer to, ``oneOf`` by ``anyOf``, ``const`` by ``enum``.

The schema of an answer needs none of this: it becomes a grammar, and goes as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rillet.core.wire.json_pointer import resolve

_LARGEST = 1000
"""Nodes of one schema: references to references could make it grow without end."""
_DEFINITIONS = frozenset(("$schema", "$defs", "definitions"))


def parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a tool."""
    found = _Translation(schema).node(schema, ())
    kept = {key: value for key, value in found.items() if key not in _DEFINITIONS}
    return {"properties": {}} | kept | {"type": "object"}


class _Translation:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def node(self, schema: Any, within: tuple[str, ...]) -> dict[str, Any]:
        """One schema. ``within``: the references that are being followed."""
        self._nodes += 1
        if not isinstance(schema, Mapping) or self._nodes > _LARGEST:
            return {}
        node, within = self._resolved(schema, within)
        if "const" in node:
            node.setdefault("enum", [node.pop("const")])
        if not isinstance(node.get("required", []), (list, tuple)):
            del node["required"]
        if isinstance(properties := node.get("properties"), Mapping):
            node["properties"] = {name: self.node(value, within) for name, value in properties.items()}
        if "items" in node:
            node["items"] = self.node(node["items"], within)
        choices = [*_list(node.get("anyOf")), *_list(node.pop("oneOf", None))]
        if choices:
            node["anyOf"] = [self.node(choice, within) for choice in choices]
        return node

    def _resolved(self, schema: Mapping[str, Any], within: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The schema without ``$ref``: of one that refers to what it stands in, only what stands beside that."""
        node = dict(schema)
        while isinstance(reference := node.pop("$ref", None), str) and reference not in within:
            within = (*within, reference)
            node = (resolve(self._root, reference) or {}) | node
        return node, within


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []
