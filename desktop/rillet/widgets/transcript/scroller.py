"""A column of entries that scrolls: what is near the viewport is laid out and shown, and what is in sight never jumps.

It moves the scroll bar and decides when to lay out; ``layout`` knows where things are, ``stage`` which widgets show
them, ``documents`` what is in these, ``holding`` which line is being read. Above: all of them. Below: ``view`` fills
it. Guarantees:

- Laying out never moves what is in sight: the first measured tile in sight keeps its place to the pixel, while heights
  above and below it turn from estimates into facts; after a change of width or fonts, the first line does.
- The view follows a growing answer only while its end is in sight.
- While it is hidden nothing is laid out.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QEasingCurve, QObject, QPropertyAnimation, Qt, QTimer, Slot
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from rillet.widgets.theme.palette import movement_ms
from rillet.widgets.transcript.documents import Documents
from rillet.widgets.transcript.holding import Held, hold, top_of
from rillet.widgets.transcript.latest import LatestButton
from rillet.widgets.transcript.layout import Layout, Placed
from rillet.widgets.transcript.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent, QWheelEvent

    from rillet.widgets.markdown import Formulas
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Tile

_FOOT_SPACE = 24
STEP = 40
"""Pixels that an arrow key scrolls."""
_NEAR_END = 4
_MARGIN = 60
"""Room that is left above and below a line that is brought into sight; a find bar fits into it."""
_GLIDE_MS = 140
_IDLE_MS, _IDLE_SLICE = 12, 0.004
_SHOWN, _NOT_SHOWN = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_ROUNDS = 8
"""Measuring may bring new tiles into sight, which are measured in turn; it settles in two or three rounds."""


class Scroller(QAbstractScrollArea):
    """Lays out and shows entries near the viewport."""

    def __init__(self, theme: Theme, parent: QWidget | None, formulas: Formulas | None) -> None:
        super().__init__(parent)
        self._documents = Documents(theme, QObject(self), formulas=formulas)
        self._layout = Layout(self._documents, theme)
        self._stage = Stage(self.viewport(), self._layout, self._documents, theme)
        self._follow = True
        self._placing = False
        self._held: Held | None = None
        self._unread: set[Entry] = set()
        self._glide = QPropertyAnimation(self.verticalScrollBar(), b"value", self)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.finished.connect(self.jump_to_latest)
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle.timeout.connect(self._prefetch)
        self._jump = LatestButton(self)
        self._jump.clicked.connect(self._glide_to_latest)
        # The chat view behind it fills the ground: under an application's style sheet Qt gives a viewport a palette of
        # its own, which then does not follow the view's.
        self.viewport().setAutoFillBackground(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(_NOT_SHOWN)
        self.setVerticalScrollBarPolicy(_NOT_SHOWN)
        bar = self.verticalScrollBar()
        bar.setSingleStep(STEP)
        bar.sliderReleased.connect(self._slider_released)

    @property
    def entries(self) -> Sequence[Entry]:
        """What is shown, oldest first."""
        return self._layout.entries

    @property
    def following(self) -> bool:
        """Whether the view stays at the end while the end moves."""
        return self._follow

    @property
    def formulas(self) -> Formulas:
        """The formulas that its text may hold."""
        return self._documents.formulas

    # Moving

    @Slot()
    def jump_to_latest(self) -> None:
        """Show the end, and follow it from now on."""
        self._held, self._follow = None, True
        self.place()

    def line_in_sight(self, entry: Entry, tile: Tile, offset: int) -> int:
        """Where the line of a character begins, in pixels below the top of the viewport."""
        return top_of(self._layout, self._documents, entry, tile, offset) - self.verticalScrollBar().value()

    def first_in_sight(self) -> Placed | None:
        """The uppermost tile."""
        return self._anchor(self.verticalScrollBar().value(), self.viewport().height())

    def reveal_line(self, entry: Entry, tile: Tile, offset: int) -> None:
        """Bring the line of the character ``offset`` of ``tile`` into sight, with a few lines around it.

        If it is near, no more is scrolled than has to be.
        """
        if entry.tiles is None:
            self._layout.cut(entry)
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        for _ in range(_ROUNDS):  # what is near becomes exact, until it is all exact
            y = top_of(self._layout, self._documents, entry, tile, offset)
            before = bar.value()
            beyond = y - max(before + _MARGIN, min(y, before + height - 2 * _MARGIN))
            if not beyond and tile in self._stage.blocks:
                break
            self._held, self._follow = None, False
            with self._while_placing():
                self._fit_bar()
                bar.setValue(before + beyond if abs(beyond) < height // 4 else y - height // 3)
            self._follow = self._at_end()
            self.place()
            if bar.value() == before and tile in self._stage.blocks:
                break

    def measure_around(self, entry: Entry, tile: Tile, offset: int, until: float) -> bool:
        """Lay out what will be in sight once ``reveal_line`` goes there; whether all of it is. Nothing moves by it.

        Stops at the ``perf_counter`` ``until``, to be asked again: a screen full of text takes long to be laid out.
        """
        if not self.isVisible():
            return True
        if entry.tiles is None:
            self._layout.cut(entry)

        def measure(_top: int, height: int) -> bool:
            y = top_of(self._layout, self._documents, entry, tile, offset) - height // 3
            return self._layout.measure(max(0, y), y + height, until)

        with self._while_placing():
            before = self.verticalScrollBar().value()
            self._settle(measure)
            if self.verticalScrollBar().value() != before:
                self._assign()
        return time.perf_counter() < until

    def _reveal(self, entry: Entry) -> None:
        if entry.tiles is None:
            self._layout.cut(entry)
        bar = self.verticalScrollBar()
        for _ in range(2):  # the second time with measured heights
            top = self._layout.heights.before(entry.index)
            if top >= bar.value() and top + entry.height <= bar.value() + self.viewport().height():
                return
            self._held, self._follow = None, False
            with self._while_placing():
                self._fit_bar()
                bar.setValue(top - _FOOT_SPACE)
            self._follow = bar.value() >= bar.maximum() - _NEAR_END
            self.place()

    # Placing

    def place(self) -> None:
        """Bring layout, scroll bar and widgets into agreement. Does nothing while hidden."""
        if self._placing or not self.isVisible():
            return
        with self._while_placing():
            self._settle(lambda top, height: self._layout.measure(top, top + height))
            self._assign()
        self._show_jump()
        if not self._flows():
            self._idle.start()

    @contextmanager
    def _while_placing(self) -> Iterator[None]:
        """What moves the scroll bar meanwhile is this class and not the user."""
        outer, self._placing = self._placing, True
        try:
            yield
        finally:
            self._placing = outer

    def _assign(self) -> None:
        self._stage.assign(self.verticalScrollBar().value(), self.viewport().height())
        self._documents.sweep(self._stage.blocks)

    def _settle(self, measure: Callable[[int, int], bool]) -> None:
        """Measure until nothing changes, holding on to the end or to the first tile in sight whose height is known."""
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        self._fit_bar()
        anchor = None if self._follow else self._anchor(bar.value(), height)
        offset = anchor.y - bar.value() if anchor else 0
        for _ in range(_ROUNDS):
            before = bar.value(), self._layout.column
            changed = measure(bar.value(), height)
            self._fit_bar()
            if anchor and not bar.isSliderDown():
                bar.setValue(self._layout.y_of(anchor.entry, anchor.tile) - offset)
            if not changed and before == (bar.value(), self._layout.column):
                break

    def _anchor(self, top: int, height: int) -> Placed | None:
        if not self._layout.entries:
            return None
        known = next((placed for placed in self._layout.visible(top, top + height) if placed.tile.exact), None)
        if known is not None:
            return known
        entry = self._layout.entries[self._layout.heights.at(top)]
        if entry.tiles is None:
            self._layout.cut(entry)
        return next(self._layout.visible(top, top + height), None)

    def _fit_bar(self) -> None:
        """Give the scroll bar its range, and its end when following. Not under the user's thumb: it would jump.

        The bar comes and goes with its range, at once: Qt's own policy would do it a turn of the event loop later, and
        text would be seen at one width and then at another. The column has its new width when this returns.
        """
        bar = self.verticalScrollBar()
        if bar.isSliderDown():
            return
        height = self.viewport().height()
        end = max(0, self._layout.heights.total + _FOOT_SPACE - height)
        with self._while_placing():
            if (bar.maximum(), bar.pageStep()) != (end, height):
                bar.setRange(0, end)
                bar.setPageStep(height)
                self._show_bar(shown=end > 0)
            if self._follow:
                bar.setValue(bar.maximum())

    def _show_bar(self, *, shown: bool) -> None:
        policy = _SHOWN if shown else _NOT_SHOWN
        if self.verticalScrollBarPolicy() is not policy:
            self.setVerticalScrollBarPolicy(policy)

    @Slot()
    def _prefetch(self) -> None:
        """While idle: measure one screen above and below, and fit what is far away, a few milliseconds at a time."""
        if self._placing or not self.isVisible() or self._flows() or self.verticalScrollBar().isSliderDown():
            return
        until = time.perf_counter() + _IDLE_SLICE
        with self._while_placing():
            before = self.verticalScrollBar().value()
            self._settle(lambda top, height: self._work_ahead(max(0, top - height), top + 2 * height, until))
            if self.verticalScrollBar().value() != before:
                self._assign()
        if time.perf_counter() > until:
            self._idle.start()

    def _work_ahead(self, top: int, bottom: int, until: float) -> bool:
        near = self._layout.measure(top, bottom, until)
        return self._layout.catch_up(until) or near

    def _flows(self) -> bool:
        """Whether an answer is being written and its end is in sight: then there is nothing to work ahead for."""
        entries = self._layout.entries
        return self._follow and bool(entries) and entries[-1].foot.busy

    def _fit_column(self) -> None:
        """Give the column its width. The line at the top stays there, as nearly as a guess can tell."""
        bar = self.verticalScrollBar()
        held = None if self._follow else self._anchor(bar.value(), self.viewport().height())
        before = held.tile.height if held else 0
        if self._layout.set_width(self.viewport().width(), self.width()) and held:
            y = self._layout.y_of(held.entry, held.tile)
            hidden = (bar.value() - held.y) * held.tile.height // max(1, before)
            with self._while_placing():
                self._fit_bar()
                bar.setValue(y + hidden)

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Lay everything out anew behind this; the line at the top of the viewport comes back to where it was.

        It stays the same line until the user scrolls, or text would creep while a window is being resized.
        """
        bar = self.verticalScrollBar()
        if not self._follow and self.isVisible() and self._held is None:
            self._held = hold(self._layout, self._documents, bar.value(), self.viewport().height())
        held = None if self._follow or not self.isVisible() else self._held
        yield
        if held is not None:
            y = self._layout.y_of(held.entry, held.tile)
            self._layout.measure(y, y + 1)  # so that its line is known, and everything else is measured around it
            self._put_back(held)
        self.place()
        for _ in range(_ROUNDS):
            if held is None or not self._put_back(held):
                break
            self.place()

    def _put_back(self, held: Held) -> bool:
        """Scroll to where the line is in its place again; whether that took a movement."""
        self._fit_bar()
        bar = self.verticalScrollBar()
        before = bar.value()
        with self._while_placing():
            bar.setValue(top_of(self._layout, self._documents, held.entry, held.tile, held.offset) - held.y)
        return bar.value() != before

    # The way to the end

    def _show_jump(self) -> None:
        """Offer the way to the end while one is elsewhere, and say how much has come that was not in sight yet."""
        if self._follow:
            self._unread.clear()
        elif self._unread:
            self._unread.difference_update(self._stage.frames)
        self._jump.show_count(len(self._unread))
        self._jump.setVisible(not self._follow)

    @Slot()
    def _glide_to_latest(self) -> None:
        """Go to the end with a short movement that tells where one has come from; at once where motion is unwanted."""
        duration = movement_ms(self)
        bar = self.verticalScrollBar()
        if duration <= 0:
            self.jump_to_latest()
            return
        bar.setValue(max(bar.value(), bar.maximum() - self.viewport().height() // 2))
        self._glide.setDuration(min(duration, _GLIDE_MS))
        self._glide.setStartValue(bar.value())
        self._glide.setEndValue(bar.maximum())
        self._glide.start()

    @Slot()
    def _slider_released(self) -> None:
        self._follow = self._at_end()
        self.place()

    def _at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _NEAR_END

    # Qt overrides

    def scrollContentsBy(self, _dx: int, dy: int) -> None:
        """The user moved the scroll bar: up means to stay, reaching the end means to follow."""
        if not self._placing:
            self._held = None
            self._follow = dy <= 0 and self._at_end()
            self.place()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Up and down only. Qt takes Shift and Ctrl for whole pages, but people mean sideways and larger by them."""
        self._glide.stop()
        delta = event.angleDelta()
        modifiers = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        if event.modifiers() & modifiers or abs(delta.x()) > abs(delta.y()):
            event.ignore()
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the column; the place in the text is kept."""
        super().resizeEvent(event)
        self._jump.place_in(self.viewport().size())
        if self._placing:  # the scroll bar came or went, and who placed goes on
            self._fit_column()
        else:
            with self._holding():
                self._fit_column()

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out what came while nobody looked."""
        super().showEvent(event)
        self._fit_column()
        self.place()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop working ahead."""
        super().hideEvent(event)
        self._idle.stop()
