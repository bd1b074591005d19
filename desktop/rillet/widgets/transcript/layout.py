"""Where everything of a transcript is from top to bottom: heights of entries, offsets of tiles. Integer pixels.

An entry that nobody looked at has an estimated height and no tiles. Near the viewport it is cut into tiles, and tiles
in sight are measured by laying out their documents. Knows nothing of scroll bars and widgets. Above: ``model``,
``sums``, ``widths``, ``estimate``, ``documents``. Below: ``view`` scrolls, ``stage`` puts widgets where it belongs.
Guarantees: after ``measure(a, b)`` returned False every tile in [a, b) has its exact height; a change of width or of
fonts costs nothing by itself, however many entries there are: each one is fitted to it when somebody comes near, and
all of them little by little by ``catch_up``.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRect

from rillet.widgets.blocks import approval, code, file_chip, fold, footer, formula, image, mark, table, tool_card
from rillet.widgets.markdown.formats import HANG
from rillet.widgets.theme.tokens import MEASURE
from rillet.widgets.transcript import estimate
from rillet.widgets.transcript.attachments import ImageSection
from rillet.widgets.transcript.model import FOLDED, WIDGETS, Fit
from rillet.widgets.transcript.sums import Sums
from rillet.widgets.transcript.tables import estimated_height
from rillet.widgets.transcript.widths import Column, Widths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.model import Entry, Tile

ABOVE, ABOVE_QUESTION, ABOVE_FIRST, BELOW = 8, 24, 16, 0
"""Space above and below the contents of an entry: a question stands apart from the answer before it, and the first
entry keeps off what is above the transcript."""
DAY = 40
"""Height of the line that names the day which begins with an entry."""
BUBBLE_TOP, BUBBLE_BOTTOM = 9, 11
"""Space inside a bubble; the height of a line has its surplus above the letters."""


class Placed(NamedTuple):
    """A tile and where its top is, in pixels below the top of the transcript."""

    entry: Entry
    tile: Tile
    y: int


class Layout:
    """The geometry of a list of entries."""

    def __init__(self, documents: Documents, theme: Theme) -> None:
        self.entries: list[Entry] = []
        self.heights = Sums()
        self.widths = Widths(documents, theme)
        self._fit = Fit(MEASURE, 0)
        self._fitted = 0
        """How many entries, from the first one on, have been fitted."""
        self._day: date | None = None
        self._documents = documents
        self._set_fonts(theme)

    @property
    def theme(self) -> Theme:
        """The fonts and colours of what is laid out."""
        return self._theme

    def set_theme(self, theme: Theme) -> None:
        """Use the fonts and colours of ``theme``; what was measured holds no longer."""
        self._set_fonts(theme)
        self._fit = self._fit._replace(fonts=self._fit.fonts + 1)
        self._fitted = 0

    def _set_fonts(self, theme: Theme) -> None:
        self._theme = theme
        self.widths.set_theme(theme)
        quiet = theme.quiet()
        self._body = estimate.Metrics.of(theme.body, theme.line)
        self._quiet = estimate.Metrics.of(quiet.body, quiet.line)

    @property
    def column(self) -> Column:
        """The text column inside the viewport."""
        return self.widths.column

    # Content

    def reset(self, entries: Iterable[Entry]) -> None:
        """Show these entries and no others."""
        self.entries[:] = entries
        self._day = None
        for index, entry in enumerate(self.entries):
            entry.index = index
            self._begin_day(entry)
            entry.height, entry.fit = self._estimate_entry(entry), self._fit
        self.heights = Sums(entry.height for entry in self.entries)
        self._fitted = len(self.entries)

    def append(self, entry: Entry) -> None:
        """Add an entry at the end."""
        entry.index = len(self.entries)
        self._begin_day(entry)
        entry.height, entry.fit = self._estimate_entry(entry), self._fit
        self.entries.append(entry)
        self.heights.append(entry.height)

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` entries."""
        del self.entries[count:]
        self.heights.truncate(count)
        self._day = next((entry.day for entry in reversed(self.entries) if entry.day is not None), None)

    def changed(self, entry: Entry, tiles: Sequence[Tile]) -> None:
        """These tiles of ``entry`` have another text or are new: their heights are estimates again.

        That of a tile with a document is the one it had, for it is about to be measured.
        """
        self._refit(entry)
        for tile in tiles:
            tile.exact = False
            if not tile.height or self._documents.cached(tile) is None:
                tile.height = self._estimate(entry, tile)
        self._cut(entry, tiles)

    def cut(self, entry: Entry) -> None:
        """(Re)build the list of tiles of ``entry`` and with it its height."""
        self._refit(entry)
        self._cut(entry, None)

    def _cut(self, entry: Entry, changed: Sequence[Tile] | None) -> None:
        first = entry.flatten(changed)
        assert entry.tiles is not None
        for tile in entry.tiles[first:]:
            if not tile.height:
                tile.height = self._estimate(entry, tile)
        self._stack(entry, first)

    def set_width(self, viewport: int, outer: int) -> bool:
        """Fit the column into a viewport, in the middle of the ``outer`` width, which includes the scroll bar.

        True if the width changed, and with it every estimate and measured text.
        """
        self.widths.fit(viewport, outer)
        if self._fit.width == self.column.width:
            return False
        self._fit = self._fit._replace(width=self.column.width)
        self._fitted = 0
        return True

    @property
    def caught_up(self) -> bool:
        """Whether every entry is fitted to the width and the fonts."""
        return self._fitted >= len(self.entries)

    def catch_up(self, until: float) -> bool:
        """Fit entries that nobody came near, up to the ``perf_counter`` ``until``; whether a height changed."""
        before = self.heights.total
        while not self.caught_up and time.perf_counter() < until:
            self._refit(self.entries[self._fitted])
            self._fitted += 1
        return self.heights.total != before

    def _refit(self, entry: Entry) -> None:
        """Forget what was measured of ``entry`` for another width, which scales the guesses, or for other fonts."""
        before, entry.fit = entry.fit, self._fit
        if before == self._fit or before is None:
            return
        if entry.tiles is None:
            entry.height = self._estimate_entry(entry)
            self.heights[entry.index] = entry.height
            return
        same_fonts = before.fonts == self._fit.fonts
        for section in entry.sections:
            for tile in section.tiles() if section.segmented else ():
                if tile.kind != "code" or tile.shared.wrapped or not same_fonts:
                    tile.exact = False
                    tile.height = math.ceil(tile.height * before.width / self._fit.width)
            if section.fold is not None:
                section.fold.exact = False
        entry.footer.exact = entry.mark_tile.exact = False
        self._stack(entry)

    def _begin_day(self, entry: Entry) -> None:
        """Let a day begin with ``entry`` when the one before is another's. Entries of unknown time belong to it."""
        day = entry.time.date() if entry.time is not None else None
        entry.day = day if day != self._day else None
        self._day = day or self._day

    # Heights

    def measure(self, top: int, bottom: int, until: float = math.inf) -> bool:
        """Make every tile in [top, bottom) exact; whether a height changed. Stops at the ``perf_counter`` ``until``."""
        if not self.entries:
            return False
        index = self.heights.at(top)
        y = self.heights.before(index)
        changed = False
        while index < len(self.entries) and y < bottom and time.perf_counter() < until:
            entry = self.entries[index]
            before = entry.height
            self._refit(entry)
            if entry.tiles is None:
                self.cut(entry)
            self._measure_entry(entry, top - y, bottom - y, until)
            changed |= entry.height != before
            y += entry.height
            index += 1
        return changed

    def visible(self, top: int, bottom: int) -> Iterator[Placed]:
        """The tiles that touch [top, bottom), from top to bottom. Entries that were never cut are left out."""
        if not self.entries:
            return
        index = self.heights.at(top)
        y = self.heights.before(index)
        while index < len(self.entries) and y < bottom:
            entry = self.entries[index]
            for k in range(_first_below(entry.offsets, top - y), len(entry.offsets)):
                tile_top = y + entry.offsets[k]
                if tile_top >= bottom:
                    break
                tile = (entry.tiles or ())[k]
                if tile_top + tile.height > top:
                    yield Placed(entry, tile, tile_top)
            y += entry.height
            index += 1

    def y_of(self, entry: Entry, tile: Tile) -> int:
        """Top of a tile, below the top of the transcript."""
        self._refit(entry)
        assert entry.tiles is not None
        return self.heights.before(entry.index) + entry.offsets[entry.tiles.index(tile)]

    def bubble(self, entry: Entry) -> QRect | None:
        """The bubble behind a person's message, relative to its entry; None for the others."""
        if entry.role != "user" or not entry.tiles or entry.tiles[0] is entry.footer:
            return None
        width = self.widths.bubble(entry)
        bottom = entry.offsets[entry.tiles.index(entry.footer)] - entry.footer.gap
        return QRect(self.column.x + self.column.width - width, _above(entry), width, bottom - _above(entry))

    def _attachment_height(self, entry: Entry, tile: Tile) -> int:
        if isinstance(tile.section, ImageSection):
            return image.size(tile.section, self.widths.attachment(entry, tile.section)).height()
        return file_chip.height(self._theme)

    def _measure_entry(self, entry: Entry, top: int, bottom: int, until: float) -> None:
        assert entry.tiles is not None
        shift = 0
        dirty = None
        for k in range(_first_below(entry.offsets, top), len(entry.tiles)):
            if entry.offsets[k] + shift >= bottom or time.perf_counter() >= until:
                break
            tile = entry.tiles[k]
            if not tile.exact:
                height = self._measure(entry, tile)
                if dirty is None and height != tile.height:
                    dirty = k
                shift += height - tile.height
                tile.height = height
                tile.exact = True
        if dirty is not None:
            self._stack(entry, dirty)

    def _measure(self, entry: Entry, tile: Tile) -> int:
        if tile.kind in WIDGETS:
            return self._estimate(entry, tile)
        document = self._documents.fit(tile, self._room(entry, tile))
        return math.ceil(document.size().height()) + sum(padding(tile))

    def _room(self, entry: Entry, tile: Tile) -> int:
        """Pixels that the text of ``tile`` has from left to right."""
        width = self.widths.text(entry, tile)
        if tile.kind == "code":
            return width - 2 * code.SIDE - code.gutter(tile, self._theme)
        if tile.kind == "table":
            return width - 2 * table.BORDER
        return width + 2 * HANG if tile.kind == "text" else width

    def _stack(self, entry: Entry, first: int = 0) -> None:
        """Add up the heights of the tiles from number ``first`` on; those before have not changed."""
        tiles = entry.tiles
        assert tiles is not None
        top, bottom = (BUBBLE_TOP, BUBBLE_BOTTOM) if entry.role == "user" and tiles[0] is not entry.footer else (0, 0)
        y = entry.offsets[first - 1] + tiles[first - 1].height if first else _above(entry) + top
        del entry.offsets[first:]
        for tile in tiles[first:]:
            y += tile.gap + (bottom if tile is entry.footer else 0)
            entry.offsets.append(y)
            y += tile.height
        entry.height = y + BELOW
        self.heights[entry.index] = entry.height

    def _estimate_entry(self, entry: Entry) -> int:
        height = _above(entry) + BELOW + footer.height(entry, self.column.width, self._theme)
        height += mark.height(entry.mark, self.column.width, self._theme)
        for section in entry.sections:
            if section.kind == "plain":
                width = self.widths.bubble_room
                height += BUBBLE_TOP + BUBBLE_BOTTOM + estimate.plain(section.text, width, self._body)
            elif isinstance(section, ImageSection) and section.natural is None:
                height += image.HIGHEST + 12  # a look into it costs a copy of its bytes
            elif section.kind != "markdown":
                height += sum(self._estimate(entry, tile) + 12 for tile in section.shown() if tile.kind in WIDGETS)
            else:
                height += estimate.message(section.text, self.column.width, self._body)
        return height

    def _estimate(self, entry: Entry, tile: Tile) -> int:
        match tile.kind:  # the first are asked for by the thousand
            case "text":
                folded = tile.section is not None and tile.section.kind in FOLDED
                metrics = self._quiet if folded else self._body
                return estimate.markdown(tile.text, self.widths.text(entry, tile), metrics)
            case "math":
                return estimate.code(tile.text, self._theme.line) + sum(formula.PADDING)
            case "code":
                return estimate.code(tile.text, self._theme.code_line) + sum(padding(tile))
            case "table":
                theme = self._documents.theme_of(tile)
                return estimated_height(tile, theme, self._room(entry, tile)) + sum(padding(tile))
            case "plain":
                return estimate.plain(tile.text, self.widths.text(entry, tile), self._body)
            case "fold":
                return fold.HEIGHT
            case "tool":
                return tool_card.height(tile, self._theme)
            case "approval":
                return approval.height(tile, self.column.width, self._theme)
            case "image" | "file":
                return self._attachment_height(entry, tile)
            case "footer":
                return footer.height(entry, self.column.width, self._theme)
            case "mark":
                return mark.height(entry.mark, self.column.width, self._theme)


def _above(entry: Entry) -> int:
    above = ABOVE_QUESTION if entry.role == "user" else ABOVE
    return (above if entry.index else ABOVE_FIRST) + (DAY if entry.day is not None else 0)


def padding(tile: Tile) -> tuple[int, int]:
    """Pixels above and below the text of ``tile`` inside its block."""
    match tile.kind:
        case "code":
            return code.padding(tile)
        case "table":
            return table.padding(tile)
        case "math":
            return formula.PADDING
        case _:
            return 0, 0


def _first_below(offsets: Sequence[int], y: int) -> int:
    """Index of the tile that contains ``y``, or of the first one when ``y`` lies above it."""
    return max(0, bisect_right(offsets, y) - 1)
