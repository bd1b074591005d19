"""A QTextDocument that reads nothing, and text that cannot upset one.

Above: Qt. Below: ``build`` and ``code`` fill such documents. Guarantee: whatever a document holds, Qt opens no file and
no socket for it, inserted text never splits a block or a frame by itself, and no piece of it changes the order in which
the text around it is drawn.

Characters that open or close a direction (Unicode's embeddings, overrides and isolates) have an effect up to the end of
their paragraph: on a mark behind a link, on the next cell of a row. Text loses them, for its paragraphs find their
direction by their letters; the marks without an extent (LRM, RLM, ALM) stay. Code shows a replacement character for
each, since hidden ones make code read otherwise than it runs ("Trojan Source", CVE-2021-42574). The source, and so what
a message gives to the clipboard, keeps them all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QFont, QImage, QTextDocument, QTextFormat

if TYPE_CHECKING:
    from PySide6.QtCore import QObject, QUrl

ASIDE: Final = QTextFormat.Property.UserProperty.value + 2
"""Property of characters that are there for the drawing alone: no text that is taken out of a document has them."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_DIRECTIONS: Final = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# What QTextCursor.insertText takes for a new block or frame, and what stands for an object; a NUL ends C strings.
_STRUCTURE: Final = {
    "\0": "\ufffd",
    "\r": "",
    "\u2029": "\u2028",
    "\ufdd0": "\ufffd",
    "\ufdd1": "\ufffd",
    "\ufffc": "\ufffd",
}
_INERT: Final = str.maketrans(_STRUCTURE | dict.fromkeys(_DIRECTIONS, ""))
_INERT_CODE: Final = str.maketrans(_STRUCTURE | dict.fromkeys(_DIRECTIONS, "\ufffd"))
_ACTIVE: Final = re.compile(f"[{''.join(_STRUCTURE)}{_DIRECTIONS}]")


class SafeDocument(QTextDocument):
    """Without undo, without margin, and blind: every resource it asks for is a transparent pixel."""

    def __init__(self, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font)

    def loadResource(self, kind: int, name: QUrl | str) -> QImage | str:
        """Nothing from outside."""
        return nothing(kind)


def nothing(kind: int) -> QImage | str:
    """The resource to answer with. None or empty bytes would make Qt open the path itself (seen with Qt 6.11)."""
    image = QTextDocument.ResourceType.ImageResource.value
    return _pixel() if getattr(kind, "value", kind) == image else ""


def sound(text: str) -> str:
    """``text`` without lone surrogates, which no encoder downstream accepts; pairs become their character."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def inert(text: str) -> str:
    """``text`` without what means structure to a QTextDocument or turns directions. Newlines stay."""
    return text if _ACTIVE.search(text) is None else text.translate(_INERT)


def inert_code(text: str) -> str:
    """The same for code, where each character that turns directions is seen to be there."""
    return text if _ACTIVE.search(text) is None else text.translate(_INERT_CODE)


@cache
def _pixel() -> QImage:
    image = QImage(1, 1, QImage.Format.Format_ARGB32)
    image.fill(0)
    return image
