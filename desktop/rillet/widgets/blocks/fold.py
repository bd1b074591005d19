"""The fold above reasoning: "Thinking…" while it arrives, "Thought for 6 s" afterwards; a click opens and closes it.

The text below an open fold is ordinary tiles. Above: ``button``. Below: ``transcript/stage`` lends it to tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal, Slot

from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.transcript.model import Entry, Section, Tile

HEIGHT = 32


class FoldBlock(Button):
    """A line that opens and closes what stands below it.

    Signals:
        foldClicked(object, object): The entry and the section whose fold was clicked.
    """

    text_view: ClassVar[TextView | None] = None
    foldClicked = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("chevron-right", "Thinking…", parent=parent)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self.clicked.connect(self._toggle)

    def bind(self, entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Show the state of the section of ``tile``."""
        assert tile.section is not None
        self._entry = entry
        self.tile = tile
        self.setText(title(tile.section))
        self.describe(f"{self.text()}, {'expanded' if tile.section.expanded else 'collapsed'}")
        self.set_icon("chevron-down" if tile.section.expanded else "chevron-right")

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None

    @Slot()
    def _toggle(self) -> None:
        if self.tile is not None:
            self.foldClicked.emit(self._entry, self.tile.section)


def title(section: Section) -> str:
    """What the fold says about the reasoning in ``section``."""
    if section.growing:
        return "Thinking…"
    if section.seconds is None:
        return "Thought"
    seconds = max(1, round(section.seconds))
    return f"Thought for {seconds} s" if seconds < 60 else f"Thought for {seconds // 60} min {seconds % 60} s"
