"""Fields that Qt draws otherwise than our dialogs: a choice with our chevron, a box with our tick.

Above: ``icons``. Below: the pages. Knows nothing of what is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QComboBox, QStyle, QStyleOptionButton

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


class CheckBox(QCheckBox):
    """A box that can be told from the ground in every scheme; Fusion's is drawn in the colour of its border."""

    # Qt overrides

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box, a tick, and the words."""
        colours = self.palette()
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        option = QStyleOptionButton()
        self.initStyleOption(option)
        style = self.style()
        box = style.subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        words = style.subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        accent = colours.color(group, QPalette.ColorRole.Accent)
        on = self.isChecked()
        painter.setPen(QPen(accent if on else colours.color(group, QPalette.ColorRole.Dark), 1))
        painter.setBrush(accent if on else colours.color(group, QPalette.ColorRole.Base))
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if on:
            tick = icon("check", colours.color(group, QPalette.ColorRole.Base), size=box.width())
            tick.paint(painter, box)
        painter.setPen(colours.color(group, QPalette.ColorRole.WindowText))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextShowMnemonic, self.text())
        if self.hasFocus():
            painter.setPen(QPen(colours.color(QPalette.ColorRole.Accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
        painter.end()
