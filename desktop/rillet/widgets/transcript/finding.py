"""Finding words in a conversation, in the sources of its messages, so that no document has to be built for it.

Pure text, no Qt. Above: ``model``. Below: ``finder`` shows what is found. Guarantees: the time is that of two passes
over the text at the speed of ``str.count``, however many hits there are; places are worked out for the sections that
somebody asks about.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.widgets.transcript.model import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class FindOptions:
    """What counts as the same.

    Attributes:
        case: Whether upper and lower case differ.
        words: Whether only whole words are meant.
    """

    case: bool = False
    words: bool = False


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for. Empty text is found nowhere."""

    text: str
    options: FindOptions = FindOptions()

    def count(self, text: str) -> int:
        """How often ``text`` contains it; hits do not overlap."""
        if not self.text:
            return 0
        if self.options.words:
            return len(self.places(text))
        return self._fold(text).count(self._fold(self.text))

    def may_be_in(self, text: str) -> bool:
        """Whether it could be in ``text`` once that is laid out, which changes nothing but white space."""
        return max(self._fold(self.text).split() or [""], key=len) in self._fold(text)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where in ``text`` it is, as ranges of characters."""
        needle, text = self._fold(self.text), self._fold(text)
        result: list[tuple[int, int]] = []
        at = text.find(needle) if needle else -1
        while at >= 0:
            end = at + len(needle)
            fits = not self.options.words or _stands_alone(text, at, end)
            if fits:
                result.append((at, end))
            at = text.find(needle, end if fits else at + 1)
        return result

    def _fold(self, text: str) -> str:
        if self.options.case:
            return text
        lower = text.lower()
        if text.isascii():
            return lower
        if len(lower) != len(text):
            # "İ" is the one character that has two in lower case: places have to stay those of the text as it is.
            lower = "".join(low if len(low := character.lower()) == 1 else character for character in text)
        return lower.replace("ς", "σ")  # which of them it is depends on what follows


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = start > 0 and _is_word(text[start - 1]) and _is_word(text[start])
    behind = end < len(text) and _is_word(text[end]) and _is_word(text[end - 1])
    return not before and not behind


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


class Hit(NamedTuple):
    """A place where something was found: characters [start, end) of one of the texts of a section of an entry."""

    entry: int
    section: int
    part: int
    start: int
    end: int


def state_of(entries: Sequence[Entry]) -> tuple[int, int]:
    """What differs whenever text has come, or has gone: how many entries there are, and how long their text is."""
    return len(entries), sum(section.extent for entry in entries for section in entry.sections)


class Hits:
    """All places in some entries where a needle is, oldest first.

    Attributes:
        needle: What is looked for.
        of: The state of the entries when this was made; nothing here holds for another one.
    """

    def __init__(self, needle: Needle, entries: Sequence[Entry]) -> None:
        self.needle = needle
        self.of = state_of(entries)
        self._entries = entries
        self._texts: list[tuple[int, int, int]] = []
        """Entry, section and part of every text that has hits."""
        counts = []
        for entry in entries:
            for number, section in enumerate(entry.sections):
                for part, text in enumerate(section.texts_if(needle.may_be_in)):
                    if count := needle.count(text):
                        self._texts.append((entry.index, number, part))
                        counts.append(count)
        self._sums = list(accumulate(counts, initial=0))

    def __len__(self) -> int:
        return self._sums[-1]

    def __getitem__(self, index: int) -> Hit:
        """The hit number ``index``, from 0.

        Raises:
            IndexError: there is none; the text may have become another one meanwhile.
        """
        if not 0 <= index < len(self):
            raise IndexError(index)
        group = bisect_right(self._sums, index) - 1
        places = self.needle.places(self._text(group))
        return Hit(*self._texts[group], *places[index - self._sums[group]])

    def first_from(self, entry: int, section: int, part: int, start: int) -> int:
        """The number of the first hit at or behind a place; ``len(self)`` when there is none."""
        group = bisect_left(self._texts, (entry, section, part))
        if group < len(self._texts) and self._texts[group] == (entry, section, part):
            places = self.needle.places(self._text(group))
            behind = next((i for i, place in enumerate(places) if place[0] >= start), len(places))
            return self._sums[group] + behind
        return self._sums[group]

    def _text(self, group: int) -> str:
        entry, section, part = self._texts[group]
        return self._entries[entry].sections[section].texts[part]
