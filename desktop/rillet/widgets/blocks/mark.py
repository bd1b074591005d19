"""A line across the conversation that says something about all that stands above it, and what can be done about that.

    ───── Summarized: 12 questions above this line ─────
      The user plans a week in Lisbon; the flight is …
                 Show and edit   Undo

Above: ``button``. Below: ``transcript/layout`` asks for the height, ``transcript/stage`` lends it to tiles. Knows
nothing of what it says. Guarantee: every word is plain text, read out with what it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from PySide6.QtCore import QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from rillet.widgets.blocks.button import Button, size_with, small_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Mark, Tile

ACTIONS: Final = 4
"""As many can be offered."""
_Y, _GAP, _BESIDE, _BETWEEN = 8, 12, 4, 8
_LEAST_LINE: Final = 24
"""Pixels of a hairline beside the words; with less it stands above them."""


def height(mark: Mark | None, width: int, theme: Theme) -> int:
    """Pixels that ``mark`` needs at ``width``."""
    if mark is None:
        return 0
    text, detail, buttons = _parts(mark, width, theme)
    below = sum(each.height() + _BESIDE for each in (detail, buttons) if each.height())
    return text.bottom() + 1 + below + _Y


class MarkBlock(QWidget):
    """The line.

    Signals:
        actionChosen(str, object): One of the mark's actions, and the entry that it stands below.
    """

    text_view: ClassVar[TextView | None] = None
    actionChosen = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self._theme: Theme | None = None
        self._buttons = [Button("", parent=self, look="outlined") for _ in range(ACTIONS)]
        for button in self._buttons:
            button.clicked.connect(self._choose)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for button in self._buttons:
            button.set_theme(theme)
        self.update()

    def bind(self, entry: Entry, tile: Tile, _document: object) -> None:
        """Show the mark of ``entry``."""
        self.tile = tile
        self._entry = entry
        mark = entry.mark
        self.setAccessibleName("" if mark is None else ". ".join(each for each in (mark.text, mark.detail) if each))
        offered = () if mark is None else mark.actions
        for at, button in enumerate(self._buttons):
            button.setVisible(at < len(offered))
            if at < len(offered):
                button.setText(offered[at][1])
                button.describe(offered[at][1])
        self._place()
        self.update()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None

    def _place(self) -> None:
        """Put the buttons side by side into the middle."""
        if self._theme is None or self._entry is None or self._entry.mark is None:
            return
        _, _, row = _parts(self._entry.mark, self.width(), self._theme)
        x = row.left()
        for _, words in self._entry.mark.actions:
            button = self._buttons[self._entry.mark.actions.index((_, words))]
            size = size_with("", words, self._theme)
            button.setGeometry(QRect(QPoint(x, row.top()), size))
            x += size.width() + _BETWEEN

    @Slot()
    def _choose(self) -> None:
        button = self.sender()
        if self._entry is not None and self._entry.mark is not None and isinstance(button, Button):
            action, _ = self._entry.mark.actions[self._buttons.index(button)]
            self.actionChosen.emit(action, self._entry)

    # Qt overrides

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Put the buttons into their places."""
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line, and the words in it."""
        if self._theme is None or self._entry is None or self._entry.mark is None:
            return
        mark, tokens = self._entry.mark, self._theme.tokens
        text, detail, _ = _parts(mark, self.width(), self._theme)
        painter = QPainter(self)
        painter.setFont(small_font(self._theme))
        painter.setPen(QPen(QColor(tokens.accent), 1))
        words = painter.fontMetrics().horizontalAdvance(mark.text)
        beside = (self.width() - words) // 2 - _GAP
        if beside >= _LEAST_LINE:
            y = text.center().y()
            painter.drawLine(0, y, beside, y)
            painter.drawLine(self.width() - beside, y, self.width(), y)
        else:
            painter.drawLine(0, _Y // 2, self.width(), _Y // 2)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.setPen(QColor(tokens.text))
        painter.drawText(text, flags, mark.text)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(detail, flags, mark.detail)
        painter.end()


def _parts(mark: Mark, width: int, theme: Theme) -> tuple[QRect, QRect, QRect]:
    """Where the words, the detail and the row of buttons stand; an empty one has no height."""
    text = _lines(mark.text, width, theme)
    words = QRect(0, _Y, width, text)
    detail = QRect(0, words.bottom() + 1 + _BESIDE, width, _lines(mark.detail, width, theme))
    above = detail if detail.height() else words
    sizes = [size_with("", said, theme) for _, said in mark.actions]
    whole = sum(size.width() for size in sizes) + _BETWEEN * max(0, len(sizes) - 1)
    tallest = max((size.height() for size in sizes), default=0)
    return words, detail, QRect(max(0, (width - whole) // 2), above.bottom() + 1 + _BESIDE, whole, tallest)


def _lines(text: str, width: int, theme: Theme) -> int:
    if not text:
        return 0
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
    return QFontMetrics(small_font(theme)).boundingRect(QRect(0, 0, width, 1 << 16), flags, text).height()
