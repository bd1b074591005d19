"""Questions that wait until the answer that is being written is over: a strip above the field.

Knows neither store nor models. Below: ``session`` puts questions in and takes them out. Guarantee: questions are taken
in the order in which they were put; each can be changed or taken away until then.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from rillet.core.types import ChatMessage
    from rillet.widgets.theme.palette import Theme

_RADIUS = 8


class Queue(QWidget):
    """The questions that wait, and what can be done with them.

    Signals:
        editRequested(object): A ``ChatMessage`` was taken out, to be changed.
        sendRequested(): The first one is to be sent now, although the answer before it failed or was stopped.
    """

    editRequested = Signal(object)
    sendRequested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._waiting: deque[ChatMessage] = deque()
        self._held = False
        self._rows: list[_Row] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 6, 6, 6)
        self._column.setSpacing(2)
        self._send = Button("send", self.tr("Send the next one"), self.tr("Send the next question now"), self)
        self._send.clicked.connect(self.sendRequested)
        self._column.addWidget(self._send, 0, Qt.AlignmentFlag.AlignLeft)
        self.set_theme(theme)
        self._show()

    def __len__(self) -> int:
        return len(self._waiting)

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def __iter__(self) -> Iterator[ChatMessage]:
        return iter(self._waiting)

    def put(self, message: ChatMessage) -> None:
        """Let a question wait behind the others."""
        self._waiting.append(message)
        self._show()

    def take(self) -> ChatMessage | None:
        """The question that has waited longest; None while nothing waits, or what waits is held."""
        if not self._waiting or self._held:
            return None
        message = self._waiting.popleft()
        self._show()
        return message

    def hold(self, *, held: bool) -> None:
        """Keep what waits until somebody says otherwise: the answer before it failed or was stopped."""
        self._held = held
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._send.set_theme(theme)
        for row in self._rows:
            row.set_theme(theme)

    def _remove(self, message: ChatMessage) -> None:
        self._waiting.remove(message)
        if not self._waiting:
            self._held = False
        self._show()

    def _edit(self, message: ChatMessage) -> None:
        self._remove(message)
        self.editRequested.emit(message)

    def _show(self) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        self._rows = []
        for place, message in enumerate(self._waiting):
            row = _Row(message, self._theme, self)
            row.edit.clicked.connect(partial(self._edit, message))
            row.remove.clicked.connect(partial(self._remove, message))
            self._rows.append(row)
            self._column.insertWidget(place, row)
        self._send.setVisible(self._held and bool(self._waiting))
        self.setVisible(bool(self._waiting))

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.setBrush(QColor(tokens.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter.end()


class _Row(QWidget):
    """One question, on one line."""

    def __init__(self, message: ChatMessage, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._whole = " ".join(message.text.split()) or self.tr("(attachments)")
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setAccessibleName(self.tr("Waiting: {text}").format(text=self._whole))
        self.edit = Button("edit", "", self.tr("Change this question"), self)
        self.remove = Button("cross", "", self.tr("Do not ask this question"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self._text, 1)
        row.addWidget(self.edit)
        row.addWidget(self.remove)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._text.setFont(small_font(theme))
        self.edit.set_theme(theme)
        self.remove.set_theme(theme)

    # Qt overrides

    def sizeHint(self) -> QSize:
        """As high as its buttons."""
        return QSize(200, 28)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of the question as there is room for."""
        super().resizeEvent(event)
        metrics = self._text.fontMetrics()
        self._text.setText(metrics.elidedText(self._whole, Qt.TextElideMode.ElideRight, self._text.width()))
