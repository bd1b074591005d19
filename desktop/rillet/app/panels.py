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
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from rillet.widgets.theme.palette import Theme

HEADER_HEIGHT: Final = 44
TITLE_ROOM: Final = 240
"""Pixels of a title that nothing takes for the sake of being told at length."""


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
        self._title = _Title("Rillet")
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
        self._end: QWidget | None = None
        self._fit: Callable[[int, int], None] | None = None
        self.set_theme(theme)

    def add(self, widget: QWidget, fit: Callable[[int, int], None]) -> None:
        """Put something at the right end.

        Whenever that changes, ``fit`` is told how many pixels there are for it: at most, and so that the title has
        room, too.
        """
        self._end, self._fit = widget, fit
        self._row.addWidget(widget)
        QWidget.setTabOrder(self.new_chat, widget)
        self._tell_room()

    def set_title(self, title: str) -> None:
        """Say what is shown; nothing: the program."""
        self._title.setText(title or "Rillet")
        self._tell_room()

    def set_mark(self, mark: str) -> None:
        """Say before the title what sort of chat it is; nothing for an ordinary one."""
        self._mark.setText(mark)
        self._mark.setVisible(bool(mark))
        self._tell_room()

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
        self._tell_room()

    def _tell_room(self) -> None:
        if self._end is None or self._fit is None:
            return
        taken = self._row.minimumSize().width()  # (the title gives way to all else)
        if self._end.isHidden():
            taken += self._row.spacing()
        else:
            taken -= self._end.minimumSizeHint().width()
        room = max(0, self.width() - taken)
        self._fit(room, room - min(TITLE_ROOM, self._title.sizeHint().width()))

    # Qt overrides

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say how much room there is now."""
        super().resizeEvent(event)
        self._tell_room()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the edge that the conversation passes under."""
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._edge)
        painter.end()


class _Title(QLabel):
    """A line that takes what room there is, and ends in dots where there is not enough."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        painter = QPainter(self)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, shown)
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
