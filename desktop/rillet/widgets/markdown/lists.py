"""A list while its items are built: the style of its markers, and the room that these need.

Above: ``formats``. Below: ``build`` joins items to it. Knows no Markdown. Guarantees: a number is never cut, and stands
before its point in the direction in which its item reads; texts stand in line as long as the numbers beside them fit
into the indentation and the room left of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextListFormat

from rillet.widgets.markdown.formats import AFTER_NUMBER, HANG

if TYPE_CHECKING:
    from PySide6.QtGui import QTextCursor, QTextList

    from rillet.widgets.markdown.formats import Formats

_Style = QTextListFormat.Style
_ORDERED: Final = (_Style.ListDecimal, _Style.ListLowerAlpha, _Style.ListLowerRoman)
_BULLETS: Final = (_Style.ListDisc, _Style.ListCircle, _Style.ListSquare)
_LONG_NUMBER: Final = 100
"""From here on a number may need more room than the indentation has."""
_BESIDE_BAR: Final = 8
"""What the number of an item in a quote keeps off the bar, in pixels."""


class OpenList:
    """A list; its ``QTextList`` is made with the first item.

    Attributes:
        marker: What its items begin with in the source; those of a list that goes on begin with the same.
        made: The ``QTextList`` that the last item belongs to; None before there is one.
    """

    def __init__(self, marker: str, *, depth: int, quotes: int, start: int | None) -> None:
        """A list inside ``depth`` others and ``quotes`` quotes; ``start`` is its first number, None if it has none."""
        self.marker = marker
        self.made: QTextList | None = None
        self._levels = depth + 1
        self._quoted = quotes > 0
        self._format = QTextListFormat()
        self._format.setIndent(quotes + depth + 1)
        self._format.setStyle((_BULLETS if start is None else _ORDERED)[depth % 3])
        if start is not None:
            self._format.setStart(start)

    @property
    def indent(self) -> int:
        """Levels of indentation that its items have from it, and not from their blocks."""
        return self._format.indent()

    @property
    def next_number(self) -> int:
        """The number of the next item."""
        return self._format.start() if self.made is None else self.made.format().start() + self.made.count()

    def join(self, cursor: QTextCursor, formats: Formats) -> None:
        """Make the block at ``cursor`` the next item. Its text must be there: it tells in which direction it reads."""
        backwards = cursor.block().textDirection() is Qt.LayoutDirection.RightToLeft
        number = self.next_number
        if self.made is not None and self._takes(self.made, backwards=backwards):
            self.made.add(cursor.block())
        else:
            self.made = self._begin(cursor, backwards=backwards)
        if self._format.style() in _BULLETS:
            # Qt puts a bullet one space beside its text, in the font of the block: that of code is wide enough.
            boxed = cursor.blockFormat().marker() != QTextBlockFormat.MarkerType.NoMarker
            cursor.setBlockCharFormat(formats.beside_box if boxed and backwards else formats.code)
        elif number >= _LONG_NUMBER and self._format.style() is _Style.ListDecimal:
            self._make_room(cursor, formats.number_width(number), backwards=backwards)

    def _takes(self, made: QTextList, *, backwards: bool) -> bool:
        """Whether an item that reads from right to left (``backwards``), or does not, can join ``made``.

        There Qt puts what stands before a number behind it, and the other way round, and then lays both out from right
        to left: what is right for one direction is wrong for the other, and it belongs to the list, not to its items.
        """
        return self._format.style() in _BULLETS or bool(made.format().numberPrefix()) == backwards

    def _begin(self, cursor: QTextCursor, *, backwards: bool) -> QTextList:
        """A ``QTextList`` with one item that goes on with the numbers of the one before."""
        form = QTextListFormat(self._format)
        if form.style() not in _BULLETS:
            form.setStart(self.next_number)
            form.setNumberPrefix(AFTER_NUMBER if backwards else "")
            form.setNumberSuffix("" if backwards else AFTER_NUMBER)
        return cursor.createList(form)

    def _make_room(self, cursor: QTextCursor, needed: float, *, backwards: bool) -> None:
        """Move an item whose number needs more than its indentation and what is left of that."""
        indent = cursor.document().indentWidth()
        beside = indent - _BESIDE_BAR if self._quoted else HANG
        missing = needed - self._levels * indent - beside
        if missing > 0:
            moved = cursor.blockFormat()
            moved.setRightMargin(missing) if backwards else moved.setLeftMargin(missing)
            cursor.setBlockFormat(moved)
