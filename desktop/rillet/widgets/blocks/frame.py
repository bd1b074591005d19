"""The frame around one message near the viewport: its bubble, its place in the tab order, its name for screen readers.

Blocks are its children, so that scrolling moves a few frames instead of many blocks. Above: ``transcript/model``.
Below: ``transcript/stage``. Guarantee: assistive tools see one group per message, named by its author and number and
described by its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGroupBox, QWidget

from rillet.widgets.blocks.days import draw_day

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QEnterEvent, QFocusEvent, QPaintEvent

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry

_DESCRIBED = 8000
_BUBBLE_RADIUS = 18
_RING_RADIUS = 8


class MessageFrame(QGroupBox):
    """A group box, because that is the widget Qt shows to assistive tools as a group; it draws itself.

    Signals:
        attention(object): The entry that the mouse or the keyboard came to; None when it left.
    """

    attention = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry: Entry | None = None
        self._count = 0
        self._theme: Theme | None = None
        self._bubble: QRect | None = None
        self._ring = QRect()
        self._day = QRect()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours."""
        self._theme = theme
        self.update()

    def bind(self, entry: Entry, count: int) -> None:
        """Stand for ``entry``, one of ``count``."""
        self.entry = entry
        self.number(count)
        self.describe()

    def number(self, count: int) -> None:
        """There are ``count`` messages now."""
        if self.entry is not None and count != self._count:
            self._count = count
            authors = {"user": self.tr("Your message"), "assistant": self.tr("Answer")}
            author = authors.get(self.entry.role, self.entry.role)
            place = self.tr("{author}, {number} of {count}")
            self.setAccessibleName(place.format(author=author, number=self.entry.index + 1, count=count))

    def describe(self) -> None:
        """Tell the text of the message to assistive tools."""
        if self.entry is not None:
            source = self.entry.source
            self.setAccessibleDescription(source if len(source) <= _DESCRIBED else source[:_DESCRIBED] + " …")

    def release(self) -> None:
        """Stand for nothing."""
        self.entry = None
        self._count = 0
        self._bubble = None
        self.setAccessibleName("")
        self.setAccessibleDescription("")

    def set_shape(self, bubble: QRect | None, ring: QRect, day: QRect) -> None:
        """Where the bubble is, where the focus ring goes, and where the day is named that begins here, if one does."""
        if (bubble, ring, day) != (self._bubble, self._ring, self._day):
            self._bubble = bubble
            self._ring = ring
            self._day = day
            self.update()

    # Qt overrides

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keep the focus: a group box would hand it to its first child. An answer may have grown since it was bound."""
        QWidget.focusInEvent(self, event)
        self.describe()
        self.attention.emit(self.entry)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        QWidget.focusOutEvent(self, event)
        self.attention.emit(None)
        self.update()

    def enterEvent(self, _event: QEnterEvent) -> None:
        """The mouse has come."""
        self.attention.emit(self.entry)

    def leaveEvent(self, _event: QEvent) -> None:
        """The mouse has left."""
        self.attention.emit(None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the day, the bubble and the focus ring."""
        day = self.entry.day if self.entry is not None else None
        if self._theme is None or (self._bubble is None and not self.hasFocus() and day is None):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._bubble is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.tokens.bubble))
            painter.drawRoundedRect(QRectF(self._bubble), _BUBBLE_RADIUS, _BUBBLE_RADIUS)
        if day is not None:
            draw_day(painter, self._day, day, self._theme)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.tokens.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self._ring).adjusted(1, 1, -1, -1), _RING_RADIUS, _RING_RADIUS)
        painter.end()
