"""A table: cells with text in columns, ruled by hairlines, that scrolls sideways when it is wider than the column.

A long table is several tiles, each with a block of its own, drawn so that they join. Above: ``sideways``,
``markdown/table``. Below: ``transcript/layout`` asks for the paddings, ``transcript/stage`` lends blocks to tiles.
Guarantee: what is copied can be pasted into a spreadsheet as cells and into a text as Markdown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QLine, QMimeData, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QColor, QGuiApplication, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QTextEdit

from rillet.widgets.blocks.attentive import AttentiveButton
from rillet.widgets.blocks.sideways import BAR, SidewaysBlock
from rillet.widgets.blocks.text import TextView
from rillet.widgets.markdown.clipboard import tab_separated, table_data, table_texts
from rillet.widgets.markdown.math import text_between
from rillet.widgets.markdown.table import row_tops, table_of

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QPaintEvent, QTextDocument
    from PySide6.QtWidgets import QMenu, QWidget

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

BORDER = 1
_RADIUS = 8
_BESIDE = 6
"""Pixels between a table and the button beside it."""
_COPIED_MS = 1500


def padding(tile: Tile) -> tuple[int, int]:
    """Pixels above and below the rows of a tile: the border, and room for the bar under the last one."""
    return 0 if tile.continued else BORDER, 0 if tile.more else BAR


class TableBlock(SidewaysBlock):
    """One tile of a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._cells = _TableView()
        super().__init__(parent, view=self._cells)
        self._cells.copyTableRequested.connect(self.copy)
        self._cells.copyCellsRequested.connect(self.copy_cells)
        self._copy = AttentiveButton("copy", self.tr("Copy table"), self, look="floating")
        self._copy.clicked.connect(self.copy)
        self._restore = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._restore.timeout.connect(self._show_copy)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        self._copy.set_theme(theme)

    def bind(self, entry: Entry, tile: Tile, document: QTextDocument | None) -> None:
        """Show ``tile``, scrolled as far as the other tiles of its table are."""
        self._cells.set_width(sum(self._widths(tile)))
        super().bind(entry, tile, document)
        self._copy.setVisible(not tile.continued)
        table = table_of(document) if document is not None else None
        columns, rows = (table.columns(), table.rows()) if table is not None else (0, 0)
        self._cells.setAccessibleName(self.tr("Table, {0} columns, {1} rows").format(columns, rows))

    def release(self) -> None:
        """Show nothing."""
        self._restore.stop()
        self._show_copy()
        super().release()

    @property
    def right_to_left(self) -> bool:
        """Whether the first column is the rightmost."""
        columns = self.tile.shared.columns if self.tile is not None else None
        return columns is not None and columns.right_to_left

    @Slot()
    def copy(self) -> None:
        """Put the whole table on the clipboard: its Markdown as text, its cells for office programs."""
        if self.tile is not None and self.tile.section is not None:
            QGuiApplication.clipboard().setMimeData(table_data(self.tile.section.fence_text(self.tile)))
            self._copy.set_icon("check")
            self._restore.start()

    @Slot()
    def copy_cells(self) -> None:
        """Put the text of all cells on the clipboard, divided by tabs."""
        if self.tile is not None and self.tile.section is not None:
            source = self.tile.section.fence_text(self.tile)
            QGuiApplication.clipboard().setText(tab_separated(table_texts(source)))

    @Slot()
    def _show_copy(self) -> None:
        self._copy.set_icon("copy")

    def _widths(self, tile: Tile) -> tuple[int, ...]:
        columns = tile.shared.columns
        return columns.widths(self.width() - 2 * BORDER) if columns is not None else ()

    def _text_area(self) -> QRect:
        """As wide as the columns, or as there is room; at the side where reading begins."""
        assert self.tile is not None
        above, below = padding(self.tile)
        width = min(self.width() - 2 * BORDER, sum(self._widths(self.tile)))
        left = self.width() - width - BORDER if self.right_to_left else BORDER
        return QRect(left, above, max(0, width), max(0, self.height() - above - below))

    def _place(self) -> None:
        if self.tile is not None:
            self._cells.set_width(sum(self._widths(self.tile)))
        super()._place()
        self._place_copy(self.text_view.geometry())

    def _place_copy(self, area: QRect) -> None:
        """Put the button beside the table, or over its corner where there is no room."""
        size = self._copy.sizeHint()
        needed = size.width() + _BESIDE
        if self.right_to_left:
            x = area.x() - needed if area.x() >= needed else area.x() + 2
        else:
            has_room = area.right() + 1 + needed <= self.width()
            x = area.right() + 1 + _BESIDE if has_room else area.right() - size.width() - 2
        self._copy.setGeometry(x, area.y() + 3, size.width(), size.height())

    # Qt overrides

    def enterEvent(self, event: QEnterEvent) -> None:
        """The mouse has come: show what may be done."""
        super().enterEvent(event)
        self._copy.set_shown(shown=True)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse has left."""
        super().leaveEvent(event)
        self._copy.set_shown(shown=False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground of the head, the lines and the frame, whose edges towards other tiles are clipped."""
        if self.tile is None or self._theme is None:
            return
        tokens, part = self._theme.tokens, event.rect()
        area = self.text_view.geometry()
        above = -2.0 * _RADIUS if self.tile.continued else 0.5
        below = 2.0 * _RADIUS if self.tile.more else 0.5
        frame = QRectF(area).adjusted(-0.5, 0, 0.5, 0)
        frame.setTop(above)
        frame.setBottom(area.bottom() + 1 + below)
        path = QPainterPath()
        path.addRoundedRect(frame, _RADIUS, _RADIUS)
        tops = row_tops(self.text_view.document())
        painter = QPainter(self)
        painter.setClipPath(path)
        if not self.tile.continued and len(tops) > 1:
            head = QRectF(frame.x(), 0, frame.width(), tops[1] + area.y())
            painter.fillRect(head, QColor(tokens.code))
        painter.setPen(QPen(QColor(tokens.border), 1))
        ys = [area.y() + round(top) for top in tops[0 if self.tile.continued else 1 : -1]]
        painter.drawLines([QLine(area.left(), y, area.right(), y) for y in ys if part.top() <= y <= part.bottom()])
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.end()


class _TableView(TextView):
    """The cells.

    Signals:
        copyTableRequested(): The context menu asks for the whole table.
        copyCellsRequested(): It asks for the table as tab-separated text.
    """

    copyTableRequested = Signal()
    copyCellsRequested = Signal()

    def __init__(self) -> None:
        super().__init__(wrap=False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)  # NoWrap would hold for the text of cells too

    def set_width(self, width: int) -> None:
        """The columns take ``width`` pixels together."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)

    def extend_menu(self, menu: QMenu) -> None:
        """The table as a whole."""
        for text, signal in (
            (self.tr("Copy table"), self.copyTableRequested),
            (self.tr("Copy table as tab-separated text"), self.copyCellsRequested),
        ):
            action = QAction(text, menu)
            action.triggered.connect(signal)
            menu.addAction(action)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Selected cells divided by tabs, rows by line ends; or the selected part of one cell."""
        table = table_of(self.document())
        cursor = self.textCursor()
        if table is None or not cursor.hasComplexSelection():
            return super().createMimeDataFromSelection()
        selected = cast("tuple[int, int, int, int]", cursor.selectedTableCells())
        first_row, rows, first_column, columns = selected
        texts = [
            [
                text_between(self.document(), cell.firstPosition(), cell.lastPosition())
                for column in range(first_column, first_column + columns)
                if (cell := table.cellAt(row, column)).isValid()
            ]
            for row in range(first_row, first_row + rows)
        ]
        data = QMimeData()
        data.setText(tab_separated(texts))
        return data
