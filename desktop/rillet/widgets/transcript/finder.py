"""Going from hit to hit in a transcript.

Above: ``finding`` counts hits in sources, ``marks`` colours them in what is in sight. Below: ``reading``. A hit lies in
the source, its mark in the document: where Markdown hides characters (the address of a link) the nearest mark of the
same tile stands for it. Guarantee: however long the conversation is, the event loop turns every few milliseconds; the
first hit is shown as soon as it is found and what is around it is laid out, and what has to know all of them (the
number of one, the way back from the first) waits.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from rillet.widgets.transcript.finding import Hits, Needle
from rillet.widgets.transcript.marks import places_in

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.finding import FindOptions, Hit
    from rillet.widgets.transcript.marks import Marks
    from rillet.widgets.transcript.model import Entry, Tile
    from rillet.widgets.transcript.view import Transcript

_START = attrgetter("start")
_SLICE: Final = 0.003
"""Seconds of work at a time."""
_MOST_TURNS: Final = 20
"""Turns of the event loop after which a hit is shown, however much around it is still to be laid out."""


class Finder(QObject):
    """Finds text in one transcript, beginning with what is in sight.

    Signals:
        changed(int, int): The number of the hit that is shown, from 1 (0: none, or not all are counted yet), and how
            many have been counted.
    """

    changed = Signal(int, int)

    def __init__(self, view: Transcript, documents: Documents, marks: Marks) -> None:
        super().__init__(view)
        self._documents = documents
        self._marks = marks
        self._hits: Hits | None = None
        self._current: Hit | None = None
        self._coming = 0
        """Turns in which what is around the current hit may still be laid out, before it is shown."""
        self._start: tuple[int, int, int, int] | None = None
        """From where on the first hit is wanted, until it is found or there is none."""
        self._steps = 0
        """How far to go on, which is known once everything is counted."""
        self._told: tuple[int, int] | None = None
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._count_on)

    @property
    def count(self) -> int:
        """How many hits have been counted."""
        return len(self._hits) if self._hits is not None else 0

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to count."""
        return self._hits is None or self._hits.complete

    @property
    def coming(self) -> bool:
        """Whether the current hit is still to be brought into sight."""
        return self._coming > 0

    @property
    def current(self) -> int:
        """The number of the hit that is shown, from 1; 0: none, or not all are counted yet."""
        return self._index() + 1 if self.complete else 0

    def find(self, text: str, options: FindOptions, first: Entry | None = None) -> None:
        """Mark ``text`` everywhere; show the first hit from the top of what is in sight on, or from ``first`` on."""
        if not text:
            self.clear()
            return
        needle = Needle(text, options)
        self._start = self._place() if first is None else (first.index, 0, 0, 0)
        self._current, self._coming, self._steps, self._told = None, 0, 0, None
        self._marks.needle, self._marks.current = needle, None
        self._marks.refresh()
        self._hits = Hits(needle, self._view.entries, self._start[0])
        self._count_on()

    def step(self, step: int) -> None:
        """Show the next (1) or previous (-1) hit; behind the last one comes the first."""
        if self._hits is not None:
            self._steps += step
            self._told = None
            self._count_on()

    def touch(self, entry: Entry) -> None:
        """The text of ``entry`` has become another one; its hits are counted by ``recount``."""
        if self._hits is not None:
            self._hits.touch(entry.index)

    def recount(self) -> None:
        """Count what came, grew or went."""
        if self._hits is not None:
            self._hits.refresh()
            self._count_on()

    @Slot()
    def _count_on(self) -> None:
        """Count for a few milliseconds, and show what is wanted as soon as it is known where it is."""
        hits = self._hits
        if hits is None:
            return
        until = time.perf_counter() + _SLICE
        while True:
            if self._coming:
                self._come_nearer(hits, until)
            if not self._coming:
                hits.count_on(until, to_hit=self._start is not None)
                if self._start is not None and (first := hits.before(*self._start)) < len(hits):
                    self._go_to(hits[first])
                if hits.complete:
                    self._step_on(hits)
            if (hits.complete and not self._coming) or time.perf_counter() >= until:
                break
        if self._coming or not hits.complete:
            self._next.start()
        state = self.current, self.count
        if state != self._told and (hits or self.complete):
            self._told = state
            self.changed.emit(*state)

    def _step_on(self, hits: Hits) -> None:
        """Take the steps that waited; where the first hit is still wanted there is none further down."""
        if hits and (self._steps or self._start is not None):
            outside = -1 if self._steps > 0 else 0
            at = self._index() if self._current is not None else outside
            self._go_to(hits[(at + self._steps) % len(hits)])
        self._start, self._steps = None, 0

    def _index(self) -> int:
        """The number of the hit that is shown, from 0, or of the last one if it is gone; -1: none."""
        if self._hits is None or self._current is None:
            return -1
        return min(self._hits.before(*self._current[:4]), len(self._hits) - 1)

    def clear(self) -> None:
        """Look for nothing any more."""
        if self._hits is not None:
            self._hits = self._current = self._start = None
            self._coming, self._steps = 0, 0
            self._marks.needle = self._marks.current = None
            self._marks.refresh()
            self.changed.emit(0, 0)

    @property
    def _view(self) -> Transcript:
        """What this is of; not kept, or both would outlive the widget in a cycle."""
        return cast("Transcript", self.parent())

    def _place(self) -> tuple[int, int, int, int]:
        """Entry, section, part and character of it that what is in sight begins with.

        Of a hit that is in sight, it is that hit's: whoever types on wants to see what was there, if it still fits.
        """
        if self._current is not None and self._marks.current_in_sight:
            return self._current[:4]
        first = self._view.first_in_sight()
        if first is None:
            return 0, 0, 0, 0
        place = first.entry.place_of(first.tile)
        if place is None:
            return first.entry.index, 0, 0, 0
        entry, section, _ = place
        return (entry, section, *first.entry.sections[section].part_of(first.tile))

    def _go_to(self, hit: Hit) -> None:
        """Have a hit brought into sight, out from under its fold or card."""
        self._start, self._current, self._coming = None, hit, _MOST_TURNS
        entry = self._view.entries[hit.entry]
        section = entry.sections[hit.section]
        if section.fold is not None and not section.expanded:
            self._view.toggle_fold(entry, section)

    def _come_nearer(self, hits: Hits, until: float) -> None:
        """Lay out what is around the current hit, and show it once that is done."""
        hit = self._current
        if hit is None or not hits.holds(hit):  # it is gone meanwhile
            self._coming = 0
            return
        entry = self._view.entries[hit.entry]
        shown, start = entry.sections[hit.section].place_in(hit.part, hit.start)
        tiles = shown.tiles()
        if not tiles:  # the source is all marks, as that of an empty fence
            self._coming = 0
            self._view.reveal_line(entry, entry.footer, 0)
            return
        tile = tiles[max(0, bisect_right(tiles, start, key=_START) - 1)]
        place = _mark_of(start, tile, self._documents.get(tile), hits.needle)
        offset = place[0] if place is not None else 0
        self._coming -= 1
        if self._view.measure_around(entry, tile, offset, until) or not self._coming:
            self._coming = 0
            self._marks.move_to((tile, *place) if place is not None else None)
            self._view.reveal_line(entry, tile, offset)
            self._marks.bring_current_sideways()


def _mark_of(start: int, tile: Tile, document: QTextDocument, needle: Needle) -> tuple[int, int] | None:
    """The place in the document of ``tile`` that stands for the hit at ``start`` of its section's text."""
    assert tile.section is not None
    shown = places_in(document, needle)
    if not shown:
        return None
    source = [place for place, _ in needle.places(tile.section.text[tile.start : tile.end])]
    number = bisect_right(source, start - tile.start) - 1
    return shown[max(0, number) * len(shown) // max(1, len(source))]
