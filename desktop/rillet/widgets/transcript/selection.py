"""What is selected in a transcript: two places in its text, wherever these are on the screen, or off it.

Pure values, without widgets and documents. Below: ``selecting`` makes selections of what mouse and keyboard do,
``marks`` shows them, ``copying`` takes out the text. Guarantee: a selection means the same text however far it scrolls
away, for it holds numbers and no widgets.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final, NamedTuple

END: Final = sys.maxsize
"""The end of whatever it is counted in."""


class Spot(NamedTuple):
    """A place between two characters. Spots compare in reading order.

    Attributes:
        entry: Number of the entry in the transcript.
        section: Number of the section in the entry.
        tile: Number of the tile in the section.
        offset: UTF-16 units before it in the tile's document.
    """

    entry: int
    section: int = 0
    tile: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """The text from where selecting began, the ``anchor``, to where it has got to, the ``focus``."""

    anchor: Spot
    focus: Spot

    @property
    def start(self) -> Spot:
        """The earlier end."""
        return min(self.anchor, self.focus)

    @property
    def end(self) -> Spot:
        """The later end."""
        return max(self.anchor, self.focus)

    def __bool__(self) -> bool:
        return self.anchor != self.focus

    def span(self, tile: tuple[int, int, int], length: int) -> tuple[int, int] | None:
        """The selected part of a tile (by entry, section and tile number) of ``length`` units; None for nothing."""
        first, last = self.start, self.end
        if not first[:3] <= tile <= last[:3]:
            return None
        low = min(first.offset, length) if tile == first[:3] else 0
        high = min(last.offset, length) if tile == last[:3] else length
        return (low, high) if low < high else None
