"""Three dots that breathe while something is being waited for.

It wakes up ten times a second while it can be seen and never otherwise; where the desktop asks for no animation
(its style gives them no time) the dots stand still.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QBasicTimer, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from rillet.widgets.theme.palette import movement_ms

if TYPE_CHECKING:
    from PySide6.QtCore import QTimerEvent
    from PySide6.QtGui import QHideEvent, QPaintEvent, QShowEvent

    from rillet.widgets.theme.palette import Theme

_DOT, _STEP, _DOTS = 3.0, 10, 3
_TICK_MS, _PERIOD = 100, 12


class Pulse(QWidget):
    """The dots, in the muted colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colour = QColor(Qt.GlobalColor.gray)
        self._phase = 0
        self._timer = QBasicTimer()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def set_theme(self, theme: Theme) -> None:
        """Take the colour."""
        self._colour = QColor(theme.tokens.muted)
        self.update()

    @property
    def moving(self) -> bool:
        """Whether the dots breathe right now."""
        return self._timer.isActive()

    # Qt overrides

    def sizeHint(self) -> QSize:
        """Room for three dots."""
        return QSize(_STEP * _DOTS, 16)

    def minimumSizeHint(self) -> QSize:
        """Never clipped."""
        return self.sizeHint()

    def showEvent(self, _event: QShowEvent) -> None:
        """Start breathing."""
        if movement_ms(self) > 0:
            self._timer.start(_TICK_MS, self)

    def hideEvent(self, _event: QHideEvent) -> None:
        """Stop."""
        self._timer.stop()

    def timerEvent(self, event: QTimerEvent) -> None:
        """The next phase."""
        if event.timerId() == self._timer.timerId():
            self._phase = (self._phase + 1) % _PERIOD
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the dots, each a little behind the one before it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for dot in range(_DOTS):
            wave = 0.5 + 0.5 * math.sin(2 * math.pi * (self._phase / _PERIOD - dot / (2 * _DOTS)))
            colour = QColor(self._colour)
            colour.setAlphaF((0.35 + 0.65 * wave) if self.moving else 1.0)
            painter.setBrush(colour)
            painter.drawEllipse(QPointF(_DOT + 1 + dot * _STEP, self.height() / 2), _DOT, _DOT)
        painter.end()
