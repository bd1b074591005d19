"""Places in a document that is laid out: which line a character stands on, and which character stands at a height.

Knows documents only. Below: ``view`` keeps a line where it is while everything around it changes, ``finder`` and
``selecting`` bring a line into sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument


class Line(NamedTuple):
    """A line of text, in pixels below the top of its document."""

    top: float
    height: float


def line_of(document: QTextDocument, offset: int) -> Line:
    """The line that the character ``offset`` (UTF-16 units) stands on; the last one if there is no such character."""
    block = document.findBlock(max(0, min(offset, document.characterCount() - 1)))
    layout = block.layout()
    rect = document.documentLayout().blockBoundingRect(block)
    line = layout.lineForTextPosition(min(offset - block.position(), block.length() - 1))
    if not line.isValid():
        return Line(rect.top(), rect.height())
    return Line(rect.top() - layout.boundingRect().top() + line.y(), line.height())


def offset_at(document: QTextDocument, y: float) -> int:
    """The first character of the first line that begins at ``y`` or below, or of the last line."""
    offset = document.documentLayout().hitTest(QPointF(0, y), Qt.HitTestAccuracy.FuzzyHit)
    block = document.findBlock(max(0, offset))
    line = block.layout().lineForTextPosition(max(0, offset) - block.position())
    start = block.position() + (line.textStart() if line.isValid() else 0)
    if line_of(document, start).top >= y:
        return start
    behind = block.position() + line.textStart() + line.textLength() if line.isValid() else start
    if behind < block.position() + block.length() - 1:
        return behind
    return block.next().position() if block.next().isValid() else start
