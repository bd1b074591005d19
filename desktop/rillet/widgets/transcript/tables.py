"""The columns of tables in a transcript: one ``Columns`` for all tiles of a table, whichever comes into sight first.

Above: ``markdown/columns``, ``model``. Below: ``documents`` builds tables with them, ``layout`` guesses heights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rillet.widgets.markdown.columns import Columns
from rillet.widgets.markdown.table import rows_of

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.model import Tile

_FAR: Final = 32_000
"""Characters: a thousand rows or so take 20 ms to judge one by one."""


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
    """Height of a tile of a table, guessed from its source; far behind the table's head from the number of its rows."""
    assert tile.shared.first is not None
    assert tile.segment is not None
    columns = columns_of(tile, theme)
    if tile.start - tile.shared.first.start > _FAR:
        return round(tile.segment.lines * columns.mean_height(room))
    rows = rows_of(tile.text, continued=tile.continued)
    return columns.height(rows, room, head=not tile.continued)
