"""Whether anything is open across the start of a line: a list item, a quote, or code inside one of them.

Above: ``grammar``. Below: ``segmenter`` cuts only where nothing is. Knows no segments. Guarantee: a line reported as a
boundary can be parsed apart from the lines before it, with the same result; where that would take a parser, it is not
reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rillet.widgets.transcript.grammar import FENCE, ITEM, RULE, begins_block

_BEGINS_ITEM = frozenset("-*+0123456789")


@dataclass(slots=True)
class Line:
    """A line that is not blank.

    Attributes:
        indent: Column of its first character.
        body: The line from there.
        item: How it begins a list item, if it does.
        nested: It belongs to the open item of a top-level list, or may.
        quote: It is part of a quote at the top level.
        boundary: Nothing is open across its start.
    """

    indent: int
    body: str
    item: re.Match[str] | None = None
    nested: bool = False
    quote: bool = False
    boundary: bool = False


class Nesting:
    """Follows the lists and quotes at the top level, line by line.

    Attributes:
        blank: The line before was blank, or there was none.
        sure: If a list is open, it is so beyond doubt.
        ordinal: The number of the item that ``follow`` met last when it goes on with an ordered list, else 0.
        resumed: Whether that item goes on with a list at all.
    """

    def __init__(self) -> None:
        self.blank = True
        self.sure = False
        self.ordinal = 0
        self.resumed = False
        self._content = 0  # the column from which a line belongs to the open item; 0: no list
        self._marker = ""  # - * + . or ): another one begins another list
        self._number = 0
        self._empty = False  # the item has no text yet: a blank line ends it
        self._quote_blank = False
        self._quote_fence = ""

    @property
    def in_list(self) -> bool:
        """Whether a list is open, or may be."""
        return self._content > 0

    @property
    def in_code(self) -> bool:
        """Whether fenced code is open inside a quote."""
        return bool(self._quote_fence)

    def look(self, indent: int, body: str) -> Line:
        """Judge the line that comes next, by what lies before it and its first characters. Changes nothing."""
        item_ended = self.blank and self._empty
        nested = self.in_list and not item_ended and indent >= self._content
        line = Line(indent, body, nested=nested)
        if nested or indent >= 4:
            return line
        line.quote = body[0] == ">"
        if body[0] in _BEGINS_ITEM and not RULE.match(body):
            line.item = ITEM.match(body)
        if line.quote and self._quote_blank and not self.blank:
            line.boundary = not self._quote_fence and _begins_paragraph(body[1:])
        else:
            line.boundary = self.blank or self._begins_item(line)
        return line

    def follow(self, line: Line) -> None:
        """Take the line that ``look`` judged."""
        if line.item is not None:
            self._follow_item(line, line.item)
        elif line.nested:
            self._empty = False
        elif line.indent < 4 and (self.blank or line.quote or begins_block(line.body)):
            self._end_list()
        else:
            self.sure = False
        self._follow_quote(line)
        self.blank = False

    def close(self) -> None:
        """A block at the top level has ended whatever was open."""
        self._end_list()
        self._quote_blank, self._quote_fence = False, ""

    def _end_list(self) -> None:
        self._content = self._number = 0
        self._marker = ""
        self.sure = self._empty = False

    def _begins_item(self, line: Line) -> bool:
        """Whether the line begins an item although the line before is not blank (§5.2, §5.3)."""
        if line.item is None:
            return False
        if self.in_list and self.sure:
            return True
        # Only a bullet or a 1, with text behind it, may interrupt a paragraph.
        return line.item.end() < len(line.body) and line.item[2] in (None, "1") and not line.indent

    def _follow_item(self, line: Line, item: re.Match[str]) -> None:
        marker = item[1][-1]
        self.resumed = self.in_list and marker == self._marker
        self._number = self._number + 1 if self.resumed else int(item[2] or 0)
        self.ordinal = self._number if self.resumed and marker in ".)" else 0
        self._marker = marker
        self.sure = line.boundary
        self._empty = item.end() >= len(line.body.rstrip())
        space = len(item[3].expandtabs(4))
        self._content = line.indent + len(item[1]) + (1 if self._empty or space > 4 else space)

    def _follow_quote(self, line: Line) -> None:
        if self.blank or not line.quote:
            self._quote_blank, self._quote_fence = False, ""
        if not line.quote:
            return
        inner = line.body[1:].strip()
        self._quote_blank = not inner
        if self._quote_fence:
            if len(inner) >= len(self._quote_fence) and not inner.strip(self._quote_fence[0]):
                self._quote_fence = ""
        elif inner[:1] in ("`", "~") and (fence := FENCE.match(inner)):
            self._quote_fence = fence[1]


def _begins_paragraph(inner: str) -> bool:
    """Whether a line of a quote, behind an empty one, begins a block of its own that is no list item."""
    inner = inner.removeprefix(" ")
    return inner[:1] not in ("", " ", "\t") and not ITEM.match(inner) and not RULE.match(inner)
