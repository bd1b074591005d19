"""The transcript: a column of messages that scrolls, streams and stays where the reader left it.

Above: ``scroller`` keeps everything in its place, ``reading`` selects, copies and finds. Below: ``conversation`` adds
entries and text. Knows no message types, no clients. Guarantee: while it is hidden, or looks elsewhere, text that
arrives costs no layout.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QPalette, QPen

from rillet.widgets.blocks.actions import COPIES
from rillet.widgets.blocks.bubble import LinkBubble
from rillet.widgets.transcript.flavours import in_flavour
from rillet.widgets.transcript.model import WIDGETS
from rillet.widgets.transcript.reading import Reading
from rillet.widgets.transcript.scroller import STEP, Scroller

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.markdown import Formulas
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Entry, Foot, Mark, Section, SectionKind, Tile

_RING = 2


class Transcript(Scroller):
    """Shows entries.

    Attributes:
        reading: Selection, clipboard and search.

    Signals:
        linkActivated(QUrl): A link was followed.
        imageRequested(QUrl): A picture from the net is wanted; nothing has been loaded.
        linkReached(str): The keyboard came to a link; where it leads, as text.
        actionChosen(str, object): What is wanted of an entry; see ``blocks/actions``, also ``retry``, or of a mark.
        approvalAnswered(object, object, object): Entry, section and ``ApprovalAnswer`` of a tool call.
        imageActivated(object): The ``ImagePart`` that is to be seen large.
        fileActivated(object): The ``FilePart`` of which is to be seen what is in it.
    """

    linkActivated = Signal(QUrl)
    imageRequested = Signal(QUrl)
    linkReached = Signal(str)
    actionChosen = Signal(str, object)
    approvalAnswered = Signal(object, object, object)
    imageActivated = Signal(object)
    fileActivated = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, formulas: Formulas | None = None) -> None:
        """``formulas`` None: those that all views of the application share."""
        super().__init__(theme, parent, formulas)
        self._stage.linkActivated.connect(self.linkActivated)
        self._stage.imageRequested.connect(self.imageRequested)
        self._stage.linkShown.connect(self._tell_link)
        self._stage.actionChosen.connect(self._act)
        self._stage.detailsClicked.connect(self._toggle_details)
        self._stage.approvalAnswered.connect(self.approvalAnswered)
        self._stage.enlargeRequested.connect(self.imageActivated)
        self._stage.openRequested.connect(self.fileActivated)
        self._stage.foldClicked.connect(self.toggle_fold)
        self._stage.copyClicked.connect(self.copy_entry)
        self._stage.reshaped.connect(self._reshape)
        self._documents.formulas.ready.connect(self._settle_formulas)
        self._ringed = False
        self._bubble = LinkBubble(self)
        self.reading = Reading(self, self._documents, self._stage, theme)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.set_theme(theme)

    # Content

    def set_theme(self, theme: Theme) -> None:
        """Change colours and fonts; only what is in sight is built again, and the line at the top stays there."""
        self._jump.set_theme(theme)
        self._bubble.set_theme(theme)
        self.reading.marks.set_theme(theme)
        with self._holding():
            self._stage.set_theme(theme)
            self._documents.set_theme(theme)
            self._layout.set_theme(theme)

    def reset(self, entries: Iterable[Entry] = ()) -> None:
        """Show these entries and no others, from the end."""
        self.truncate(0)
        self._stage.clear()
        self._documents.clear()
        self._layout.reset(entries)
        self.jump_to_latest()
        self.reading.finder.recount()

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
                for tile in section.known():
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

    def rearrange(self, entry: Entry, sections: Sequence[Section]) -> None:
        """Show these sections of ``entry`` and no others; some of them may be there already."""
        finished = entry.finish()
        for section in entry.sections:
            if section not in sections:
                for tile in section.known():
                    self._stage.release(tile)
                    self._documents.drop(tile)
        entry.sections = list(sections)
        self._held = None
        self.reading.truncate(entry.index)
        self._changed(entry, [entry.footer, *(tile for tile in finished if tile.section in sections)])

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

    def set_mark(self, entry: Entry, mark: Mark | None) -> None:
        """Change the line below ``entry``, which need not be there; the line that is read stays where it is."""
        if entry.mark == mark:
            return
        top = next(self._layout.visible(self.verticalScrollBar().value(), self.verticalScrollBar().value() + 1), None)
        is_at_top = top is not None and top.tile is entry.mark_tile  # it may be about to go: nothing to hold on to
        if is_at_top:
            self._held = None
        with nullcontext() if is_at_top else self._holding():
            entry.mark = mark
            if entry.index < 0:
                return
            if mark is None:
                self._stage.release(entry.mark_tile)
            self._changed(entry, [entry.mark_tile])

    def keep_clear(self, height: int) -> None:
        """Leave so many pixels at the top to something that would cover text; on the screen nothing moves."""
        moved = height - self.viewportMargins().top()
        self.setViewportMargins(0, height, 0, 0)
        if not self._follow:
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved)

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
        self.reading.finder.touch(entry)
        for tile in rebind:
            self._stage.rebind(entry, tile)
        self.place()

    # Moving

    def show_entry(self, entry: Entry) -> None:
        """Bring the beginning of a message into sight."""
        if entry.index >= 0:
            self._reveal(entry)

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

    # Qt overrides

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
            bar.setValue(bar.value() + bar.pageStep() - 2 * STEP)
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

    def event(self, event: QEvent) -> bool:
        """On a finer or coarser screen, draw formulas anew."""
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self._fit_ratio()
        return super().event(event)

    def _fit_ratio(self) -> None:
        if self._documents.set_ratio(self.devicePixelRatioF()):
            self._rebuild([tile for tile in self._stage.blocks if self._documents.cached(tile) is None])

    def showEvent(self, event: QShowEvent) -> None:
        """Draw formulas for the screen that it is shown on."""
        self._fit_ratio()
        super().showEvent(event)
