"""A streamed answer → what a screen reader is to say of it, sentence by sentence, as soon as each is complete.

Knows no Qt and no words of its own. Above: nothing. Below: ``narrator`` says it. Guarantee: what comes out depends on
the text alone and not on the pieces in which it came; every letter of prose is said once, in its order, without the
marks of Markdown; code and tables are not read out but counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is not read out.

    Attributes:
        kind: What it is.
        lines: How many lines of code, or rows of a table without its head.
        language: The word behind the fence.
    """

    kind: Literal["code", "table"]
    lines: int
    language: str = ""


Spoken: TypeAlias = str | Skipped

LONGEST: Final = 600
"""Characters after which a sentence that does not end is said in parts."""

_FENCE = re.compile(r" {0,3}(?:> ?)*(`{3,}|~{3,})[ \t]*([^\s`]*)")
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?")
_BLOCK = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[#|]|[-*+][ \t]|\d{1,9}[.)][ \t]|[-*_]{3})")
_DECIDED: Final = 12
"""Characters after which the beginning of a line tells what it is: "123456789. " is the longest mark."""

_END = re.compile(
    r"(?P<mark>[.!?\u2026]+)[\"'\u201d\u2019\u00bb)\]*_~`]*(?=\s+(?P<next>\S))"
    r"|[\u3002\uff01\uff1f\uff61]+[\"'\u201d\u2019\u300d\u300f\uff09)\]*_~]*(?=[^\u300d\u300f\u201d\u2019\uff09)*_~])"
)
_ABBREVIATION = re.compile(
    r"^\d{1,9}$|(?:^|[\s(\[*_])(?:[A-Z]|(?:[a-z]\.)+[a-z]|dr|mr|mrs|ms|prof|st|vs|no|nr|fig|cf|al|approx|inc|ltd|jr|sr|ca"
    r"|bzw|usw|etc|z\.\s?b|d\.\s?h|u\.\s?a)$",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s[^)]*)?\)")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)\s]*(?:\s[^)]*)?\)|\[[^\]]*\])")
_MARKS = re.compile(
    r"\\[()\[\]]|\\(?P<escaped>[!-/:-@\[-`{-~])|\*+(?=\S)|(?<=\S)\*+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|~~|`+|\$\$"
)


class SentenceSplitter:
    """One answer, from its first piece to ``finish``."""

    def __init__(self) -> None:
        self._line = ""
        self._taken = 0
        """Characters of the line that are in ``_prose`` already, or have been said."""
        self._prose = ""
        self._fence = ""
        self._language = ""
        self._count = 0
        """Lines of the code, or rows of the table, that is being skipped."""
        self._table = False
        self._quoted = False

    def feed(self, text: str) -> list[Spoken]:
        """What can be said now that ``text`` has come."""
        spoken: list[Spoken] = []
        *complete, rest = (self._line + text).split("\n")
        for line in complete:
            spoken += self._end_line(line)
        self._line = rest
        if not self._fence and not self._table and len(rest) >= _DECIDED and not _could_wait(rest):
            spoken += self._take(rest)
        return spoken

    def finish(self) -> list[Spoken]:
        """What is left to say."""
        spoken = self._end_line(self._line) if self._line else []
        self._line = ""
        if self._fence:
            spoken.append(self._end_code())
        return spoken + self._end_table() + self._end_block()

    def _end_line(self, line: str) -> list[Spoken]:
        if self._fence:
            if line.strip(" \t>").startswith(self._fence) and not line.strip(" \t>").strip(self._fence[0]):
                return [self._end_code()]
            self._count += 1
            return []
        if not self._taken:
            if (opened := _FENCE.match(line)) is not None:
                spoken = self._end_table() + self._end_block()
                self._fence, self._language, self._count = opened[1], opened[2], 0
                return spoken
            if line.lstrip(" \t>").startswith("|"):
                spoken = self._end_block()
                self._table, self._count = True, self._count + 1
                return spoken
        spoken = self._end_table()
        if not line.strip(" \t>"):
            spoken += self._end_block()
        else:
            spoken += self._take(line)
            self._prose += " "
            if line.lstrip(" \t>").startswith("#"):
                spoken += self._end_block()
        self._taken = 0
        return spoken

    def _take(self, line: str) -> list[Spoken]:
        """Add what is new in ``line`` to the prose; the sentences that are complete."""
        spoken: list[Spoken] = []
        if not self._taken:
            quoted = line.lstrip(" \t").startswith(">")
            if quoted != self._quoted or _BLOCK.match(line):
                spoken += self._end_block()
            self._quoted = quoted
            lead = _LEAD.match(line)
            self._taken = lead.end() if lead else 0
        self._prose += line[self._taken :]
        self._taken = len(line)
        while (end := _sentence_end(self._prose)) is not None:
            spoken += _said(self._prose[:end])
            self._prose = self._prose[end:].lstrip()
        return spoken

    def _end_block(self) -> list[Spoken]:
        prose, self._prose = self._prose, ""
        return _said(prose)

    def _end_code(self) -> Skipped:
        code = Skipped("code", self._count, self._language)
        self._fence, self._count = "", 0
        return code

    def _end_table(self) -> list[Spoken]:
        if not self._table:
            return []
        rows, self._table, self._count = max(0, self._count - 2), False, 0
        return [Skipped("table", rows)]


def _could_wait(line: str) -> bool:
    """Whether only the end of a line tells what it is: a fence, a row, a heading."""
    return line.lstrip(" \t>")[:1] in ("`", "~", "|", "#")


def _sentence_end(text: str) -> int | None:
    """Where the first complete sentence of ``text`` ends."""
    for found in _END.finditer(text):
        if found["mark"] is None:
            return found.end()
        goes_on = found["next"].islower() or (found["mark"] == "." and _ABBREVIATION.search(text[: found.start()]))
        if not goes_on:
            return found.end()
    if len(text) > LONGEST:
        space = text.rfind(" ", 0, LONGEST)
        return space if space > 0 else LONGEST
    return None


def _said(markdown: str) -> list[Spoken]:
    """A sentence without its marks; nothing when nothing can be said of it."""
    text = _IMAGE.sub(r"\1", markdown)
    text = _LINK.sub(r"\1", text)
    text = _MARKS.sub(lambda found: found["escaped"] or "", text)
    text = " ".join(text.split())
    return [text] if any(character.isalnum() for character in text) else []
