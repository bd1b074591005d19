"""A code block: a head with the language and its buttons, and code that scrolls sideways, or wraps if that is wanted.

A long fence is several tiles, each with a block of its own; line numbers and wrapping hold for all of them. Above:
``sideways``. Below: ``transcript/layout`` asks for the paddings, ``transcript/stage`` lends blocks to tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QPainter, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTextEdit, QWidget

from rillet.widgets.blocks.attentive import AttentiveButton
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.sideways import SidewaysBlock
from rillet.widgets.markdown.lines import block_rect

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QPaintEvent, QTextDocument

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

HEAD = 36
SIDE = 16
"""Left and right of the code."""
_BELOW_HEAD, _BOTTOM = 4, 16
_RADIUS = 8
_COPIED_MS = 1500
_LONGEST_LANGUAGE = 24
_DIGITS = 3
_GUTTER_GAP = 14


def padding(tile: Tile) -> tuple[int, int]:
    """Pixels above and below the text of a tile of code. Inner edges of a long fence have none."""
    return 0 if tile.continued else HEAD + _BELOW_HEAD, 0 if tile.more else _BOTTOM


def gutter(tile: Tile, theme: Theme) -> int:
    """Pixels that line numbers take beside the code of ``tile``; 0 when it shows none."""
    if not tile.shared.numbered:
        return 0
    digits = max(_DIGITS, len(str(_last_number(tile))))
    return QFontMetrics(theme.mono).horizontalAdvance("0") * digits + _GUTTER_GAP


class CodeBlock(SidewaysBlock):
    """One tile of a fence.

    Signals:
        reshaped(object): The tile whose fence wraps its lines from now on, or numbers them, or no longer does.
    """

    reshaped = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first_number = 1
        self._head = QWidget(self)
        self._language = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._language.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._numbers = AttentiveButton("numbers", self.tr("Line numbers"), checkable=True)
        self._numbers.clicked.connect(self._toggle_numbers)
        self._wrap = AttentiveButton("wrap", self.tr("Wrap long lines"), checkable=True)
        self._wrap.clicked.connect(self._toggle_wrap)
        self._copy = Button("copy", self.tr("Copy"), self.tr("Copy code"))
        self._copy.clicked.connect(self.copy)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(SIDE, 0, 4, 0)
        row.setSpacing(2)
        row.addWidget(self._language, 1)
        for button in (self._numbers, self._wrap, self._copy):
            row.addWidget(button)
        self._restore = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._restore.timeout.connect(self._show_copy)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        super().set_theme(theme)
        for button in (self._numbers, self._wrap, self._copy):
            button.set_theme(theme)
        self._language.setFont(small_font(theme))

    def bind(self, entry: Entry, tile: Tile, document: QTextDocument | None) -> None:
        """Show ``tile`` as its fence is to be shown: numbered or not, wrapped or not."""
        language = tile.segment.block.language if tile.segment and tile.segment.block else ""
        self._head.setVisible(not tile.continued)
        self._language.setText(_short(language) or "text")
        self._numbers.setChecked(tile.shared.numbered)
        self._wrap.setChecked(tile.shared.wrapped)
        self._first_number = _first_number(tile)
        wrap = QTextEdit.LineWrapMode.WidgetWidth if tile.shared.wrapped else QTextEdit.LineWrapMode.NoWrap
        if self.text_view.lineWrapMode() is not wrap:
            self.text_view.setLineWrapMode(wrap)
        self.text_view.setAccessibleName(self.tr("{language} code").format(language=_short(language) or "text"))
        super().bind(entry, tile, document)
        self.update()

    def release(self) -> None:
        """Show nothing."""
        self._restore.stop()
        self._show_copy()
        super().release()

    @Slot()
    def copy(self) -> None:
        """Put the whole fence, without its marks, on the clipboard."""
        if self.tile is None or self.tile.section is None:
            return
        QGuiApplication.clipboard().setText(self.tile.section.fence_text(self.tile))
        self._copy.setText(self.tr("Copied"))
        self._copy.set_icon("check")
        self._restore.start()

    @Slot()
    def _show_copy(self) -> None:
        self._copy.setText(self.tr("Copy"))
        self._copy.set_icon("copy")

    @Slot()
    def _toggle_numbers(self) -> None:
        if self.tile is not None:
            self.tile.shared.numbered = self._numbers.isChecked()
            self.reshaped.emit(self.tile)

    @Slot()
    def _toggle_wrap(self) -> None:
        if self.tile is not None:
            self.tile.shared.wrapped = self._wrap.isChecked()
            self.tile.shared.sideways = 0
            self.reshaped.emit(self.tile)

    def _gutter(self) -> int:
        return gutter(self.tile, self._theme) if self.tile is not None and self._theme is not None else 0

    def _text_area(self) -> QRect:
        assert self.tile is not None
        above, below = padding(self.tile)
        left = SIDE + self._gutter()
        return QRect(left, above, max(0, self.width() - left - SIDE), max(0, self.height() - above - below))

    def _place(self) -> None:
        super()._place()
        self._head.setGeometry(0, 0, self.width(), HEAD)

    def _attend(self, *, attended: bool) -> None:
        for button in (self._numbers, self._wrap):
            button.set_shown(shown=attended)

    # Qt overrides

    def enterEvent(self, event: QEnterEvent) -> None:
        """The mouse has come: show what may be done."""
        super().enterEvent(event)
        self._attend(attended=True)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse has left."""
        super().leaveEvent(event)
        self._attend(attended=False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frame and the line numbers; edges towards other tiles of the fence lie outside and are clipped."""
        if self.tile is None or self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.border), 1))
        painter.setBrush(QColor(self._theme.tokens.code))
        above = -2.0 * _RADIUS if self.tile.continued else 0.5
        below = 2.0 * _RADIUS if self.tile.more else -0.5
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, above, -0.5, below), _RADIUS, _RADIUS)
        if self.tile.shared.numbered:
            self._draw_numbers(painter, self._theme, event.rect())
        painter.end()

    def _draw_numbers(self, painter: QPainter, theme: Theme, part: QRect) -> None:
        """Number every line of code beside the first of its lines on the screen."""
        painter.setFont(theme.mono)
        painter.setPen(QColor(theme.tokens.muted))
        area = self.text_view.geometry()
        document = self.text_view.document()
        block = document.begin()
        number = self._first_number
        while block.isValid():
            line = block_rect(document, block).translated(0, area.y())
            if line.top() > part.bottom():
                break
            if line.bottom() >= part.top():
                letters = block.layout().lineAt(0)
                place = QRectF(SIDE, line.top() + letters.y(), area.x() - SIDE - _GUTTER_GAP, letters.height())
                painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number))
            block = block.next()
            number += 1


def _first_number(tile: Tile) -> int:
    """The number of the first line of ``tile`` in its fence."""
    first = tile.shared.first
    if tile.section is None or first is None or not tile.continued:
        return 1
    return tile.section.text.count("\n", first.start, tile.start) + 1


def _last_number(tile: Tile) -> int:
    """The number of the last line of the fence that ``tile`` is a part of, so far."""
    first = tile.shared.first
    if tile.section is None or first is None:
        return 1
    last = tile.section.fence(tile)[-1]
    return tile.section.text.count("\n", first.start, last.end) + 1


def _short(language: str) -> str:
    """The word after a fence can be anything, of any length."""
    return language if len(language) <= _LONGEST_LANGUAGE else language[:_LONGEST_LANGUAGE] + "…"
