"""Text in which nothing is hidden, for what a person has to judge before it is done.

Pure: knows no Qt and no JSON. Below: ``tools/policy`` asks with it, and the cards show with it a call as it will run.
Guarantee: ``restored(visible(text)) == text`` for every text, so that two texts never look the same only because of
what is not drawn; and what ``visible`` returns holds no character for which ``is_hidden`` is true, and no gap wide or
high enough to push what comes after it out of sight.

Hidden are characters that are drawn as nothing (controls, format characters, fillers, variation selectors), as a blank
that is no space, as a missing glyph (private, unassigned, half a surrogate pair), or that turn the direction of others.
Each becomes its code point between angle brackets, ``⟨U+202E⟩``; so does the opening bracket itself. Gaps are told by
their length: ``⟨U+0020×300⟩`` for 300 spaces. Backslashes stay: a path or a regular expression remains readable. Line
feeds stay as well, for the card shows lines. Letters that merely look alike, and letters written from right to left,
are not hidden; a card draws its lines from left to right.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import Final

_OPEN: Final = "\u27e8"
_CLOSE: Final = "\u27e9"
_SHOWN: Final = re.compile("\u27e8U\\+([0-9A-F]{4,6})(?:\u00d7([0-9]{1,7}))?\u27e9")
_GAP: Final = re.compile(r" {40,9999999}|\n(?: {0,39}\n){3,9999998}")
"""As many spaces as no indentation has, or more than two lines without ink; what a count of seven digits can tell."""
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})
_HIDDEN_OTHERWISE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Letters, marks and signs that Unicode calls default ignorable, or that have no ink: the empty Braille cell."""


def visible(text: str) -> str:
    """``text`` with every hidden character shown by its code point, and every gap by its length."""
    told = {ord(char): _shown(char) for char in {*hidden_in(text), *(_OPEN if _OPEN in text else "")}}
    return _GAP.sub(_gap, text.translate(told) if told else text)


def restored(shown: str) -> str:
    """The text that ``visible`` was given. Raises ValueError for a code point beyond Unicode, which it never writes."""
    return _SHOWN.sub(lambda found: chr(int(found[1], 16)) * int(found[2] or 1), shown)


def hidden_in(text: str) -> frozenset[str]:
    """The hidden characters of ``text``. Each letter is looked at once, so that megabytes take milliseconds."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return frozenset()
    return frozenset(filter(is_hidden, set(text)))


def is_hidden(character: str) -> bool:
    """Whether ``character`` could stand in a text without being seen, or seen as what it is not."""
    if character in " \n":
        return False
    return unicodedata.category(character) in _HIDDEN_CATEGORIES or bool(_HIDDEN_OTHERWISE.match(character))


def _gap(found: re.Match[str]) -> str:
    """A gap as its lengths; the line feed at the end of one remains, for what follows begins a line."""
    gap, end = (found[0][:-1], "\n") if found[0].endswith("\n") else (found[0], "")
    return "".join(_shown(blank, len(list(run))) for blank, run in itertools.groupby(gap)) + end


def _shown(character: str, count: int = 1) -> str:
    times = f"\u00d7{count}" if count > 1 else ""
    return f"{_OPEN}U+{ord(character):04X}{times}{_CLOSE}"
