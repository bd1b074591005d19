"""A display formula: in the middle of the column, or scrolled sideways when it is wider.

Above: ``sideways``, ``markdown/formula``. Below: ``transcript/layout`` asks for the padding, ``transcript/stage`` lends
blocks to tiles. Guarantee: assistive tools read the TeX, and copying gives the source.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect

from rillet.widgets.blocks.sideways import BAR, SidewaysBlock
from rillet.widgets.markdown.tex import block_tex

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from rillet.widgets.transcript.model import Entry, Tile

PADDING = (4, BAR)
"""Pixels above and below: the bar has its place."""


class FormulaBlock(SidewaysBlock):
    """One display formula."""

    def bind(self, entry: Entry, tile: Tile, document: QTextDocument | None) -> None:
        """Show ``tile``."""
        super().bind(entry, tile, document)
        source = tile.text
        self.text_view.setAccessibleName(self.tr("Formula: {0}").format(block_tex(source) or source))

    def _text_area(self) -> QRect:
        above, below = PADDING
        natural = math.ceil(self.text_view.document().idealWidth())
        width = min(self.width(), natural)
        return QRect((self.width() - width) // 2, above, width, max(0, self.height() - above - below))
