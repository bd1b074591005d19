"""The plain parts of the window that its first paint needs: the header, and the place of the list of chats.

Knows no chats. Below: ``window``. They draw themselves from tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme

HEADER_HEIGHT: Final = 44


class Header(QWidget):
    """What is shown, and what applies to the whole of it.

    Attributes:
        sidebar: Folds the list of chats.
        new_chat: Wants an empty chat.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFixedHeight(HEADER_HEIGHT)
        self.sidebar = Button("sidebar", "", self.tr("Show or hide the list of chats"))
        self.new_chat = Button("plus", "", self.tr("Start a new chat"))
        self._title = QLabel("Rillet")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._mark = QLabel()
        self._mark.setTextFormat(Qt.TextFormat.PlainText)
        self._mark.hide()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(10, 0, 14, 0)
        self._row.setSpacing(4)
        self._row.addWidget(self.sidebar)
        self._row.addWidget(self.new_chat)
        self._row.addSpacing(8)
        self._row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addSpacing(4)
        self._row.addWidget(self._title, 1)
        self.set_theme(theme)

    def add(self, widget: QWidget) -> None:
        """Put something at the right end."""
        self._row.addWidget(widget)
        QWidget.setTabOrder(self.new_chat, widget)

    def set_title(self, title: str) -> None:
        """Say what is shown; nothing: the program."""
        self._title.setText(title or "Rillet")

    def set_mark(self, mark: str) -> None:
        """Say before the title what sort of chat it is; nothing for an ordinary one."""
        self._mark.setText(mark)
        self._mark.setVisible(bool(mark))

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        tokens = theme.tokens
        self._mark.setFont(small_font(theme))
        self._mark.setStyleSheet(
            f"color: {tokens.text}; border: 1px dashed {tokens.outline}; border-radius: {tokens.radius}px;"
            " padding: 1px 7px;"
        )
        self._edge = QColor(theme.tokens.border)
        font = QFont(theme.body)
        font.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(font)
        self.sidebar.set_theme(theme)
        self.new_chat.set_theme(theme)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the edge that the conversation passes under."""
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._edge)
        painter.end()


class SidePanel(QWidget):
    """The place of the list of chats: its ground and its edge, before the list is there."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFixedWidth(theme.tokens.sidebar_width)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 1, 0)
        self.set_theme(theme)

    def hold(self, widget: QWidget) -> None:
        """Show this here."""
        self._column.addWidget(widget)

    def set_theme(self, theme: Theme) -> None:
        """Take colours."""
        self._ground = QColor(theme.tokens.sidebar)
        self._edge = QColor(theme.tokens.border)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground and edge."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._ground)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._edge)
        painter.end()
