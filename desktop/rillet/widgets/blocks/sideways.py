"""What does not wrap: a text view that scrolls sideways, with a thin bar below it.

Long fences and tables are several tiles; each has a block of its own, drawn so that they join, and they scroll sideways
together. Above: ``text``. Below: ``code``, ``table`` and ``formula`` say where their text goes and draw what is around
it. Guarantee: the vertical wheel always reaches the transcript, over the bar too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QScrollBar, QStyle, QStyleOptionSlider, QWidget

from rillet.widgets.blocks.text import TextView

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent, QTextDocument, QWheelEvent

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

BAR = 12
"""Height of the bar."""
_HANDLE = 6


class SidewaysBlock(QWidget):
    """One tile whose text is not broken into lines.

    Signals:
        scrolled(object, int): The tile and how many pixels its text was moved from where reading begins.
    """

    scrolled = Signal(object, int)

    def __init__(self, parent: QWidget | None = None, *, view: TextView | None = None) -> None:
        super().__init__(parent)
        self.tile: Tile | None = None
        self.text_view = view or TextView(wrap=False)
        self.text_view.setParent(self)
        self._theme: Theme | None = None
        self._bar = SidewaysBar(self)
        inner = self.text_view.horizontalScrollBar()
        inner.rangeChanged.connect(self._fit_bar)
        inner.valueChanged.connect(self._moved)
        self._bar.valueChanged.connect(inner.setValue)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        self.text_view.set_theme(theme)
        self._bar.set_theme(theme)
        self.update()

    def bind(self, _entry: Entry, tile: Tile, document: QTextDocument | None) -> None:
        """Show ``tile``, scrolled as far as the other tiles of its block are."""
        self.tile = tile
        self.text_view.show_document(document)
        self._place()
        inner = self.text_view.horizontalScrollBar()
        self._fit_bar(inner.minimum(), inner.maximum())

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self.text_view.show_document(None)

    def scroll_to(self, x: int) -> None:
        """Move the text ``x`` pixels from where reading begins, without telling."""
        if self.tile is not None:
            self.tile.shared.sideways = x
            self._bring_into_place()

    @property
    def right_to_left(self) -> bool:
        """Whether reading begins at the right edge."""
        return False

    def _text_area(self) -> QRect:
        """Where the text goes, inside this widget."""
        raise NotImplementedError

    @Slot(int, int)
    def _fit_bar(self, low: int, high: int) -> None:
        # The inner bar's own pageStep is still the old one while it reports its range.
        self._bar.setRange(low, high)
        self._bar.setPageStep(max(1, self.text_view.viewport().width()))
        self._bar.setVisible(high > 0 and self.tile is not None and not self.tile.more)
        if self.tile is not None and high > 0:
            self._bring_into_place()

    def _bring_into_place(self) -> None:
        assert self.tile is not None
        inner = self.text_view.horizontalScrollBar()
        x = self.tile.shared.sideways
        inner.setValue(inner.maximum() - x if self.right_to_left else x)

    @Slot(int)
    def _moved(self, value: int) -> None:
        self._bar.setValue(value)
        high = self.text_view.horizontalScrollBar().maximum()
        x = high - value if self.right_to_left else value
        if self.tile is not None and self.tile.shared.sideways != x and high > 0:
            self.tile.shared.sideways = x
            self.scrolled.emit(self.tile, x)

    def _place(self) -> None:
        if self.tile is None:
            return
        area = self._text_area()
        self.text_view.setGeometry(area)
        self._bar.setGeometry(area.x(), self.height() - BAR - 1, area.width(), BAR)

    # Qt overrides

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Put the children into their places."""
        self._place()


class SidewaysBar(QScrollBar):
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
