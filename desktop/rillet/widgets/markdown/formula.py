"""The document of a display formula that stands by itself: one picture, or its source while there is none.

Above: ``math``, ``tex``. Below: the formula blocks of the transcript. Guarantee: after every update the document equals
the one made of the same source at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCursor, QTextOption

from rillet.widgets.markdown.document import SafeDocument, inert, sound
from rillet.widgets.markdown.formats import Formats
from rillet.widgets.markdown.tex import block_tex

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from rillet.widgets.markdown.math import MathWriter
    from rillet.widgets.theme.palette import Theme


class LiveFormula:
    """Owner of the document of a display formula.

    Attributes:
        document: The document; the same object for as long as this lives.
        source: What it shows, its marks included.
    """

    def __init__(self, theme: Theme, *, math: MathWriter | None = None, parent: QObject | None = None) -> None:
        self.document = SafeDocument(theme.body, parent)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self.document.setDefaultTextOption(option)
        self.source = ""
        self._formats = Formats(theme)
        self._math = math

    def update(self, source: str) -> None:
        """Show ``source``."""
        if source == self.source:
            return
        self.source = source
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        cursor.setBlockFormat(self._formats.block(0))
        cursor.setBlockCharFormat(self._formats.text)
        tex = block_tex(source)
        if tex is None or self._math is None:
            cursor.insertText(inert(sound(source)).replace("\n", "\u2028"), self._formats.text)
        else:
            self._math.write(cursor, tex, source, self._formats.text, display=True, alone=True)
        cursor.endEditBlock()


def formula_document(
    source: str, theme: Theme, *, math: MathWriter | None = None, parent: QObject | None = None
) -> SafeDocument:
    """The document of a display formula."""
    live = LiveFormula(theme, math=math, parent=parent)
    live.update(source)
    return live.document
