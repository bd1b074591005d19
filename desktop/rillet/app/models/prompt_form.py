"""Asks for what a prompt leaves open: a field for each gap.

Knows no library. Below: ``prompts`` opens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout

from rillet.widgets.theme.palette import applied, dialog_style_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QWidget

WIDTH = 440


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
        self.setStyleSheet(dialog_style_sheet(applied(parent.palette()).tokens))
        self._fields = {name: QLineEdit() for name in names}
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        for name, field in self._fields.items():
            field.setAccessibleName(name)
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
        self.filled.emit({name: field.text() for name, field in self._fields.items()})
