"""The documents of the tiles near the viewport: built on demand, kept up to date while text streams, freed when unused.

A few dozen documents are alive, however long the conversation. Knows nothing of heights, places and widgets. Above:
``model``, ``markdown`` builds. Below: ``layout`` measures documents, ``stage`` shows them. Guarantees: a document that
grew delta by delta is the same as one built from the whole text; a document is deleted only by ``sweep`` and ``clear``,
and ``sweep`` spares those in use.

PySide's ``QTextEdit.setDocument`` keeps a reference to every document ever set (seen with 6.11.3 and 6.12.0), so
letting go of our own reference frees nothing: the C++ object is deleted here. Visiting 2,000 messages costs 250 MB
otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption

from rillet.widgets.markdown import Formulas, LiveCode, LiveFormula, LiveTable, LiveText, MathWriter, SafeDocument
from rillet.widgets.markdown.document import inert, sound
from rillet.widgets.markdown.formats import HANG
from rillet.widgets.markdown.math import room_in
from rillet.widgets.transcript.model import FOLDED
from rillet.widgets.transcript.tables import columns_of

if TYPE_CHECKING:
    from collections.abc import Container, Set

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Tile

KEPT = 160
"""Documents kept for scrolling back without building them again."""


@dataclass(slots=True)
class _Built:
    """A document, and what updates it: flowing text only while its tile is open."""

    document: SafeDocument
    live: LiveText | LiveCode | LiveTable | LiveFormula | None = None
    math: MathWriter | None = None
    """What wrote its formulas, if it may have any."""


class Documents:
    """Documents by tile, the most recently used last."""

    def __init__(self, theme: Theme, parent: QObject | None = None, *, formulas: Formulas | None = None) -> None:
        """Documents end with ``parent``; without one, with ``clear``. ``formulas`` None: those all views share."""
        self._parent = parent
        self.formulas = formulas or Formulas.shared()
        self._ratio = 1.0
        self._built: dict[Tile, _Built] = {}
        self._retired: list[SafeDocument] = []
        self.set_theme(theme)

    def __len__(self) -> int:
        return len(self._built)

    def set_theme(self, theme: Theme) -> None:
        """Build everything anew, in the colours of ``theme``, when it is asked for."""
        self._theme = theme
        self._quiet = theme.quiet()
        for tile in list(self._built):
            self.drop(tile)

    def set_ratio(self, ratio: float) -> bool:
        """The screen has ``ratio`` device pixels per logical one: whether documents with formulas are gone for it."""
        if ratio == self._ratio:
            return False
        self._ratio = ratio
        drawn = [tile for tile, built in self._built.items() if built.math is not None]
        for tile in drawn:
            self.drop(tile)
        return bool(drawn)

    def settle(self, keys: Set[object]) -> list[Tile]:
        """These formulas are settled: drop the documents that waited for one of them, and return their tiles."""
        waited = [tile for tile, built in self._built.items() if built.math and not built.math.waiting.isdisjoint(keys)]
        for tile in waited:
            self.drop(tile)
        return waited

    def get(self, tile: Tile) -> QTextDocument:
        """The document of ``tile``, built if need be."""
        built = self._built.pop(tile, None) or self._build(tile)
        self._built[tile] = built
        return built.document

    def fit(self, tile: Tile, width: int) -> QTextDocument:
        """The document of ``tile``, laid out for ``width`` pixels."""
        document = self.get(tile)
        built = self._built[tile]
        if isinstance(built.live, LiveTable):
            widths = columns_of(tile, self.theme_of(tile)).widths(width)
            built.live.set_widths(widths)
            if document.textWidth() != sum(widths):
                document.setTextWidth(sum(widths))
        elif tile.kind == "code":
            wrap_code(document, width if tile.shared.wrapped else -1)
        elif tile.kind != "math":
            if document.textWidth() != width:
                document.setTextWidth(width)
            if built.math is not None and built.math.drawn:
                built.math.shrink(document, room_in(width - 2 * HANG))
        return document

    def cached(self, tile: Tile) -> QTextDocument | None:
        """The document of ``tile`` if there is one."""
        built = self._built.get(tile)
        return built.document if built else None

    def update(self, tile: Tile) -> bool:
        """Bring the document of ``tile`` up to date with its text. False: there is none now, or has to be another."""
        built = self._built.get(tile)
        if built is None:
            return False
        match built.live:
            case LiveText() as live:
                assert tile.segment is not None
                live.update(tile.text, tile.segment.stable - tile.start, growing=tile.segment.growing)
            case LiveCode() as live:
                live.update(tile.text)
                if not tile.open:
                    live.finish()
                return True
            case LiveTable() | LiveFormula() as live:
                live.update(tile.text)
                return True
            case None:
                self.drop(tile)
                return False
        if not tile.open:
            built.live = None
        return True

    def drop(self, tile: Tile) -> None:
        """The document of ``tile`` is out of date. It stays alive, for a widget may show it, until ``sweep``."""
        built = self._built.pop(tile, None)
        if built is not None:
            self._retired.append(built.document)

    def sweep(self, in_use: Container[Tile]) -> None:
        """Delete dropped documents, and the least recently used of those that no widget shows."""
        surplus = len(self._built) - KEPT
        if surplus > 0:
            for tile in [tile for tile in self._built if tile not in in_use][:surplus]:
                self.drop(tile)
        for document in self._retired:
            shiboken6.delete(document)
        self._retired.clear()

    def clear(self) -> None:
        """Delete everything. No widget may show any of it."""
        for tile in list(self._built):
            self.drop(tile)
        self.sweep(())

    def _build(self, tile: Tile) -> _Built:
        section, segment = tile.section, tile.segment
        assert section is not None
        theme = self.theme_of(tile)
        if segment is None:
            return _Built(plain_document(tile.text, theme, self._parent))
        if tile.kind == "code":
            code = LiveCode(segment.block.language if segment.block else "", theme, self._parent)
            if tile.open:
                code.append(tile.text)
            else:
                code.complete(tile.text)
            return _Built(code.document, code)
        math = MathWriter(self.formulas, theme, self._ratio)
        live: LiveText | LiveTable | LiveFormula
        references = section.references
        if tile.kind == "table":
            columns = columns_of(tile, theme)
            live = LiveTable(
                columns, theme, continued=tile.continued, references=references, math=math, parent=self._parent
            )
            live.update(tile.text)
        elif tile.kind == "math":
            live = LiveFormula(theme, math=math, parent=self._parent)
            live.update(tile.text)
        else:
            live = LiveText(theme, references=references, ordinal=segment.ordinal, math=math, parent=self._parent)
            live.update(tile.text, segment.stable - tile.start, growing=segment.growing)
        return _Built(live.document, live if tile.open or tile.kind == "table" else None, math)

    def theme_of(self, tile: Tile) -> Theme:
        """In which fonts and colours ``tile`` is shown."""
        folded = tile.section is not None and tile.section.kind in FOLDED
        return self._quiet if folded else self._theme


def wrap_code(document: QTextDocument, width: int) -> None:
    """Break the lines of a document of code at ``width`` pixels; -1: do not break them."""
    option = document.defaultTextOption()
    mode = QTextOption.WrapMode.NoWrap if width < 0 else QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
    if option.wrapMode() is not mode:
        option.setWrapMode(mode)
        document.setDefaultTextOption(option)
    if width >= 0 and document.textWidth() != width:
        document.setTextWidth(width)


def plain_document(text: str, theme: Theme, parent: QObject | None = None) -> SafeDocument:
    """The document of text that is shown as it was typed: one block to a line, each in the direction of its script."""
    document = SafeDocument(theme.body, parent)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    block = QTextBlockFormat()
    block.setLineHeight(theme.line, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
    characters = QTextCharFormat()
    characters.setForeground(QColor(theme.foreground))
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    cursor.setBlockFormat(block)
    cursor.insertText(inert(sound(text)), characters)
    cursor.endEditBlock()
    return document
