"""The bubble in the corner that tells where the link under the mouse or the keyboard leads, as browsers do.

Not a tool tip: that comes late, never for the keyboard, and Qt takes its text for HTML when it looks like it. Above:
``links`` knows where an address leads. Below: ``transcript/view``. Guarantee: plain text, and the host stands first and
whole, however long it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QLabel, QWidget

from rillet.widgets.blocks.button import small_font
from rillet.widgets.labels import tint
from rillet.widgets.links import IMAGE, destination

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent

    from rillet.widgets.theme.palette import Theme

_SIDE, _EDGE = 10, 6
_INSET = 8
_RADIUS = 8
_WIDEST = 520
_LONGEST = 300


class LinkBubble(QLabel):
    """Stands in the lower corner of its parent while there is something to tell."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, textFormat=Qt.TextFormat.PlainText)
        self.setAccessibleName(self.tr("Link"))
        self.setIndent(0)
        self.setContentsMargins(_SIDE, _EDGE, _SIDE, _EDGE)
        self._theme: Theme | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and font."""
        self._theme = theme
        self.setFont(small_font(theme))
        tint(self, theme.tokens.text)

    def tell(self, address: str, room: QSize) -> str:
        """Say where ``address`` leads, in the lower corner of ``room``; what it says. Nothing of what is no link."""
        facts = self._facts(address)
        if not facts:
            self.hide()
            return ""
        width = min(_WIDEST, room.width() - 2 * _INSET) - 2 * _SIDE
        metrics = self.fontMetrics()
        # The host is broken over lines rather than shortened: its end is what counts.
        lines = [piece for fact in facts for piece in _broken(fact, width, metrics.horizontalAdvance)]
        whole = address.removeprefix(IMAGE)[:_LONGEST]
        self.setText("\n".join([*lines, metrics.elidedText(whole, Qt.TextElideMode.ElideMiddle, width)]))
        self.adjustSize()
        self.move(_INSET, room.height() - self.height() - _INSET)
        self.raise_()
        self.show()
        return "\n".join(facts)

    def _facts(self, address: str) -> list[str]:
        """Who it is, and what is odd about that."""
        leads = destination(address.removeprefix(IMAGE))
        if leads is None:
            return []
        name = leads.label
        if address.startswith(IMAGE):
            name = self.tr("Image from {host}").format(host=name)
        elif address[:7].lower() == "mailto:":
            name = self.tr("Mail to {address}").format(address=name)
        facts = [name]
        if leads.mixed:
            facts.append(self.tr("The name mixes letters of several scripts"))
        if leads.user:
            facts.append(self.tr("What stands before the @ is not where it leads"))
        return facts

    # Qt overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground, and the text on it."""
        if self._theme is not None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._theme.tokens.border), 1))
            painter.setBrush(QColor(self._theme.tokens.surface))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
            painter.end()
        super().paintEvent(event)


def _broken(line: str, width: int, advance: Callable[[str], int]) -> list[str]:
    """``line`` in pieces that are no wider than ``width``, which a host without blanks can only be by force."""
    pieces, piece = [], ""
    for char in line:
        if piece and advance(piece + char) > width:
            pieces.append(piece)
            piece = ""
        piece += char
    return [*pieces, piece]
