"""What a message is cut into.

Above: nothing. Below: ``segmenter`` makes segments, ``model`` keeps them, ``widgets/markdown`` lays one out. A segment
knows where its text lies in the source and what kind of block it is; height, document and widget are the view's affair.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

Kind = Literal["text", "code", "table", "math"]


class Block(msgspec.Struct, eq=False, gc=False):
    """What all segments of one fence or table share; a formula has one too."""

    language: str = ""
    """First word of the info string."""
    fence: str = ""
    """The opening run of backticks or tildes, or what closes a formula; "" for a table."""
    indent: int = 0
    """Columns by which the fence was indented; its code loses as many."""
    head: str = ""
    """A table's head and delimiter row."""
    rows: int = 0
    """How many rows of a table one segment holds."""
    open: bool = True


class Segment(msgspec.Struct, eq=False, gc=False):
    """A piece of the source that is laid out by itself. Compared by identity: a view keeps its state beside it.

    Attributes:
        kind: What it is drawn as.
        start: Where it begins in the source.
        end: Where what is to be shown of it ends: without the final newline, and without what is held back.
        stable: The last safe boundary: what lies before it in the segment is final, only ``[stable, end)`` may change.
        open: Whether more text may still join it.
        block: Shared by the segments of one fence, table or formula; None for text.
        continued: It goes on with the block or paragraph that the segment before was cut from.
        more: Another segment of the same block or paragraph follows.
        item: It starts at an item of a list that began in a segment before.
        ordinal: The number of that item when the list is ordered, else 0.
        lines: How many lines of code or rows of a table it holds.
    """

    kind: Kind
    start: int
    end: int = 0
    stable: int = 0
    open: bool = True
    block: Block | None = None
    continued: bool = False
    more: bool = False
    item: bool = False
    ordinal: int = 0
    lines: int = 0

    def __post_init__(self) -> None:
        self.end = self.stable = self.start

    @property
    def growing(self) -> bool:
        """Whether the last paragraph of what is shown may go on."""
        return self.open and self.stable < self.end

    def text(self, source: str) -> str:
        """The segment's part of ``source``; code without the indentation of its fence."""
        part = source[self.start : self.end]
        if self.kind == "code" and self.block is not None and self.block.indent:
            return re.sub(rf"^ {{1,{self.block.indent}}}", "", part, flags=re.MULTILINE)
        return part
