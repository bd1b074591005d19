"""The widgets of the tiles in sight: taken from a pool when a tile comes near, put back when it leaves.

A transcript of any length is shown by as many widgets as fit into the window. Above: ``layout`` says what is where,
``documents`` builds what is shown, ``blocks`` are the widgets. Below: ``view``. Guarantees: a tile in sight has
exactly one block and a tile out of sight none; tab order and the order that a screen reader meets follow the eye; a
block that goes back into the pool never keeps the keyboard focus.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from rillet.widgets.blocks.approval import ApprovalCard
from rillet.widgets.blocks.button import PADDING
from rillet.widgets.blocks.chooser import BLOCKS
from rillet.widgets.blocks.code import CodeBlock
from rillet.widgets.blocks.file_chip import FileChip
from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.blocks.footer import FooterBlock
from rillet.widgets.blocks.frame import MessageFrame
from rillet.widgets.blocks.image import ImageBlock
from rillet.widgets.blocks.mark import MarkBlock
from rillet.widgets.blocks.sideways import SidewaysBlock
from rillet.widgets.blocks.tool_card import ToolCard
from rillet.widgets.transcript.layout import DAY

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from rillet.widgets.blocks.chooser import Block
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.layout import Layout
    from rillet.widgets.transcript.model import Entry, Tile
    from rillet.widgets.transcript.widths import Column

_RING = 8
_STEADY = frozenset({"text", "code", "table", "math"})
"""Tiles whose place follows from the layout's column, where they begin, and their height."""


class Stage(QObject):
    """Lends widgets to the tiles of a viewport.

    Signals:
        linkActivated(QUrl): A link was followed.
        imageRequested(QUrl): A picture from the net is wanted.
        linkShown(str, bool): The address of the link under the mouse or (True) the keyboard; "" for none.
        foldClicked(object, object): Entry and section of a fold.
        copyClicked(object): Entry whose source is wanted.
        actionChosen(str, object): What is wanted of an entry; see ``blocks/actions``, also ``retry``, or of a mark.
        detailsClicked(object): Entry whose error is to be unfolded, or folded.
        approvalAnswered(object, object, object): Entry, section and ``ApprovalAnswer`` of a tool call.
        enlargeRequested(object): The ``ImagePart`` that is to be seen large.
        openRequested(object): The ``FilePart`` of which is to be seen what is in it.
        reshaped(object): A tile of code whose fence is to be laid out anew.
        blockMade(object): A block that was made; it will be lent to many tiles.
        tileShown(object, object): Entry and tile of a block that shows text, anew or for the first time.
    """

    linkActivated = Signal(QUrl)
    imageRequested = Signal(QUrl)
    linkShown = Signal(str, bool)
    foldClicked = Signal(object, object)
    copyClicked = Signal(object)
    actionChosen = Signal(str, object)
    detailsClicked = Signal(object)
    approvalAnswered = Signal(object, object, object)
    enlargeRequested = Signal(object)
    openRequested = Signal(object)
    reshaped = Signal(object)
    blockMade = Signal(object)
    tileShown = Signal(object, object)

    def __init__(self, viewport: QWidget, layout: Layout, documents: Documents, theme: Theme) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._layout = layout
        self._documents = documents
        self._theme = theme
        self.blocks: dict[Tile, Block] = {}
        self.frames: dict[Entry, MessageFrame] = {}
        self._spare_blocks: dict[type[Block], list[Block]] = {}
        self._spare_frames: list[MessageFrame] = []
        self._made_with: dict[Block, Theme] = {}
        self._stops: dict[Block, list[QWidget]] = {}
        """What of each block can have the keyboard."""
        self._in_sight: list[Tile] = []
        """From top to bottom."""
        self._placed: dict[Tile, tuple[int, int, Column]] = {}
        """Where steady blocks stand: most of those in sight stay in their place while an answer grows."""
        self._attended: Entry | None = None
        self._focused: Entry | None = None
        self._offers: AbstractSet[str] = frozenset()
        self._last_offers: AbstractSet[str] = frozenset()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow_focus)

    def set_offers(self, offers: AbstractSet[str], last: AbstractSet[str]) -> None:
        """Which actions messages offer, and which the last answer offers."""
        self._offers = offers
        self._last_offers = last
        for entry in self.frames:
            self._show_actions(entry)

    def set_theme(self, theme: Theme) -> None:
        """Put everything back and recolour the pool; the next ``assign`` binds anew."""
        self._theme = theme
        self.clear()
        for spare in self._spare_blocks.values():
            for block in spare:
                block.set_theme(theme)
        for frame in self._spare_frames:
            frame.set_theme(theme)

    def clear(self) -> None:
        """Put every widget back into the pool."""
        for tile in list(self.blocks):
            self.release(tile)
        self._release_frames(set())
        self._attended = None

    def assign(self, top: int, height: int) -> None:
        """Give every tile that touches the ``height`` pixels from ``top`` on its block, and take back the others."""
        placed = list(self._layout.visible(top, top + height))
        wanted = {item.tile for item in placed}
        for tile in [tile for tile in self.blocks if tile not in wanted]:
            self.release(tile)
        entries = {item.entry: item for item in placed}
        self._release_frames(set(entries))
        for entry in entries:
            self._place_frame(entry, top)
        new = [item.tile for item in placed if item.tile not in self.blocks]
        self._in_sight = [item.tile for item in placed]
        for entry, tile, y in placed:
            self._place_block(entry, tile, y - self._layout.heights.before(entry.index))
        if new:
            self._restore_order()

    def release(self, tile: Tile) -> None:
        """Take the block of ``tile`` back, if it has one."""
        block = self.blocks.pop(tile, None)
        if block is None:
            return
        self._placed.pop(tile, None)
        self._take_focus_from(block)
        block.hide()
        block.release()
        self._spare_blocks.setdefault(type(block), []).append(block)

    def _take_focus_from(self, widget: QWidget) -> None:
        """Give the keyboard to the transcript if ``widget`` or something in it has it."""
        focused = QApplication.focusWidget()
        transcript = self._viewport.parentWidget()
        if transcript is not None and focused is not None and (focused is widget or widget.isAncestorOf(focused)):
            transcript.setFocus()

    def rebind(self, entry: Entry, tile: Tile) -> None:
        """Show ``tile`` anew if it is in sight: its document or its state is another one."""
        block = self.blocks.get(tile)
        if block is not None:
            block.bind(entry, tile, self._documents.get(tile) if block.text_view is not None else None)
            self._show_actions(entry)
            if block.text_view is not None:
                self.tileShown.emit(entry, tile)

    def entry_of(self, tile: Tile) -> Entry:
        """The entry of a tile that is in sight."""
        frame = self.blocks[tile].parentWidget()
        assert isinstance(frame, MessageFrame)
        assert frame.entry is not None
        return frame.entry

    def describe(self, entry: Entry) -> None:
        """Tell assistive tools the text of ``entry`` as it is now."""
        if entry in self.frames:
            self.frames[entry].describe()

    @property
    def widget_count(self) -> int:
        """Widgets made so far, in use and spare; bounded by what fits into the window."""
        spare = sum(map(len, self._spare_blocks.values()))
        return len(self.blocks) + len(self.frames) + spare + len(self._spare_frames)

    # Frames

    def _place_frame(self, entry: Entry, top: int) -> None:
        frame = self.frames.get(entry)
        if frame is None:
            frame = self._spare_frames.pop() if self._spare_frames else self._new_frame()
            self.frames[entry] = frame
            frame.bind(entry, len(self._layout.entries))
        frame.number(len(self._layout.entries))
        y = self._layout.heights.before(entry.index) - top
        rect = QRect(0, y, self._viewport.width(), entry.height)
        if frame.geometry() != rect:
            frame.setGeometry(rect)
        x, width = self._layout.column
        day = DAY if entry.day is not None else 0
        below = entry.mark_tile.gap + entry.mark_tile.height if entry.mark is not None else 0
        ring = QRect(x - _RING, 2 + day, width + 2 * _RING, entry.height - 4 - day - below)
        frame.set_shape(self._layout.bubble(entry), ring, QRect(x, 0, width, day))
        if frame.isHidden():
            frame.show()

    def _new_frame(self) -> MessageFrame:
        frame = MessageFrame(self._viewport)
        frame.set_theme(self._theme)
        frame.attention.connect(self._attend)
        return frame

    def _release_frames(self, keep: set[Entry]) -> None:
        for entry in [entry for entry in self.frames if entry not in keep]:
            frame = self.frames.pop(entry)
            self._take_focus_from(frame)
            frame.hide()
            frame.release()
            self._spare_frames.append(frame)

    @Slot(object)
    def _attend(self, entry: Entry | None) -> None:
        before, self._attended = self._attended, entry
        for changed in {before, entry} - {None}:
            assert changed is not None
            self._show_actions(changed)

    def _show_actions(self, entry: Entry) -> None:
        """Show the actions of ``entry`` while it is attended; always those of the last answer."""
        block = self.blocks.get(entry.footer)
        if isinstance(block, FooterBlock):
            last = entry.index == len(self._layout.entries) - 1 and entry.role == "assistant"
            attended = last or entry is self._attended or self._has_keyboard(entry)
            block.set_active(attended, self._last_offers if last else self._offers)

    def _has_keyboard(self, entry: Entry) -> bool:
        frame, focused = self.frames.get(entry), QApplication.focusWidget()
        return frame is not None and focused is not None and (focused is frame or frame.isAncestorOf(focused))

    @Slot(QWidget, QWidget)
    def _follow_focus(self, _old: QWidget | None, _new: QWidget | None) -> None:
        """A message whose buttons have the keyboard is attended as much as one under the mouse."""
        before, self._focused = self._focused, next(filter(self._has_keyboard, self.frames), None)
        for changed in {before, self._focused} - {None}:
            assert changed is not None
            self._show_actions(changed)

    # Blocks

    def _place_block(self, entry: Entry, tile: Tile, y: int) -> None:
        if tile.kind in _STEADY and entry.role != "user":
            place = y, tile.height, self._layout.column
            if self._placed.get(tile) == place:
                return
            self._placed[tile] = place
        block = self.blocks.get(tile)
        fresh = block is None
        if block is None:
            block = self._take(BLOCKS[tile.kind])
            self.blocks[tile] = block
        frame = self.frames[entry]
        if block.parentWidget() is not frame:
            block.setParent(frame)
            if self._made_with[block] != self._theme:
                # Qt's style sheets give children of a widget that moves the fonts they were first shown with.
                block.set_theme(self._theme)
        rect = self._layout.widths.rect(entry, tile, y)
        if isinstance(block, FoldBlock):
            if fresh:
                block.bind(entry, tile, None)  # as wide as the title it is given here
            rect = QRect(rect.x() - PADDING, rect.y(), min(rect.width(), block.sizeHint().width()), rect.height())
        if block.geometry() != rect:
            block.setGeometry(rect)
        if tile.kind == "plain":
            # Measured at the full width of a bubble, shown as wide as its text: right-to-left text would stand outside.
            self._documents.get(tile).setTextWidth(rect.width())
        if fresh:
            self.rebind(entry, tile)
            block.show()
        elif isinstance(block, FooterBlock):
            self._show_actions(entry)

    def _take(self, kind: type[Block]) -> Block:
        spare = self._spare_blocks.get(kind)
        if spare:
            return spare.pop()
        block = kind()
        block.set_theme(self._theme)
        self._made_with[block] = self._theme
        self._stops[block] = _stops_in(block)
        if block.text_view is not None:
            block.text_view.linkActivated.connect(self.linkActivated)
            block.text_view.imageRequested.connect(self.imageRequested)
            block.text_view.linkShown.connect(self.linkShown)
            block.text_view.copyMessageRequested.connect(self._copy_message)
        if isinstance(block, SidewaysBlock):
            block.scrolled.connect(self._scroll_together)
        match block:
            case CodeBlock():
                block.reshaped.connect(self.reshaped)
            case ApprovalCard():
                block.answered.connect(self.approvalAnswered)
            case ImageBlock():
                block.enlargeRequested.connect(self.enlargeRequested)
            case FileChip():
                block.openRequested.connect(self.openRequested)
            case FoldBlock() | ToolCard():
                block.foldClicked.connect(self.foldClicked)
            case FooterBlock():
                block.actionChosen.connect(self.actionChosen)
                block.detailsClicked.connect(self.detailsClicked)
                block.grown.connect(self._note_growth)
            case MarkBlock():
                block.actionChosen.connect(self.actionChosen)
            case _:
                pass
        self.blockMade.emit(block)
        return block

    @Slot()
    def _note_growth(self) -> None:
        block = self.sender()
        if isinstance(block, FooterBlock):
            self._stops[block] = _stops_in(block)
            self._restore_order()

    @Slot()
    def _copy_message(self) -> None:
        view = self.sender()
        for frame in self.frames.values():
            if isinstance(view, QWidget) and frame.isAncestorOf(view):
                self.copyClicked.emit(frame.entry)
                return

    @Slot(object, int)
    def _scroll_together(self, tile: Tile, x: int) -> None:
        """Move all tiles of a fence or table that are in sight."""
        for other, block in self.blocks.items():
            if other is not tile and other.shared is tile.shared and isinstance(block, SidewaysBlock):
                block.scroll_to(x)

    def _restore_order(self) -> None:
        """Make tab order and child order (which screen readers follow) that of the eye."""
        blocks = [self.blocks[tile] for tile in self._in_sight if tile in self.blocks]
        stops: list[QWidget] = []
        frames = sorted(self.frames.values(), key=lambda frame: frame.entry.index if frame.entry else -1)
        for frame in frames:
            inside = [block for block in blocks if block.parentWidget() is frame]
            _raise_in_order(frame, inside)
            stops.append(frame)
            for block in inside:
                stops += self._stops[block]
        _raise_in_order(self._viewport, frames)
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)


def _stops_in(block: Block) -> list[QWidget]:
    """Where the keyboard stops. Qt neither moves children with a widget, nor widgets that never have the keyboard."""
    return [each for each in (block, *block.findChildren(QWidget)) if _can_have_keyboard(each)]


def _can_have_keyboard(widget: QWidget) -> bool:
    return widget.focusPolicy() is not Qt.FocusPolicy.NoFocus


def _raise_in_order(parent: QWidget, children: list[Block] | list[MessageFrame]) -> None:
    """Reorder ``children`` among themselves, when they are not in order already."""
    everything = parent.children()
    places = [everything.index(child) for child in children]
    if places != sorted(places):
        for child in children:
            child.raise_()
