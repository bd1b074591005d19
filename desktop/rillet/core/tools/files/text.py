"""The text of a file that is changed in places: what is not touched keeps every byte.

Pure. Models end lines with a line feed whatever a file has; here a file shows itself with line feeds alone, and takes
changes in those terms. Above: ``paths`` (its error). Below: ``changes`` reads and writes with it.
Guarantees: ``TextFile.decode(data).encode() == data``; after a change every byte outside of it is as it was: line ends,
also mixed ones, the byte order mark, and whether the last line ends.
"""

from __future__ import annotations

import bisect
import codecs
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rillet.core.tools.files.paths import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable

_NEWLINE = re.compile(r"\r\n|\n")


class NotText(FileError):
    """A file that is not UTF-8 text, with the reason in words for the model."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Characters ``start`` to ``end`` of ``TextFile.text`` become ``text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class TextFile:
    """A file as text. ``raw`` has the line ends of the file, and no byte order mark."""

    raw: str
    has_mark: bool = False

    @classmethod
    def of(cls, text: str) -> TextFile:
        """A new file, exactly so."""
        return cls(text.removeprefix("\ufeff"), text.startswith("\ufeff"))

    @classmethod
    def decode(cls, data: bytes) -> TextFile:
        """Read a file.

        Raises:
            NotText: it holds NULs, or is no UTF-8.
        """
        has_mark = data.startswith(codecs.BOM_UTF8)
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise NotText("the file is UTF-16, which cannot be changed here")
        if b"\0" in data:
            raise NotText("the file is binary")
        try:
            return cls(data[3 * has_mark :].decode(), has_mark)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise NotText(f"the file is not UTF-8: byte 0x{data[error.start]:02x} in line {line}") from None

    def encode(self) -> bytes:
        """The bytes to write."""
        return codecs.BOM_UTF8 * self.has_mark + self.raw.encode()

    @cached_property
    def text(self) -> str:
        """The file with line feeds alone."""
        return self.raw.replace("\r\n", "\n")

    def spliced(self, splices: Iterable[Splice]) -> TextFile:
        """The file with these changes, which are in order and do not overlap.

        A line end in new text is as the one nearest to it, so a file of one style keeps it.
        """
        pieces, done = [], 0
        for splice in splices:
            start, end = self._raw_index(splice.start), self._raw_index(splice.end)
            pieces += [self.raw[done:start], _unified(splice.text).replace("\n", self._newline_at(start))]
            done = end
        return TextFile("".join([*pieces, self.raw[done:]]), self.has_mark)

    def rewritten(self, text: str) -> TextFile:
        """The file with other content in its style: its mark, its more frequent line end, a last line that ends."""
        text = _unified(text.removeprefix("\ufeff"))
        if self.raw.endswith("\n") and text and not text.endswith("\n"):
            text += "\n"
        windows = self.raw.count("\r\n")
        newline = "\r\n" if 2 * windows > self.raw.count("\n") else "\n"
        return TextFile(text.replace("\n", newline), self.has_mark)

    @cached_property
    def _returns(self) -> list[int]:
        """Where in ``text`` the line feeds are that have a carriage return before them."""
        return [found.start() - before for before, found in enumerate(re.finditer(r"\r\n", self.raw))]

    def _raw_index(self, index: int) -> int:
        return index + bisect.bisect_left(self._returns, index)

    def _newline_at(self, index: int) -> str:
        if after := _NEWLINE.search(self.raw, index):
            return after[0]
        end = self.raw.rfind("\n", 0, index)
        return "\r\n" if end > 0 and self.raw[end - 1] == "\r" else "\n"


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n")
