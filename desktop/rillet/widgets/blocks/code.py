"""A code block: a head with the language and Copy, and code that scrolls sideways instead of wrapping.

A long fence is several tiles; each has a block of its own, drawn so that they join, and they scroll sideways together.
Tables are shown by the same block, as monospaced source: cells of their own come with the view's next issue. Above:
``text``. Below: ``transcript/layout`` asks for the paddings, ``transcript/stage`` lends blocks to tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollBar, QStyle, QStyleOptionSlider, QWidget

from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.text import TextView

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent, QTextDocument, QWheelEvent

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

HEAD = 36
_BELOW_HEAD, _BOTTOM, _SIDE, _BAR = 4, 16, 16, 12
_RADIUS = 8
_HANDLE = 6
_COPIED_MS = 1500
_LONGEST_LANGUAGE = 24


def padding(tile: Tile) -> tuple[int, int]:
    """Pixels above and below the text of a code or table tile. Inner edges of a long fence have none."""
    above = HEAD + _BELOW_HEAD if tile.kind == "code" else _BOTTOM
    return 0 if tile.continued else above, 0 if tile.more else _BOTTOM


class CodeBlock(QWidget):
    """One tile of a fence or table.

    Signals:
        scrolled(object, int): The tile and how many pixels its text was moved sideways.
    """

    scrolled = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self.text_view = TextView(self, wrap=False)
        self._theme: Theme | None = None
        self._head = QWidget(self)
        self._language = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._language.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._copy = Button("copy", "Copy", "Copy code")
        self._copy.clicked.connect(self.copy)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(_SIDE, 0, 4, 0)
        row.addWidget(self._language, 1)
        row.addWidget(self._copy)
        self._restore = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._restore.timeout.connect(self._show_copy)
        self._bar = _SidewaysBar(self)
        inner = self.text_view.horizontalScrollBar()
        inner.rangeChanged.connect(self._fit_bar)
        inner.valueChanged.connect(self._moved)
        self._bar.valueChanged.connect(inner.setValue)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.text_view.set_theme(theme)
        self._copy.set_theme(theme)
        self._language.setFont(small_font(theme))
        self._bar.set_theme(theme)
        self.update()

    def bind(self, _entry: Entry, tile: Tile, document: QTextDocument | None) -> None:
        """Show ``tile``, scrolled as far as its fence is."""
        self.tile = tile
        language = tile.segment.block.language if tile.segment and tile.segment.block else ""
        has_head = tile.kind == "code" and not tile.continued
        self._head.setVisible(has_head)
        self._language.setText(_short(language) or "text")
        self.text_view.setAccessibleName(f"{_short(language) or 'text'} code" if tile.kind == "code" else "Table")
        self.text_view.show_document(document)
        self._place()
        inner = self.text_view.horizontalScrollBar()
        self._fit_bar(inner.minimum(), inner.maximum())
        inner.setValue(tile.sideways)

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._restore.stop()
        self._show_copy()
        self.text_view.show_document(None)

    def scroll_to(self, x: int) -> None:
        """Move the text sideways, without telling."""
        if self.tile is not None:
            self.tile.sideways = x
            self.text_view.horizontalScrollBar().setValue(x)

    @Slot()
    def copy(self) -> None:
        """Put the whole fence, without its marks, on the clipboard."""
        if self.tile is None or self.tile.section is None:
            return
        QGuiApplication.clipboard().setText(self.tile.section.fence_text(self.tile))
        self._copy.setText("Copied")
        self._copy.set_icon("check")
        self._restore.start()

    @Slot()
    def _show_copy(self) -> None:
        self._copy.setText("Copy")
        self._copy.set_icon("copy")

    @Slot(int, int)
    def _fit_bar(self, low: int, high: int) -> None:
        # The inner bar's own pageStep is still the old one while it reports its range.
        self._bar.setRange(low, high)
        self._bar.setPageStep(max(1, self.text_view.viewport().width()))
        self._bar.setVisible(high > 0 and self.tile is not None and not self.tile.more)
        if self.tile is not None and high > 0:
            self.text_view.horizontalScrollBar().setValue(self.tile.sideways)

    @Slot(int)
    def _moved(self, x: int) -> None:
        self._bar.setValue(x)
        if self.tile is not None and self.tile.sideways != x and self.text_view.horizontalScrollBar().maximum() > 0:
            self.tile.sideways = x
            self.scrolled.emit(self.tile, x)

    def _place(self) -> None:
        if self.tile is None:
            return
        width, height = self.width(), self.height()
        above, below = padding(self.tile)
        self._head.setGeometry(0, 0, width, HEAD)
        self.text_view.setGeometry(_SIDE, above, max(0, width - 2 * _SIDE), max(0, height - above - below))
        self._bar.setGeometry(_SIDE, height - _BAR - 1, max(0, width - 2 * _SIDE), _BAR)

    # Qt overrides

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Put the children into their places."""
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame; edges towards other tiles of the fence lie outside and are clipped."""
        if self.tile is None or self._theme is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.border), 1))
        painter.setBrush(QColor(self._theme.tokens.code))
        above = -2.0 * _RADIUS if self.tile.continued else 0.5
        below = 2.0 * _RADIUS if self.tile.more else -0.5
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, above, -0.5, below), _RADIUS, _RADIUS)
        painter.end()


def _short(language: str) -> str:
    """The word after a fence can be anything, of any length."""
    return language if len(language) <= _LONGEST_LANGUAGE else language[:_LONGEST_LANGUAGE] + "…"


class _SidewaysBar(QScrollBar):
    """A thin horizontal bar that leaves the vertical wheel to the transcript."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._rest = self._held = QColor(Qt.GlobalColor.gray)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours."""
        self._rest, self._held = QColor(theme.tokens.outline), QColor(theme.tokens.muted)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the handle alone, where the style takes hold of it."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_ScrollBar, QStyle.SubControl.SC_ScrollBarSlider
        handle = QRectF(self.style().subControlRect(control, option, part, self))
        handle.setHeight(_HANDLE)
        handle.moveTop((self.height() - _HANDLE) / 2)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._held if self.isSliderDown() or self.underMouse() else self._rest)
        painter.setOpacity(1 if self.isSliderDown() or self.underMouse() else 0.6)
        painter.drawRoundedRect(handle, _HANDLE / 2, _HANDLE / 2)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Take sideways movement only."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()
