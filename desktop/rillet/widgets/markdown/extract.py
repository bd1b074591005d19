"""A part of a document as text: as it reads, or as Markdown that says the same.

For what is cut out of the middle; what is copied whole is copied from its source. Above: the documents that ``build``
and its neighbours make. Below: ``transcript/copying``. Guarantees: a formula is its source, never U+FFFC; the Markdown
of a text, built again, reads like that text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextListFormat,
)

from rillet.widgets.links import IMAGE
from rillet.widgets.markdown.document import ASIDE
from rillet.widgets.markdown.math import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QTextDocument, QTextList, QTextTable

_OBJECT: Final = "\ufffc"
_QUOTE: Final = QTextFormat.Property.BlockQuoteLevel
_SPECIAL = re.compile(r"([\\`*_\[\]<>~$|])")
_STARTS_BLOCK = re.compile(r"(\s*\d{0,9})([-+#=]|(?<=\d)[.)])")
_BULLETS: Final = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)
_MARKERS: Final = {QTextBlockFormat.MarkerType.Unchecked: "[ ] ", QTextBlockFormat.MarkerType.Checked: "[x] "}


def plain_text(document: QTextDocument, start: int = 0, end: int | None = None) -> str:
    """The characters in [``start``, ``end``) (UTF-16 units) as they read: a cell of a table ends with a tab."""
    text = ""
    above: _Block | None = None
    for block in _blocks(document, start, end):
        if above is not None:
            text += _between(above, block)
        marker = "" if block.cut else _marker(block)
        text += marker + "".join(content for content, _ in block.runs).replace("\u2028", "\n")
        above = block
    return text


def markdown_text(document: QTextDocument, start: int = 0, end: int | None = None) -> str:
    """The characters in [``start``, ``end``) (UTF-16 units) as Markdown, with emphasis, links, lists and headings."""
    lines = ""
    above: _Block | None = None
    for block in _blocks(document, start, end):
        if above is not None:
            lines += "\n" if (block.list and above.list) or _is_code(above, block) else "\n\n"
        fenced = block.framed and (above is None or not above.framed)
        closes = block.framed and block.last_of_frame
        written = "".join(content for content, _ in block.runs).replace("\u2028", "\n")
        if not block.framed:
            written = _inline(block)
        prefix = "> " * block.quotes
        if not block.framed and not block.cut:
            prefix += "#" * block.heading + " " * bool(block.heading) + _marker(block)
        written = ("```\n" if fenced else "") + written + ("\n```" if closes else "")
        lines += prefix + written.replace("\n", "\n" + "> " * block.quotes)
        above = block
    return lines


@dataclass(slots=True)
class _Block:
    """A block, or the part of one that is wanted."""

    block: QTextBlock
    runs: list[tuple[str, QTextCharFormat]]
    cut: bool
    """Its beginning is not wanted."""
    cell: tuple[int, int] | None
    """Row and column in a table."""
    framed: bool
    """It is a line of code inside a list or a quote."""
    last_of_frame: bool

    @property
    def heading(self) -> int:
        return self.block.blockFormat().headingLevel()

    @property
    def quotes(self) -> int:
        return self.block.blockFormat().intProperty(_QUOTE)

    @property
    def list(self) -> QTextList | None:
        return cast("QTextList | None", self.block.textList())


def _blocks(document: QTextDocument, start: int, end: int | None) -> Iterator[_Block]:
    end = document.characterCount() - 1 if end is None else end
    block = document.findBlock(start)
    while block.isValid() and block.position() < max(end, start + 1):
        place = QTextCursor(block)
        table = cast("QTextTable | None", place.currentTable())
        cell = table.cellAt(block.position()) if table is not None else None
        frame = place.currentFrame()
        framed = table is None and frame is not document.rootFrame()
        if not (block.length() == 1 and table is None and _is_beside_frame(block)):
            yield _Block(
                block,
                list(_runs(block, start, end)),
                block.position() < start,
                (cell.row(), cell.column()) if cell is not None else None,
                framed,
                framed and (end <= block.position() + block.length() or block.next().position() > frame.lastPosition()),
            )
        block = block.next()


def _is_beside_frame(block: QTextBlock) -> bool:
    """Whether an empty block is one that Qt keeps before a table that begins a document, or behind what ends one."""
    behind = block.next()
    if not behind.isValid():
        return block.previous().isValid()
    return not block.previous().isValid() and cast("QTextTable | None", QTextCursor(behind).currentTable()) is not None


def _runs(block: QTextBlock, start: int, end: int) -> Iterator[tuple[str, QTextCharFormat]]:
    step = block.begin()
    while not step.atEnd():
        fragment = step.fragment()
        step += 1
        at = fragment.position()
        low, high = max(start, at) - at, min(end, at + fragment.length()) - at
        if low >= high:
            continue
        style = fragment.charFormat()
        if style.hasProperty(ASIDE):
            continue
        text = fragment.text()
        if style.hasProperty(SOURCE):
            yield style.stringProperty(SOURCE) * (high - low), style  # neighbours of one format are one fragment
            continue
        if low or high < fragment.length():
            text = text.encode("utf-16-le", "surrogatepass")[2 * low : 2 * high].decode("utf-16-le", "replace")
        yield text.replace(_OBJECT, ""), style


def _between(above: _Block, below: _Block) -> str:
    if above.cell is not None and below.cell is not None and above.cell != below.cell:
        return "\t" if above.cell[0] == below.cell[0] else "\n"
    if _is_code(above, below) or (above.list and below.list) or above.cell is not None:
        return "\n"
    # A person's text is a block to a line, and the space between paragraphs belongs to Markdown alone.
    return "\n\n" if below.block.blockFormat().topMargin() > 0 else "\n"


def _is_code(above: _Block, below: _Block) -> bool:
    return above.framed and below.framed


def _marker(block: _Block) -> str:
    """What stands before the text of an item."""
    items = block.list
    task = _MARKERS.get(block.block.blockFormat().marker(), "")
    if items is None:
        return task
    form = items.format()
    indent = "   " * max(0, form.indent() - 1 - block.quotes)
    if form.style() in _BULLETS:
        return f"{indent}- {task}"
    return f"{indent}{form.start() + items.itemNumber(block.block)}. {task}"


def _inline(block: _Block) -> str:
    """The runs of a block with the marks of their formats."""
    text = ""
    for content, style in block.runs:
        inner = content.strip()
        if inner and not style.hasProperty(SOURCE):
            left, right = content.split(inner, 1)
            text += f"{left}{_marked(inner, style, heading=bool(block.heading))}{right}"
        else:
            text += content
    text = text.replace("\u2028", "\\\n")
    starts = _STARTS_BLOCK.match(text)
    return f"{starts[1]}\\{text[starts.start(2) :]}" if starts is not None else text


def _marked(text: str, style: QTextCharFormat, *, heading: bool) -> str:
    if style.fontFixedPitch():
        fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
        space = " " if "`" in text else ""
        text = f"{fence}{space}{text}{space}{fence}"
    else:
        text = _SPECIAL.sub(r"\\\1", text)
    if style.fontWeight() >= (QFont.Weight.Bold if heading else QFont.Weight.DemiBold):
        text = f"**{text}**"
    if style.fontItalic():
        text = f"*{text}*"
    if style.fontStrikeOut():
        text = f"~~{text}~~"
    if style.isAnchor() and style.anchorHref():
        text = f"[{text}](<{style.anchorHref().removeprefix(IMAGE)}>)"
    return text
