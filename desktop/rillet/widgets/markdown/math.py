"""Formulas inside documents: pictures that stand on the line of the text around them and know their source.

Above: ``formulas``. Below: ``inline`` and ``build`` write formulas, ``blocks/text`` asks for their source when text is
copied. Guarantee: what is not drawn, be it not yet or never, is shown as its source, and ``waiting`` says which of it
may still be drawn.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QFontInfo,
    QFontMetricsF,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextImageFormat,
)

from rillet.widgets.markdown.document import inert
from rillet.widgets.markdown.formulas import Formulas, Key

if TYPE_CHECKING:
    from PySide6.QtGui import QTextBlock

    from rillet.widgets.markdown.typeset import Drawing
    from rillet.widgets.theme.palette import Theme

SOURCE: Final = QTextFormat.Property.UserProperty.value + 1
"""Property of a formula's format: its Markdown source."""
_WIDTH: Final = QTextFormat.Property.UserProperty.value + 2
_HEIGHT: Final = QTextFormat.Property.UserProperty.value + 3
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
        metrics = QFontMetricsF(self._body)
        height, top, alignment = _stand(drawing, metrics.descent(), metrics.xHeight() / 2)
        if alone:
            height, top, alignment = drawing.height, 0.0, QTextCharFormat.VerticalAlignment.AlignBaseline
        width, height = math.ceil(drawing.width) + 2, math.ceil(height)
        name = QUrl(f"formula:{hashlib.blake2b(repr((key, self._ratio, alone)).encode(), digest_size=12).hexdigest()}")
        image = self._formulas.image(key, self._ratio, (width, height), top)
        cursor.document().addResource(QTextDocument.ResourceType.ImageResource.value, name, image)
        form = QTextImageFormat()
        form.setName(name.toString())
        form.setWidth(width)
        form.setHeight(height)
        form.setVerticalAlignment(alignment)
        form.setProperty(SOURCE, source)
        form.setProperty(_WIDTH, width)
        form.setProperty(_HEIGHT, height)
        if around.isAnchor():
            form.setAnchor(True)
            form.setAnchorHref(around.anchorHref())
        cursor.insertImage(form)
        self.drawn = True


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


def shrink_to(document: QTextDocument, width: float) -> None:
    """Make formulas that are wider than ``width`` pixels, less the indentation of their block, fit."""
    block = document.begin()
    while block.isValid():
        if _OBJECT in block.text():
            room = width - block.blockFormat().indent() * document.indentWidth()
            if (of := block.textList()) is not None:
                room -= of.format().indent() * document.indentWidth()
            _shrink_in(block, max(1.0, room))
        block = block.next()


def _shrink_in(block: QTextBlock, room: float) -> None:
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        form = fragment.charFormat().toImageFormat()
        natural = form.property(_WIDTH)
        if isinstance(natural, int):
            scale = min(1.0, room / natural)
            if form.width() != natural * scale:
                cursor = QTextCursor(block)
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                form.setWidth(natural * scale)
                form.setHeight(form.intProperty(_HEIGHT) * scale)
                cursor.setCharFormat(form)
                iterator = block.begin()  # the change ended the walk
                continue
        iterator += 1


def text_between(document: QTextDocument, start: int, end: int) -> str:
    """The text of ``document`` from ``start`` to ``end`` (UTF-16 units), formulas as their source."""
    pieces: list[str] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            first, last = fragment.position(), fragment.position() + fragment.length()
            if first < end and last > start:
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
