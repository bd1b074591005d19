"""Finding words in a conversation, in the sources of its messages, so that no document has to be built for it.

Pure text, no Qt. Above: ``model``, ``sums``. Below: ``finder`` shows what is found. Guarantees: counting takes as
little at a time as its caller wants, two passes over the text at the speed of ``str.count`` in all, however many hits
there are; when text comes, changes or goes, only its messages are counted anew; places are worked out for the message
that somebody asks about.
"""

from __future__ import annotations

import math
import re
import time
from collections import deque
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from rillet.widgets.transcript.sums import Sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rillet.widgets.transcript.model import Entry

_WORD = re.compile(r"\w")


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
        if self.options.words:
            return sum(1 for _ in self.places(text))
        return self._fold(text).count(self._fold(self.text)) if self.text else 0

    def may_be_in(self, text: str) -> bool:
        """Whether it could be in ``text`` once that is laid out, which changes nothing but white space."""
        return max(self._fold(self.text).split() or [""], key=len) in self._fold(text)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where in ``text`` it is, as ranges of characters."""
        if self.text:
            for found in self._pattern.finditer(self._fold(text)):
                yield found.span()

    @property
    def _pattern(self) -> re.Pattern[str]:
        needle = self._fold(self.text)
        before = r"(?<!\w)" if self.options.words and _WORD.match(needle[0]) else ""
        behind = r"(?!\w)" if self.options.words and _WORD.match(needle[-1]) else ""
        return re.compile(f"{before}{re.escape(needle)}{behind}")

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


class Hit(NamedTuple):
    """A place where something was found: characters [start, end) of one of the texts of a section of an entry."""

    entry: int
    section: int
    part: int
    start: int
    end: int


class Hits:
    """All places where a needle is in some entries, oldest first.

    Attributes:
        needle: What is looked for.
    """

    def __init__(self, needle: Needle, entries: Sequence[Entry], first: int = 0) -> None:
        """Nothing is counted yet; counting begins with the entry ``first`` and goes on from the end with number 0.

        ``entries`` may become others: see ``refresh`` and ``touch``.
        """
        self.needle = needle
        self._entries = entries
        self._counts = Sums([0] * len(entries))
        self._due = deque(chain(range(first, len(entries)), range(first)))
        self._touched: set[int] = set()

    @property
    def complete(self) -> bool:
        """Whether everything has been counted."""
        return not self._due

    def count_on(self, until: float = math.inf, *, to_hit: bool = False) -> None:
        """Count what has been touched, and then until ``time.perf_counter`` is at ``until``, or an entry has hits."""
        for index in self._touched:
            self._count(index)
        self._touched.clear()
        while self._due:
            index = self._due.popleft()
            self._count(index)
            if time.perf_counter() >= until or (to_hit and self._counts[index]):
                break

    def touch(self, index: int) -> None:
        """The text of an entry has become another one."""
        if index < len(self._counts):
            self._touched.add(index)

    def refresh(self) -> None:
        """Entries have come, or have gone, at the end."""
        kept, count = len(self._counts), len(self._entries)
        if count < kept:
            self._counts.truncate(count)
            self._due = deque(index for index in self._due if index < count)
            self._touched = {index for index in self._touched if index < count}
        for index in range(kept, count):
            self._counts.append(0)
            self._due.append(index)

    def __len__(self) -> int:
        return self._counts.total

    def __getitem__(self, index: int) -> Hit:
        """The hit number ``index``, from 0.

        Raises:
            IndexError: there is none.
        """
        if not 0 <= index < len(self):
            raise IndexError(index)
        entry = self._counts.at(index)
        index -= self._counts.before(entry)
        for section, part, text in self._texts(entry):
            count = self.needle.count(text)
            if index < count:
                return Hit(entry, section, part, *next(islice(self.needle.places(text), index, None)))
            index -= count
        raise IndexError("the text has become another one")

    def before(self, entry: int, section: int, part: int, start: int) -> int:
        """How many hits are before a place, which is the number of the first one at it or behind."""
        if entry >= len(self._counts):
            return len(self)
        result = self._counts.before(entry)
        for *place, text in self._texts(entry):
            if place < [section, part]:
                result += self.needle.count(text)
            elif place == [section, part]:
                result += sum(1 for _ in takewhile(lambda hit: hit[0] < start, self.needle.places(text)))
        return result

    def holds(self, hit: Hit) -> bool:
        """Whether a hit is still where it was."""
        return hit.entry < len(self._entries) and any(
            (section, part) == (hit.section, hit.part) and (hit.start, hit.end) in self.needle.places(text)
            for section, part, text in self._texts(hit.entry)
        )

    def _count(self, index: int) -> None:
        self._counts[index] = sum(self.needle.count(text) for _, _, text in self._texts(index))

    def _texts(self, entry: int) -> Iterator[tuple[int, int, str]]:
        """Section, part and text of what may have hits in an entry."""
        for number, section in enumerate(self._entries[entry].sections):
            for part, text in enumerate(section.texts_if(self.needle.may_be_in)):
                yield number, part, text
