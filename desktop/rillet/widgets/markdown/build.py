"""Markdown tokens → the blocks, lists and frames of a QTextDocument.

Above: ``parse``, ``formats``, ``lists``, ``inline``, ``math``, ``highlight``. Below: ``live`` keeps a builder beside a
document that grows. Knows no widget. Guarantee: building a text in pieces, cut where nothing is open across the cut,
gives the document that building it whole gives; all that a later piece needs to know of the earlier ones is the
builder's ``place``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor, QTextList

from rillet.widgets.markdown.document import SafeDocument, inert, inert_code
from rillet.widgets.markdown.formats import HANG, Formats, indent_width
from rillet.widgets.markdown.growing import HELD
from rillet.widgets.markdown.highlight import coloured
from rillet.widgets.markdown.inline import write_inline
from rillet.widgets.markdown.lists import OpenList
from rillet.widgets.markdown.parse import parse
from rillet.widgets.markdown.tex import block_tex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from markdown_it.token import Token
    from PySide6.QtCore import QObject

    from rillet.widgets.markdown.math import MathWriter
    from rillet.widgets.theme.palette import Theme

_TASK = re.compile(r"\[([ xX])\][ \t]+")

Previous = Literal["", "text", "heading", "item", "rule", "row"]


@dataclass(frozen=True, slots=True)
class Place:
    """All that the next block needs to know of what was built before it."""

    previous: Previous = ""
    """What lies above; "item" is anything inside a list."""
    vacant: bool = True
    """The last block of the document is empty and waits to be used: at the start, and behind a frame."""
    blank: bool = False
    """The last complete line of the source was empty."""
    list: QTextList | None = None
    """The top-level list that the last block belongs to: an item with the same ``marker`` goes on with it."""
    marker: str = ""


def text_document(
    source: str,
    theme: Theme,
    *,
    references: Mapping[str, Mapping[str, Any]] | None = None,
    ordinal: int = 0,
    growing: bool = False,
    math: MathWriter | None = None,
    parent: QObject | None = None,
) -> SafeDocument:
    """Build the document of one text segment.

    ``references`` are link definitions of the whole message, ``ordinal`` the number of the first item when the segment
    goes on with an ordered list (both as ``Segmenter`` gives them). ``growing``: its last paragraph is not finished.
    Without ``math`` formulas are their source.
    """
    document = new_document(theme, parent, hanging=HANG)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    TextBuilder(theme, ordinal=ordinal, math=math).build(cursor, source, references, growing=growing)
    cursor.endEditBlock()
    return document


def new_document(theme: Theme, parent: QObject | None = None, *, hanging: int = 0) -> SafeDocument:
    """An empty document for text, with ``hanging`` pixels on both sides in which nothing but numbers stands."""
    document = SafeDocument(theme.body, parent)
    document.setIndentWidth(indent_width(theme))
    if hanging:
        frame = document.rootFrame().frameFormat()
        frame.setLeftMargin(hanging)
        frame.setRightMargin(hanging)
        document.rootFrame().setFrameFormat(frame)
    return document


class TextBuilder:
    """Appends Markdown to a document at a cursor that stands at its end.

    Attributes:
        place: What the next piece needs to know. Assign an earlier one after taking back what was built since.
        paragraph: The source of the last paragraph if it grows, the document ends with it, and all of it is shown; ""
            otherwise.
    """

    def __init__(self, theme: Theme, *, ordinal: int = 0, math: MathWriter | None = None) -> None:
        self.place = Place()
        self.paragraph = ""
        self._math = math
        self._note = ""
        self._formats = Formats(theme)
        self._tokens = theme.tokens
        self._ordinal = ordinal
        self._lists: list[OpenList] = []
        self._joining: OpenList | None = None
        self._quotes = self._outer_quotes = 0
        self._item = False
        self._loose = False
        self._lines: list[str] = []

    def build(
        self,
        cursor: QTextCursor,
        source: str,
        references: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        growing: bool = False,
    ) -> None:
        """Append ``source``. Wrap several calls into one edit block of the cursor: each edit costs a layout."""
        self._lines = source.split("\n")
        tokens = parse(source, references, growing=growing)
        self._walk(cursor, tokens)
        self.paragraph = _growing_paragraph(tokens, len(self._lines)) if growing else ""
        self.place = replace(self.place, blank=len(self._lines) > 1 and _is_blank(self._lines[-2]))
        if self.place.vacant and self.place.previous:
            cursor.setBlockFormat(self._formats.closing())

    def _walk(self, cursor: QTextCursor, tokens: list[Token]) -> None:
        stream = iter(tokens)
        for token in stream:
            match token.type:
                case "paragraph_open":
                    self._paragraph(cursor, next(stream))
                case "heading_open":
                    level = int(token.tag[1])
                    characters = self._formats.heading(level)
                    self._begin(cursor, "heading", characters, heading=level)
                    write_inline(cursor, next(stream).children or (), self._formats, characters, self._math)
                case "bullet_list_open" | "ordered_list_open":
                    self._open_list(cursor, token)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._item, self._loose = True, self._follows_blank(token)
                case "list_item_close":
                    self._empty_item(cursor)
                case "blockquote_open":
                    self._quotes += 1
                case "blockquote_close":
                    self._quotes -= 1
                case "fence" | "code_block":
                    self._code(cursor, token)
                case "hr":
                    self._rule(cursor)
                case "tr_open":
                    self._row(cursor, stream)
                case "math_block":
                    self._formula(cursor, token)
                case "footnote_reference_open":
                    self._note = token.meta["label"]
                case "footnote_reference_close":
                    self._label(cursor)
                case _:  # closing tokens, and a table's frame of tokens around its rows
                    pass
            self._join(cursor)

    # Blocks

    def _paragraph(self, cursor: QTextCursor, inline: Token) -> None:
        children = inline.children or []
        task = _TASK.match(inline.content) if self._item and children and children[0].type == "text" else None
        characters = self._formats.muted if self._quotes else self._formats.text
        self._begin(cursor, "text", characters)
        if task is not None and children[0].content.startswith(task[0]):
            marker = QTextBlockFormat.MarkerType.Unchecked if task[1] == " " else QTextBlockFormat.MarkerType.Checked
            marked = cursor.blockFormat()
            marked.setMarker(marker)
            cursor.setBlockFormat(marked)
            children = [children[0].copy(content=children[0].content[task.end() :]), *children[1:]]
        write_inline(cursor, children, self._formats, characters, self._math)

    def _formula(self, cursor: QTextCursor, token: Token) -> None:
        """A display formula inside a list or a quote."""
        characters = self._formats.muted if self._quotes else self._formats.text
        self._begin(cursor, "text", characters)
        tex = block_tex(token.content)
        if tex is None or self._math is None:
            cursor.insertText(inert(token.content).replace("\n", "\u2028"), characters)
        else:
            self._math.write(cursor, tex, token.content, characters, display=True, alone=True)

    def _label(self, cursor: QTextCursor) -> None:
        """The label of a footnote that has no text, at its end."""
        if self._note:
            self._begin(cursor, "text", self._formats.text)

    def _row(self, cursor: QTextCursor, stream: Iterator[Token]) -> None:
        """A row of a table that stands inside a list or a quote, as a line of text."""
        self._begin(cursor, "row", self._formats.text)
        first, head = True, False
        for token in stream:
            if token.type == "tr_close":
                break
            if token.type in ("th_open", "td_open"):
                if not first:
                    cursor.insertText("  \u2502  ", self._formats.muted)
                first = False
                head = token.type == "th_open"
            elif token.type == "inline":
                characters = self._formats.strong if head else self._formats.text
                write_inline(cursor, token.children or (), self._formats, characters, self._math)

    def _code(self, cursor: QTextCursor, token: Token) -> None:
        """Code inside a list or a quote: a frame that wraps, for a frame in a document cannot scroll sideways."""
        self._empty_item(cursor)
        gap = self._gap("text")
        if self.place.vacant:
            cursor.setBlockFormat(self._formats.closing())
        frame = cursor.insertFrame(self._formats.frame(gap, self._quotes + len(self._lists)))
        inside = frame.firstCursorPosition()
        inside.setBlockFormat(self._formats.code_block(self._quotes))
        code = token.content.rstrip("\n")
        for piece, colour in coloured(code, self._language(token)):
            inside.insertText(inert_code(piece), self._formats.coloured(colour))
        cursor.setPosition(frame.lastPosition() + 1)
        cursor.setBlockFormat(QTextBlockFormat())
        self._passed("text", vacant=True)

    def _language(self, token: Token) -> str:
        """The language of a fence that is closed; open ones are not coloured, for their code grows."""
        last = self._lines[token.map[1] - 1] if token.map and token.map[1] <= len(self._lines) else ""
        words = token.info.split()
        return words[0] if words and last.strip(" \t\r>").startswith(token.markup) else ""

    def _rule(self, cursor: QTextCursor) -> None:
        self._empty_item(cursor)
        self._block(cursor, self._formats.rule(self._gap("rule")), self._formats.hairline)
        self._passed("rule")

    def _begin(self, cursor: QTextCursor, kind: Previous, characters: QTextCharFormat, *, heading: int = 0) -> None:
        """Start a block; the first of an item joins the list when its text is there (``_join``)."""
        indent = self._quotes + len(self._lists)
        opened = self._lists[-1] if self._item else None
        if opened is not None:
            indent -= opened.indent
        gap = self._gap(kind, heading)
        self._block(cursor, self._formats.block(gap, indent=indent, quotes=self._quotes, heading=heading), characters)
        self._joining = opened
        self._item = False
        if self._note:
            label, self._note = self._note, ""
            cursor.insertText(inert(label), self._formats.footnote_label(characters))
            cursor.insertText("\u00a0", characters)
        self._passed(kind)

    def _join(self, cursor: QTextCursor) -> None:
        """Make an item of the block that was begun as one, now that its text is there."""
        opened, self._joining = self._joining, None
        if opened is None:
            return
        opened.join(cursor, self._formats)
        self.place = replace(self.place, list=self._top_list())

    def _top_list(self) -> QTextList | None:
        """The list that stands in no other and in no quote."""
        return self._lists[0].made if self._lists and not self._outer_quotes else None

    def _block(self, cursor: QTextCursor, block: QTextBlockFormat, characters: QTextCharFormat) -> None:
        if self.place.vacant:
            cursor.setBlockFormat(block)
            cursor.setBlockCharFormat(characters)
        else:
            cursor.insertBlock(block, characters)

    def _passed(self, kind: Previous, *, vacant: bool = False) -> None:
        """Note what was built."""
        self.place = replace(
            self.place,
            previous="item" if self._lists and kind != "row" else kind,
            vacant=vacant,
            list=self._top_list(),
            marker=self._lists[0].marker if self._lists and not self._outer_quotes else "",
        )

    def _gap(self, kind: Previous, heading: int = 0) -> int:
        """The distance to the block above, by what both are.

        Whether a list is tight is judged item by item: of the whole list, as CommonMark has it, it is not known before
        its end.
        """
        tokens, above = self._tokens, self.place.previous
        if not above:
            return 0
        if kind == "heading" and not self._lists and above != "heading":
            return tokens.gap_6 if heading <= 2 else tokens.gap_4
        if "rule" in (kind, above):
            return tokens.gap_4
        if (self._item and above == "item" and not self._loose) or kind == above == "row":
            return tokens.gap_1
        if self._lists or above == "heading":
            return tokens.gap_2
        return tokens.gap_3

    # Lists

    def _open_list(self, cursor: QTextCursor, token: Token) -> None:
        self._empty_item(cursor)
        depth = len(self._lists)
        if not depth:
            self._outer_quotes = self._quotes
        start: int | None = None
        if token.type == "ordered_list_open":
            written = token.attrGet("start")
            goes_on = self._ordinal and not self.place.previous and not depth
            start = self._ordinal if goes_on else 1 if written is None else int(written)
        opened = OpenList(token.markup, depth=depth, quotes=self._quotes, start=start)
        if not depth and not self._quotes and self.place.list is not None and self.place.marker == token.markup:
            opened.made = self.place.list
        self._lists.append(opened)

    def _empty_item(self, cursor: QTextCursor) -> None:
        """Give an item that does not begin with text a line of its own for its marker."""
        if self._item:
            self._begin(cursor, "text", self._formats.text)
            self._join(cursor)

    def _follows_blank(self, token: Token) -> bool:
        line = token.map[0] if token.map else 0
        return _is_blank(self._lines[line - 1]) if line else self.place.blank


def _growing_paragraph(tokens: list[Token], lines: int) -> str:
    """The source of the paragraph or heading that a text of so many lines ends with, if all of it is shown as text."""
    last = next((index for index in range(len(tokens) - 1, -1, -1) if tokens[index].nesting >= 0), 0)
    if not last or tokens[last - 1].type not in ("paragraph_open", "heading_open"):
        return ""
    token = tokens[last]
    whole = token.map is not None and token.map[1] == lines and not token.meta.get(HELD, True)
    end = next((child for child in reversed(token.children or ()) if child.nesting >= 0), None)
    return token.content if whole and end is not None and end.type == "text" else ""


def _is_blank(line: str) -> bool:
    """Whether a line is empty, be it inside a quote."""
    return not line.strip(" \t\r>")
