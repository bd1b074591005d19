"""Going from hit to hit in a transcript.

Above: ``finding`` counts hits in sources, ``marks`` colours them in what is in sight. Below: ``reading``. A hit lies in
the source, its mark in the document: where Markdown hides characters (the address of a link) the nearest mark of the
same tile stands for it.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from rillet.widgets.transcript.finding import Hits, Needle, state_of
from rillet.widgets.transcript.marks import places_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QTextDocument

    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.finding import FindOptions, Hit
    from rillet.widgets.transcript.marks import Marks
    from rillet.widgets.transcript.model import Tile
    from rillet.widgets.transcript.view import Transcript

_START = attrgetter("start")


class Finder(QObject):
    """Finds text in one transcript.

    Signals:
        changed(int, int): The number of the hit that is shown, from 1 (0: none), and how many there are.
    """

    changed = Signal(int, int)

    def __init__(self, view: Transcript, documents: Documents, marks: Marks) -> None:
        super().__init__(view)
        self._documents = documents
        self._marks = marks
        self._hits: Hits | None = None
        self._current = -1

    @property
    def count(self) -> int:
        """How many hits there are."""
        return len(self._hits) if self._hits is not None else 0

    @property
    def current(self) -> int:
        """The number of the hit that is shown, from 1; 0: none."""
        return self._current + 1

    def find(self, text: str, options: FindOptions) -> int:
        """Mark ``text`` everywhere and show the first hit from the top of what is in sight on; how many there are."""
        if not text:
            self.clear()
            return 0
        needle = Needle(text, options)
        self._marks.needle = self._marks.current = None  # what the first hit brings into sight is marked once, below
        self._hits = Hits(needle, self._view.entries)
        self._current = -1
        if self._hits:
            self._current = self._hits.first_from(*self._place()) % len(self._hits)
            self._show(self._hits[self._current])
        self._marks.needle = needle
        self._marks.refresh()
        self.changed.emit(self.current, self.count)
        return self.count

    def step(self, step: int) -> None:
        """Show the next (1) or previous (-1) hit; behind the last one comes the first."""
        if self._hits is None:
            return
        self.recount()
        if self._hits:
            first = 0 if step > 0 else -1
            self._current = (self._current + step if self._current >= 0 else first) % len(self._hits)
            self._show(self._hits[self._current])
        self.changed.emit(self.current, self.count)

    def recount(self) -> None:
        """Count anew: messages came, grew or went."""
        if self._hits is None or self._hits.of == state_of(self._view.entries):
            return
        before = self.current, self.count
        self._hits = Hits(self._hits.needle, self._view.entries)
        self._current = min(self._current, len(self._hits) - 1)
        if (self.current, self.count) != before:
            self.changed.emit(self.current, self.count)

    def clear(self) -> None:
        """Look for nothing any more."""
        if self._hits is not None:
            self._hits = None
            self._current = -1
            self._marks.needle = self._marks.current = None
            self._marks.refresh()
            self.changed.emit(0, 0)

    @property
    def _view(self) -> Transcript:
        """What this is of; not kept, or both would outlive the widget in a cycle."""
        return cast("Transcript", self.parent())

    def _place(self) -> tuple[int, int, int, int]:
        """Entry, section, part and character of it that what is in sight begins with."""
        first = self._view.first_in_sight()
        if first is None:
            return 0, 0, 0, 0
        place = first.entry.place_of(first.tile)
        if place is None:
            return first.entry.index, 0, 0, 0
        entry, section, _ = place
        return (entry, section, *first.entry.sections[section].part_of(first.tile))

    def _show(self, hit: Hit) -> None:
        """Bring a hit into sight, out from under its fold or card."""
        assert self._hits is not None
        entry = self._view.entries[hit.entry]
        section = entry.sections[hit.section]
        if section.fold is not None and not section.expanded:
            self._view.toggle_fold(entry, section)
        shown, start = section.place_in(hit.part, hit.start)
        tiles = shown.tiles()
        if not tiles:  # the source is all marks, as that of an empty fence
            self._view.reveal_line(entry, entry.footer, 0)
            return
        tile = tiles[max(0, bisect_right(tiles, start, key=_START) - 1)]
        document = self._documents.get(tile)
        place = _mark_of(start, tile, document, self._hits.needle)
        self._marks.move_to((tile, *place) if place is not None else None)
        self._view.reveal_line(entry, tile, place[0] if place is not None else 0)
        self._marks.bring_current_sideways()


def _mark_of(start: int, tile: Tile, document: QTextDocument, needle: Needle) -> tuple[int, int] | None:
    """The place in the document of ``tile`` that stands for the hit at ``start`` of its section's text."""
    assert tile.section is not None
    shown: Sequence[tuple[int, int]] = places_in(document, needle)
    if not shown:
        return None
    source = [place for place, _ in needle.places(tile.section.text[tile.start : tile.end])]
    number = bisect_right(source, start - tile.start) - 1
    return shown[max(0, number) * len(shown) // max(1, len(source))]
