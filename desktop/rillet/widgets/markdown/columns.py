"""The columns of one table: how they are aligned, and how wide they are.

Widths follow from the head and the first rows alone, those of the table's first segment, so that rows which arrive
later move no column and every segment of a table has the same ones. Above: ``cells``, ``inline``. Below: ``table``
builds documents with them, ``transcript/tables`` keeps them. Guarantee: the same source, fonts and room give the same
widths, whatever was drawn before; a formula counts as wide as its source, so that drawing one moves nothing.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QFont, QFontMetricsF, QTextCharFormat, QTextCursor, QTextDocument

from rillet.widgets.markdown.cells import alignments, cells, fitted
from rillet.widgets.markdown.formats import Formats
from rillet.widgets.markdown.inline import write_inline
from rillet.widgets.markdown.parse import parse_inline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.widgets.theme.palette import Theme

PAD_X: Final = 12
"""Pixels left and right of a cell's text."""
PAD_Y: Final = 6
"""Pixels above and below it."""
_SURPLUS: Final = 2
"""Qt breaks a line that fits to the fraction of a pixel."""
_LONGEST_WORD: Final = 170
"""A longer word is broken rather than let its column be that wide, unless there is room."""
_COMFORTABLE: Final = 240
"""A column of a table that has to be scrolled anyway is as wide as this if its text asks for it."""
_KNOWN: Final = 100
_MARKED = re.compile(r"[`*_$\\\[<~!&:@]")
_MARKS = re.compile(r"\]\([^)]*\)|[`*_~\[\]]")


class Columns:
    """What is common to all segments of a table.

    Attributes:
        alignments: What the delimiter row says, a column each.
        right_to_left: The head begins with a letter of such a script: the first column is the rightmost.
        theme: Whose fonts count.
        measured: Up to where in the source the table was taken; for whoever keeps this.
    """

    def __init__(self, head: str, theme: Theme) -> None:
        """``head``: the table's head and delimiter row, a line each."""
        self._names, delimiters, *_ = head.split("\n")
        self.alignments = alignments(delimiters)
        self.right_to_left = _begins_right_to_left(self._names)
        self.theme = theme
        self.measured = -1
        self._formats = Formats(theme)
        strong = QFont(theme.body)
        strong.setWeight(QFont.Weight.DemiBold)
        self._plain, self._strong = QFontMetricsF(theme.body), QFontMetricsF(strong)
        self._advance = self._plain.averageCharWidth()
        self._known: dict[tuple[str, tuple[int, ...], bool], int] = {}
        self._laid_out: dict[tuple[str, bool], float] = {}
        """Widths of cells with marks, as they were measured; whether they are of the head."""
        self._rows: list[str] = []
        self._fitted: dict[int, tuple[int, ...]] = {}
        self._means: dict[int, float] = {}
        self._start()

    def __len__(self) -> int:
        return len(self.alignments)

    def take(self, rows: Sequence[str]) -> None:
        """``rows`` is what the table's first segment holds by now, without head and delimiter row."""
        if len(rows) < len(self._rows):  # another text than before
            self._start()
        if len(rows) > len(self._rows):
            self._measure(rows[len(self._rows) :])
            self._rows = list(rows)
            self._fitted.clear()
            self._means.clear()

    def widths(self, room: int) -> tuple[int, ...]:
        """Pixels of every column in reading order, padding included, when ``room`` pixels may be filled.

        As wide as the text wants if there is room; else columns with much text give way first, down to the longest
        word of each; if that is not enough the table is wider than the room.
        """
        if room not in self._fitted:
            extra = 2 * PAD_X + _SURPLUS
            natural = [math.ceil(width) + extra for width in self._natural]
            least = [math.ceil(width) + extra for width in self._least]
            self._fitted[room] = tuple(_share(natural, least, room))
        return self._fitted[room]

    def height(self, rows: Iterable[str], room: int, *, head: bool) -> int:
        """Height of ``rows`` in a table as wide as ``room`` allows, guessed without layout; ``head``: the first is it.

        Exact unless a cell is broken into lines at other places than its spaces, or holds a formula.
        """
        inner = [width - 2 * PAD_X for width in self.widths(room)]
        # Most rows are short: no cell of a row that fits into the narrowest column needs a second line.
        short = min(inner) / (self._advance * 1.8)
        total = 0
        for number, row in enumerate(rows):
            lines = self._lines_of(row, inner, head=head and number == 0) if len(row) > short else 1
            total += lines * self.theme.line + 2 * PAD_Y
        return total

    def mean_height(self, room: int) -> float:
        """Mean height of the rows that the columns were measured by."""
        if room not in self._means:
            rows = self._rows or [self._names]
            self._means[room] = self.height(rows, room, head=False) / len(rows)
        return self._means[room]

    def _lines_of(self, row: str, inner: Sequence[int], *, head: bool) -> int:
        """Lines of the highest cell. Remembered: while a table grows, its last rows are asked for again and again."""
        key = row, tuple(inner), head
        lines = self._known.get(key)
        if lines is None:
            if len(self._known) >= _KNOWN:
                self._known.clear()
            metrics = self._strong if head else self._plain
            parts = fitted(cells(row), len(self))
            lines = max(
                1 if self._laid_out.get((cell, head), math.inf) <= width else self._lines(cell, width, metrics)
                for cell, width in zip(parts, inner, strict=True)
            )
            self._known[key] = lines
        return lines

    def _start(self) -> None:
        """Know the head alone."""
        self._natural = [0.0] * len(self)
        self._least = [0.0] * len(self)
        self._rows.clear()
        self._fitted.clear()
        self._means.clear()
        self._laid_out.clear()
        self._measure([self._names], head=True)

    def _lines(self, cell: str, width: int, metrics: QFontMetricsF) -> int:
        if len(cell) * self._advance * 1.8 <= width:
            return 1
        text = _MARKS.sub("", cell) if _MARKED.search(cell) else cell
        if metrics.horizontalAdvance(text) <= width:
            return 1
        space = metrics.horizontalAdvance(" ")
        lines, used = 1, 0.0
        for word in text.split():
            advance = metrics.horizontalAdvance(word)
            if used and used + space + advance > width:
                lines, used = lines + 1, 0.0
            if advance > width:
                lines += math.ceil(advance / width) - 1
                advance %= width
            used += advance + (space if used else 0.0)
        return lines

    def _measure(self, rows: Sequence[str], *, head: bool = False) -> None:
        metrics = self._strong if head else self._plain
        marked: list[tuple[int, str]] = []
        for row in rows:
            for column, cell in enumerate(fitted(cells(row), len(self))):
                if _MARKED.search(cell):
                    marked.append((column, cell))
                elif cell:
                    self._note(column, metrics.horizontalAdvance(cell), _widest_word(cell, metrics))
        self._measure_marked(marked, head=head)

    def _measure_marked(self, marked: Sequence[tuple[int, str]], *, head: bool) -> None:
        """Cells that are more than plain text: laid out without an edge, one to a block."""
        if not marked:
            return
        scratch = QTextDocument()
        scratch.setUndoRedoEnabled(False)
        scratch.setDefaultFont(self.theme.body)
        base = self._formats.strong if head else self._formats.text
        cursor = QTextCursor(scratch)
        cursor.beginEditBlock()
        for number, (_, cell) in enumerate(marked):
            if number:
                cursor.insertBlock()
            write_inline(cursor, parse_inline(cell), self._formats, QTextCharFormat(base))
        cursor.endEditBlock()
        scratch.setTextWidth(-1)
        scratch.size()
        block = scratch.begin()
        for column, cell in marked:
            line = block.layout().lineAt(0)
            natural = line.naturalTextWidth() if line.isValid() else 0.0
            self._laid_out[cell, head] = natural
            self._note(column, natural, _widest_word(block.text(), self._strong))
            block = block.next()

    def _note(self, column: int, natural: float, word: float) -> None:
        self._natural[column] = max(self._natural[column], natural)
        self._least[column] = max(self._least[column], min(word, natural, _LONGEST_WORD))


def _share(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    wanted, needed = sum(natural), sum(least)
    if wanted <= room:
        return list(natural)
    if needed >= room:
        return [min(most, max(few, _COMFORTABLE)) for most, few in zip(natural, least, strict=True)]
    share = (room - needed) / (wanted - needed)
    return [few + int((most - few) * share) for most, few in zip(natural, least, strict=True)]


def _widest_word(text: str, metrics: QFontMetricsF) -> float:
    return max((metrics.horizontalAdvance(word) for word in text.split()), default=0.0)


def _begins_right_to_left(text: str) -> bool:
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False
