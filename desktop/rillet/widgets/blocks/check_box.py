"""A check box drawn from tokens: the edge of Qt's own can hardly be seen in the dark.

Above: ``check_mark``. Below: rows with a switch, forms. Guarantees: box and mark stand at least 3:1 against their
ground, in every state; the focus ring is ours; a text that has room is shown whole, in every font.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QCheckBox

from rillet.widgets.blocks.check_mark import BOX, draw_check_mark
from rillet.widgets.theme.palette import applied

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

_GAP: Final = 8
_PADDING: Final = 4
"""Pixels around it, for the focus ring."""
INDENT: Final = _PADDING + BOX + _GAP
"""Pixels left of the text."""
_FLAGS: Final = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextShowMnemonic


class CheckBox(QCheckBox):
    """Text with a box before it. ``&`` marks a key, as everywhere in Qt; ``whole`` is text that is shown as it is."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, whole: str = "") -> None:
        super().__init__(text or whole.replace("&", "&&"), parent)

    # Qt overrides

    def sizeHint(self) -> QSize:
        """Box, gap and text."""
        text = QFontMetricsF(self.font()).size(_FLAGS, self.text())
        return QSize(INDENT + math.ceil(text.width()) + _PADDING, max(BOX, math.ceil(text.height())) + 2 * _PADDING)

    def minimumSizeHint(self) -> QSize:
        """A long text gives way and is elided."""
        return QSize(BOX + 2 * _PADDING, self.sizeHint().height())

    def hitButton(self, place: QPoint) -> bool:
        """Box and text, not the empty space behind them."""
        return self.rect().contains(place) and place.x() <= self.sizeHint().width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw box, mark, text and focus ring."""
        tokens = applied(self.palette()).tokens
        enabled = self.isEnabled()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_check_mark(
            painter,
            _PADDING,
            self.height() / 2,
            self.checkState(),
            tokens,
            enabled=enabled,
            hovered=self.underMouse(),
        )
        painter.setPen(QColor(tokens.text if enabled else tokens.disabled))
        full = self.sizeHint().width()
        text = self.text()
        if self.width() < full:
            room = self.width() - INDENT - _PADDING
            text = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room, _FLAGS)
        painter.drawText(self.rect().adjusted(INDENT, 0, 0, 0), _FLAGS, text)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(1, 1, min(self.width(), full) - 2, self.height() - 2), 6, 6)
        painter.end()
