"""Selecting by mouse and keyboard, across blocks and messages.

Mouse events of every text in sight and of the space around it come here; the texts' own selecting is switched off, for
it ends at their edges and with their scrolling away. Above: ``selection``, ``marks``, ``stage``. Below: ``reading``.
Guarantees: a click on a link that selects nothing follows it; a drag that began here ends here, wherever the button is
let go.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QInputEvent, QKeyEvent, QKeySequence, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QMenu, QTextBrowser, QWidget

from rillet.widgets.transcript.selection import END, Selection, Spot

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.blocks.chooser import Block
    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.marks import Marks
    from rillet.widgets.transcript.model import Entry, Tile
    from rillet.widgets.transcript.stage import Stage
    from rillet.widgets.transcript.view import Transcript

_SCROLL_MS: Final = 30
_FASTEST: Final = 60
_Key = QKeySequence.StandardKey
_Move = QTextCursor.MoveOperation
_MOVES: Final = {
    _Key.SelectNextChar: _Move.NextCharacter,
    _Key.SelectPreviousChar: _Move.PreviousCharacter,
    _Key.SelectNextWord: _Move.NextWord,
    _Key.SelectPreviousWord: _Move.PreviousWord,
    _Key.SelectNextLine: _Move.Down,
    _Key.SelectPreviousLine: _Move.Up,
    _Key.SelectStartOfLine: _Move.StartOfLine,
    _Key.SelectEndOfLine: _Move.EndOfLine,
    _Key.SelectStartOfBlock: _Move.StartOfBlock,
    _Key.SelectEndOfBlock: _Move.EndOfBlock,
}
_BACKWARD: Final = (_Move.PreviousCharacter, _Move.PreviousWord, _Move.Up)
_FORWARD: Final = (_Move.NextCharacter, _Move.NextWord, _Move.Down)


class Grain(Enum):
    """What a drag goes on by."""

    CHARACTER = None
    WORD = QTextCursor.SelectionType.WordUnderCursor
    BLOCK = QTextCursor.SelectionType.BlockUnderCursor


class Selector(QObject):
    """Turns what a person does into the selection of one transcript.

    Signals:
        changed(): Something else is selected.
        finished(): A drag ended with something selected.
        copyRequested(): The selection is wanted on the clipboard.
    """

    changed = Signal()
    finished = Signal()
    copyRequested = Signal()

    def __init__(self, view: Transcript, documents: Documents, stage: Stage, marks: Marks) -> None:
        super().__init__(view)
        self._documents = documents
        self._stage = stage
        self._marks = marks
        self._origin: tuple[Spot, Spot] | None = None
        self._grain = Grain.CHARACTER
        self._pressed = False
        self._link = ""
        self._watched: set[QObject] = set()
        self._point = QPoint()
        self._double_at = QPoint()
        self._triple = QTimer(self, singleShot=True)
        self._scroll = QTimer(self, interval=_SCROLL_MS)
        self._scroll.timeout.connect(self._scroll_on)
        stage.blockMade.connect(self._take_over)
        self._watch(view.viewport())

    @property
    def _view(self) -> Transcript:
        """What this is of; not kept, or both would outlive the widget in a cycle."""
        return cast("Transcript", self.parent())

    @property
    def selection(self) -> Selection | None:
        """What is selected; None for nothing."""
        return self._marks.selection

    def select(self, selection: Selection | None) -> None:
        """Select this and nothing else."""
        selection = selection or None
        if selection != self._marks.selection:
            self._marks.selection = selection
            self._marks.refresh()
            self.changed.emit()

    @Slot()
    def select_all(self) -> None:
        """Select the whole conversation."""
        if self._view.entries:
            first, last = Spot(0), Spot(len(self._view.entries) - 1, END, END, END)
            self._origin = (first, first)
            self.select(Selection(first, last))

    def truncate(self, count: int) -> None:
        """Only the first ``count`` entries are left."""
        for spot in (*(self._origin or ()), *((self.selection.end,) if self.selection else ())):
            if spot.entry >= count:
                self._origin = None
                self.select(None)
                return

    # Mouse

    def press(self, point: QPoint, event: QMouseEvent) -> bool:
        """A button went down at ``point`` of the viewport; whether it was one for selecting."""
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._point = point
        self._pressed = True
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._origin is not None:
            self._begin_drag()
            self._extend_to(point)
            return True
        distance = (point - self._double_at).manhattanLength()
        triple = self._triple.isActive() and distance < QApplication.startDragDistance()
        self._begin(point, Grain.BLOCK if triple else Grain.CHARACTER)
        return True

    def double_click(self, point: QPoint, event: QMouseEvent) -> bool:
        """The second click of two selects a word."""
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._pressed = True
        self._double_at = point
        self._triple.start(QApplication.doubleClickInterval())
        self._begin(point, Grain.WORD)
        return True

    def _begin(self, point: QPoint, grain: Grain) -> None:
        spot = self._spot_at(point)
        self._grain = grain
        self._origin = self._grown(spot) if spot is not None else None
        self.select(Selection(*self._origin) if self._origin is not None else None)
        if self.selection is not None:
            self._begin_drag()

    def drag(self, point: QPoint) -> bool:
        """The mouse moved with its button down; whether it is selecting."""
        if not self._pressed or self._origin is None:
            return self._pressed
        self._point = point
        self._extend_to(point)
        self._begin_drag()
        if 0 <= point.y() < self._view.viewport().height():
            self._scroll.stop()
        elif not self._scroll.isActive():
            self._scroll.start()
        return True

    def release(self) -> bool:
        """The button went up; whether it had been selecting."""
        self._scroll.stop()
        self._application().removeEventFilter(self)
        was, self._pressed = self._pressed, False
        if was and self.selection is not None:
            self.finished.emit()
        return was

    def _begin_drag(self) -> None:
        """See the rest of the drag wherever Qt sends it: the widget that it began on may scroll away."""
        self._application().installEventFilter(self)

    def _application(self) -> QCoreApplication:
        application = QApplication.instance()
        assert application is not None
        return application

    def _extend_to(self, point: QPoint) -> None:
        height = self._view.viewport().height()
        spot = self._spot_at(QPoint(point.x(), max(0, min(point.y(), height - 1))))
        if spot is None or self._origin is None:
            return
        first, last = self._grown(spot)
        if first < self._origin[0]:
            self.select(Selection(self._origin[1], first))
        else:
            self.select(Selection(self._origin[0], max(last, self._origin[1])))

    @Slot()
    def _scroll_on(self) -> None:
        """Scroll while the mouse is held above or below: the faster the farther away."""
        height = self._view.viewport().height()
        beyond = self._point.y() if self._point.y() < 0 else self._point.y() - height + 1
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + max(-_FASTEST, min(_FASTEST, beyond)))
        self._extend_to(self._point)

    def _grown(self, spot: Spot) -> tuple[Spot, Spot]:
        """The word or block around a spot."""
        if self._grain is Grain.CHARACTER:
            return spot, spot
        document = self._document_at(spot)
        cursor = QTextCursor(document)
        cursor.setPosition(min(spot.offset, document.characterCount() - 1))
        if self._grain is Grain.WORD:
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        else:
            cursor.movePosition(_Move.StartOfBlock)
            cursor.movePosition(_Move.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        return spot._replace(offset=cursor.selectionStart()), spot._replace(offset=cursor.selectionEnd())

    def _spot_at(self, point: QPoint) -> Spot | None:
        """The place in the text nearest to ``point``: in the nearest block above or below, if it lies in none."""
        nearest: Block | None = None
        least = -1
        for block in self._stage.blocks.values():
            if block.text_view is None or block.tile is None or block.tile.section is None:
                continue
            top = block.mapTo(self._view.viewport(), QPoint()).y()
            distance = max(top - point.y(), point.y() - top - block.height() + 1, 0)
            if nearest is None or distance < least:
                nearest, least = block, distance
        if nearest is None or nearest.tile is None or nearest.text_view is None:
            return None
        place = self._stage.entry_of(nearest.tile).place_of(nearest.tile)
        if place is None:
            return None
        inside = nearest.text_view.viewport()
        at = inside.mapFrom(self._view.viewport(), point)
        if at.y() < 0:
            return Spot(*place, 0)
        if at.y() >= inside.height():
            return Spot(*place, nearest.text_view.document().characterCount() - 1)
        return Spot(*place, nearest.text_view.offset_under(at))

    # Keyboard

    def key(self, event: QKeyEvent) -> bool:
        """A key was pressed somewhere in the transcript; whether it was one of selecting or copying."""
        if event.matches(_Key.SelectAll):
            self.select_all()
            return True
        if event.matches(_Key.Copy) and self.selection is not None:
            self.copyRequested.emit()
            return True
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not self._has_place():
            return False
        focus = self._readable(self._focus())
        if focus is None:
            return False
        for key, move in _MOVES.items():
            if event.matches(key):
                self._move_focus(self._moved(focus, move))
                return True
        if event.matches(_Key.SelectStartOfDocument):
            self._move_focus(Spot(0))
        elif event.matches(_Key.SelectEndOfDocument):
            self._move_focus(self._last_spot())
        elif event.matches(_Key.SelectNextPage) or event.matches(_Key.SelectPreviousPage):
            self._move_page(1 if event.matches(_Key.SelectNextPage) else -1)
        else:
            return False
        return True

    def _has_place(self) -> bool:
        return self.selection is not None or self._origin is not None

    def _focus(self) -> Spot:
        """Where the end of the selection that moves is."""
        if self.selection is None:
            assert self._origin is not None
            return self._origin[0]
        focus = self.selection.focus
        return self._last_spot() if focus.offset == END else focus

    def _move_focus(self, wanted: Spot) -> None:
        anchor = self.selection.anchor if self.selection is not None else self._focus()
        focus = self._readable(wanted)
        if focus is None:
            return
        self._origin = (anchor, anchor)
        self._grain = Grain.CHARACTER
        self.select(Selection(anchor, focus))
        self._view.reveal_line(*self._tile_at(focus), focus.offset)

    def _readable(self, spot: Spot) -> Spot | None:
        """``spot``, or what is nearest to it where its text lies under a closed fold, or is no text; None: nothing."""
        if spot[:3] in self._view.entries[spot.entry].places():
            return spot
        return self._beside(spot, 1) or self._beside(spot, -1)

    def _move_page(self, direction: int) -> None:
        """A page further, at the same height in the window."""
        focus = self._readable(self._focus())
        if focus is None:
            return
        entry, tile = self._tile_at(focus)
        self._view.reveal_line(entry, tile, focus.offset)
        y = self._view.line_in_sight(entry, tile, focus.offset)
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + direction * bar.pageStep() * 9 // 10)
        spot = self._spot_at(QPoint(self._point.x(), y))
        if spot is None or spot == focus or (spot > focus) != (direction > 0):
            spot = Spot(0) if direction < 0 else self._last_spot()
        self._move_focus(spot)

    def _moved(self, spot: Spot, move: QTextCursor.MoveOperation) -> Spot:
        """A step from ``spot``, into the next block at the edge of one."""
        document = self._document_at(spot)
        cursor = QTextCursor(document)
        cursor.setPosition(min(spot.offset, document.characterCount() - 1))
        if cursor.movePosition(move) or move not in (*_BACKWARD, *_FORWARD):
            return spot._replace(offset=cursor.position())
        if move in _FORWARD:
            return self._beside(spot, 1) or spot._replace(offset=document.characterCount() - 1)
        return self._beside(spot, -1) or spot

    def _beside(self, spot: Spot, step: int) -> Spot | None:
        """The near end of the text before or behind the tile of ``spot``; None where there is none."""
        index = spot.entry
        here = spot[:3]
        places = [place for place in self._view.entries[index].places() if (place > here if step > 0 else place < here)]
        while not places and 0 <= index + step < len(self._view.entries):
            index += step
            places = self._view.entries[index].places()
        if not places:
            return None
        place = Spot(*places[0 if step > 0 else -1])
        return place if step > 0 else place._replace(offset=self._document_at(place).characterCount() - 1)

    def _last_spot(self) -> Spot:
        for index in range(len(self._view.entries) - 1, -1, -1):
            if places := self._view.entries[index].places():
                place = Spot(*places[-1])
                return place._replace(offset=self._document_at(place).characterCount() - 1)
        return Spot(0)

    def _tile_at(self, spot: Spot) -> tuple[Entry, Tile]:
        entry = self._view.entries[spot.entry]
        tiles = entry.sections[spot.section].tiles() if spot.section < len(entry.sections) else ()
        return entry, tiles[min(spot.tile, len(tiles) - 1)] if tiles else entry.footer

    def _document_at(self, spot: Spot) -> QTextDocument:
        return self._documents.get(self._tile_at(spot)[1])

    # Events

    @Slot(object)
    def _take_over(self, block: Block) -> None:
        view = block.text_view
        if view is not None:
            view.setTextInteractionFlags(
                Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
            )
            view.viewport().setCursor(Qt.CursorShape.IBeamCursor)
            view.menuOpening.connect(self._extend_menu)
            self._watch(view)
            self._watch(view.viewport())

    @Slot(object)
    def _extend_menu(self, menu: QMenu) -> None:
        """Offer what can be done with the selection."""
        copy = QAction(self.tr("Copy"), menu)
        copy.setEnabled(self.selection is not None)
        copy.triggered.connect(self.copyRequested)
        everything = QAction(self.tr("Select all"), menu)
        everything.triggered.connect(self.select_all)
        others = menu.actions()
        for action in (copy, everything):
            if others:
                menu.insertAction(others[0], action)
            else:
                menu.addAction(action)

    def _watch(self, widget: QWidget) -> None:
        widget.installEventFilter(self)
        self._watched.add(widget)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at mouse and keys of the texts and of the space around them, and while dragging at every mouse event."""
        if not isinstance(event, QInputEvent):  # asking for its type would cost more, and a frame has a dozen events
            return False
        kind = event.type()
        if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return watched in self._watched and self.key(event)
        if not isinstance(event, QMouseEvent) or not isinstance(watched, QWidget):
            return False
        if not self._view.isVisible():  # it was hidden while something was being dragged
            self.release()
            return False
        point = self._view.viewport().mapFromGlobal(event.globalPosition().toPoint())
        match kind:
            case QEvent.Type.MouseMove if event.buttons() & Qt.MouseButton.LeftButton:
                return self.drag(point)
            case QEvent.Type.MouseButtonRelease if event.button() == Qt.MouseButton.LeftButton:
                return self._let_go(watched, event)
            case QEvent.Type.MouseButtonPress if watched in self._watched:
                self._link = _link_at(watched, event)
                return self.press(point, event)
            case QEvent.Type.MouseButtonDblClick if watched in self._watched:
                return self.double_click(point, event)
            case _:
                return False

    def _let_go(self, watched: QWidget, event: QMouseEvent) -> bool:
        selecting = self.release()
        link, self._link = self._link, ""
        if selecting and self.selection is None and link and _link_at(watched, event) == link:
            cast("QTextBrowser", watched.parent()).anchorClicked.emit(QUrl(link))
        return selecting


def _link_at(watched: QObject, event: QMouseEvent) -> str:
    """The address under the mouse, if ``watched`` is the inside of a text."""
    browser = watched.parent()
    return browser.anchorAt(event.position().toPoint()) if isinstance(browser, QTextBrowser) else ""
