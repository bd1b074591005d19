"""Small parts that pages and dialogs of tools share: plain labels, rows with a switch, places that are filled anew.

Above: ``widgets/theme``, ``widgets/blocks/button``. Guarantee: every text is plain, every switch has its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.check_box import INDENT, CheckBox
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from PySide6.QtGui import QFont

    from rillet.widgets.theme.palette import Theme


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
        self.box = CheckBox(whole=text)
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


class Held(QWidget):
    """A place whose whole content is made anew; what had the focus has it again, by its accessible name."""

    def __init__(self) -> None:
        super().__init__()
        self._frame = QVBoxLayout(self)
        self._frame.setContentsMargins(0, 0, 0, 0)
        self._shown: QWidget | None = None
        self._next = QWidget()

    def renew(self) -> QVBoxLayout:
        """Begin another content; ``put`` shows it."""
        self._next = QWidget()
        column = QVBoxLayout(self._next)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        return column

    def put(self) -> None:
        """Show what was made."""
        previous, self._shown = self._shown, self._next
        focused = None if previous is None else previous.focusWidget()
        had_focus = focused is not None and focused.hasFocus()
        self._frame.addWidget(self._shown)
        self._shown.show()
        if previous is not None:
            self._frame.removeWidget(previous)
            previous.hide()
            previous.deleteLater()
        if had_focus and focused is not None:
            for each in self._shown.findChildren(type(focused)):
                if each.accessibleName() == focused.accessibleName():
                    each.setFocus()
                    return


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


def stacked(*notes: QWidget) -> QWidget:
    """What belongs together, one under the other."""
    made = QWidget()
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 4)
    column.setSpacing(0)
    for each in notes:
        column.addWidget(each)
    return made


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
