"""The frame of the composer: a card, with a ring while the field has the focus or something may be dropped.

Below: ``composer`` paints it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from rillet.widgets.blocks.button import small_font

if TYPE_CHECKING:
    from PySide6.QtCore import QRect
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme

_RADIUS = 18


def paint_frame(widget: QWidget, theme: Theme, *, marked: bool, drop_row: QRect | None) -> None:
    """Draw it around ``widget``. ``drop_row``: where it is said that one may drop something; None: nobody holds any."""
    tokens = theme.tokens
    dropping = drop_row is not None
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    width = 2 if marked or dropping else 1
    pen = QPen(QColor(tokens.accent if marked or dropping else tokens.outline), width)
    if dropping:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(QColor(tokens.accent_soft if dropping else tokens.surface))
    inset = width / 2
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)
    if drop_row is not None:
        painter.setFont(small_font(theme))
        painter.setPen(QColor(tokens.text))
        words = QCoreApplication.translate("Composer", "Drop to attach")
        painter.drawText(drop_row, Qt.AlignmentFlag.AlignCenter, words)
    painter.end()
