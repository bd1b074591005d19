"""Markdown source → bounded segments, incrementally: a line scanner, not a parser.

Above: nothing but text. Below: ``transcript/model`` keeps the segments, ``widgets/markdown`` parses one when it comes
into view. Knows no Qt and no layout. Guarantees: the result depends on the text only, never on how it was sliced; the
time is linear; no segment outside a list grows beyond what one frame can lay out; and the text before a segment's
``stable`` and the text behind it, parsed apart, give what they give together.

Cuts: a top-level fence is code (at most ``CODE_LINES`` lines or ``CODE_CHARS`` characters to a segment); a top-level pipe
table is a table (``TABLE_ROWS`` rows); everything else is text, cut softly at a block or list item after ``SOFT``
characters, and hard inside a paragraph after ``HARD``: at a sentence's end, later at a space, at last anywhere.

Blocks are told apart by the rules of CommonMark 0.31 (§4, §5) and GFM tables, as far as it takes to know that nothing is
open across a cut. Where that would take a parser, there is no cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["text", "code", "table"]

SOFT: Final = 4096
HARD: Final = 4608
CODE_LINES: Final = 64
CODE_CHARS: Final = 16384
TABLE_ROWS: Final = 25
LONG_LINE: Final = 1024
"""A line longer than this is taken in pieces of this size as it arrives, and is never a fence or a table's delimiter."""

_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)")
_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*$")
_DELIMITER_START = re.compile(r"[|:\- \t]*$")
_ITEM = re.compile(r"([-*+]|(\d{1,9})[.)])([ \t]+|$)")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1){2,}\s*$")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_REFERENCE = re.compile(
    r"""\[([^\^\[\]][^\[\]]{0,199})\]:[ \t]*(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*$"""
)
_DEFINITION_START = re.compile(r"\[[^\^\[\]][^\[\]]*\]:")
_SENTENCE = re.compile(r"(?<=[.!?])[ \t](?=\S)|(?<=[。！？])(?=.)")
_SPACE = re.compile(r"[ \t](?=\S)")
_NEVER_CLOSED: Final = 1 << 30


@dataclass(slots=True, eq=False, weakref_slot=True)
class Block:
    """What all segments of one fence or table share."""

    language: str = ""
    """First word of the info string."""
    fence: str = ""
    """The opening run of backticks or tildes; "" for a table."""
    indent: int = 0
    """Columns by which the fence was indented; code loses as many."""
    head: str = ""
    """A table's head and delimiter row."""
    open: bool = True


@dataclass(slots=True, eq=False, weakref_slot=True)
class Segment:
    """A piece of the source that is laid out by itself. Compared by identity: a view keeps its state beside it.

    Attributes:
        kind: What it is drawn as.
        start: Where it begins in the source.
        end: Where what is to be shown of it ends: without the final newline, and without what is held back.
        stable: The last safe boundary: what lies before it in the segment is final, only ``[stable, end)`` may change.
        open: Whether more text may still join it.
        block: Shared by the segments of one fence or table; None for text.
        continued: It goes on with the block or paragraph that the segment before was cut from.
        more: Another segment of the same block or paragraph follows.
        item: It starts at an item of a list that began in a segment before.
        ordinal: The number of that item when the list is ordered, else 0.
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
    lines: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        self.end = self.stable = self.start

    def text(self, source: str) -> str:
        """The segment's part of ``source``, for code without the indentation of its fence."""
        part = source[self.start : self.end]
        if self.block is not None and self.block.indent and self.kind == "code":
            return re.sub(rf"^ {{1,{self.block.indent}}}", "", part, flags=re.MULTILINE)
        return part


@dataclass(slots=True)
class _List:
    """The top-level list that is open at the scanner's line, if ``content`` is above 0."""

    content: int = 0
    """The column from which a line belongs to the current item."""
    marker: str = ""
    """``-``, ``*``, ``+``, ``.`` or ``)``: a change begins another list."""
    number: int = 0
    empty: bool = False
    """The current item has no text yet: a blank line ends it."""
    sure: bool = False
    """Whether it is open beyond doubt, which takes a parser once a line was not indented to its item."""

    def close(self) -> None:
        self.content = self.number = 0
        self.marker = ""
        self.sure = False


@dataclass(slots=True)
class _Line:
    """A line of text as the scanner sees it; ``boundary``: nothing is open across its start."""

    indent: int
    body: str
    item: re.Match[str] | None = None
    boundary: bool = False
    in_list: bool = False
    quote: bool = False


class Segmenter:
    """Feed it text; read ``segments`` and ``references``.

    Attributes:
        segments: In the order of the source. Replaced only from the index that ``feed`` returns.
        references: Link definitions of the whole text so far, by normalised label, in the form of markdown-it's
            ``env["references"]``. They were not checked: a link's scheme is judged where it is drawn.
    """

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.references: dict[str, dict[str, str]] = {}
        self._offset = 0
        self._tail = ""
        self._midline = False
        self._finished = False
        self._current: Segment | None = None
        self._blank = True
        self._list = _List()
        self._quote_blank = False
        self._quote_fence = ""
        self._head: tuple[int, int, str] | None = None
        self._ticks = self._stars = 0
        self._shown = _Shown(self)

    def feed(self, text: str) -> int:
        """Take more of the source; returns the index of the first segment that was created, changed or removed."""
        if self._finished:
            raise RuntimeError("the segmenter was finished")
        first = len(self.segments) - (self._current is not None) - self._shown.extra
        self._shown.withdraw()
        lines = (self._tail + text).split("\n")
        self._tail = lines.pop()
        for line in lines:
            if len(line) <= LONG_LINE and not self._midline:
                self._line(line)
                self._offset += len(line) + 1
            else:
                self._pieces(line)
                self._offset += 1
                self._midline = False
        if len(self._tail) > LONG_LINE:
            self._tail = self._pieces(self._tail, keep=True)
        self._shown.show()
        return max(0, first)

    def finish(self) -> int:
        """Take the last line as complete and close everything; returns what ``feed`` returns."""
        first = len(self.segments) - (self._current is not None) - self._shown.extra
        self._shown.withdraw()
        if self._midline:
            self._rest(self._tail)
        elif self._tail:
            self._line(self._tail)
        self._offset += len(self._tail)
        self._tail = ""
        self._finished = True
        if (current := self._current) is not None:
            if current.block is not None:
                current.block.open = False
            self._close(current.end)
        return max(0, first)

    def held_back(self) -> bool:
        """Whether the newest text is not shown yet, because it may become a fence or a table."""
        return self._shown.held

    # Segments

    def _start(self, kind: Kind, at: int, block: Block | None = None, *, continued: bool = False) -> Segment:
        segment = self._shown.take_spare(kind, at)
        if segment is None:
            segment = Segment(kind, at)
        segment.block, segment.continued = block, continued
        self._current = segment
        self.segments.append(segment)
        self._ticks = self._stars = 0
        return segment

    def _close(self, end: int, *, more: bool = False) -> None:
        segment = self._current
        assert segment is not None
        segment.end, segment.open, segment.more = end, False, more
        segment.stable = min(segment.stable, end)
        self._current = None
        if end <= segment.start:
            self.segments.remove(segment)

    # Lines

    def _pieces(self, line: str, *, keep: bool = False) -> str:
        """Take a long line in pieces; with ``keep`` its last piece, which may grow, is returned instead of taken."""
        at = 0
        while len(line) - at > LONG_LINE:
            piece = line[at : at + LONG_LINE]
            self._rest(piece) if self._midline else self._line(piece, long=True)
            self._midline = True
            self._offset += LONG_LINE
            at += LONG_LINE
        last = line[at:]
        if not keep:
            self._rest(last)
            self._offset += len(last)
        return last

    def _line(self, line: str, *, long: bool = False) -> None:
        current = self._current
        if current is not None and current.kind == "code":
            self._code(current, line, long=long)
        elif current is not None and current.kind == "table" and self._row(current, line):
            pass
        else:
            self._text(line, long=long)

    def _rest(self, piece: str) -> None:
        """A further piece of a long line: no new block can begin in it."""
        current = self._current
        if not piece.strip():
            return
        if current is None:
            current = self._start("text", self._offset)
        current.end = self._offset + len(piece)
        if current.kind == "code":
            self._limit_code(current)
        elif current.kind == "text":
            self._blank = False
            self._limit_paragraph(piece)

    def _code(self, current: Segment, line: str, *, long: bool) -> None:
        block = current.block
        assert block is not None
        mark = block.fence[0]
        if not long and mark in line:
            body = line.strip(" \t\r")
            closes = len(body) >= len(block.fence) and not body.strip(mark) and _indent(line)[0] < 4
            if closes:
                block.open = False
                self._close(current.end)
                self._blank = True
                return
        if current.lines >= CODE_LINES:
            self._close(current.end, more=True)
            current = self._start("code", self._offset, block, continued=True)
        current.lines += 1
        current.end = current.stable = self._offset + len(line)
        self._limit_code(current)

    def _limit_code(self, current: Segment) -> None:
        while current.end - current.start > CODE_CHARS:
            end, at = current.end, current.start + CODE_CHARS
            self._close(at, more=True)
            current = self._start("code", at, current.block, continued=True)
            current.end = current.stable = end
            current.lines = 1

    def _row(self, current: Segment, line: str) -> bool:
        """Take a row of the open table; False, with the table closed, when the line is none (GFM: tables)."""
        indent, body = _indent(line)
        if body.strip() and indent < 4 and not _begins_block(body):
            if current.lines >= TABLE_ROWS:
                self._close(current.end, more=True)
                current = self._start("table", self._offset, current.block, continued=True)
            current.lines += 1
            current.end = current.stable = self._offset + len(line)
            return True
        assert current.block is not None
        current.block.open = False
        self._close(current.end)
        self._blank = True
        return False

    def _text(self, line: str, *, long: bool) -> None:
        indent, body = _indent(line)
        if not body or body.isspace():
            self._blank, self._head = True, None
            return
        seen = self._classify(indent, body)
        nested = seen.in_list and self._list.sure
        if not long and not nested and indent < 4 and body[0] in "`~" and (fence := _FENCE.match(body)):
            self._open_fence(line, indent, fence)
            return
        if not long and not seen.in_list and indent < 4:
            if self._head is not None and self._open_table(line, body):
                return
            if body[0] == "[" and (found := _REFERENCE.match(body)):
                label = " ".join(found[1].split()).lower().upper()
                self.references.setdefault(label, {"title": "", "href": found[2] or found[3] or ""})
        current = self._current
        if current is not None and seen.boundary and self._offset - current.start >= SOFT:
            self._close(current.end)
            current = None
        elif current is not None and not seen.boundary and self._paragraph_too_long(current, seen):
            self._close(current.end, more=True)
            current = self._start("text", self._offset, continued=True)
        fresh = current is None
        if current is None:
            current = self._start("text", self._offset)
        elif seen.boundary:
            current.stable = self._offset
            self._ticks = self._stars = 0
        self._follow_list(seen, current, fresh=fresh)
        self._follow_quote(seen)
        before = current.end
        current.end = self._offset + len(line)
        is_head = "|" in body and not long and not seen.in_list and not seen.quote and indent < 4
        self._head = (self._offset, before, line) if is_head and not _begins_block(body) else None
        self._blank = False
        self._limit_paragraph(line)

    def _open_fence(self, line: str, indent: int, fence: re.Match[str]) -> None:
        if self._current is not None:
            self._close(self._current.end)
        self._list.close()
        self._quote_fence, self._quote_blank, self._head = "", False, None
        block = Block(language=fence[2], fence=fence[1], indent=indent)
        self._start("code", self._offset + len(line) + 1, block)

    def _open_table(self, line: str, body: str) -> bool:
        """Whether this is the delimiter row under the line before; then both have become a table."""
        assert self._head is not None
        start, before, head = self._head
        if "|" not in body or not _DELIMITER_ROW.match(body) or _cells(head) != _cells(body):
            return False
        assert self._current is not None
        self._close(min(before, start))
        segment = self._start("table", start, Block(head=f"{head}\n{line}\n"))
        segment.end = segment.stable = self._offset + len(line)
        self._head = None
        return True

    # What is open across the start of a line

    def _classify(self, indent: int, body: str) -> _Line:
        """Whether anything is open across the start of this line, judged from what lies before it and its first characters."""
        state = self._list
        content = state.content
        if content and self._blank and state.empty:
            content = _NEVER_CLOSED
        in_list = bool(content) and content != _NEVER_CLOSED and indent >= content
        seen = _Line(indent, body, in_list=in_list)
        if in_list or indent >= 4:
            return seen
        seen.quote = body[0] == ">"
        if not _RULE.match(body):
            seen.item = _ITEM.match(body)
        begins = self._blank
        if seen.item is not None and not begins:
            # A list that is open goes on; only a bullet or a 1, with text, may interrupt a paragraph.
            interrupts = seen.item.end() < len(body) and seen.item[2] in (None, "1")
            begins = bool(content and state.sure) or (interrupts and not indent)
        quote_goes_on = seen.quote and self._quote_blank and not self._quote_fence and not self._blank
        if quote_goes_on:
            inner = body[2:] if body[1:2] == " " else body[1:]
            seen.boundary = inner[:1] not in ("", " ", "\t") and not _ITEM.match(inner) and not _RULE.match(inner)
        else:
            seen.boundary = begins
        return seen

    def _follow_list(self, seen: _Line, current: Segment, *, fresh: bool) -> None:
        state = self._list
        if seen.item is None:
            ends = self._blank or seen.quote or _begins_block(seen.body)
            if seen.in_list:
                state.empty = False
            elif state.content and ends and seen.indent < 4:
                state.close()
            else:
                state.sure = False
            return
        marker, number = seen.item[1][-1], int(seen.item[2] or 0)
        goes_on = bool(state.content) and marker == state.marker
        ordered = marker in ".)"
        state.number = state.number + 1 if goes_on else number
        if fresh and goes_on:
            current.item, current.ordinal = True, state.number if ordered else 0
        state.marker = marker
        state.sure = seen.boundary
        state.empty = seen.item.end() >= len(seen.body.rstrip())
        space = len(seen.item[3].expandtabs(4))
        state.content = seen.indent + len(seen.item[1]) + (1 if state.empty or space > 4 else space)

    def _follow_quote(self, seen: _Line) -> None:
        if not seen.quote:
            self._quote_blank, self._quote_fence = False, ""
            return
        inner = seen.body[1:].strip()
        self._quote_blank = not inner
        if self._quote_fence:
            if len(inner) >= len(self._quote_fence) and not inner.strip(self._quote_fence[0]):
                self._quote_fence = ""
        elif inner[:1] in ("`", "~") and (fence := _FENCE.match(inner)):
            self._quote_fence = fence[1]

    # Paragraphs without an end

    def _paragraph_too_long(self, current: Segment, seen: _Line) -> bool:
        """Whether to cut at the start of this line although a paragraph goes on."""
        length = self._offset - current.stable
        if length <= HARD or seen.in_list or self._list.content or self._quote_fence:
            return False
        first = seen.body[0]
        if seen.indent >= 4:
            return self._blank or length > 2 * HARD
        plain = first.isalpha() or seen.quote
        return plain and length > HARD + HARD // 2

    def _limit_paragraph(self, piece: str) -> None:
        """Cut inside ``piece`` (at most ``LONG_LINE`` long, already counted) when its paragraph has grown too long."""
        current = self._current
        assert current is not None
        if not self._list.content and not self._quote_fence and current.end - current.stable > HARD:
            for at, resume in self._cuts(piece, HARD - (self._offset - current.stable)):
                end = current.end
                self._close(self._offset + at, more=True)
                current = self._start("text", self._offset + resume, continued=True)
                current.end = end
                piece = piece[resume:]
                break
        self._ticks += piece.count("`")
        self._stars += piece.count("**")

    def _cuts(self, piece: str, hard: int) -> Iterator[tuple[int, int]]:
        """Places to cut ``piece``, best first, where ``hard`` is the position in it at which the paragraph is HARD long."""
        for pattern, low, high in ((_SENTENCE, 0, HARD // 2), (_SPACE, HARD // 2, HARD)):
            for found in pattern.finditer(piece, max(0, hard + low), max(0, hard + high)):
                before = piece[: found.start()]
                inside = (self._ticks + before.count("`")) % 2 or (self._stars + before.count("**")) % 2
                if found.start() and not inside and not _begins_block(piece[found.end() :].lstrip()):
                    yield found.span()
        if (last := max(0, hard + HARD)) < len(piece):
            yield last, last


class _Shown:
    """What is shown of a line that is not complete: put on after a feed, taken off before the next.

    It never enters the scanner's state, so the segments stay a function of the text alone.
    """

    __slots__ = ("_parent", "_removed", "_saved", "_spare", "extra", "held")

    def __init__(self, parent: Segmenter) -> None:
        self._parent = parent
        self._saved: tuple[Segment, int, int] | None = None
        self._removed: Segment | None = None
        self._spare: Segment | None = None
        self.extra = 0
        self.held = False

    def withdraw(self) -> None:
        """Back to what the complete lines say."""
        segments = self._parent.segments
        if self.extra:
            self._spare = segments.pop()
            self.extra = 0
        if self._removed is not None:
            segments.append(self._removed)
            self._removed = None
        if self._saved is not None:
            segment, segment.end, segment.stable = self._saved
            segment.open, segment.more = True, False
            self._saved = None

    def take_spare(self, kind: Kind, at: int) -> Segment | None:
        """The segment that showed the unfinished line, if the finished one begins the same: a view keeps its document."""
        spare, self._spare = self._spare, None
        if spare is None or (spare.kind, spare.start) != (kind, at):
            return None
        spare.end = spare.stable = at
        return spare

    def show(self) -> None:
        """Show the unfinished line, unless it may turn into something else than it looks like."""
        scanner = self._parent
        current, tail = scanner._current, scanner._tail
        self.held = False
        if current is not None:
            self._saved = current, current.end, current.stable
        if current is not None and current.kind == "code":
            self._show_code(current, tail)
        elif current is not None and current.kind == "table":
            self.held = bool(tail)
        else:
            self._show_text(current, tail)

    def _show_code(self, current: Segment, tail: str) -> None:
        assert current.block is not None
        body = tail.strip()
        self.held = bool(body) and not body.strip(current.block.fence[0]) and not self._parent._midline
        if not tail or self.held:
            return
        if current.lines >= CODE_LINES and not self._parent._midline:
            current.open, current.more = False, True
            self._add("code", len(tail), current.block)
        else:
            current.end = self._parent._offset + len(tail)

    def _show_text(self, current: Segment | None, tail: str) -> None:
        scanner = self._parent
        if scanner._head is not None and current is not None and scanner._head[2].lstrip()[:1] == "|":
            if _DELIMITER_START.match(tail):  # the line before may be a table's head
                self.held = True
                current.end = scanner._head[1]
                current.stable = min(current.stable, current.end)
                if current.end <= current.start:
                    self._removed = scanner.segments.pop()
                return
        body = tail.lstrip()
        if not body:
            return
        if scanner._midline:
            if current is not None:
                current.end = scanner._offset + len(tail)
            return
        self.held = len(body) < 200 and (body[0] in "`~|" or _DEFINITION_START.match(body) is not None)
        if self.held:
            return
        boundary = self._certain(tail)
        if current is None or (boundary and scanner._offset - current.start >= SOFT):
            if current is not None:
                current.open = False
            self._add("text", len(tail), None)
            return
        if boundary:
            current.stable = scanner._offset
        current.end = scanner._offset + len(tail)

    def _certain(self, tail: str) -> bool:
        """Whether the unfinished line certainly begins a block: its first characters already say so."""
        indent, body = _indent(tail)
        item = _ITEM.match(body)
        text = body[item.end() :] if item else body
        return text[:1].isalpha() and self._parent._classify(indent, body).boundary

    def _add(self, kind: Kind, length: int, block: Block | None) -> None:
        """A segment of the unfinished line alone."""
        scanner = self._parent
        spare = self.take_spare(kind, scanner._offset) or Segment(kind, scanner._offset)
        spare.end, spare.block, spare.continued, spare.open = scanner._offset + length, block, block is not None, True
        scanner.segments.append(spare)
        self.extra = 1


def _indent(line: str) -> tuple[int, str]:
    """The column of the first character, tabs counted to multiples of four, and the line from there."""
    body = line.lstrip(" \t")
    width = len(line) - len(body)
    if width and "\t" in line[:width]:
        width = len(line[:width].expandtabs(4))
    return width, body


def _begins_block(body: str) -> bool:
    """Whether the line interrupts a paragraph or a table, whatever comes before."""
    first = body[:1]
    if first.isalpha() or not first:
        return False
    return bool(
        first == ">"
        or (first in "`~" and _FENCE.match(body))
        or (first == "#" and _HEADING.match(body))
        or _RULE.match(body)
        or _ITEM.match(body)
    )


def _cells(row: str) -> int:
    """How many cells a table row has; an escaped pipe divides none."""
    row = row.strip().replace("\\|", "")
    return row.removeprefix("|").removesuffix("|").count("|") + 1


def segment(text: str) -> list[Segment]:
    """The segments of a complete text."""
    segmenter = Segmenter()
    segmenter.feed(text)
    segmenter.finish()
    return segmenter.segments
