"""What is selected and what was found, as coloured grounds in the text that is in sight.

A selection is drawn by ``ExtraSelections``, which move nothing: setting a text cursor would scroll its view to it.
What was found lies over the text (see ``blocks/found``), but not where it is selected. Above:
``selection``, ``finding``, ``stage``. Below: ``selecting`` and ``finder`` say what is to be marked. Guarantee: what is
marked in sight is the same however it came into sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from rillet.widgets.markdown.math import SOURCE

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.finding import Needle
    from rillet.widgets.transcript.model import Entry, Tile
    from rillet.widgets.transcript.selection import Selection
    from rillet.widgets.transcript.stage import Stage

_OBJECT = "\ufffc"


class Marks(QObject):
    """The marks in one transcript.

    Attributes:
        selection: What is selected; None for nothing.
        needle: What was looked for; None for nothing.
        current: The hit that one has come to: a tile and a range of its document; None for none.
    """

    def __init__(self, stage: Stage, theme: Theme) -> None:
        super().__init__(stage)
        self.selection: Selection | None = None
        self.needle: Needle | None = None
        self.current: tuple[Tile, int, int] | None = None
        self._stage = stage
        self.set_theme(theme)
        stage.tileShown.connect(self.show)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours; what is in sight has them when it is shown next."""
        self._selected = QTextCharFormat()
        self._selected.setBackground(QColor(theme.tokens.selection))

    @property
    def current_in_sight(self) -> bool:
        """Whether one sees the hit that one has come to, or at least its tile."""
        return self.current is not None and self.current[0] in self._stage.blocks

    def refresh(self) -> None:
        """Mark everything in sight anew."""
        for tile in self._stage.blocks:
            self.show(self._stage.entry_of(tile), tile)

    def move_to(self, current: tuple[Tile, int, int] | None) -> None:
        """One has come to another hit."""
        before, self.current = self.current, current
        for place in (before, current):
            if place is not None and place[0] in self._stage.blocks:
                self.show(self._stage.entry_of(place[0]), place[0])

    def bring_current_sideways(self) -> None:
        """Where text scrolls sideways, scroll the hit that one has come to into sight."""
        block = self._stage.blocks.get(self.current[0]) if self.current is not None else None
        if block is None or block.text_view is None or self.current is None:
            return
        view = block.text_view
        bar, width = view.horizontalScrollBar(), view.viewport().width()
        _, start, end = self.current
        left, right = (view.cursorRect(_cursor(view.document(), offset, offset)).left() for offset in (start, end))
        if bar.maximum() and (left < 0 or right > width):
            bar.setValue(bar.value() + left - width // 3)

    @Slot(object, object)
    def show(self, entry: Entry, tile: Tile) -> None:
        """Mark ``tile`` of ``entry``, if it is in sight and shows text."""
        block = self._stage.blocks.get(tile)
        view = block.text_view if block is not None else None
        if view is None or tile.section is None:
            return
        document = view.document()
        span = None
        if self.selection is not None and (place := entry.place_of(tile)) is not None:
            span = self.selection.span(place, document.characterCount() - 1)
        selected = [_mark(document, *part, self._selected) for part in _by_block(document, *span)] if span else []
        if selected or view.extraSelections():
            view.setExtraSelections(selected)
        current = self.current[1:] if self.current is not None and self.current[0] is tile else None
        found = places_in(document, self.needle) if self.needle is not None else []
        low, high = span or (0, 0)
        view.mark_found([hit for hit in found if hit != current and (hit[1] <= low or high <= hit[0])], current)


def places_in(document: QTextDocument, needle: Needle) -> list[tuple[int, int]]:
    """Where in ``document`` the needle is, in UTF-16 units; a formula counts as one when its source has it."""
    text = document.toPlainText()
    found = list(needle.places(text))
    if not text.isascii():
        found = [(_units(text, start), _units(text, end)) for start, end in found]
    if _OBJECT in text:
        found = sorted([*found, *_formulas_with(document, needle)])
    return found


def _formulas_with(document: QTextDocument, needle: Needle) -> list[tuple[int, int]]:
    found = []
    block = document.begin()
    while block.isValid():
        step = block.begin()
        while not step.atEnd():
            fragment = step.fragment()
            step += 1
            style = fragment.charFormat()
            if style.hasProperty(SOURCE) and needle.count(style.stringProperty(SOURCE)):
                found.append((fragment.position(), fragment.position() + fragment.length()))
        block = block.next()
    return found


def _units(text: str, characters: int) -> int:
    """How many UTF-16 units so many characters are."""
    return len(text[:characters].encode("utf-16-le", "surrogatepass")) // 2


def _by_block(document: QTextDocument, start: int, end: int) -> list[tuple[int, int]]:
    """The range, block by block: across several Qt hides the marks of lists, and in tables takes whole cells."""
    ranges = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        low, high = max(start, block.position()), min(end, block.position() + block.length() - 1)
        if low < high:
            ranges.append((low, high))
        block = block.next()
    return ranges


def _mark(document: QTextDocument, start: int, end: int, style: QTextCharFormat) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    mark.cursor = _cursor(document, start, end)
    mark.format = style
    return mark


def _cursor(document: QTextDocument, start: int, end: int) -> QTextCursor:
    last = document.characterCount() - 1
    cursor = QTextCursor(document)
    cursor.setPosition(min(start, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    return cursor
