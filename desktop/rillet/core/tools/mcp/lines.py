"""Bytes of a server's standard output → its lines, whatever it prints there.

Sans-IO; knows no JSON. Below: ``stdio`` feeds what it reads. Guarantees: linear in the bytes, however small the reads;
never more than ``limit`` bytes are held, and a longer line is skipped to its end, of which only its head remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LONGEST: Final = 10 * 1024 * 1024
HEAD: Final = 4096
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end."""

    data: bytes
    """All of it, or of one that was too long its head."""
    size: int
    is_whole: bool = True


class LineReader:
    """One reader per stream."""

    def __init__(self, limit: int = LONGEST) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[Line]:
        """The lines that these bytes complete, without those that are blank."""
        lines = []
        *complete, rest = data.split(b"\n")
        for piece in complete:
            self._hold(piece)
            if (line := self._take()) is not None:
                lines.append(line)
        self._hold(rest)
        return lines

    def finish(self) -> list[Line]:
        """The line that did not end before its stream did."""
        line = self._take()
        return [] if line is None else [line]

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        fits = self._size + len(piece) <= self._limit
        if not fits and self._size <= self._limit:
            self._pieces = [b"".join((*self._pieces, piece))[: min(HEAD, self._limit)]]
        elif fits:
            self._pieces.append(piece)
        self._size += len(piece)

    def _take(self) -> Line | None:
        pieces, size = self._pieces, self._size
        self._pieces, self._size = [], 0
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if size > self._limit:
            return Line(data, size, is_whole=False)
        data = data.removeprefix(_BOM).rstrip(b"\r")
        return Line(data, len(data)) if data.strip() else None
