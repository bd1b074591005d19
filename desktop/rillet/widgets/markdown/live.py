"""A text document that grows while its segment streams.

Above: ``build``. Below: the transcript keeps one for each open segment in sight. Guarantee: after every update the
document equals the one that ``text_document`` builds of the same source, and an update costs what lies behind the last
boundary, however long the document is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor

from rillet.widgets.markdown.appending import appended
from rillet.widgets.markdown.build import Place, TextBuilder, new_document
from rillet.widgets.markdown.formats import HANG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject

    from rillet.widgets.markdown.math import MathWriter
    from rillet.widgets.theme.palette import Theme


class LiveText:
    """Owner of the document of an open text segment.

    Attributes:
        document: The document; the same object for as long as this lives.
        source: What it shows.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        references: Mapping[str, Mapping[str, Any]] | None = None,
        ordinal: int = 0,
        math: MathWriter | None = None,
        parent: QObject | None = None,
    ) -> None:
        self.document = new_document(theme, parent, hanging=HANG)
        self.source = ""
        self._references = references
        self._builder = TextBuilder(theme, ordinal=ordinal, math=math)
        self._frozen = ""
        self._stable = self._known = 0
        self._growing = False
        self._mark = _Mark(0, Place(), QTextBlockFormat(), QTextCharFormat())
        self._start = self._mark

    def update(self, source: str, stable: int = 0, *, growing: bool = False) -> None:
        """Show ``source``, the whole text of the segment; ``stable`` is the offset in it that ``Segment.stable`` means.

        ``growing``: the last paragraph is not finished. What was shown before ``stable`` stays untouched, unless
        ``source`` contradicts it or a link definition came.
        """
        known = len(self._references or ())
        same = (source, known, growing) == (self.source, self._known, self._growing)
        if same and stable <= len(self._frozen):
            return
        cursor = QTextCursor(self.document)
        if growing and (stable, known) == (self._stable, self._known) and self._append(cursor, source):
            return
        cursor.beginEditBlock()
        if known != self._known or stable < len(self._frozen) or not source.startswith(self._frozen):
            self._mark, self._frozen, self._known = self._start, "", known
        self._take_back(cursor)
        if stable > len(self._frozen):
            self._builder.build(cursor, source[len(self._frozen) : stable], self._references)
            self._freeze(cursor, source[:stable])
        if len(source) > stable:
            self._builder.build(cursor, source[stable:], self._references, growing=growing)
        cursor.endEditBlock()
        self.source, self._stable, self._growing = source, stable, growing

    def _append(self, cursor: QTextCursor, source: str) -> bool:
        """Show ``source`` without parsing it, if nothing is new but words behind the last paragraph."""
        paragraph = self._builder.paragraph
        more = appended(paragraph, self.source, source) if paragraph else None
        if more is None:
            return False
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(more)
        self.source = source
        return True

    def _freeze(self, cursor: QTextCursor, source: str) -> None:
        """What stands now is final.

        Not behind an empty item or a rule: taking back joins the last block with what is removed, and an empty block
        takes over the other's format and leaves its list.
        """
        if cursor.block().length() > 1 or self._builder.place.vacant:
            self._frozen = source
            self._mark = _Mark(cursor.position(), self._builder.place, cursor.blockFormat(), cursor.blockCharFormat())

    def _take_back(self, cursor: QTextCursor) -> None:
        """Remove what was built behind the mark, and give the last block before it its own formats again."""
        mark = self._mark
        cursor.setPosition(mark.position)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if cursor.blockFormat() != mark.block:
            cursor.setBlockFormat(mark.block)
        if cursor.blockCharFormat() != mark.characters:
            cursor.setBlockCharFormat(mark.characters)
        self._builder.place = mark.place


class _Mark:
    """Where the frozen part of a document ends, and how its last block looks."""

    __slots__ = ("block", "characters", "place", "position")

    def __init__(self, position: int, place: Place, block: QTextBlockFormat, characters: QTextCharFormat) -> None:
        self.position, self.place, self.block, self.characters = position, place, block, characters
