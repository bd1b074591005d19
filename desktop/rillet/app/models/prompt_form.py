"""Asks for what a prompt leaves open: a field for each gap, as high as what stands in it.

Knows no library. Below: ``prompts`` opens it. Guarantee: text of several lines is taken as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QPlainTextEdit, QVBoxLayout

from rillet.app.settings.sheet import settings_style_sheet
from rillet.widgets.theme.palette import applied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QKeyEvent, QShowEvent
    from PySide6.QtWidgets import QWidget

WIDTH: Final = 440
MOST_LINES: Final = 8
_AROUND: Final = 24
"""Pixels of edges and margins beside the lines."""


class GapField(QPlainTextEdit):
    """A field that grows with its text. Return is that of the dialog; Shift+Return begins a line.

    Signals:
        returned(): Return was pressed.
    """

    returned = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.textChanged.connect(self.fit)
        self.fit()

    @Slot()
    def fit(self) -> None:
        """Be as high as the text, up to ``MOST_LINES`` lines."""
        lines = max(1, min(MOST_LINES, round(self.document().size().height())))
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + _AROUND)

    # Qt overrides

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Return to the dialog."""
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.returned.emit()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Measure with the font that the style sheet gave."""
        super().showEvent(event)
        self.fit()


class PromptForm(QDialog):
    """The gaps of one prompt.

    Signals:
        filled(object): What was entered, by the names of the gaps.
    """

    filled = Signal(object)

    def __init__(self, title: str, names: Iterable[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setMinimumWidth(WIDTH)
        self.setStyleSheet(settings_style_sheet(applied(parent.palette()).tokens))
        self._fields = {name: GapField(name) for name in names}
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        for name, field in self._fields.items():
            field.returned.connect(self.submit)
            form.addRow(name.replace("&", "&&"), field)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("Insert"))
        buttons.accepted.connect(self.submit)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(16)
        column.addLayout(form)
        column.addWidget(buttons)
        next(iter(self._fields.values())).setFocus()

    @Slot()
    def submit(self) -> None:
        """Hand over what was entered."""
        self.accept()
        self.filled.emit({name: field.toPlainText() for name, field in self._fields.items()})
