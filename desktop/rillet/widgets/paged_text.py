"""A text of any length to be read, a part at a time, so that laying it out stops nothing.

Knows nothing of files. Below: the preview of the composer, ``file_viewer``. Guarantee: what is shown is plain text, all
of it, as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from rillet.widgets.blocks.button import Button, small_font

if TYPE_CHECKING:
    from rillet.widgets.theme.palette import Theme

PART: Final = 20_000
"""Characters that are shown at a time."""


class PagedText(QWidget):
    """The text, and below it the way from part to part where there are several."""

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._part = 0
        self._view = QPlainTextEdit(readOnly=True)
        self._view.setAccessibleName(name)
        self._back = Button("chevron-left", "", self.tr("The part before"))
        self._on = Button("chevron-right", "", self.tr("The next part"))
        self._where = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._back.clicked.connect(self._turn_back)
        self._on.clicked.connect(self._turn_on)
        foot = QHBoxLayout()
        foot.addWidget(self._back)
        foot.addWidget(self._where)
        foot.addWidget(self._on)
        foot.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._view, 1)
        column.addLayout(foot)
        self.setFocusProxy(self._view)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._view.setFont(theme.mono)
        self._where.setFont(small_font(theme))
        for button in (self._back, self._on):
            button.set_theme(theme)

    @property
    def parts(self) -> int:
        """How many parts the text is shown in."""
        return max(1, -(-len(self._text) // PART))

    @Slot()
    def _turn_back(self) -> None:
        self._part -= 1
        self._show()

    @Slot()
    def _turn_on(self) -> None:
        self._part += 1
        self._show()

    def _show(self) -> None:
        self._view.setPlainText(self._text[self._part * PART : (self._part + 1) * PART])
        self._where.setText(self.tr("Part {number} of {count}").format(number=self._part + 1, count=self.parts))
        for widget in (self._back, self._where, self._on):
            widget.setVisible(self.parts > 1)
        self._back.setEnabled(self._part > 0)
        self._on.setEnabled(self._part < self.parts - 1)
