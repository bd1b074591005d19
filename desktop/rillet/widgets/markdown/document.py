"""A QTextDocument that reads nothing, and text that cannot upset one.

Above: Qt. Below: ``build`` and ``code`` fill such documents. Guarantee: whatever a document holds, Qt opens no file and
no socket for it, and inserted text never splits a block or a frame by itself.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QFont, QImage, QTextDocument

if TYPE_CHECKING:
    from PySide6.QtCore import QObject, QUrl

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# What QTextCursor.insertText takes for a new block or frame, and what stands for an object; a NUL ends C strings.
_INERT: Final = str.maketrans(
    {"\0": "\ufffd", "\r": "", "\u2029": "\u2028", "\ufdd0": "\ufffd", "\ufdd1": "\ufffd", "\ufffc": "\ufffd"}
)
_ACTIVE: Final = re.compile("[\0\r\u2029\ufdd0\ufdd1\ufffc]")


class SafeDocument(QTextDocument):
    """Without undo, without margin, and blind: every resource it asks for is a transparent pixel."""

    def __init__(self, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultFont(font)

    def loadResource(self, kind: int, name: QUrl | str) -> QImage | str:
        """Nothing from outside. None or empty bytes would make Qt open the path itself (seen with Qt 6.11)."""
        image = QTextDocument.ResourceType.ImageResource.value
        return _pixel() if getattr(kind, "value", kind) == image else ""


def sound(text: str) -> str:
    """``text`` without lone surrogates, which no encoder downstream accepts; pairs become their character."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def inert(text: str) -> str:
    """``text`` without characters that mean structure to a QTextDocument. Newlines stay, carriage returns go."""
    return text if _ACTIVE.search(text) is None else text.translate(_INERT)


@cache
def _pixel() -> QImage:
    image = QImage(1, 1, QImage.Format.Format_ARGB32)
    image.fill(0)
    return image
