"""Colours of code, by pygments; in a document of code they are formats of the layout and never edit it.

Above: ``theme/tokens``. Below: ``code``, and ``build`` for code inside lists. Pygments is imported with the first
coloured line, for nothing of it may load before the window's first paint. While code arrives, only what follows the
last safe line is read again; what a lexer misjudged by starting there is put right when the code is complete.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from rillet.widgets.theme.tokens import Tokens

LINE_LIMIT: Final = 2000
"""A longer line stays plain: it is data, and lexers are not written for it."""
_NEUTRAL: Final = (
    "Token.Text",
    "Token.Punctuation",
    "Token.Operator",
    "Token.Comment.Single",
    "Token.Comment.Hashbang",
)
# The most specific prefix of a token's type decides; None leaves the text's own colour.
_COLOURS: Final = (
    ("Token.Comment", "code_comment"),
    ("Token.Literal.String.Doc", "code_string"),
    ("Token.Literal.String", "code_string"),
    ("Token.Literal.Number", "code_number"),
    ("Token.Keyword.Constant", "code_number"),
    ("Token.Keyword", "code_keyword"),
    ("Token.Operator.Word", "code_keyword"),
    ("Token.Name.Tag", "code_keyword"),
    ("Token.Name.Function", "code_function"),
    ("Token.Name.Class", "code_function"),
    ("Token.Name.Decorator", "code_function"),
    ("Token.Name.Builtin", "code_builtin"),
    ("Token.Name.Attribute", "code_builtin"),
    ("Token.Name.Exception", "code_builtin"),
    ("Token.Generic.Deleted", "danger"),
    ("Token.Generic.Inserted", "good"),
    ("Token.Generic.Heading", "code_function"),
    ("Token.Generic.Subheading", "code_function"),
    ("Token.Generic.Prompt", "code_comment"),
)


@lru_cache(maxsize=32)
def coloured(code: str, language: str) -> tuple[tuple[str, str | None], ...]:
    """``code`` in pieces, each with the name of the token that colours it, or None for the colour of text.

    Remembered, for a document that grows is built again and again with the same code in it.
    """
    lexer = _lexer(language)
    if lexer is None or max(map(len, code.split("\n"))) > LINE_LIMIT:
        return ((code, None),)
    pieces: list[tuple[str, str | None]] = []
    for kind, value in lexer.get_tokens(code):
        colour = _colour(str(kind))
        if pieces and pieces[-1][1] == colour:
            pieces[-1] = (pieces[-1][0] + value, colour)
        else:
            pieces.append((value, colour))
    return tuple(pieces)


class Highlighter:
    """Colours the lines of one document, each of whose blocks is a line of code."""

    def __init__(self, document: QTextDocument, language: str, tokens: Tokens) -> None:
        self._document = document
        self._language = language
        self._tokens = tokens
        self._formats: dict[str, QTextCharFormat | None] = {}
        self._safe = 0

    def restart(self) -> None:
        """The document was emptied."""
        self._safe = 0

    def advance(self) -> None:
        """Colour every line that is complete: all but the last."""
        self._colour(self._document.blockCount() - 1)

    def finish(self) -> None:
        """Colour all lines, from the first, so that nothing depends on where reading was resumed."""
        self._safe = 0
        self._colour(self._document.blockCount())

    def _colour(self, end: int) -> None:
        """Colour the lines from the last safe one up to ``end``, and find the next safe one."""
        first = self._document.findBlockByNumber(self._safe)
        lines, blocks = _lines(first, end - self._safe)
        if not blocks:
            return
        lexer = _lexer(self._language)
        if lexer is None:
            self._safe = end
            return
        ranges, safe = self._read(lexer, lines)
        for block, spans in zip(blocks, ranges, strict=True):
            block.layout().setFormats(spans)
        last = blocks[-1]
        self._document.markContentsDirty(first.position(), last.position() + last.length() - first.position())
        self._safe += safe

    def _read(self, lexer: Lexer, lines: list[str]) -> tuple[list[list[QTextLayout.FormatRange]], int]:
        """What to colour in each line, and how many of them end with no string or comment open."""
        ranges: list[list[QTextLayout.FormatRange]] = [[]]
        safe = column = 0
        for kind, value in lexer.get_tokens("\n".join(lines) + "\n"):
            name = str(kind)
            style = self._format(name)
            before, *further = value.split("\n")
            column = self._mark(ranges[-1], column, before, style)
            for part in further:
                ranges.append([])
                column = self._mark(ranges[-1], 0, part, style)
            if further and name.startswith(_NEUTRAL):
                safe = len(ranges) - 1
        ranges += [[] for _ in lines]  # a lexer may swallow line ends, or make some up
        return ranges[: len(lines)], min(safe, len(lines))

    @staticmethod
    def _mark(spans: list[QTextLayout.FormatRange], column: int, text: str, style: QTextCharFormat | None) -> int:
        """Note that ``text`` stands at ``column`` in ``style``; returns the column behind it, in UTF-16 units."""
        width = _units(text)
        if width and style is not None:
            span = QTextLayout.FormatRange()
            span.start, span.length, span.format = column, width, style
            spans.append(span)
        return column + width

    def _format(self, name: str) -> QTextCharFormat | None:
        if name not in self._formats:
            colour = _colour(name)
            style = None
            if colour is not None:
                style = QTextCharFormat()
                style.setForeground(QColor(getattr(self._tokens, colour)))
            self._formats[name] = style
        return self._formats[name]


def warm_up() -> None:
    """Import pygments and prepare one lexer now, on any thread, at a moment when nobody waits."""
    _lexer("python")


@cache
def _colour(kind: str) -> str | None:
    return next((colour for prefix, colour in _COLOURS if kind.startswith(prefix)), None)


def _lines(block: QTextBlock, count: int) -> tuple[list[str], list[QTextBlock]]:
    lines: list[str] = []
    blocks: list[QTextBlock] = []
    while block.isValid() and len(blocks) < count:
        # One block is one line to the lexer, whatever separators are in it.
        text = " ".join(block.text().splitlines())
        lines.append(text if len(text) <= LINE_LIMIT else "")
        blocks.append(block)
        block = block.next()
    return lines, blocks


def _units(text: str) -> int:
    """Length in UTF-16 code units, in which Qt counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    """The lexer for a fence's word, or None when there is none."""
    name = _lexer_names().get(language.lower())
    if name is None:
        return None
    from pygments.lexers import find_lexer_class

    kind = find_lexer_class(name)
    assert kind is not None
    return kind(stripnl=False, ensurenl=False)


@cache
def _lexer_names() -> dict[str, str]:
    """What pygments calls the lexers that it brings along, by the words for their languages.

    Not ``get_lexer_by_name``: for a word that it does not know it reads the metadata of every installed package and
    runs what calls itself a plugin. That is 20 ms and dozens of files, at the wish of whoever wrote the fence.
    """
    from pygments.lexers import get_all_lexers

    return {alias.lower(): name for name, aliases, *_ in get_all_lexers(plugins=False) for alias in aliases}
