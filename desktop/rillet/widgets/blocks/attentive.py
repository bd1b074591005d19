"""A button that shows itself only while somebody may be looking for it: the mouse is near, or the keyboard on it.

Above: ``button``. Below: the blocks of code and tables. It keeps its place and its turn in the tab order meanwhile, and
says its name to assistive tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QColor

from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.blocks.button import Look


class AttentiveButton(Button):
    """An icon; one that is ``checkable`` stays pressed, and to be seen, when it was clicked."""

    def __init__(
        self,
        icon_name: str,
        description: str,
        parent: QWidget | None = None,
        *,
        look: Look = "flat",
        checkable: bool = False,
    ) -> None:
        super().__init__(icon_name, "", description, parent, look=look)
        self._shown = False
        self.setCheckable(checkable)
        self.toggled.connect(self._tint)

    def set_shown(self, *, shown: bool) -> None:
        """Whether the mouse is near."""
        if shown != self._shown:
            self._shown = shown
            self.update()

    def _ink(self) -> QColor:
        return QColor(self._theme.tokens.accent) if self.isChecked() and self._theme is not None else super()._ink()

    # Qt overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it where it is wanted, or on."""
        if self._shown or self.isChecked() or self.hasFocus():
            super().paintEvent(event)
