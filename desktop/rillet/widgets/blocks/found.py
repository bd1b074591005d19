"""What was found in a document, drawn over it: hits on one ground, the hit that one has come to on another.

Qt's own ``ExtraSelections`` draw a whole paragraph once for every selection in it, so that a window full of hits of one
letter takes twenty milliseconds whenever it is painted. Here the document is drawn once more, all of it selected, and
clipped to where the hits are. Knows documents and colours only. Below: ``text`` draws one of these in each view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QRegion,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLine,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.theme.tokens import Tokens

Span: TypeAlias = tuple[int, int]
"""Characters [start, end) of a document, in UTF-16 units."""


class Found:
    """The hits of one document.

    Attributes:
        spans: Where they are, in the order of the text.
        current: The one that one has come to; None if it is in another document.
    """

    def __init__(self) -> None:
        self.spans: Sequence[Span] = ()
        self.current: Span | None = None
        self._hit = QTextCharFormat()
        self._current = QTextCharFormat()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours."""
        self._hit = _ground(tokens.mark, tokens.text)
        self._current = _ground(tokens.accent, tokens.on_accent)

    def __bool__(self) -> bool:
        return bool(self.spans) or self.current is not None

    def draw(self, painter: QPainter, document: QTextDocument, palette: QPalette, clip: QRectF) -> None:
        """Draw them over ``document``, as far as they lie in ``clip``; all in the document's pixels."""
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = palette
        context.clip = clip
        _draw_again(painter, document, context, self._hit, self.spans)
        if self.current is not None:
            _draw_again(painter, document, context, self._current, [self.current])


def rects_of(document: QTextDocument, spans: Sequence[Span]) -> Iterator[QRect]:
    """Where characters stand in a document that is laid out; several rectangles for what stands in several lines."""
    layout = document.documentLayout()
    block = QTextBlock()
    origin = QPointF()
    for start, end in spans:
        at = start
        while at < end:
            if not block.isValid() or not block.contains(at):
                block = document.findBlock(at)
                if not block.isValid():
                    break
                origin = layout.blockBoundingRect(block).topLeft()
            first = block.position()
            line = block.layout().lineForTextPosition(at - first)
            stop = min(end, first + line.textStart() + line.textLength()) if line.isValid() else at
            if stop > at:
                yield from _rects_in(line, at - first, stop - first, origin)
            at = max(stop, at + 1)


def _rects_in(line: QTextLine, start: int, end: int, origin: QPointF) -> Iterator[QRect]:
    """The rectangles of a part of a line: neighbours in the text stand apart where directions of writing mix."""
    top, height = round(origin.y() + line.y()), round(line.height())
    left = right = 0.0
    for at in range(start, end):
        edges = x_of(line, at, QTextLine.Edge.Leading), x_of(line, at, QTextLine.Edge.Trailing)
        if at > start and (min(edges) == right or max(edges) == left):
            left, right = min(left, *edges), max(right, *edges)
            continue
        if at > start:
            yield _rect(origin.x() + left, origin.x() + right, top, height)
        left, right = min(edges), max(edges)
    yield _rect(origin.x() + left, origin.x() + right, top, height)


def _rect(left: float, right: float, top: int, height: int) -> QRect:
    return QRect(round(left), top, max(1, round(right) - round(left)), height)


def x_of(line: QTextLine, character: int, edge: QTextLine.Edge) -> float:
    """Where a character begins or ends, in the direction in which it is read."""
    # What PySide returns is the position and the character that it belongs to; its stubs do not know.
    return cast("tuple[float, int]", line.cursorToX(character, edge))[0]


def _draw_again(
    painter: QPainter,
    document: QTextDocument,
    context: QAbstractTextDocumentLayout.PaintContext,
    style: QTextCharFormat,
    spans: Sequence[Span],
) -> None:
    region = QRegion()
    for rect in rects_of(document, spans):
        region += rect
    painter.setClipRegion(region)
    everything = QAbstractTextDocumentLayout.Selection()
    everything.cursor = QTextCursor(document)
    everything.cursor.select(QTextCursor.SelectionType.Document)
    everything.format = style
    context.selections = [everything]
    document.documentLayout().draw(painter, context)


def _ground(colour: str, ink: str) -> QTextCharFormat:
    style = QTextCharFormat()
    style.setBackground(QColor(colour))
    style.setForeground(QColor(ink))
    return style
