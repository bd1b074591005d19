"""A strip below the header for what concerns everything: a disk that takes nothing, a file that was set aside.

Knows nothing of stores. Below: ``window``. It stays until what it tells of is over, or until it is read and closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme


class Banner(QWidget):
    """One notice.

    Signals:
        closed(): It was read and closed.
    """

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._urgent = False
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = Button("cross", "", self.tr("Close this notice"), self)
        self._close.clicked.connect(self.hide)
        self._close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 8, 12, 8)
        row.addWidget(self._text, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.set_theme(theme)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty while nothing is shown."""
        return "" if self.isHidden() else self._text.text()

    def tell(self, text: str, *, urgent: bool = False) -> None:
        """Show a notice. An urgent one cannot be closed: it goes when it is over."""
        self._urgent = urgent
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self._close.setVisible(not urgent)
        self.show()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._text.setFont(small_font(theme))
        self._close.set_theme(theme)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, and at its left edge how urgent it is."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        painter.fillRect(0, 0, 4, self.height(), QColor(tokens.danger if self._urgent else tokens.warning))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.border))
        painter.end()
