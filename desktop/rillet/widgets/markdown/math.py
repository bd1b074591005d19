"""Formulas inside documents: pictures that stand on the line of the text around them and know their source.

Above: ``formulas``. Below: ``inline`` and ``build`` write formulas, ``blocks/text`` asks for their source when text is
copied. Guarantee: what is not drawn, be it not yet or never, is shown as its source, and ``waiting`` says which of it
may still be drawn.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QFont,
    QFontInfo,
    QFontMetricsF,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
)

from rillet.widgets.markdown.document import ASIDE, inert
from rillet.widgets.markdown.formulas import Formulas, Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtGui import QTextBlock, QTextList

    from rillet.widgets.markdown.typeset import Drawing
    from rillet.widgets.theme.palette import Theme

SOURCE: Final = QTextFormat.Property.UserProperty.value + 1
"""Property of a formula's format: its Markdown source."""
_SCALE: Final = 1.08
"""The font for formulas has lower letters than those for text."""
_DISPLAY_SCALE: Final = 1.18
_OBJECT: Final = "\ufffc"


class MathWriter:
    """Writes formulas into one document.

    Attributes:
        waiting: What was asked for and is not settled yet; the document is to be built again when it is.
        drawn: Whether there are pictures in it.
    """

    def __init__(self, formulas: Formulas, theme: Theme, ratio: float = 1.0) -> None:
        """``ratio``: device pixels per logical pixel of the screen."""
        self.waiting: set[Key] = set()
        self.drawn = False
        self._pictures: dict[str, _Picture] = {}
        self._formulas = formulas
        self._body = theme.body
        self._pixels = QFontInfo(theme.body).pixelSize()
        self._ratio = ratio

    def write(
        self,
        cursor: QTextCursor,
        tex: str,
        source: str,
        around: QTextCharFormat,
        *,
        display: bool,
        alone: bool = False,
    ) -> None:
        """Insert the formula, or its ``source`` (with its marks), in the size and colour of the text ``around``.

        ``alone``: there is no text beside it to be in line with.
        """
        points = around.fontPointSize() or self._body.pointSizeF()
        size = self._pixels * points / self._body.pointSizeF() * (_DISPLAY_SCALE if display else _SCALE)
        key = Key(tex, round(size, 1), around.foreground().color().name(), display)
        drawing = self._formulas.find(key)
        if drawing is None:
            if self._formulas.is_pending(key):
                self.waiting.add(key)
            cursor.insertText(inert(source).replace("\n", "\u2028"), around)
            return
        self._insert(cursor, key, drawing, source, around, alone=alone)

    def _insert(
        self,
        cursor: QTextCursor,
        key: Key,
        drawing: Drawing,
        source: str,
        around: QTextCharFormat,
        *,
        alone: bool,
    ) -> None:
        font = QFont(self._body)
        if around.fontPointSize():
            font.setPointSizeF(around.fontPointSize())
        metrics = QFontMetricsF(font)
        height, top, alignment = _stand(drawing, metrics.descent(), metrics.xHeight() / 2)
        if alone:
            height, top, alignment = drawing.height, 0.0, QTextCharFormat.VerticalAlignment.AlignBaseline
        picture = _Picture(key, drawing, (math.ceil(drawing.width) + 2, math.ceil(height)), top)
        form = QTextImageFormat()
        self._scale(cursor.document(), form, picture, 1.0)
        form.setVerticalAlignment(alignment)
        form.setProperty(SOURCE, source)
        if around.isAnchor():
            form.setAnchor(True)
            form.setAnchorHref(around.anchorHref())
        cursor.insertImage(form)
        self.drawn = True

    def _scale(self, document: QTextDocument, form: QTextImageFormat, picture: _Picture, scale: float) -> None:
        """Have ``form`` show ``picture`` at ``scale``, painted for that size."""
        ratio = self._ratio * scale
        digest = hashlib.blake2b(
            repr((picture.key, picture.size, picture.top, ratio)).encode(), digest_size=12
        ).hexdigest()
        name = f"formula:{digest}"
        if name not in self._pictures:
            self._pictures[name] = picture
            image = self._formulas.image(picture.key, picture.drawing, ratio, picture.size, picture.top)
            document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
        form.setName(name)
        form.setWidth(picture.size[0] * scale)
        form.setHeight(picture.size[1] * scale)

    def shrink(self, document: QTextDocument, room_of: Callable[[QTextBlock], float]) -> None:
        """Make formulas of ``document`` fit that are wider than the room of their block, in pixels."""
        block = document.begin()
        while block.isValid():
            if _OBJECT in block.text():
                room = max(1.0, room_of(block))
                for start, length, form in list(_pictures_in(block)):
                    self._shrink(document, start, length, form, room)
            block = block.next()

    def _shrink(self, document: QTextDocument, start: int, length: int, form: QTextImageFormat, room: float) -> None:
        picture = self._pictures[form.name()]
        scale = min(1.0, room / picture.size[0])
        if form.width() == picture.size[0] * scale:
            return
        self._scale(document, form, picture, scale)
        cursor = QTextCursor(document)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(form)


class _Picture(NamedTuple):
    """A formula as it is placed in a line, at its natural size."""

    key: Key
    drawing: Drawing
    size: tuple[int, int]
    top: float


def _pictures_in(block: QTextBlock) -> Iterator[tuple[int, int, QTextImageFormat]]:
    """Position, length and format of every fragment of formulas."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        if fragment.charFormat().hasProperty(SOURCE):
            yield fragment.position(), fragment.length(), fragment.charFormat().toImageFormat()
        iterator += 1


def room_in(width: float) -> Callable[[QTextBlock], float]:
    """What ``MathWriter.shrink`` wants for flowing text that is ``width`` pixels wide: less the indentation."""

    def room(block: QTextBlock) -> float:
        of: QTextList | None = block.textList()  # None outside a list, whatever the binding declares
        indent = block.blockFormat().indent() + (of.format().indent() if of is not None else 0)
        return width - indent * block.document().indentWidth()

    return room


def _stand(drawing: Drawing, descent: float, half_x: float) -> tuple[float, float, QTextCharFormat.VerticalAlignment]:
    """Height of the picture, where the drawing begins in it, and how Qt is to align it, to stand on the base line.

    Qt puts the bottom of a picture aligned to the base line at the descent of the font; one aligned to the middle
    reaches half an x-height further up than down.
    """
    ascent = drawing.height - drawing.depth
    if drawing.depth <= descent:
        return ascent + descent, 0.0, QTextCharFormat.VerticalAlignment.AlignBaseline
    height = max(2 * drawing.depth + half_x, 2 * ascent - half_x)
    return height, (height + half_x) / 2 - ascent, QTextCharFormat.VerticalAlignment.AlignMiddle


def text_between(document: QTextDocument, start: int, end: int) -> str:
    """The text of ``document`` from ``start`` to ``end`` (UTF-16 units), formulas as their source."""
    pieces: list[str] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            first, last = fragment.position(), fragment.position() + fragment.length()
            if first < end and last > start and not fragment.charFormat().hasProperty(ASIDE):
                pieces.append(
                    _text_of(fragment.text(), fragment.charFormat(), max(0, start - first), min(end, last) - first)
                )
            iterator += 1
        if block.position() + block.length() <= end:
            pieces.append("\n")
        block = block.next()
    return "".join(pieces).replace("\u2028", "\n")


def _text_of(text: str, form: QTextCharFormat, start: int, end: int) -> str:
    source = form.stringProperty(SOURCE)
    if source and text.strip(_OBJECT) == "":
        return source * (end - start)  # neighbours of one format are one fragment
    units = text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end]
    return units.decode("utf-16-le", "replace")
