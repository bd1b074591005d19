"""Text in which nothing is hidden, for what a person has to judge before it is done.

Pure: knows no Qt and no JSON. Below: the cards that ask for approval, and whatever shows a command as it will run.
Guarantee: ``restored(visible(text)) == text`` for every text, so that two texts never look the same only because of
what is not drawn; and what ``visible`` returns holds no character for which ``is_hidden`` is true.

Hidden are characters that are drawn as nothing (controls, format characters, fillers, variation selectors), as a blank
that is no space, as a missing glyph (private, unassigned, half a surrogate pair), or that turn the direction of others.
Each becomes its code point between angle brackets, ``⟨U+202E⟩``; so does the opening bracket itself. Backslashes stay:
a path or a regular expression remains readable. Line feeds stay as well, for the card shows lines. Letters that merely
look alike, and letters written from right to left, are not hidden; a card draws its lines from left to right.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_OPEN: Final = "\u27e8"
_SHOWN: Final = re.compile("\u27e8U\\+([0-9A-F]{4,6})\u27e9")
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})
_HIDDEN_OTHERWISE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters, marks and signs that Unicode calls default ignorable, or that have no ink: the empty Braille cell."""


def visible(text: str) -> str:
    """``text`` with every hidden character shown by its code point."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(f"{_OPEN}U+{ord(c):04X}\u27e9" if is_hidden(c) or c == _OPEN else c for c in text)


def restored(shown: str) -> str:
    """The text that ``visible`` was given. Raises ValueError for a code point beyond Unicode, which it never writes."""
    return _SHOWN.sub(lambda found: chr(int(found[1], 16)), shown)


def is_hidden(character: str) -> bool:
    """Whether ``character`` could stand in a text without being seen, or seen as what it is not."""
    if character in " \n":
        return False
    return unicodedata.category(character) in _HIDDEN_CATEGORIES or bool(_HIDDEN_OTHERWISE.match(character))
