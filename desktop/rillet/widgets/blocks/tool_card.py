"""The card of a tool call: which tool, with what, how far it is; a click shows arguments and result below it.

    ▸ ⚒ read   notes.md                      0.2 s ✓
    ▸ ⚒ write  {"path": "a.py", …            Writing · 12 kB       while the arguments arrive, with their last lines
                                                                   below

What is under an open card is ordinary tiles. Above: ``button``, ``ticker``, ``transcript/tool``. Below:
``transcript/layout`` asks for the height, ``transcript/stage`` lends it to tiles. Guarantee: everything that the model
wrote is drawn as plain text, with control characters made visible.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QCoreApplication, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from rillet.core.visible import visible
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.ticker import Ticker, duration
from rillet.widgets.icons import icon
from rillet.widgets.transcript.tool import ToolSection

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QHideEvent, QPaintEvent, QShowEvent, QTextDocument
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile
    from rillet.widgets.transcript.tool import ToolStatus

translate = QCoreApplication.translate

_HEAD, _SIDE, _GAP, _ICON = 40, 12, 8, 16
_LINES = 6
_BELOW = 12
_RADIUS = 8
_SHORT = 80
"""Arguments of so many characters fit into the head; only longer ones are shown below it while they are written."""
_LONGEST_NAME = 48
_LONGEST_LINE = 300
_TELL_SIZE = 10_000


def height(tile: Tile, theme: Theme) -> int:
    """Pixels that the card needs; the last lines of arguments have their room from the first one on."""
    return _head(theme) + (_LINES * theme.code_line + _BELOW if _shows_excerpt(_section(tile)) else 0)


class ToolCard(Button):
    """One call.

    Signals:
        foldClicked(object, object): The entry and the section whose card was clicked.
    """

    text_view: ClassVar[TextView | None] = None
    foldClicked = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self._marks: dict[tuple[str, str], QIcon] = {}
        """Icons by name and colour: rendering them costs more than all the rest of the card."""
        self._ticker = Ticker(self, self._refresh)
        self.clicked.connect(self._toggle)

    def bind(self, entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Show the call of ``tile``."""
        self._entry = entry
        self.tile = tile
        section = _section(tile)
        self.setEnabled(not section.growing)
        self._ticker.set_on(section.status == "running")
        self._refresh()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None
        self._ticker.set_on(False)

    def _refresh(self) -> None:
        if self.tile is not None:
            section = _section(self.tile)
            folded = self.tr("expanded") if section.expanded else self.tr("collapsed")
            state = self.tr("writing") if section.growing else folded
            name = self.tr("Tool {name}").format(name=name_of(section))
            told = ", ".join(filter(None, (name, status_of(section), state)))
            if told != self.accessibleName():
                self.setAccessibleName(told)
            self.update()

    @Slot()
    def _toggle(self) -> None:
        if self.tile is not None:
            self.foldClicked.emit(self._entry, self.tile.section)

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """Count while it can be seen."""
        super().showEvent(event)
        self._ticker.set_seen(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop counting."""
        super().hideEvent(event)
        self._ticker.set_seen(False)

    def sizeHint(self) -> QSize:
        """As wide as the column."""
        return QSize(_HEAD * 4, _HEAD)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the card."""
        if self.tile is None or self._theme is None:
            return
        section, tokens = _section(self.tile), self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        waiting = section.status == "waiting"
        focused = self.hasFocus()
        edge = 2 if focused else 1
        painter.setPen(QPen(QColor(tokens.accent if waiting or focused else tokens.border), edge))
        painter.setBrush(QColor(self._card_ground()))
        inset = edge / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)
        self._draw_head(painter, section)
        if _shows_excerpt(section):
            self._draw_excerpt(painter, section)
        painter.end()

    def _card_ground(self) -> str:
        assert self._theme is not None
        tokens = self._theme.tokens
        if not self.isEnabled():
            return tokens.surface
        return tokens.pressed if self.isDown() else tokens.hover if self.underMouse() else tokens.surface

    def _draw_head(self, painter: QPainter, section: ToolSection) -> None:
        assert self._theme is not None
        tokens = self._theme.tokens
        small = small_font(self._theme)
        y = (_head(self._theme) - _ICON) // 2
        x = _SIDE
        if not section.growing:
            self._draw_icon(painter, "chevron-down" if section.expanded else "chevron-right", x, y, tokens.muted)
        x += _ICON + _GAP
        self._draw_icon(painter, "tool", x, y, tokens.muted)
        x += _ICON + _GAP
        right = self._draw_status(painter, section, small)
        bold = QFont(small)
        bold.setWeight(QFont.Weight.DemiBold)
        x += self._draw_text(painter, bold, tokens.text, name_of(section), (x, right)) + _GAP
        if not _shows_excerpt(section):
            self._draw_text(painter, small, tokens.muted, visible(section.summary), (x, right))

    def _draw_status(self, painter: QPainter, section: ToolSection, font: QFont) -> int:
        """Draw how far it is at the right end; where that begins."""
        assert self._theme is not None
        tokens = self._theme.tokens
        mark, colour = {
            "done": ("check", tokens.good),
            "failed": ("cross", tokens.danger),
            "denied": ("cross", tokens.warning),
            "stopped": ("stop", tokens.muted),
            "waiting": ("", tokens.accent),
        }.get(section.status, ("", tokens.muted))
        right = self.width() - _SIDE
        if mark:
            right -= _ICON
            self._draw_icon(painter, mark, right, (_head(self._theme) - _ICON) // 2, colour)
            right -= _GAP
        text = status_of(section)
        if text:
            right -= QFontMetrics(font).horizontalAdvance(text)
            ink = colour if section.status in ("failed", "denied", "waiting") else tokens.muted
            self._draw_text(painter, font, ink, text, (right, self.width()))
        return right - 2 * _GAP

    def _draw_icon(self, painter: QPainter, name: str, x: int, y: int, colour: str) -> None:
        key = name, colour
        if key not in self._marks:
            self._marks[key] = icon(name, QColor(colour), size=_ICON)
        painter.drawPixmap(x, y, self._marks[key].pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))

    def _draw_text(self, painter: QPainter, font: QFont, colour: str, text: str, span: tuple[int, int]) -> int:
        """Draw one line from left to right, elided at the end of ``span``; its width."""
        assert self._theme is not None
        x, right = span
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, right - x))
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(QRect(x, 0, max(0, right - x), _head(self._theme)), Qt.AlignmentFlag.AlignVCenter, shown)
        return metrics.horizontalAdvance(shown)

    def _draw_excerpt(self, painter: QPainter, section: ToolSection) -> None:
        assert self._theme is not None
        top, line_height = _head(self._theme), self._theme.code_line
        painter.setFont(self._theme.mono)
        painter.setPen(QColor(self._theme.tokens.muted))
        metrics = QFontMetrics(self._theme.mono)
        x = _SIDE + 2 * (_ICON + _GAP)
        width = self.width() - x - _SIDE
        for row, line in enumerate(section.excerpt(_LINES)):
            shown = metrics.elidedText(visible(line[:_LONGEST_LINE]), Qt.TextElideMode.ElideRight, width)
            rect = QRect(x, top + row * line_height, width, line_height)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, shown)


def _head(theme: Theme) -> int:
    """Height of the first line with the space around it."""
    return max(_HEAD, theme.line + 2 * _GAP)


def name_of(section: ToolSection) -> str:
    """The name of the tool, safe to be shown in one line."""
    name = visible(section.name)
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


def status_of(section: ToolSection) -> str:
    """How far the call is, in words."""
    words = [_STATUS[section.status]()]
    if section.growing and section.size >= _TELL_SIZE:
        words.append(_size(section.size))
    if section.status == "running" and section.since is not None and (gone := time.monotonic() - section.since) >= 1:
        words.append(f"{int(gone)} s")
    if section.over and section.seconds is not None:
        words.append(duration(section.seconds))
    return " · ".join(filter(None, words))


_STATUS: dict[ToolStatus, Callable[[], str]] = {
    "writing": lambda: translate("ToolCard", "Writing"),
    "written": lambda: translate("ToolCard", "Not run"),
    "waiting": lambda: translate("ToolCard", "Waiting for approval"),
    "running": lambda: translate("ToolCard", "Running"),
    "done": lambda: "",
    "failed": lambda: translate("ToolCard", "Failed"),
    "denied": lambda: translate("ToolCard", "Denied"),
    "stopped": lambda: translate("ToolCard", "Stopped"),
}
"""Looked up when they are said: the language may come after this module."""


def _size(characters: int) -> str:
    return f"{characters / 1000:.0f} kB" if characters < 1_000_000 else f"{characters / 1_000_000:.1f} MB"


def _shows_excerpt(section: ToolSection) -> bool:
    return section.growing and section.size > _SHORT


def _section(tile: Tile) -> ToolSection:
    assert isinstance(tile.section, ToolSection)
    return tile.section
