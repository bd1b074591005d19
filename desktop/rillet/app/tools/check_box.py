"""A check box drawn from tokens: the edge of Qt's own can hardly be seen in the dark.

Above: ``blocks/check_mark``. Below: rows with a switch. Guarantee: box and mark stand at least 3:1 against their
ground, in every state; the focus ring is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QCheckBox

from rillet.widgets.blocks.check_mark import BOX, draw_check_mark

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme

_GAP: Final = 8
_PADDING: Final = 4
"""Pixels around it, for the focus ring."""


class CheckBox(QCheckBox):
    """Text with a box before it; the text is plain, whatever is in it."""

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__(text.replace("&", "&&"))
        self._theme = theme
        self._text = text

    # Qt overrides

    def sizeHint(self) -> QSize:
        """Box, gap and text."""
        metrics = self.fontMetrics()
        width = BOX + _GAP + metrics.horizontalAdvance(self._text) + 2 * _PADDING
        return QSize(width, max(BOX, metrics.height()) + 2 * _PADDING)

    def minimumSizeHint(self) -> QSize:
        """A long text gives way and is elided."""
        return QSize(BOX + 2 * _PADDING, self.sizeHint().height())

    def hitButton(self, place: QPoint) -> bool:
        """Box and text, not the empty space behind them."""
        return self.rect().contains(place) and place.x() <= self.sizeHint().width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw box, mark, text and focus ring."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_check_mark(
            painter,
            _PADDING,
            self.height() / 2,
            self.checkState(),
            tokens,
            enabled=self.isEnabled(),
            hovered=self.underMouse(),
        )
        left = _PADDING + BOX + _GAP
        painter.setPen(QColor(tokens.text if self.isEnabled() else tokens.disabled))
        painter.setFont(self.font())
        room = self.width() - left - _PADDING
        shown = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, room)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(self.rect().adjusted(left, 0, -_PADDING, 0), flags, shown)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            width = min(self.width(), self.sizeHint().width())
            painter.drawRoundedRect(QRectF(1, 1, width - 2, self.height() - 2), 6, 6)
        painter.end()
