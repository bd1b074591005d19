"""A bar above the field that says what will come of the next question, and offers what can be done about it.

Knows nothing of what it says. Below: ``horizon`` fills it. Guarantee: it takes no focus by itself.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme

_RADIUS = 8


class Notice(QWidget):
    """A sentence and buttons, while there is something to say.

    Signals:
        chosen(str): The key of a button that was pressed.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._said: tuple[str, tuple[tuple[str, str], ...]] = ("", ())
        self._text = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(self._text)
        column.addLayout(self._row)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while it is not there."""
        return self._said[0]

    def say(self, text: str = "", actions: Sequence[tuple[str, str]] = ()) -> None:
        """Say this, with a button for each of these keys and words; without a text it goes away."""
        if self._said == (text, tuple(actions)):
            return
        self._said = (text, tuple(actions))
        while (item := self._row.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for key, words in actions:
            button = Button("", words, parent=self, look="outlined")
            button.set_theme(self._theme)
            button.clicked.connect(partial(self.chosen.emit, key))
            self._row.addWidget(button)
        self._row.addStretch(1)
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._text.setFont(small_font(theme))
        for button in self.findChildren(Button):
            button.set_theme(theme)

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card, in the colour of a warning."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.warning), 1))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()
