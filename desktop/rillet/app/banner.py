"""Strips below the header for what concerns everything: a disk that takes nothing, a file that was set aside.

Knows nothing of stores. Below: ``notices`` fills it. A notice stays until what it tells of is over, or until it is read
and closed; several stand one under the other, the urgent ones first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be done about what a notice tells: ``label`` is on the button, ``act`` does it."""

    label: str
    act: Callable[[], object]


class Banner(QWidget):
    """All notices, by what they are about."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._strips: dict[str, _Strip] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    @property
    def text(self) -> str:
        """What it says, the most urgent first; empty while nothing is shown."""
        strips = sorted(self._strips.values(), key=self._column.indexOf)
        return "\n".join(strip.text for strip in strips)

    def tell(
        self,
        about: str,
        text: str,
        *,
        urgent: bool = False,
        offer: Offer | None = None,
    ) -> None:
        """Show a notice, in the place of an older one about the same.

        An urgent one cannot be closed: it goes when it is over. ``offer`` is what can be done about it.
        """
        self.clear(about)
        strip = self._strips[about] = _Strip(self._theme, text, offer, self, urgent=urgent)
        strip.closed.connect(self._closed)
        urgent_ones = sum(each.urgent for each in self._strips.values())
        self._column.insertWidget(urgent_ones - 1 if urgent else self._column.count(), strip)
        strip.show()
        self.show()

    def clear(self, about: str) -> None:
        """Take a notice away, if it is there."""
        if (strip := self._strips.pop(about, None)) is not None:
            self._column.removeWidget(strip)
            strip.hide()
            strip.deleteLater()
        self.setVisible(bool(self._strips))

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for strip in self._strips.values():
            strip.set_theme(theme)

    @Slot()
    def _closed(self) -> None:
        for about, strip in list(self._strips.items()):
            if strip is self.sender():
                self.clear(about)


class _Strip(QWidget):
    """One notice.

    Signals:
        closed(): It was read and closed.
    """

    closed = Signal()

    def __init__(self, theme: Theme, text: str, offer: Offer | None, parent: QWidget, *, urgent: bool) -> None:
        super().__init__(parent)
        self.urgent = urgent
        self._offer = offer
        self._text = QLabel(text)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setAccessibleName(text)
        act = Button("", "" if offer is None else offer.label, parent=self, look="outlined")
        act.clicked.connect(self.act)
        act.setVisible(offer is not None)
        close = Button("cross", "", self.tr("Close this notice"), self)
        close.clicked.connect(self.closed)
        close.setVisible(not urgent)
        self._buttons = (act, close)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self._text, 1)
        for button in self._buttons:
            row.addWidget(button)
        self.set_theme(theme)

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    @Slot()
    def act(self) -> None:
        """Do what is offered."""
        if self._offer is not None:
            self._offer.act()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self._text.setFont(small_font(theme))
        for button in self._buttons:
            button.set_theme(theme)
        self.update()

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground, and at its left edge how urgent it is."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        painter.fillRect(0, 0, 4, self.height(), QColor(tokens.danger if self.urgent else tokens.warning))
        painter.fillRect(0, self.height() - 1, self.width(), 1, QColor(tokens.border))
        painter.end()
