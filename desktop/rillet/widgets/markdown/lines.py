"""Places in a document that is laid out: where a line is, and which character is at a height or a point.

Knows documents only. Below: ``blocks/text`` draws beside lines, ``transcript/holding`` keeps a line where it is while
everything around it changes, ``transcript/selecting`` asks what the mouse points at.

Our lines have a least height (``formats``), so they are higher than their letters, with the surplus above. Qt counts it
neither into the rectangle of a block nor as a part of the line that one can point at; here it is both. How much it is
depends on the font: nothing with Noto Sans, a quarter of the line with DejaVu Sans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QTextBlock, QTextDocument

_FUZZY = Qt.HitTestAccuracy.FuzzyHit


class Line(NamedTuple):
    """The letters of a line of text, in pixels below the top of its document."""

    top: float
    height: float


def block_rect(document: QTextDocument, block: QTextBlock) -> QRectF:
    """Where a block is, from the surplus of its first line to the letters of its last one."""
    rect = document.documentLayout().blockBoundingRect(block)
    rect.setHeight(max(rect.height(), block.layout().boundingRect().bottom()))
    return rect


def line_of(document: QTextDocument, offset: int) -> Line:
    """The line that the character ``offset`` (UTF-16 units) stands on; the last one if there is no such character."""
    block = document.findBlock(max(0, min(offset, document.characterCount() - 1)))
    rect = document.documentLayout().blockBoundingRect(block)
    line = block.layout().lineForTextPosition(min(offset - block.position(), block.length() - 1))
    if not line.isValid():
        return Line(rect.top(), rect.height())
    return Line(rect.top() + line.y(), line.height())


def offset_at(document: QTextDocument, y: float) -> int:
    """The first character of the first line that begins at ``y`` or below, or of the last line."""
    offset = document.documentLayout().hitTest(QPointF(0, y), _FUZZY)
    block = document.findBlock(max(0, offset))
    line = block.layout().lineForTextPosition(max(0, offset) - block.position())
    start = block.position() + (line.textStart() if line.isValid() else 0)
    if line_of(document, start).top >= y:
        return start
    behind = block.position() + line.textStart() + line.textLength() if line.isValid() else start
    if behind < block.position() + block.length() - 1:
        return behind
    return block.next().position() if block.next().isValid() else start


def offset_under(document: QTextDocument, point: QPointF) -> int:
    """The place between two characters that is nearest to ``point``: in the line at its height, if there is one."""
    layout = document.documentLayout()
    offset = max(0, layout.hitTest(point, _FUZZY))
    block = document.findBlock(offset)
    if block.next().isValid() and point.y() >= layout.blockBoundingRect(block.next()).top():
        block = block.next()
    top = layout.blockBoundingRect(block).top()
    if point.y() < top:
        return offset
    for number in range(block.layout().lineCount()):
        line = block.layout().lineAt(number).rect().translated(0, top)
        if point.y() < line.top():
            return max(0, layout.hitTest(QPointF(point.x(), line.center().y()), _FUZZY))
        if point.y() < line.bottom():
            break
    return offset
