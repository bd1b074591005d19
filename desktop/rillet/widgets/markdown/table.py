"""Documents of tables: one QTextTable each, of the rows of one segment.

Above: ``cells``, ``columns``, ``inline``. Below: the tables of the transcript, which draw the lines between rows. A
right-to-left table has its columns reversed, for Qt mirrors nothing by itself. Guarantee: a document that grew row by
row equals the one that ``table_document`` builds of the same source, and an update costs its new rows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from rillet.widgets.markdown.build import new_document
from rillet.widgets.markdown.cells import cells, fitted
from rillet.widgets.markdown.columns import PAD_X, PAD_Y
from rillet.widgets.markdown.document import SafeDocument, inert
from rillet.widgets.markdown.formats import Formats
from rillet.widgets.markdown.inline import write_inline
from rillet.widgets.markdown.parse import parse_inline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QTextBlock

    from rillet.widgets.markdown.cells import Alignment
    from rillet.widgets.markdown.columns import Columns
    from rillet.widgets.markdown.math import MathWriter
    from rillet.widgets.theme.palette import Theme

_ALIGNMENTS: Final[Mapping[Alignment, Qt.AlignmentFlag]] = {
    "left": Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute,
}
_INNER: Final = PAD_X - PAD_Y
"""What the padding of Qt's cells, which is the same on all sides, lacks left and right."""
_PLAIN_TEXT: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;+-%()/'\"=#?")


def table_document(
    source: str,
    columns: Columns,
    theme: Theme,
    *,
    continued: bool = False,
    references: Mapping[str, Mapping[str, Any]] | None = None,
    math: MathWriter | None = None,
    parent: QObject | None = None,
) -> SafeDocument:
    """The document of a table's segment; ``continued``: it is not the first, and has neither head nor delimiter row."""
    live = LiveTable(columns, theme, continued=continued, references=references, math=math, parent=parent)
    live.update(source)
    return live.document


class LiveTable:
    """Owner of the document of a table's segment to which rows are added.

    Attributes:
        document: The document; the same object for as long as this lives.
        source: What it shows.
        columns: The columns of the whole table.
    """

    def __init__(
        self,
        columns: Columns,
        theme: Theme,
        *,
        continued: bool = False,
        references: Mapping[str, Mapping[str, Any]] | None = None,
        math: MathWriter | None = None,
        parent: QObject | None = None,
    ) -> None:
        self.document = new_document(theme, parent)
        self.source = ""
        self.columns = columns
        self._has_head = not continued
        self._references = references
        self._known = 0
        self._math = math
        self._formats = Formats(theme)
        self._table: QTextTable | None = None
        self._widths: tuple[int, ...] = ()
        self._shown: list[str] = []

    def update(self, source: str) -> None:
        """Show ``source``: append rows, or start over when it is not a longer form of what is shown."""
        known = len(self._references or ())
        if (source, known) == (self.source, self._known):
            return
        rows = rows_of(source, continued=not self._has_head)
        if known != self._known or rows[: len(self._shown)] != self._shown:
            self._clear()
        self.source, self._known = source, known
        self._append(rows[len(self._shown) :])

    def set_widths(self, widths: tuple[int, ...]) -> None:
        """Give the columns these widths, in reading order, and make formulas fit them."""
        if self._table is None:
            return
        if widths != self._widths:
            self._widths = widths
            form = self._table.format()
            form.setColumnWidthConstraints(self._constraints())
            self._table.setFormat(form)
        if self._math is not None and self._math.drawn:
            self._math.shrink(self.document, partial(self._room, self._table))

    def _room(self, table: QTextTable, block: QTextBlock) -> float:
        cell = table.cellAt(block.position())
        if not cell.isValid():
            return self.document.textWidth()
        column = cell.column()
        return self._widths[-1 - column if self.columns.right_to_left else column] - 2 * PAD_X

    def _constraints(self) -> list[QTextLength]:
        widths = self._widths[::-1] if self.columns.right_to_left else self._widths
        return [QTextLength(QTextLength.Type.FixedLength, width) for width in widths]

    def _clear(self) -> None:
        cursor = QTextCursor(self.document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        self._table, self._shown = None, []

    def _append(self, rows: Sequence[str]) -> None:
        if not rows:
            return
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()
        if self._table is None:
            self._table = self._insert_table(cursor, len(rows))
        else:
            self._table.appendRows(len(rows))
        for row in rows:
            self._write_row(self._table, len(self._shown), row)
            self._shown.append(row)
        cursor.endEditBlock()

    def _insert_table(self, cursor: QTextCursor, rows: int) -> QTextTable:
        form = QTextTableFormat()
        form.setBorder(0)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_None)
        form.setCellSpacing(0)
        form.setCellPadding(PAD_Y)
        form.setHeaderRowCount(int(self._has_head))
        if self._widths:
            form.setColumnWidthConstraints(self._constraints())
        return cursor.insertTable(rows, len(self.columns), form)

    def _write_row(self, table: QTextTable, number: int, row: str) -> None:
        head = self._has_head and number == 0
        base = self._formats.strong if head else self._formats.text
        count = len(self.columns)
        for column, cell in enumerate(fitted(cells(row), count)):
            place = count - 1 - column if self.columns.right_to_left else column
            cursor = table.cellAt(number, place).firstCursorPosition()
            cursor.setBlockFormat(self._cell_format(self.columns.alignments[column]))
            cursor.setBlockCharFormat(base)
            if _PLAIN_TEXT.issuperset(cell):
                cursor.insertText(inert(cell), base)
            else:
                write_inline(cursor, parse_inline(cell, self._references), self._formats, base, self._math)

    def _cell_format(self, alignment: Alignment) -> QTextBlockFormat:
        form = self._formats.block(0)
        form.setLeftMargin(_INNER)
        form.setRightMargin(_INNER)
        if alignment:
            form.setAlignment(_ALIGNMENTS[alignment])
        return form


def rows_of(source: str, *, continued: bool) -> list[str]:
    """The rows of a table's segment, a line each, the head first; without the delimiter row."""
    lines = source.split("\n")
    return lines if continued else [lines[0], *lines[2:]]


def table_of(document: QTextDocument) -> QTextTable | None:
    """The table in a document of this module, or None in an empty one."""
    return next((frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable)), None)


def row_tops(document: QTextDocument) -> list[float]:
    """Where each row begins, in pixels below the top of ``document``, and where the last one ends."""
    table = table_of(document)
    if table is None:
        return []
    layout = document.documentLayout()
    tops = [
        layout.blockBoundingRect(table.cellAt(row, 0).firstCursorPosition().block()).top() - PAD_Y
        for row in range(table.rows())
    ]
    return [*tops, document.size().height()]
