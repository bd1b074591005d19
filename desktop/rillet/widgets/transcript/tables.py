"""The columns of tables in a transcript: one ``Columns`` for all tiles of a table, whichever comes into sight first.

Above: ``markdown/columns``, ``model``. Below: ``documents`` builds tables with them, ``layout`` guesses heights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.widgets.markdown.columns import Columns
from rillet.widgets.markdown.table import rows_of

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Tile


def columns_of(tile: Tile, theme: Theme) -> Columns:
    """The columns of the table that ``tile`` is a part of, as its first tile is now."""
    first = tile.shared.first
    assert first is not None
    assert first.segment is not None
    assert first.segment.block is not None
    columns = tile.shared.columns
    if columns is None or columns.theme.body != theme.body:
        columns = tile.shared.columns = Columns(first.segment.block.head, theme)
    if columns.measured != first.end:
        columns.take(rows_of(first.text, continued=False)[1:])
        columns.measured = first.end
    return columns


def estimated_height(tile: Tile, theme: Theme, room: int) -> int:
    """Height of a tile of a table, guessed from its source."""
    rows = rows_of(tile.text, continued=tile.continued)
    return columns_of(tile, theme).height(rows, room, head=not tile.continued)
