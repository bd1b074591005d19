"""Small parts that pages and dialogs of tools share: plain labels, rows with a switch, a heading with buttons.

Above: ``widgets/theme``, ``widgets/blocks/button``. Guarantee: every text is plain, every switch has its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from rillet.app.settings.page import tint
from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from PySide6.QtGui import QFont

    from rillet.widgets.theme.palette import Theme

INDENT = 24
"""Pixels that a note stands in from its switch."""


class Note(QLabel):
    """Words that step back; they may be selected."""

    def __init__(self, theme: Theme, text: str = "", *, colour: str = "", selectable: bool = True) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setFont(small_font(theme))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        tint(self, colour or theme.tokens.muted)


class Switch(QWidget):
    """A check box, and under it what it is about."""

    def __init__(self, theme: Theme, text: str, note: str = "", *, on: bool = False) -> None:
        super().__init__()
        self.box = QCheckBox(text.replace("&", "&&"))
        self.box.setChecked(on)
        self.box.setAccessibleDescription(note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.box)
        self.note = Note(theme, note, selectable=False)
        self.note.setContentsMargins(INDENT, 0, 0, 0)
        self.note.setVisible(bool(note))
        column.addWidget(self.note)


def title(text: str, theme: Theme) -> QLabel:
    """A heading."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(strong(theme))
    return label


def strong(theme: Theme) -> QFont:
    """The font of headings."""
    font = theme.body.__class__(theme.body)
    font.setWeight(font.Weight.DemiBold)
    return font


def beside(first: QWidget, *buttons: Button) -> QHBoxLayout:
    """Something with buttons at its right."""
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(first, 1)
    for button in buttons:
        row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
    return row


def button(theme: Theme, text: str, *, description: str = "", filled: bool = False, icon: str = "") -> Button:
    """A button of a page."""
    made = Button(icon, text, description, look="filled" if filled else "outlined")
    made.set_theme(theme)
    return made


def empty(layout: QVBoxLayout) -> None:
    """Take everything out of a column, and delete it."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            empty(inner)  # type: ignore[arg-type]
