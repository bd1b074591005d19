"""What a server says one of its tools is: checked, cleaned, and as lines that people can compare.

Pure. Knows no session and no names of ours. Below: ``session`` makes definitions of what is listed, ``consent`` asks
about them, ``offer`` makes tools of them. Guarantees: what people see is what the model is told, so nothing that is not
drawn (tag characters, zero-width ones, directions) remains in it; a schema is small, shallow and that of an object.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rillet.core.tools.mcp.digest import digest_of
from rillet.core.visible import is_hidden
from rillet.core.wire.surrogates import mend, mend_all

LONGEST_NAME: Final = 256
LONGEST_DESCRIPTION: Final = 16_000
LARGEST_SCHEMA: Final = 64_000
"""Characters of its JSON. Larger ones would fill the context of most models."""
DEEPEST_SCHEMA: Final = 32
_PROSE: Final = ("description", "title")


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as its server describes it."""

    name: str
    """The server's own name for it: what calls are sent with."""
    description: str
    input_schema: Mapping[str, Any]
    digest: str
    """Of all three."""

    @property
    def size(self) -> int:
        """Characters that a model is told."""
        return len(self.name) + len(self.description) + len(json.dumps(self.input_schema, ensure_ascii=False))

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, to be shown and compared."""
        schema = json.dumps(self.input_schema, ensure_ascii=False, indent=2, sort_keys=True)
        return (f"tool: {self.name}", *self.description.splitlines(), *schema.splitlines())


def define(name: str, description: str | None, schema: Mapping[str, Any]) -> Definition:
    """The definition, if it is one.

    Raises:
        ValueError: it is not; the message says why.
    """
    name = mend(name)
    if not name or len(name) > LONGEST_NAME:
        raise ValueError(f"its name has {len(name):,} characters")
    if any(is_hidden(letter) for letter in name):
        raise ValueError("its name holds characters that cannot be seen")
    description = seen(mend(description or ""))
    if len(description) > LONGEST_DESCRIPTION:
        raise ValueError(f"its description has {len(description):,} characters")
    if schema.get("type", "object") != "object":
        raise ValueError("its arguments are no object")
    if depth(schema) > DEEPEST_SCHEMA:
        raise ValueError("its schema is nested too deeply")
    text = json.dumps(mend_all(dict(schema)), ensure_ascii=False)
    if len(text) > LARGEST_SCHEMA:
        raise ValueError(f"its schema has {len(text):,} characters")
    cleaned = {"type": "object", **_without_unseen(json.loads(text))}
    return Definition(name, description, cleaned, digest_of(name, description, cleaned))


def depth(value: object) -> int:
    """How deeply a JSON value is nested, counted no further than ``DEEPEST_SCHEMA`` + 1."""
    level, deep = [value], 0
    while level and deep <= DEEPEST_SCHEMA:
        level = [child for each in level for child in _children(each)]
        deep += 1
    return deep


def _children(value: object) -> list[Any]:
    if isinstance(value, Mapping):
        return [child for child in value.values() if isinstance(child, Mapping | list)]
    if isinstance(value, list):
        return [child for child in value if isinstance(child, Mapping | list)]
    return []


def _without_unseen(value: Any) -> Any:
    """The schema with the prose in it cleaned; names of properties, patterns and constants stay as they are."""
    if isinstance(value, list):
        return [_without_unseen(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: seen(item) if key in _PROSE and isinstance(item, str) else _without_unseen(item)
        for key, item in value.items()
    }


def seen(text: str) -> str:
    """The text without what a reader does not see; blanks of other kinds become blanks, lines remain lines."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_drawn(letter) for letter in text)


def _drawn(letter: str) -> str:
    if letter == "\n" or not is_hidden(letter):
        return letter
    return " " if letter.isspace() else ""
