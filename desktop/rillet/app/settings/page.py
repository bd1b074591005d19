"""A page of the settings: titled sections of rows, each a label, a field and perhaps a note.

Knows nothing of what is set. Above: ``widgets/theme``. Below: every page, which ``pages`` lists. Guarantees: a label
belongs to its field, for keyboard and screen reader; all text is plain; what a page says can be searched (``seek``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from rillet.app.actions import Actions
from rillet.app.look import Look
from rillet.app.services import Services
from rillet.widgets.blocks.button import Button, button_row, small_font
from rillet.widgets.labels import tint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.widgets.theme.palette import Theme

WIDEST: Final = 680
LABELS: Final = 168
"""Pixels of the column of labels."""


@dataclass(frozen=True, slots=True)
class Context:
    """What pages are made with.

    Attributes:
        services: Everything that can be set up.
        look: How the program looks; None where nobody may change that.
        actions: What has keys; None where nobody may change them.
    """

    services: Services
    look: Look | None = None
    actions: Actions | None = None


class Page(QScrollArea):
    """One page. Sub-classes fill it with ``section``, ``row``, ``note`` and ``wide``.

    What may have changed meanwhile is loaded in ``showEvent``.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._titles: list[QLabel] = []
        self._notes: list[QLabel] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        ground = QWidget()
        sheet = self._sheet = QWidget()
        sheet.setMaximumWidth(WIDEST)
        self._grid = QGridLayout(sheet)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(0, LABELS)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout()
        column.addWidget(sheet)
        column.addStretch(1)
        row = QHBoxLayout(ground)
        row.setContentsMargins(24, 20, 24, 24)
        row.addLayout(column, 1)
        self.setWidget(ground)
        self.viewport().setAutoFillBackground(False)
        ground.setAutoFillBackground(False)

    # What sub-classes call

    def section(self, title: str, note: str = "") -> None:
        """Begin a section."""
        label = _plain(title)
        self._titles.append(label)
        label.setFont(self._title_font())
        if self._grid.count():
            self._grid.setRowMinimumHeight(self._grid.rowCount(), 12)
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)
        if note:
            self.note(note)

    def row(self, label: str, field: QWidget, note: str = "", *, stretch: bool = True) -> QLabel:
        """A field with its label at the left (``&`` marks the key); returns the label of the note."""
        name = _plain(label)
        name.setWordWrap(True)
        name.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(label.replace("&", ""))
        line = self._grid.rowCount()
        top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        name.setContentsMargins(0, 6, 0, 0)
        self._grid.addWidget(name, line, 0, top)
        if stretch:
            self._grid.addWidget(field, line, 1)
        else:
            self._grid.addWidget(field, line, 1, Qt.AlignmentFlag.AlignLeft)
        said = self._noted(note)
        self._grid.addWidget(said, line + 1, 1)
        if note:
            field.setAccessibleDescription(note)
        return said

    def note(self, text: str) -> QLabel:
        """A sentence of its own."""
        label = self._noted(text)
        self._grid.addWidget(label, self._grid.rowCount(), 0, 1, 2)
        return label

    def wide(self, widget: QWidget) -> None:
        """Something that takes the whole width."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def buttons(self, *buttons: Button) -> None:
        """Buttons beside each other, under the fields."""
        self._grid.addLayout(button_row(*buttons), self._grid.rowCount(), 1)

    def wide_buttons(self, *buttons: Button) -> None:
        """Buttons beside each other, under something wide."""
        self._grid.addLayout(button_row(*buttons), self._grid.rowCount(), 0, 1, 2)

    def say(self, label: QLabel, sentence: str, *, trouble: bool = False) -> None:
        """Have a note say something else; an empty sentence hides it."""
        tint(label, self._theme.tokens.danger if trouble else self._theme.tokens.muted)
        label.setText(sentence)
        label.setVisible(bool(sentence))

    # What the dialog calls

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._theme = theme
        for title in self._titles:
            title.setFont(self._title_font())
        for note in self._notes:
            note.setFont(small_font(theme))
            tint(note, theme.tokens.muted)
        for button in self.findChildren(Button):
            button.set_theme(theme)

    def seek(self, words: list[str]) -> QWidget | None:
        """The first thing on this page that says one of ``words``, where the page has all of them; else None."""
        places = list(self._places())
        text = "\n".join(said for said, _ in places)
        if not all(word in text for word in words):
            return None
        return next((place for said, place in places if any(word in said for word in words)), self)

    def reveal(self, place: QWidget) -> None:
        """Scroll to something, and give it the focus if it takes it."""
        self.ensureWidgetVisible(place)
        target = place.buddy() if isinstance(place, QLabel) and place.buddy() is not None else place
        if target.focusPolicy() & Qt.FocusPolicy.TabFocus:
            target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _places(self) -> Iterator[tuple[str, QWidget]]:
        for child in self._sheet.findChildren(QWidget):
            if isinstance(child, QLabel | QAbstractButton):
                said = f"{child.text()}\n{child.accessibleName()}".replace("&", "")
                yield said.casefold(), child

    def _noted(self, text: str) -> QLabel:
        label = _plain(text)
        label.setWordWrap(True)
        label.setFont(small_font(self._theme))
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        tint(label, self._theme.tokens.muted)
        if not text:
            label.hide()
        self._notes.append(label)
        return label

    def _title_font(self) -> QFont:
        font = QFont(self._theme.body)
        font.setPointSizeF(font.pointSizeF() * 1.08)
        font.setWeight(QFont.Weight.DemiBold)
        return font


def _plain(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
