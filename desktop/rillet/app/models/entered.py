"""What a person typed as a parameter, understood: numbers, stop sequences, a JSON schema. Nothing typed is None.

Pure. Below: ``parameters``. Every function raises ValueError with a sentence for people where a text means nothing.
"""

from __future__ import annotations

import json
from typing import Any, Final

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate

HOTTEST: Final = 2.0
"""The highest temperature that any of our providers takes (OpenAI and Gemini 2, Anthropic 1)."""
_TYPES: Final = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
"""JSON Schema 2020-12, validation, 6.1.1."""


def temperature(text: str) -> float | None:
    """A temperature; a comma is a point to many."""
    if not text.strip():
        return None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= HOTTEST:
        raise ValueError(translate("Entered", "A number from 0 to 2."))
    return value


def longest(text: str) -> int | None:
    """Tokens that an answer may have."""
    if not text.strip():
        return None
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise ValueError(translate("Entered", "A whole number of tokens, 1 or more."))
    return value


def stops(text: str) -> list[str] | None:
    """One stop sequence in each line, with the spaces that it has."""
    return [line for line in text.splitlines() if line.strip()] or None


def schema(text: str) -> dict[str, Any] | None:
    """A JSON schema; only what no reader of schemas could understand is refused."""
    if not text.strip():
        return None
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(translate("Entered", "The schema is nested too deeply.")) from None
    except json.JSONDecodeError as error:
        words = translate("Entered", "Not JSON yet: {what}, in line {line}, column {column}.")
        raise ValueError(words.format(what=error.msg, line=error.lineno, column=error.colno)) from None
    if not isinstance(value, dict):
        raise ValueError(translate("Entered", "A schema is an object: { … }."))
    _check(value)
    return value


def _check(schema: dict[str, Any]) -> None:
    kind = schema.get("type")
    for each in kind if isinstance(kind, list) else [kind] if kind is not None else []:
        if each not in _TYPES:
            raise ValueError(translate("Entered", "There is no type {name} in JSON.").format(name=json.dumps(each)))
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise ValueError(translate("Entered", "“properties” is an object that has a schema for each name."))
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise ValueError(translate("Entered", "“required” is a list of names."))
    if missing := [name for name in required if properties and name not in properties]:
        words = translate("Entered", "“{name}” is required, but not among the properties.")
        raise ValueError(words.format(name=missing[0]))
    inner = [*properties.values(), *([schema["items"]] if isinstance(schema.get("items"), dict) else [])]
    for each in inner:
        if isinstance(each, dict):
            _check(each)
