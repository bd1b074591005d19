"""The line that a reader has before the eyes, to be put back to where it was when everything is laid out anew.

A line is known by a character in it, for a change of width or font breaks the text into other lines. Above: ``layout``,
``lines``. Below: ``view``. Guarantee: ``top_of`` is exact to the pixel for what was measured.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, NamedTuple

from rillet.widgets.markdown.lines import line_of, offset_at
from rillet.widgets.transcript.layout import padding
from rillet.widgets.transcript.model import WIDGETS

if TYPE_CHECKING:
    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.layout import Layout
    from rillet.widgets.transcript.model import Entry, Tile


class Held(NamedTuple):
    """A character, and where its line is: ``y`` pixels below the top of the viewport."""

    entry: Entry
    tile: Tile
    offset: int
    y: int


def hold(layout: Layout, documents: Documents, top: int, height: int) -> Held | None:
    """The uppermost line of text that begins in the ``height`` pixels from ``top`` on; None where there is none."""
    for entry, tile, y in layout.visible(top, top + height):
        if tile.kind in WIDGETS or not tile.exact:
            continue
        text_top = y + padding(tile)[0]
        offset = offset_at(documents.get(tile), max(0, top - text_top))
        line_top = top_of(layout, documents, entry, tile, offset)
        if top <= line_top < top + height:
            return Held(entry, tile, offset, line_top - top)
    return None


def top_of(layout: Layout, documents: Documents, entry: Entry, tile: Tile, offset: int) -> int:
    """Where the line of a character begins, in pixels below the top of the transcript; the top of what has no text."""
    y = layout.y_of(entry, tile)
    if tile.kind in WIDGETS:
        return y
    return y + padding(tile)[0] + floor(line_of(documents.get(tile), offset).top)
