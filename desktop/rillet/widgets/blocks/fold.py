"""The fold above what steps back: reasoning, and what a provider took back.

    ▸ Thinking… 12 s                          while it arrives
    ▸ Thought for 6 s                         afterwards
    ▸ Set aside: the provider began again     an attempt that is no part of the answer

A click opens and closes it; the text below an open fold is ordinary tiles. Above: ``button``, ``ticker``. Below:
``transcript/stage`` lends it to tiles.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal, Slot

from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.ticker import Ticker, whole_seconds

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent, QTextDocument
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
        super().__init__("chevron-right", parent=parent)
        self.tile: Tile | None = None
        self._entry: Entry | None = None
        self._ticker = Ticker(self, self._refresh)
        self.clicked.connect(self._toggle)

    def bind(self, entry: Entry, tile: Tile, _document: QTextDocument | None) -> None:
        """Show the state of the section of ``tile``."""
        assert tile.section is not None
        self._entry = entry
        self.tile = tile
        self.set_icon("chevron-down" if tile.section.expanded else "chevron-right")
        self._ticker.set_on(tile.section.growing)
        self._refresh()

    def release(self) -> None:
        """Show nothing."""
        self.tile = None
        self._entry = None
        self._ticker.set_on(False)

    def _refresh(self) -> None:
        """Say how long it has been going on."""
        if self.tile is None or self.tile.section is None:
            return
        text = self._title(self.tile.section)
        state = self.tr("expanded") if self.tile.section.expanded else self.tr("collapsed")
        self.describe(f"{text}, {state}")
        if text != self.text():
            self.setText(text)
            self.resize(self.sizeHint().width(), self.height())

    def _title(self, section: Section) -> str:
        """What the fold says about what is in ``section``."""
        if section.kind == "discarded":
            return self.tr("Set aside: the provider began again")
        if section.growing:
            gone = int(time.monotonic() - section.since) if section.since is not None else 0
            return self.tr("Thinking… {time}").format(time=whole_seconds(gone)) if gone else self.tr("Thinking…")
        if section.seconds is None:
            return self.tr("Thought")
        return self.tr("Thought for {time}").format(time=whole_seconds(max(1, round(section.seconds))))

    @Slot()
    def _toggle(self) -> None:
        if self.tile is not None:
            self.foldClicked.emit(self._entry, self.tile.section)

    # Qt overrides

    def showEvent(self, event: QShowEvent) -> None:
        """Count while it can be seen."""
        super().showEvent(event)
        self._ticker.set_seen(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop counting."""
        super().hideEvent(event)
        self._ticker.set_seen(False)
