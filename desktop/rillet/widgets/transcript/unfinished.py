"""What is shown of a line that is not complete.

Above: ``segments``, ``grammar``. Below: ``segmenter``, which puts this on after every feed and takes it off before the
next. Guarantee: nothing of it enters the scanner's state, so segments stay a function of the text alone; and text that
is shown in a segment stays in that segment, but for a line that turns out to be a table's head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rillet.widgets.transcript.grammar import UNDECIDED
from rillet.widgets.transcript.segments import Block, Kind, Segment

if TYPE_CHECKING:
    from collections.abc import MutableSequence

_HELD_AT_MOST: Final = 200


class Unfinished:
    """The provisional end of a list of segments.

    Attributes:
        added: How many segments stand in the list for the unfinished line alone: 0 or 1.
        held: Whether some text is not shown, because it may turn into something else than it looks like.
    """

    def __init__(self, segments: MutableSequence[Segment]) -> None:
        self.added = 0
        self.held = False
        self._segments = segments
        self._saved: tuple[Segment, int, int] | None = None
        self._hidden: Segment | None = None
        self._spare: Segment | None = None

    def withdraw(self) -> None:
        """Back to what the complete lines say."""
        if self.added:
            self._spare = self._segments.pop()
            self.added = 0
        if self._hidden is not None:
            self._segments.append(self._hidden)
            self._hidden = None
        if self._saved is not None:
            segment, end, stable = self._saved
            segment.end, segment.stable = end, stable
            segment.open, segment.more = True, False
            self._saved = None

    def take_spare(self, kind: Kind, at: int) -> Segment | None:
        """The segment that stood for the unfinished line, if the finished one begins the same: a view knows it."""
        spare, self._spare = self._spare, None
        if spare is None or (spare.kind, spare.start) != (kind, at):
            return None
        spare.end = spare.stable = at
        return spare

    def begin(self, current: Segment | None) -> None:
        """Remember how the open segment was. Call one of the methods below next."""
        self.held = False
        if current is not None:
            self._saved = current, current.end, current.stable

    def extend(self, current: Segment | None, end: int) -> None:
        """The open segment reaches to ``end``."""
        if current is not None:
            current.end = max(current.end, end)

    def hide_from(self, current: Segment, shown: int) -> None:
        """Hide the end of the open segment, and the segment if nothing is left."""
        self.held = True
        current.end = shown
        current.stable = min(current.stable, shown)
        if shown <= current.start:
            self._hidden = self._segments.pop()

    def show_code(self, current: Segment, offset: int, tail: str, *, full: bool, midline: bool) -> None:
        """A line of code, unless it may be the closing fence; in a segment of its own if the open one is full."""
        assert current.block is not None
        body = tail.strip()
        self.held = bool(body) and not body.strip(current.block.fence[0]) and not midline
        if not tail or self.held:
            return
        if full:
            current.open, current.more = False, True
            self._add("code", offset, len(tail), current.block)
        else:
            current.end = offset + len(tail)

    def show_text(self, current: Segment | None, offset: int, tail: str, *, begins: bool, cut: bool) -> None:
        """A line of text; ``begins``: it certainly begins a block; ``cut``: it will begin a segment."""
        body = tail.lstrip()
        if not body:
            return
        self.held = len(body) < _HELD_AT_MOST and UNDECIDED.match(body) is not None
        if self.held:
            return
        if current is None or cut:
            if current is not None:
                current.open = False
            self._add("text", offset, len(tail), None)
            return
        if begins:
            current.stable = offset
        current.end = offset + len(tail)

    def _add(self, kind: Kind, offset: int, length: int, block: Block | None) -> None:
        segment = self.take_spare(kind, offset) or Segment(kind, offset)
        segment.block, segment.continued, segment.open = block, block is not None, True
        segment.end = offset + length
        self._segments.append(segment)
        self.added = 1
