"""Documents of code: one block to a line, never wrapped, always left to right.

Above: ``highlight`` for the colours. Below: the code blocks of the transcript. Knows no Markdown. Guarantee: after
``finish`` a document that grew equals the one that ``code_document`` makes of the same text, colours included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption

from rillet.widgets.markdown.document import SafeDocument, inert_code, sound
from rillet.widgets.markdown.highlight import Highlighter

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

TAB_COLUMNS = 4


def code_document(source: str, language: str, theme: Theme, parent: QObject | None = None) -> SafeDocument:
    """The document of a finished piece of code, coloured. ``language`` is the fence's word, "" for none."""
    live = LiveCode(language, theme, parent)
    live.complete(source)
    return live.document


class LiveCode:
    """Owner of the document of a code segment that is still arriving.

    Attributes:
        document: The document; the same object for as long as this lives.
        source: What it shows.
    """

    def __init__(self, language: str, theme: Theme, parent: QObject | None = None) -> None:
        self.document = SafeDocument(theme.mono, parent)
        self.source = ""
        option = QTextOption()
        option.setTabStopDistance(QFontMetricsF(theme.mono).horizontalAdvance(" ") * TAB_COLUMNS)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self.document.setDefaultTextOption(option)
        self._block = QTextBlockFormat()
        self._block.setLineHeight(theme.code_line, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        self._characters = QTextCharFormat()
        self._characters.setForeground(QColor(theme.foreground))
        self._highlighter = Highlighter(self.document, language, theme.tokens)
        self._finished = False
        self._clear()

    def append(self, text: str) -> None:
        """Add text at the end, and colour the lines that it completes."""
        if _joins(self.source, text):
            text = self.source + text
            self._clear()
        self._insert(text)
        if "\n" in text:
            self._highlighter.advance()

    def update(self, source: str) -> None:
        """Show ``source``: append what is new, or start over when it is not a longer form of what is shown."""
        if source.startswith(self.source):
            if len(source) > len(self.source):
                self.append(source[len(self.source) :])
            return
        self._clear()
        self.append(source)

    def finish(self) -> None:
        """The code is complete: colour it once more, as a whole."""
        if not self._finished:
            self._finished = True
            self._highlighter.finish()

    def complete(self, source: str) -> None:
        """Show ``source``, all of it at once: it is coloured only as a whole."""
        self._clear()
        self._insert(source)
        self.finish()

    def _insert(self, text: str) -> None:
        if self._finished:
            self._finished = False
            self._highlighter.restart()  # its last line may go on
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(inert_code(sound(text)), self._characters)
        self.source += text

    def _clear(self) -> None:
        cursor = QTextCursor(self.document)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        cursor.setBlockFormat(self._block)
        cursor.setBlockCharFormat(self._characters)
        self._highlighter.restart()
        self.source = ""


def _joins(before: str, after: str) -> bool:
    """Whether the halves of a surrogate pair meet: a server may cut between two JSON escapes."""
    return "\ud800" <= before[-1:] < "\udc00" <= after[:1] <= "\udfff"
