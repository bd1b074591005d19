"""A note that comes and goes: what was just done, and a button that undoes it.

Knows nothing of what is undone. Below: ``window`` shows one over the chat. Guarantees: it takes no focus; it stays
while the pointer is on it; undoing is offered once, and is under way when ``gone`` says that it is offered no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QPaintEvent

    from rillet.widgets.theme.palette import Theme

SHOWN_MS: Final = 8000
"""How long a note is shown by itself."""
_ABOVE: Final = 132
_RADIUS: Final = 8


class Toast(QWidget):
    """One note at a time, at the foot of its parent.

    Signals:
        gone(): It is not shown any more.
    """

    gone = Signal()

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self._ground = parent
        self._undo: Callable[[], object] | None = None
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._button = Button("", self.tr("Undo"), self.tr("Undo"), self)
        self._button.clicked.connect(self.undo)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 8, 6)
        row.setSpacing(12)
        row.addWidget(self._text)
        row.addWidget(self._button)
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self.dismiss)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def tell(self, text: str, undo: Callable[[], object] | None = None) -> None:
        """Say something; an earlier note gives way."""
        self._text.setText(text)
        self._undo = undo
        self._button.setVisible(undo is not None)
        self._timer.start()
        self.place()
        self.show()
        self.raise_()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._text.setFont(small_font(theme))
        self._button.set_theme(theme)

    def place(self) -> None:
        """Stand in the middle, above the field that one writes in."""
        self.adjustSize()
        self.move((self._ground.width() - self.width()) // 2, self._ground.height() - self.height() - _ABOVE)

    @Slot()
    def undo(self) -> bool:
        """Undo what it tells of; whether there was something to undo."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
        self.dismiss()
        return undo is not None

    @Slot()
    def dismiss(self) -> None:
        """Go away; nothing is undone."""
        self._timer.stop()
        if not self.isHidden():
            self.hide()
            self.gone.emit()

    # Qt overrides

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stay while somebody looks."""
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Go on counting."""
        self._timer.start()
        super().leaveEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a card."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.outline), 1))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()
