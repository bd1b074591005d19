"""Text in which nothing is hidden: for what a model wrote and a person is to judge.

Pure text. Below: the cards of tool calls.
"""

from __future__ import annotations

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_KEPT = frozenset("\n")
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
"""Letters and marks by category, drawn as nothing: Hangul fillers, the empty Braille cell, the grapheme joiner."""


def visible(text: str) -> str:
    r"""``text`` with every character that is drawn as nothing, or that moves others, as ``\uXXXX``.

    Line ends stay. In JSON the escape means the character itself, so what is shown is still the same call.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in _KEPT or character == " ":
        return character
    category = unicodedata.category(character)
    if category in _HIDDEN or character in _BLANK or category == "Zs" or _is_selector(character):
        code = ord(character)
        return f"\\u{code:04x}" if code <= 0xFFFF else "".join(f"\\u{unit:04x}" for unit in _surrogates(code))
    return character


def _is_selector(character: str) -> bool:
    """Variation selectors: 256 invisible values, enough to carry a text."""
    return "\ufe00" <= character <= "\ufe0e" or "\U000e0100" <= character <= "\U000e01ef"


def _surrogates(code: int) -> tuple[int, int]:
    return 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)
