"""Markdown source → bounded segments, incrementally: a line scanner, not a parser.

Above: ``grammar``, ``nesting``, ``paragraph``, ``unfinished``. Below: ``model`` keeps the segments,
``widgets/markdown`` parses one when it comes into view. Knows no Qt and no layout. Guarantees: the result depends on
the text only, never on how it was sliced; the time is linear; no segment outside a list grows beyond what one frame can
lay out; and the text before a segment's ``stable`` and the text behind it, parsed apart, give what they give together.

A fence at the top level is code, a pipe table there is a table, a display formula there is math (see
``markdown/tex``); everything else is text. Each is cut where it grows beyond its ``Limits``.
"""

from __future__ import annotations

from typing import NamedTuple

from rillet.widgets.markdown.parse import FOOTNOTE
from rillet.widgets.markdown.tex import block_closer, block_end
from rillet.widgets.transcript import grammar
from rillet.widgets.transcript.nesting import Line, Nesting
from rillet.widgets.transcript.paragraph import LIMITS, Limits, Paragraph
from rillet.widgets.transcript.segments import Block, Kind, Segment
from rillet.widgets.transcript.unfinished import Unfinished

__all__ = ["Block", "Kind", "Limits", "Segment", "Segmenter", "segment"]


def segment(text: str) -> list[Segment]:
    """The segments of a complete text."""
    segmenter = Segmenter()
    segmenter.feed(text)
    segmenter.finish()
    return segmenter.segments


class Segmenter:
    """Feed it text; read ``segments`` and ``references``.

    Attributes:
        segments: In the order of the source. They change only from the index that ``feed`` returns.
        references: Link definitions of the whole text so far, by label, in the form of markdown-it's
            ``env["references"]``; footnotes too, as ``parse.FOOTNOTE`` says. Addresses are not checked: that is done
            where a link is drawn.
    """

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.segments: list[Segment] = []
        self.references: dict[str, dict[str, str]] = {}
        self._limits = limits
        self._offset = 0  # where _tail begins in the source
        self._tail = ""  # the unfinished line, or what is not yet taken of it
        self._midline = False  # pieces of the unfinished line were taken already
        self._finished = False
        self._current: Segment | None = None
        self._nesting = Nesting()
        self._head: _Head | None = None  # the line before, if it may be a table's head
        self._in_paragraph = False  # the line before is text of a paragraph at the top level, beyond doubt
        self._code_blank = False  # the line of code before was empty
        self._paragraph = Paragraph(limits.hard)
        self._unfinished = Unfinished(self.segments)

    def feed(self, text: str) -> int:
        """Take more of the source; returns the index of the first segment that was created, changed or removed."""
        if self._finished:
            raise RuntimeError("the segmenter was finished")
        first = self._first_open()
        self._unfinished.withdraw()
        lines = (self._tail + text).split("\n")
        self._tail = lines.pop()
        for line in lines:
            if self._in_paragraph and self._go_on(line):
                continue
            if len(line) <= self._limits.long_line and not self._midline:
                self._take(line)
                self._offset += len(line) + 1
            else:
                last = self._take_pieces(line)
                self._take_rest(last)
                self._offset += len(last) + 1
                self._midline = False
        if len(self._tail) > self._limits.long_line:
            self._tail = self._take_pieces(self._tail)
        self._show()
        return first

    def finish(self) -> int:
        """Take the last line as complete and close everything; returns what ``feed`` returns."""
        first = self._first_open()
        self._unfinished.withdraw()
        if self._midline:
            self._take_rest(self._tail)
        elif self._tail:
            self._take(self._tail)
        self._offset += len(self._tail)
        self._tail = ""
        self._finished = True
        if (current := self._current) is not None:
            if current.block is not None:
                current.block.open = False
            self._close(current.end)
        return first

    def held_back(self) -> bool:
        """Whether the newest text is not shown yet, because it may become a fence, a table or a definition."""
        return self._unfinished.held

    # Segments

    def _first_open(self) -> int:
        return max(0, len(self.segments) - (self._current is not None) - self._unfinished.added)

    def _start(self, kind: Kind, at: int, block: Block | None = None, *, continued: bool = False) -> Segment:
        segment = self._unfinished.take_spare(kind, at) or Segment(kind, at)
        segment.block, segment.continued = block, continued
        self._current = segment
        self.segments.append(segment)
        self._paragraph.begin()
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

    def _take_pieces(self, line: str) -> str:
        """Take a long line but for its last piece, which is returned."""
        at = 0
        while len(line) - at > self._limits.long_line:
            piece = line[at : at + self._limits.long_line]
            if self._midline:
                self._take_rest(piece)
            else:
                self._take(piece, whole=False)
            self._midline = True
            self._offset += self._limits.long_line
            at += self._limits.long_line
        return line[at:]

    def _take_rest(self, piece: str) -> None:
        """Take a further piece of a long line: no block can begin in it."""
        if not piece.strip():
            return
        current = self._current or self._start("text", self._offset)
        current.end = self._offset + len(piece)
        if current.kind == "code":
            self._limit_code(current)
        elif current.kind == "text":
            self._nesting.blank = False
            self._limit_paragraph(current, piece)

    def _take(self, line: str, *, whole: bool = True) -> None:
        """Take a line, or the first piece of a long one."""
        current = self._current
        if not line and (current is None or current.kind == "text"):
            self._take_blank()
        elif current is not None and current.kind == "code":
            self._take_code(current, line, whole=whole)
        elif current is not None and current.kind == "math":
            self._take_math(current, line, whole=whole)
        elif current is None or current.kind == "text" or not self._take_row(current, line):
            self._take_text(line, whole=whole)

    def _go_on(self, line: str) -> bool:
        """Take a line that goes on with the paragraph above, if that is certain and no place for a cut.

        It does nothing that ``_take`` would not do, which has to look much closer: a text of short lines is all this.
        """
        current, end = self._current, self._offset + len(line)
        if current is None or not line[:1].isalpha() or "|" in line or len(line) > self._limits.long_line:
            return False
        if self._paragraph.may_be_cut(line, end - current.stable):
            return False
        current.end = end
        self._offset = end + 1
        self._head = None
        self._paragraph.take(line)
        return True

    def _take_code(self, current: Segment, line: str, *, whole: bool) -> None:
        block = current.block
        assert block is not None
        if whole and block.fence[0] in line and grammar.closes_fence(line, block.fence):
            block.open = False
            self._close(current.end)
            self._nesting.blank = True
            return
        if self._is_full(current, line):
            self._close(current.end, more=True)
            current = self._start("code", self._offset, block, continued=True)
        current.lines += 1
        current.end = current.stable = self._offset + len(line)
        self._code_blank = not line or line.isspace()
        self._limit_code(current)

    def _is_full(self, current: Segment, line: str) -> bool:
        """Whether ``line``, or whatever begins like it, belongs to the next segment of code."""
        if current.lines >= self._limits.code_lines:
            return True
        first = line[:1]
        return current.lines >= self._limits.code_soft and self._code_blank and (first.isalpha() or first in ("@", "#"))

    def _limit_code(self, current: Segment) -> None:
        while current.end - current.start > self._limits.code_chars:
            end, at = current.end, current.start + self._limits.code_chars
            self._close(at, more=True)
            current = self._start("code", at, current.block, continued=True)
            current.end = current.stable = end
            current.lines = 1

    def _take_row(self, current: Segment, line: str) -> bool:
        """Take a row of the open table; False, and the table closed, when the line is none."""
        block = current.block
        assert block is not None
        indent, body = grammar.indentation(line)
        if body.strip() and indent < 4 and not grammar.begins_block(body):
            if current.lines >= block.rows:
                self._close(current.end, more=True)
                current = self._start("table", self._offset, block, continued=True)
            current.lines += 1
            current.end = current.stable = self._offset + len(line)
            return True
        block.open = False
        self._close(current.end)
        self._nesting.blank = True
        return False

    def _take_math(self, current: Segment, line: str, *, whole: bool) -> None:
        """Take a line of the open formula. What follows its closing mark in the line is text."""
        block = current.block
        assert block is not None
        end = block_end(line, block.fence) if whole else -1
        ended = end >= 0 or not whole or not line.strip()
        if not ended and current.lines < self._limits.math_lines:
            current.lines += 1
            current.end = self._offset + len(line)
            return
        block.open = False
        if end >= 0:
            current.end = self._offset + end
        self._close(current.end)
        self._nesting.blank = True
        rest = line[max(0, end) :]
        if rest.strip():
            start = self._offset
            self._offset += len(line) - len(rest.lstrip())
            self._take_text(rest.lstrip(), whole=False)
            self._offset = start

    def _begin_math(self, line: str, body: str, closer: str) -> None:
        """Begin a formula, which may end in the same line."""
        if self._current is not None:
            self._close(self._current.end)
        self._nesting.close()
        self._head = None
        block = Block(fence=closer)
        segment = self._start("math", self._offset, block)
        segment.end = self._offset + len(line.rstrip())
        segment.lines = 1
        if block_end(body[2:], closer) >= 0:
            block.open = False
            self._close(segment.end)
            self._nesting.blank = True

    def _take_blank(self) -> None:
        self._nesting.blank, self._head, self._in_paragraph = True, None, False

    def _take_text(self, line: str, *, whole: bool) -> None:
        if not line or line.isspace():
            self._take_blank()
            return
        indent, body = grammar.indentation(line)
        seen = self._nesting.look(indent, body)
        if whole and indent < 4 and self._take_special(line, seen):
            self._in_paragraph = False
            return
        current = self._place(seen)
        self._in_paragraph = whole and indent < 4 and body[0].isalpha() and not self._nesting.in_list
        shown = current.end
        current.end = self._offset + len(line)
        may_be_head = whole and "|" in body and indent < 4 and not (seen.nested or grammar.begins_block(body))
        self._head = _Head(self._offset, shown, line) if may_be_head else None
        if not seen.quote or len(line) > self._limits.hard // 2:  # a quote is better cut between its lines
            self._limit_paragraph(current, line)

    def _take_special(self, line: str, seen: Line) -> bool:
        """Whether the line began code, a formula or a table. Definitions are noted on the way, and are text."""
        body = seen.body
        certainly_nested = seen.nested and self._nesting.sure
        if not certainly_nested and body[0] in "`~" and (fence := grammar.FENCE.match(body)):
            if self._current is not None:
                self._close(self._current.end)
            self._nesting.close()
            self._head = None
            block = Block(language=fence[2], fence=fence[1], indent=seen.indent)
            self._start("code", self._offset + len(line) + 1, block)
            return True
        if not certainly_nested and body[0] in "$\\" and (closer := block_closer(body)):
            self._begin_math(line, body, closer)
            return True
        if seen.nested:
            return False
        if self._head is not None and self._make_table(self._head, line, body):
            return True
        if body[0] == "[":
            self._note_definition(body)
        return False

    def _note_definition(self, body: str) -> None:
        """Remember what a link or a footnote is defined as. A link's definition cannot interrupt a paragraph.

        Where it is not certain that it does, it is remembered: a later piece of the text may be parsed by itself.
        """
        if found := grammar.FOOTNOTE.match(body):
            self.references.setdefault(FOOTNOTE + found[1], {})
        elif not self._in_paragraph and (found := grammar.DEFINITION.match(body)):
            address = found[2] or found[3] or ""
            self.references.setdefault(grammar.label(found[1]), {"title": "", "href": address})

    def _make_table(self, head: _Head, line: str, body: str) -> bool:
        """Whether ``line`` is the delimiter row under ``head``; then both have become a table."""
        columns = grammar.cells(head.line)
        if "|" not in body or not grammar.DELIMITER_ROW.match(body) or columns != grammar.cells(body):
            return False
        self._close(min(head.shown, head.start))
        rows = max(1, min(self._limits.table_rows, self._limits.table_cells // columns))
        segment = self._start("table", head.start, Block(head=f"{head.line}\n{line}\n", rows=rows))
        segment.end = segment.stable = self._offset + len(line)
        self._nesting.close()
        self._head = None
        return True

    def _place(self, seen: Line) -> Segment:
        """The text segment that the line belongs to: the open one, or a new one if this is the place for a cut."""
        current = self._current
        if current is not None:
            if seen.boundary:
                if self._offset - current.start < self._limits.soft:
                    current.stable = self._offset
                    self._paragraph.begin()
                else:
                    self._close(current.end)
                    current = None
            elif self._must_cut(current, seen):
                self._close(current.end, more=True)
                current = self._start("text", self._offset, continued=True)
        self._nesting.follow(seen)
        if current is None:
            current = self._start("text", self._offset)
            if seen.item is not None:
                current.item, current.ordinal = self._nesting.resumed, self._nesting.ordinal
        return current

    # Paragraphs without an end

    def _must_cut(self, current: Segment, seen: Line) -> bool:
        """Whether to cut at the start of this line although its paragraph goes on."""
        length, hard = self._offset - current.stable, self._limits.hard
        if length <= hard or seen.nested or self._nesting.in_list or self._nesting.in_code:
            return False
        if seen.indent >= 4:
            return self._nesting.blank or length > 2 * hard
        return seen.quote or (length > hard + hard // 2 and seen.body[0].isalpha())

    def _limit_paragraph(self, current: Segment, piece: str) -> None:
        """Cut inside ``piece``, the newest text, when its paragraph has grown too long."""
        nesting, hard = self._nesting, self._limits.hard
        if current.end - current.stable > hard and not nesting.in_list and not nesting.in_code:
            end = current.end
            cut = self._paragraph.cut(piece, hard - (self._offset - current.stable))
            if cut is not None:
                self._close(self._offset + cut[0], more=True)
                current = self._start("text", self._offset + cut[1], continued=True)
                current.end = end
                piece = piece[cut[1] :]
        self._paragraph.take(piece)

    # The unfinished line

    def _show(self) -> None:
        """Show of the unfinished line what is certain."""
        current, tail, unfinished = self._current, self._tail, self._unfinished
        unfinished.begin(current)
        if current is not None and current.kind == "code":
            full = not self._midline and bool(tail) and self._is_full(current, tail)
            unfinished.show_code(current, self._offset, tail, full=full, midline=self._midline)
        elif current is not None and current.kind == "table":
            unfinished.held = bool(tail)
        elif current is not None and current.kind == "math":
            assert current.block is not None
            end = block_end(tail, current.block.fence)
            unfinished.extend(current, self._offset + (len(tail.rstrip()) if end < 0 else end))
            unfinished.held = end >= 0 and bool(tail[end:].strip())
        elif current is not None and self._head is not None and self._head.holds(tail):
            unfinished.hide_from(current, self._head.shown)
        elif self._midline:
            unfinished.extend(current, self._offset + len(tail))
        else:
            begins = self._certainly_begins(tail)
            cut = begins and current is not None and self._offset - current.start >= self._limits.soft
            unfinished.show_text(current, self._offset, tail, begins=begins, cut=cut)

    def _certainly_begins(self, tail: str) -> bool:
        """Whether the unfinished line is a boundary whatever follows: its first letter decides, or an item's."""
        indent, body = grammar.indentation(tail)
        item = grammar.ITEM.match(body)
        text = body[item.end() :] if item else body
        return text[:1].isalpha() and self._nesting.look(indent, body).boundary


class _Head(NamedTuple):
    """A line that becomes a table's head if a delimiter row follows."""

    start: int
    shown: int
    """Where what is shown of the segment ended before it."""
    line: str

    def holds(self, tail: str) -> bool:
        """Whether to hide it: it looks like a head, and the next line may yet be the delimiter row."""
        return self.line.lstrip()[:1] == "|" and grammar.DELIMITER_START.match(tail) is not None
