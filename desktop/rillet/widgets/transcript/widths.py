"""Where everything of a transcript is from left to right: the column, and how wide what stands in it is. Whole pixels.

Knows nothing of heights. Above: ``model``, ``documents``. Below: ``layout`` breaks text into lines of these widths,
``stage`` puts widgets where this module says.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRect

from rillet.widgets.blocks import file_chip, footer, image
from rillet.widgets.markdown.formats import HANG
from rillet.widgets.theme.tokens import MARGIN, MEASURE
from rillet.widgets.transcript.attachments import FileSection, ImageSection
from rillet.widgets.transcript.model import FOLDED

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.documents import Documents
    from rillet.widgets.transcript.model import Entry, Tile

BUBBLE_X = 16
"""Space left and right inside a bubble."""
_BUBBLE_SHARE = 0.8
_INDENT = 16
_NARROWEST = 160


class Column(NamedTuple):
    """The text column inside the viewport."""

    x: int
    width: int


class Widths:
    """Widths of what stands in the column.

    Attributes:
        column: It.
    """

    def __init__(self, documents: Documents, theme: Theme) -> None:
        self.column = Column(MARGIN, MEASURE)
        self._documents = documents
        self._theme = theme

    def set_theme(self, theme: Theme) -> None:
        """Use the fonts of ``theme``."""
        self._theme = theme

    def fit(self, viewport: int, outer: int) -> None:
        """Fit the column into a viewport, in the middle of the ``outer`` width, which includes the scroll bar."""
        width = max(_NARROWEST, min(MEASURE, viewport - 2 * MARGIN))
        self.column = Column(max(0, min((outer - width) // 2, viewport - width)), width)

    def rect(self, entry: Entry, tile: Tile, y: int) -> QRect:
        """Where the widget of ``tile`` belongs, when its top is at ``y``."""
        x, width = self.column
        if isinstance(tile.section, ImageSection | FileSection):
            own = self.attachment(entry, tile.section)
            return QRect(x + width - BUBBLE_X - own if entry.role == "user" else x, y, own, tile.height)
        if entry.role == "user" and tile.kind == "plain":
            inner = self.bubble(entry) - 2 * BUBBLE_X
            # Not wider than its text needs: right-to-left text aligns to the right edge of its editor.
            return QRect(x + width - BUBBLE_X - inner, y, inner, tile.height)
        if tile.section is not None and tile.section.kind in FOLDED and tile.kind != "fold":
            x, width = x + _INDENT, width - _INDENT
        if tile.kind == "text":
            x, width = x - HANG, width + 2 * HANG
        elif tile.kind == "footer":
            x, width = x - footer.OVERHANG, width + 2 * footer.OVERHANG
        return QRect(x, y, width, tile.height)

    def text(self, entry: Entry, tile: Tile) -> int:
        """At which the text of ``tile`` is broken into lines."""
        if entry.role == "user" and tile.kind == "plain":
            return self.bubble_room
        if tile.section is not None and tile.section.kind in FOLDED:
            return self.column.width - _INDENT
        return self.column.width

    def bubble(self, entry: Entry) -> int:
        """Of the bubble behind a person's message: no wider than what is in it."""
        assert entry.tiles is not None
        full = self.bubble_room
        texts = [tile for tile in entry.tiles if tile.kind == "plain"]
        inner = full if len(texts) > 1 else 0
        for tile in texts[:1]:
            document = self._documents.cached(tile)
            inner = full if document is None or inner else min(full, math.ceil(document.idealWidth()) + 2)
        for section in entry.sections:
            if isinstance(section, ImageSection | FileSection):
                inner = max(inner, self.attachment(entry, section))
        return inner + 2 * BUBBLE_X

    @property
    def bubble_room(self) -> int:
        """Of the text of a person's message, at most."""
        return int(self.column.width * _BUBBLE_SHARE) - 2 * BUBBLE_X

    def attachment(self, entry: Entry, section: ImageSection | FileSection) -> int:
        """Of a picture or a file."""
        room = self.bubble_room if entry.role == "user" else self.column.width
        if isinstance(section, ImageSection):
            return image.size(section, room).width()
        return file_chip.width(section, room, self._theme)
