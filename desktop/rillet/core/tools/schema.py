"""What is wrong with the arguments of a call, by the JSON schema of its tool, in words that a model can act on.

Pure. Above: ``json_pointer``. Below: ``tool`` checks every call, ``hints`` chooses among the members of a union. A
validator of our own, because schemas come from strangers: a ``pattern`` may take a regular expression for ever, a
reference may lead to the network or in circles. The subset that describes arguments is small, and whole validators
report to programmers. Only what is certainly wrong is reported: a keyword that is not known here lets everything pass,
and the server of the tool judges for itself.

Guarantees: any schema and any JSON value give an answer after bounded work; nothing is fetched; no expression of a
stranger is ever matched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeGuard

from rillet.core.wire.json_pointer import resolve

MOST_SHOWN: Final = 5
"""Problems named at once: enough to mend a call, and no flood where everything is wrong."""
_BUDGET = 50_000
"""Schemas looked at during one check: alternatives within alternatives grow without end."""
_DEEPEST = 64
_LONGEST_QUOTE = 60

_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a string", lambda value: isinstance(value, str)),
    "integer": ("an integer", lambda value: _is_number(value) and value == value // 1),
    "number": ("a number", lambda value: _is_number(value)),  # noqa: PLW0108 (defined below)
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "array": ("an array", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, dict)),
    "null": ("null", lambda value: value is None),
}


def problems(schema: Mapping[str, Any], arguments: Any, *, patterns: bool = False) -> list[str]:
    """One sentence for each thing that is wrong, at most ``MOST_SHOWN``; empty when nothing certainly is.

    ``patterns``: whether regular expressions are matched. Only where the host wrote the schema: they can take for ever.
    """
    try:
        return _Check(schema, patterns=patterns).node(schema, arguments, "", 0)[:MOST_SHOWN]
    except RecursionError:  # comparing values nested deeper than Python can follow
        return []


_SAYS_NOTHING: Final = frozenset({"title", "description", "default", "examples", "$schema"})
_EXACT: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def shortcut(schema: Mapping[str, Any]) -> Callable[[dict[str, Any]], bool] | None:
    """A test of arguments that is right whenever it says True: then there are no ``problems``.

    For plain schemas, named values of one type each, as most tools have; a tenth of the work. None for all others.
    """
    properties = schema.get("properties", {})
    closed = schema.get("additionalProperties", True)
    words = schema.keys() - _SAYS_NOTHING - {"type", "properties", "required", "additionalProperties"}
    if words or schema.get("type", "object") != "object" or not isinstance(properties, Mapping):
        return None
    if closed not in (True, False) or not all(map(_is_plain, properties.values())):
        return None
    types = {name: _EXACT[each["type"]] for name, each in properties.items()}
    required = [name for name in _list(schema.get("required")) if isinstance(name, str)]

    def fits(arguments: dict[str, Any]) -> bool:
        for name in required:
            if name not in arguments:
                return False
        for name, value in arguments.items():
            exact = types.get(name)
            if type(value) not in exact if exact is not None else closed is False:
                return False
        return True

    return fits


def _is_plain(schema: Any) -> bool:
    """Whether it asks for a type and for nothing else."""
    if not isinstance(schema, Mapping) or schema.keys() - _SAYS_NOTHING != {"type"}:
        return False
    return isinstance(schema["type"], str) and schema["type"] in _EXACT


class _Check:
    def __init__(self, root: Mapping[str, Any], *, patterns: bool) -> None:
        self._root = root
        self._patterns = patterns
        self._left = _BUDGET

    def node(self, schema: Any, value: Any, path: str, depth: int) -> list[str]:
        """What is wrong with one value. ``path`` is empty at the top."""
        if schema is False:
            return [f"{_at(path)} is not allowed"]
        self._left -= 1
        if not isinstance(schema, Mapping) or self._left < 0 or depth > _DEEPEST:
            return []
        if isinstance(reference := schema.get("$ref"), str):
            target = resolve(self._root, reference)
            found = [] if target is None else self.node(target, value, path, depth + 1)
            beside = {key: rest for key, rest in schema.items() if key != "$ref"}
            return found or self.node(beside, value, path, depth + 1)
        if value is None and schema.get("nullable") is True:  # OpenAPI 3.0
            return []
        found = _wrong_type(schema, value, path) or _wrong_value(schema, value, path)
        if found:
            return found
        match value:
            case dict():
                found = self._object(schema, value, path, depth)
            case list():
                found = self._array(schema, value, path, depth)
            case str():
                found = self._string(schema, value, path)
            case int() | float() if not isinstance(value, bool):
                found = _number(schema, value, path)
        return found + self._combined(schema, value, path, depth)

    def _object(self, schema: Mapping[str, Any], value: dict[str, Any], path: str, depth: int) -> list[str]:
        properties = schema.get("properties")
        known: Mapping[str, Any] = properties if isinstance(properties, Mapping) else {}
        found = [
            f"{_join(path, name)} is missing"
            for name in _list(schema.get("required"))
            if isinstance(name, str) and name not in value
        ]
        others = True if "patternProperties" in schema else schema.get("additionalProperties", True)
        for name, item in value.items():
            if len(found) >= MOST_SHOWN:
                break
            if name in known:
                found += self.node(known[name], item, _join(path, name), depth + 1)
            elif others is False:
                there = ", ".join(map(str, known)) or "nothing"
                found.append(f"{_join(path, name)} is unknown ({_at(path)} may have: {_cut(there, 200)})")
            else:
                found += self.node(others, item, _join(path, name), depth + 1)
        return found + _size(schema, len(value), path, "Properties", ("entry", "entries"))

    def _array(self, schema: Mapping[str, Any], value: list[Any], path: str, depth: int) -> list[str]:
        found = _size(schema, len(value), path, "Items", ("item", "items"))
        items = schema.get("items", True)
        first = schema.get("prefixItems")
        if isinstance(items, list):  # before 2020-12
            first, items = items, schema.get("additionalItems", True)
        first = _list(first)
        for at, item in enumerate(value):
            if len(found) >= MOST_SHOWN or self._left < 0:
                break
            found += self.node(first[at] if at < len(first) else items, item, f"{path}[{at}]", depth + 1)
        if schema.get("uniqueItems") is True and len({_canonical(item) for item in value}) < len(value):
            found.append(f"{_at(path)} holds something twice")
        return found

    def _string(self, schema: Mapping[str, Any], value: str, path: str) -> list[str]:
        found = _size(schema, len(value), path, "Length", ("character", "characters"))
        pattern = schema.get("pattern")
        if self._patterns and isinstance(pattern, str) and not _matches(pattern, value):
            found.append(f"{_at(path)} must match {pattern}")
        return found

    def _combined(self, schema: Mapping[str, Any], value: Any, path: str, depth: int) -> list[str]:
        found: list[str] = []
        for part in _list(schema.get("allOf")):
            found += self.node(part, value, path, depth + 1)
        for key in ("anyOf", "oneOf"):  # how many of oneOf are right is for the server to say
            if branches := _list(schema.get(key)):
                found += self._alternatives(branches, value, path, depth)
        unwanted = schema.get("not")
        if isinstance(unwanted, Mapping) and unwanted.keys() <= {"type", "enum", "const", "required"}:
            found += [] if self.node(unwanted, value, path, depth + 1) else [f"{_at(path)} is not allowed"]
        return found

    def _alternatives(self, branches: list[Any], value: Any, path: str, depth: int) -> list[str]:
        """Nothing when one branch is right; else what is wrong in the one that was meant, if that can be told."""
        attempts = []
        for branch in branches:
            attempt = self.node(branch, value, path, depth + 1)
            if not attempt:
                return []
            attempts.append(attempt)
        meant = [attempt for attempt, branch in zip(attempts, branches, strict=True) if self._fits(branch, value)]
        if len(meant) == 1:
            return meant[0]
        return [f"{_at(path)} is none of what is allowed: {_cut('; or '.join(each[0] for each in attempts), 300)}"]

    def _fits(self, branch: Any, value: Any) -> bool:
        """Whether a branch is about values of this type at all."""
        if isinstance(branch, Mapping) and isinstance(reference := branch.get("$ref"), str):
            branch = resolve(self._root, reference)
        return isinstance(branch, Mapping) and "type" in branch and not _wrong_type(branch, value, "")


def _wrong_type(schema: Mapping[str, Any], value: Any, path: str) -> list[str]:
    kinds = schema.get("type")
    known = [_TYPES[kind] for kind in _list(kinds) or [kinds] if isinstance(kind, str) and kind in _TYPES]
    if not known or any(check(value) for _, check in known):
        return []
    return [f"{_at(path)} must be {' or '.join(words for words, _ in known)}, not {_shown(value)}"]


def _wrong_value(schema: Mapping[str, Any], value: Any, path: str) -> list[str]:
    if "const" in schema and not _same(schema["const"], value):
        return [f"{_at(path)} must be {_shown(schema['const'])}, not {_shown(value)}"]
    allowed = schema.get("enum")
    if isinstance(allowed, list | tuple) and not any(_same(each, value) for each in allowed):
        return [f"{_at(path)} must be one of {_cut(', '.join(map(_shown, allowed)), 300)}, not {_shown(value)}"]
    return []


def _number(schema: Mapping[str, Any], value: float, path: str) -> list[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if above is True:  # draft 4 and OpenAPI 3.0
        least, above = None, least
    if below is True:
        most, below = None, most
    found = []
    if _is_number(least) and value < least:
        found.append(f"{_at(path)} must be at least {least}, not {_shown(value)}")
    if _is_number(most) and value > most:
        found.append(f"{_at(path)} must be at most {most}, not {_shown(value)}")
    if _is_number(above) and value <= above:
        found.append(f"{_at(path)} must be greater than {above}, not {_shown(value)}")
    if _is_number(below) and value >= below:
        found.append(f"{_at(path)} must be less than {below}, not {_shown(value)}")
    step = schema.get("multipleOf")
    if isinstance(step, int) and step > 0 and value % step:
        found.append(f"{_at(path)} must be a multiple of {step}, not {value}")
    return found


def _size(schema: Mapping[str, Any], size: int, path: str, of: str, units: tuple[str, str]) -> list[str]:
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}")
    if _is_number(least) and size < least:
        return [f"{_at(path)} must have at least {least} {units[least != 1]}, not {size}"]
    if _is_number(most) and size > most:
        return [f"{_at(path)} must have at most {most} {units[most != 1]}, not {size}"]
    return []


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error:  # an expression of another language
        return True


def _same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _at(path: str) -> str:
    return path or "the arguments"


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def _shown(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False, default=repr), _LONGEST_QUOTE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
