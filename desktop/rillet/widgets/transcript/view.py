"""The transcript: a column of messages that scrolls, streams and stays where the reader left it.

It moves the scroll bar and decides when to lay out; ``layout`` knows where things are, ``stage`` which widgets show
them, ``documents`` what is in these. Above: all of them. Below: ``chat_view`` adds entries and text. Knows no message
types, no clients. Guarantees:

- Laying out never moves what is in sight: the first measured tile in sight keeps its place to the pixel, while heights
  above and below it turn from estimates into facts.
- The view follows a growing answer only while its end is in sight.
- While it is hidden, or looks elsewhere, text that arrives costs no layout.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QEasingCurve, QEvent, QObject, QPropertyAnimation, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QPalette, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QStyle, QWidget

from rillet.widgets.blocks.actions import COPIES
from rillet.widgets.blocks.bubble import LinkBubble
from rillet.widgets.transcript.documents import Documents
from rillet.widgets.transcript.flavours import in_flavour
from rillet.widgets.transcript.holding import Held, hold, top_of
from rillet.widgets.transcript.latest import LatestButton
from rillet.widgets.transcript.layout import Layout, Placed
from rillet.widgets.transcript.model import WIDGETS
from rillet.widgets.transcript.reading import Reading
from rillet.widgets.transcript.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QPaintEvent, QResizeEvent, QShowEvent, QWheelEvent

    from rillet.widgets.markdown import Formulas
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Foot, Section, SectionKind, Tile

_FOOT_SPACE = 24
_STEP = 40
_NEAR_END = 4
_MARGIN = 40
"""Room that is left above and below a line that is brought into sight."""
_RING = 2
_GLIDE_MS = 140
_IDLE_MS, _IDLE_SLICE = 12, 0.004
_SHOWN, _NOT_SHOWN = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_ROUNDS = 8
"""Measuring may bring new tiles into sight, which are measured in turn; it settles in two or three rounds."""


class Transcript(QAbstractScrollArea):
    """Shows entries.

    Attributes:
        reading: Selection, clipboard and search.

    Signals:
        linkActivated(QUrl): A link was followed.
        imageRequested(QUrl): A picture from the net is wanted; nothing has been loaded.
        linkReached(str): The keyboard came to a link; where it leads, as text.
        actionChosen(str, object): What is wanted of an entry; see ``blocks/actions``, also ``retry``.
        approvalAnswered(object, object, object): Entry, section and ``ApprovalAnswer`` of a tool call.
        imageActivated(object): The ``ImagePart`` that is to be seen large.
    """

    linkActivated = Signal(QUrl)
    imageRequested = Signal(QUrl)
    linkReached = Signal(str)
    actionChosen = Signal(str, object)
    approvalAnswered = Signal(object, object, object)
    imageActivated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, formulas: Formulas | None = None) -> None:
        """``formulas`` None: those that all views of the application share."""
        super().__init__(parent)
        self._documents = Documents(theme, QObject(self), formulas=formulas)
        self._layout = Layout(self._documents, theme)
        self._stage = Stage(self.viewport(), self._layout, self._documents, theme)
        self._stage.linkActivated.connect(self.linkActivated)
        self._stage.imageRequested.connect(self.imageRequested)
        self._stage.linkShown.connect(self._tell_link)
        self._stage.actionChosen.connect(self._act)
        self._stage.detailsClicked.connect(self._toggle_details)
        self._stage.approvalAnswered.connect(self.approvalAnswered)
        self._stage.enlargeRequested.connect(self.imageActivated)
        self._stage.foldClicked.connect(self.toggle_fold)
        self._stage.copyClicked.connect(self.copy_entry)
        self._stage.reshaped.connect(self._reshape)
        self._documents.formulas.ready.connect(self._settle_formulas)
        self._follow = True
        self._placing = False
        self._ringed = False
        self._glide = QPropertyAnimation(self.verticalScrollBar(), b"value", self)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.finished.connect(self.jump_to_latest)
        self._idle = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self._idle.timeout.connect(self._prefetch)
        self._held: Held | None = None
        self._unread: set[Entry] = set()
        self._jump = LatestButton(self)
        self._jump.clicked.connect(self._glide_to_latest)
        self._bubble = LinkBubble(self)
        self.reading = Reading(self, self._documents, self._stage, theme)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(_NOT_SHOWN)
        self.setVerticalScrollBarPolicy(_NOT_SHOWN)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        bar = self.verticalScrollBar()
        bar.setSingleStep(_STEP)
        bar.sliderReleased.connect(self._slider_released)
        self.set_theme(theme)

    # Content

    @property
    def entries(self) -> Sequence[Entry]:
        """What is shown, oldest first."""
        return self._layout.entries

    @property
    def following(self) -> bool:
        """Whether the view stays at the end while the end moves."""
        return self._follow

    def set_theme(self, theme: Theme) -> None:
        """Change colours and fonts; only what is in sight is built again, and the line at the top stays there."""
        self._jump.set_theme(theme)
        self._bubble.set_theme(theme)
        self.reading.marks.set_theme(theme)
        with self._holding():
            self._stage.set_theme(theme)
            self._documents.set_theme(theme)
            self._layout.set_theme(theme)
            self._layout.invalidate()

    def reset(self, entries: Iterable[Entry] = ()) -> None:
        """Show these entries and no others, from the end."""
        self.truncate(0)
        self._stage.clear()
        self._documents.clear()
        self._layout.reset(entries)
        self.jump_to_latest()

    def append(self, entry: Entry) -> None:
        """Add an entry at the end."""
        self.extend([entry])

    def extend(self, entries: Iterable[Entry]) -> None:
        """Add entries at the end."""
        for entry in entries:
            self._layout.append(entry)
            if not self._follow:
                self._unread.add(entry)
        self.place()
        self.reading.finder.recount()

    def truncate(self, count: int) -> None:
        """Remove every entry but the first ``count``."""
        self._held = None
        self._unread.difference_update(self._layout.entries[count:])
        for entry in self._layout.entries[count:]:
            for tile in entry.tiles or ():
                self._stage.release(tile)
            for section in entry.sections:
                for tile in section.tiles() if section.segmented else ():
                    self._documents.drop(tile)
        self._layout.truncate(count)
        self.place()
        self.reading.truncate(count)

    def grow(self, entry: Entry, kind: SectionKind, text: str) -> None:
        """Add text at the end of ``entry``."""
        sections = len(entry.sections)
        self._changed(entry, entry.append(kind, text))
        if len(entry.sections) != sections:
            self._stage.rebind(entry, entry.footer)

    def add(self, entry: Entry, section: Section) -> None:
        """Add a section (a card, an attachment) at the end of ``entry``."""
        self._changed(entry, entry.add(section))
        self._stage.rebind(entry, entry.footer)

    def touch(self, entry: Entry, tiles: Sequence[Tile]) -> None:
        """What these tiles of ``entry`` show has changed."""
        self._changed(entry, tiles)

    def finish(self, entry: Entry) -> None:
        """No more text comes for ``entry``."""
        self._changed(entry, entry.finish())
        self._stage.describe(entry)
        self.reading.finder.recount()

    def set_foot(self, entry: Entry, foot: Foot) -> None:
        """Change what stands under ``entry``."""
        if entry.foot != foot:
            entry.foot = foot
            self._changed(entry, [entry.footer])

    def set_offers(self, offers: AbstractSet[str], last: AbstractSet[str]) -> None:
        """Which actions messages offer, and which the last answer offers."""
        self._stage.set_offers(offers, last)

    def shows(self, entry: Entry) -> bool:
        """Whether text added at the end of ``entry`` would be in sight."""
        return self.isVisible() and (entry in self._stage.frames or (self._follow and entry is self.entries[-1]))

    @Slot(object)
    def copy_entry(self, entry: Entry) -> None:
        """Put ``entry`` on the clipboard: its source, and HTML."""
        self.reading.copy_entry(entry)

    @Slot(object)
    def _settle_formulas(self, keys: frozenset[object]) -> None:
        """Formulas can be drawn that were shown as their source."""
        self._rebuild(self._documents.settle(keys))

    def _rebuild(self, tiles: Iterable[Tile]) -> None:
        """The documents of these tiles are gone: make those in sight anew, and measure."""
        entries = {tile: entry for entry in self._stage.frames for tile in entry.tiles or ()}
        for tile in tiles:
            tile.exact = False
            if tile in self._stage.blocks:
                self._stage.rebind(entries[tile], tile)
        self.place()

    @Slot(object)
    def _reshape(self, tile: Tile) -> None:
        """A fence wraps its lines from now on, or shows their numbers, or no longer does."""
        assert tile.section is not None
        self._rebuild(tile.section.fence(tile))

    def _changed(self, entry: Entry, tiles: Sequence[Tile]) -> None:
        rebind = []
        for tile in tiles:
            if tile.kind in WIDGETS:
                rebind.append(tile)
            elif tile not in self._stage.blocks:
                self._documents.drop(tile)
            elif not self._documents.update(tile):
                rebind.append(tile)
            else:
                self.reading.marks.show(entry, tile)
                view = self._stage.blocks[tile].text_view
                if view is not None and not tile.open:
                    view.look()
        self._layout.changed(entry, tiles)
        for tile in rebind:
            self._stage.rebind(entry, tile)
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
        self._idle.start()

    def _show_jump(self) -> None:
        """Offer the way to the end while one is elsewhere, and say how much has come that was not in sight yet."""
        if self._follow:
            self._unread.clear()
        elif self._unread:
            self._unread.difference_update(self._stage.frames)
        self._jump.show_count(len(self._unread))
        self._jump.setVisible(not self._follow)

    @contextmanager
    def _holding(self) -> Iterator[None]:
        """Lay everything out anew behind this; the line at the top of the viewport comes back to where it was.

        It stays the same line until the user scrolls, or text would creep while a window is being resized.
        """
        bar = self.verticalScrollBar()
        if not self._follow and self.isVisible() and self._held is None:
            self._held = hold(self._layout, self._documents, bar.value(), self.viewport().height())
        held = None if self._follow else self._held
        yield
        self.place()
        for _ in range(_ROUNDS if held is not None and self.isVisible() else 0):
            assert held is not None
            self._fit_bar()
            y = top_of(self._layout, self._documents, held.entry, held.tile, held.offset) - held.y
            if bar.value() == max(0, min(y, bar.maximum())):
                break
            with self._while_placing():
                bar.setValue(y)
            self.place()

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
        anchor = self._anchor(bar.value(), height)
        offset = anchor.y - bar.value() if anchor else 0
        for _ in range(_ROUNDS):
            before = bar.value(), self._layout.column
            changed = measure(bar.value(), height)
            self._fit_bar()
            if anchor and not self._follow and not bar.isSliderDown():
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
        with self._while_placing():
            bar.setRange(0, max(0, self._layout.heights.total + _FOOT_SPACE - height))
            bar.setPageStep(height)
            self.setVerticalScrollBarPolicy(_SHOWN if bar.maximum() else _NOT_SHOWN)
            if self._follow:
                bar.setValue(bar.maximum())

    @Slot()
    def _prefetch(self) -> None:
        """While idle: measure one screen above and below, a few milliseconds at a time."""
        entries = self._layout.entries
        streaming = bool(entries) and entries[-1].foot.busy and self._follow
        if self._placing or not self.isVisible() or not entries or streaming or self.verticalScrollBar().isSliderDown():
            return
        until = time.perf_counter() + _IDLE_SLICE
        with self._while_placing():
            before = self.verticalScrollBar().value()
            self._settle(lambda top, height: self._layout.measure(max(0, top - height), top + 2 * height, until))
            if self.verticalScrollBar().value() != before:
                self._assign()
        if time.perf_counter() > until:
            self._idle.start()

    def _fit_column(self) -> None:
        """Give the column its width. The line at the top stays there, as nearly as a guess can tell."""
        bar = self.verticalScrollBar()
        held = None if self._follow else self._anchor(bar.value(), self.viewport().height())
        before = held.tile.height if held else 0
        if self._layout.set_width(self.viewport().width(), self.width()) and held:
            hidden = (bar.value() - held.y) * held.tile.height // max(1, before)
            with self._while_placing():
                self._fit_bar()
                bar.setValue(self._layout.y_of(held.entry, held.tile) + hidden)

    # Moving

    @Slot()
    def jump_to_latest(self) -> None:
        """Show the end, and follow it from now on."""
        self._follow = True
        self.place()

    @Slot()
    def _glide_to_latest(self) -> None:
        """Go to the end with a short movement that tells where one has come from; at once where motion is unwanted."""
        duration = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self)
        bar = self.verticalScrollBar()
        if duration <= 0:
            self.jump_to_latest()
            return
        bar.setValue(max(bar.value(), bar.maximum() - self.viewport().height() // 2))
        self._glide.setDuration(min(duration, _GLIDE_MS))
        self._glide.setStartValue(bar.value())
        self._glide.setEndValue(bar.maximum())
        self._glide.start()

    def focus_entry(self, step: int) -> None:
        """Move the keyboard focus to the next (1) or previous (-1) message and bring it into sight."""
        if not self.entries:
            return
        focused = self._focused()
        if focused is None:
            index = self._layout.heights.at(self.verticalScrollBar().value() + self.viewport().height() // 2)
        else:
            index = focused.index + step
        if not 0 <= index < len(self.entries):
            return
        entry = self.entries[index]
        self._reveal(entry)
        if entry in self._stage.frames:
            self._stage.frames[entry].setFocus(Qt.FocusReason.OtherFocusReason)

    def _focused(self) -> Entry | None:
        """The entry that has the keyboard as a whole."""
        return next((entry for entry, frame in self._stage.frames.items() if frame.hasFocus()), None)

    def _reveal(self, entry: Entry) -> None:
        if entry.tiles is None:
            self._layout.cut(entry)
        bar = self.verticalScrollBar()
        for _ in range(2):  # the second time with measured heights
            top = self._layout.heights.top(entry.index)
            if top >= bar.value() and top + entry.height <= bar.value() + self.viewport().height():
                return
            self._follow = False
            with self._while_placing():
                self._fit_bar()
                bar.setValue(top - _FOOT_SPACE)
            self._follow = bar.value() >= bar.maximum() - _NEAR_END
            self.place()

    @Slot(str, object)
    def _act(self, action: str, entry: Entry) -> None:
        """Copy here; everything else is for others."""
        if action == "copy":
            self.copy_entry(entry)
        elif action in COPIES:
            QGuiApplication.clipboard().setMimeData(in_flavour(entry, action, self._layout.theme))
        else:
            self.actionChosen.emit(action, entry)

    @Slot(object)
    def _toggle_details(self, entry: Entry) -> None:
        entry.details_open = not entry.details_open
        self._changed(entry, [entry.footer])

    def reveal_line(self, entry: Entry, tile: Tile, offset: int) -> None:
        """Bring the line of the character ``offset`` of ``tile`` into sight, with a few lines around it."""
        if entry.tiles is None:
            self._layout.cut(entry)
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        for _ in range(_ROUNDS):  # what is near becomes exact, until it is all exact
            y = top_of(self._layout, self._documents, entry, tile, offset)
            if bar.value() + _MARGIN <= y <= bar.value() + height - 2 * _MARGIN and tile in self._stage.blocks:
                break
            before = bar.value()
            self._held, self._follow = None, False
            with self._while_placing():
                self._fit_bar()
                bar.setValue(y - height // 3)
            self._follow = self._at_end()
            self.place()
            if bar.value() == before and tile in self._stage.blocks:
                break

    def line_in_sight(self, entry: Entry, tile: Tile, offset: int) -> int:
        """Where the line of a character begins, in pixels below the top of the viewport."""
        return top_of(self._layout, self._documents, entry, tile, offset) - self.verticalScrollBar().value()

    def first_in_sight(self) -> Placed | None:
        """The uppermost tile."""
        return self._anchor(self.verticalScrollBar().value(), self.viewport().height())

    @Slot(object, object)
    def toggle_fold(self, entry: Entry, section: Section) -> None:
        """Open or close a fold; the fold itself stays where it is."""
        self._held = None
        section.expanded = not section.expanded
        self._follow = False
        self._layout.cut(entry)
        if section.fold is not None:
            self._stage.rebind(entry, section.fold)
        self.place()
        self._follow = self._at_end()
        self._show_jump()

    @Slot(str, bool)
    def _tell_link(self, address: str, by_keyboard: bool) -> None:
        says = self._bubble.tell(address, self.viewport().size())
        if says and by_keyboard:
            self.linkReached.emit(says)

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scrolling, and Ctrl+Up and Ctrl+Down from message to message."""
        self._glide.stop()
        key = event.key()
        bar = self.verticalScrollBar()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.focus_entry(1 if key == Qt.Key.Key_Down else -1)
        elif self.reading.selector.key(event):
            pass
        elif event.matches(QKeySequence.StandardKey.Copy) and (entry := self._focused()) is not None:
            self.copy_entry(entry)
        elif key == Qt.Key.Key_Home:
            bar.setValue(0)
        elif key == Qt.Key.Key_End:
            self.jump_to_latest()
        elif key == Qt.Key.Key_Space:
            bar.setValue(bar.value() + bar.pageStep() - 2 * _STEP)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is, if it was the keyboard that brought it here."""
        super().focusInEvent(event)
        self._ringed = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._ringed = False
        self.viewport().update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the focus ring; the messages above it are transparent at the edges."""
        if self._ringed:
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), _RING))
            painter.drawRect(self.viewport().rect().adjusted(_RING // 2, _RING // 2, -_RING // 2, -_RING // 2))
            painter.end()

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

    def event(self, event: QEvent) -> bool:
        """On a finer or coarser screen, draw formulas anew."""
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._fit_ratio()
        return super().event(event)

    def _fit_ratio(self) -> None:
        if self._documents.set_ratio(self.devicePixelRatioF()):
            self._rebuild([tile for tile in self._stage.blocks if self._documents.cached(tile) is None])

    def showEvent(self, event: QShowEvent) -> None:
        """Lay out what came while nobody looked."""
        super().showEvent(event)
        self._fit_ratio()
        self._fit_column()
        self.place()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop working ahead."""
        super().hideEvent(event)
        self._idle.stop()
