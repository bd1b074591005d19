"""Prompts with gaps: ``{{name}}`` stands for something that is asked for when the prompt is used.

Pure. Below: the library of prompts. Guarantees: what is filled in is not looked through for gaps again; braces that
hold no name stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_GAP: Final = re.compile(r"\{\{[ \t]*(\w(?:[\w \t-]*\w)?)[ \t]*\}\}")


def gaps(text: str) -> tuple[str, ...]:
    """The names that are asked for, each once, in the order of the text."""
    return tuple(dict.fromkeys(found[1] for found in _GAP.finditer(text)))


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with these values in its gaps; a gap without a value stays."""
    return _GAP.sub(lambda found: values.get(found[1], found[0]), text)
