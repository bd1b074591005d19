"""How much one segment may hold, and where a paragraph that holds more may be cut.

Pure text. Below: ``segmenter``. Guarantees: a paragraph is cut behind a sentence, else at a space, else anywhere, and
never inside inline code or bold text while there is another place; nothing that begins a block comes to stand first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rillet.widgets.transcript import grammar

if TYPE_CHECKING:
    from collections.abc import Iterator

_SENTENCE = re.compile(r"(?<=[.!?])[ \t](?=\S)|(?<=[。！？])(?=.)")
_SPACE = re.compile(r"[ \t](?=\S)")
_MAY_CUT = re.compile("[ \t。！？]")
"""What one of them needs."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where segments are cut, in characters unless said otherwise."""

    soft: int = 4096
    """Text: at the next block or list item."""
    hard: int = 4608
    """A paragraph: at a sentence's end; half as much again: at a space; twice as much: anywhere."""
    code_soft: int = 40
    """Lines of code: where an empty line is followed by one that is not indented, which is seldom inside a string."""
    code_lines: int = 64
    code_chars: int = 16384
    table_rows: int = 25
    table_cells: int = 400
    """A table of many columns: in fewer rows, of so many cells together."""
    math_lines: int = 64
    """Lines of a formula; what is longer is none."""
    long_line: int = 1024
    """A longer line is taken in pieces of this size as it arrives. It is never a fence, a definition or a table."""


LIMITS: Final = Limits()


class Paragraph:
    """The marks that are open in a paragraph, so far."""

    def __init__(self, hard: int) -> None:
        """``hard``: the characters after which it is cut (see ``Limits``)."""
        self._hard = hard
        self._ticks = self._stars = 0

    def begin(self) -> None:
        """A new one begins."""
        self._ticks = self._stars = 0

    def take(self, piece: str) -> None:
        """It goes on with ``piece``."""
        self._ticks += piece.count("`")
        self._stars += piece.count("**")

    def may_be_cut(self, piece: str, length: int) -> bool:
        """Whether there might be a cut in ``piece``, with which it is ``length`` characters long."""
        surplus = length - self._hard
        return surplus > 0 and (surplus > self._hard // 2 or _MAY_CUT.search(piece) is not None)

    def cut(self, piece: str, full: int) -> tuple[int, int] | None:
        """Where in ``piece`` to cut and where to go on; at ``full`` in it the limit is reached. None: not yet."""
        return next(self._cuts(piece, full), None)

    def _cuts(self, piece: str, full: int) -> Iterator[tuple[int, int]]:
        hard = self._hard
        for pattern, low, high in ((_SENTENCE, 0, hard // 2), (_SPACE, hard // 2, hard)):
            for found in pattern.finditer(piece, max(0, full + low), max(0, full + high)):
                before = piece[: found.start()]
                inside = (self._ticks + before.count("`")) % 2 or (self._stars + before.count("**")) % 2
                if before and not inside and not grammar.begins_block(piece[found.end() :]):
                    yield found.span()
        if (last := max(0, full + hard)) < len(piece):
            yield last, last
