"""The button that leads to the end of the conversation, and says how many messages came while one was elsewhere.

Above: ``blocks/button``. Below: ``view`` counts and places it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtCore import QSize
    from PySide6.QtWidgets import QWidget

_SIZE = 36
_ABOVE_END = 12


class LatestButton(Button):
    """A round button; with a number in it a longer one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("down", "", "", parent, look="floating", round_ends=True)
        self._area: QSize | None = None
        self._count = -1
        self.hide()
        self.show_count(0)

    def show_count(self, count: int) -> None:
        """So many messages came below; 0 for none."""
        if count == self._count:
            return
        self._count = count
        self.setText(self.tr("{count} new").format(count=count) if count else "")
        self.describe(
            self.tr("Jump to the latest message, {count} new").format(count=count)
            if count
            else self.tr("Jump to the latest message")
        )
        self._place()

    def place_in(self, area: QSize) -> None:
        """Stand in the middle of the lower edge of ``area``."""
        self._area = area
        self._place()

    def _place(self) -> None:
        self.resize(max(_SIZE, self.sizeHint().width()) if self.text() else _SIZE, _SIZE)
        if self._area is not None:
            self.move((self._area.width() - self.width()) // 2, self._area.height() - _SIZE - _ABOVE_END)
