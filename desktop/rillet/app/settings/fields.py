"""A choice that is drawn as our dialogs are: with our chevron.

Above: ``icons``. Below: the pages. Knows nothing of what is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QComboBox

from rillet.widgets.icons import icon

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

_SIZE = 12
_FROM_RIGHT = 10


class ChoiceBox(QComboBox):
    """A choice. The wheel scrolls the page, and changes nothing in passing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def offer(self, *choices: tuple[str, str]) -> None:
        """What can be chosen: a value and the words for it, each."""
        for value, words in choices:
            self.addItem(words, value)

    @property
    def value(self) -> str:
        """The value that is chosen."""
        return str(self.currentData())

    def show_value(self, value: str) -> None:
        """Choose this value; one that is not offered changes nothing."""
        if (row := self.findData(value)) >= 0:
            self.setCurrentIndex(row)

    # Qt overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the field, and a chevron where the list opens."""
        super().paintEvent(event)
        painter = QPainter(self)
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        colour = self.palette().color(group, QPalette.ColorRole.Text)
        left = self.width() - _FROM_RIGHT - _SIZE
        icon("chevron-down", QColor(colour), size=_SIZE).paint(
            painter, left, (self.height() - _SIZE) // 2, _SIZE, _SIZE
        )
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave it to the page, unless the field is in use."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
