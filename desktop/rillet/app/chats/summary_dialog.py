"""A summary to read and to change: what the model is told instead of the messages above the line.

Above: ``core/store/summaries``. Below: ``horizon`` opens it. Guarantee: nothing is changed before it is saved, and what
the model wrote first can be had again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout

from rillet.app.models.figures import figures_of
from rillet.app.settings.sheet import settings_style_sheet
from rillet.widgets.theme.palette import applied

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.core.store.summaries import Summary

WIDTH, HEIGHT = 560, 420


class SummaryDialog(QDialog):
    """One summary.

    Signals:
        rewritten(int, str): It is to say something else.
        undone(): It is not to be used any more.
    """

    rewritten = Signal(int, str)
    undone = Signal()

    def __init__(self, summary: Summary, parent: QWidget) -> None:
        super().__init__(parent)
        self._summary = summary
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Summary"))
        self.resize(WIDTH, HEIGHT)
        self.setStyleSheet(settings_style_sheet(applied(parent.palette()).tokens))
        note = self._label(self.tr("The model is told this instead of the messages above the line. They stay here."))
        self._text = QPlainTextEdit(summary.text)
        self._text.setAccessibleName(self.tr("Summary"))
        self._text.setTabChangesFocus(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self._save = buttons.button(QDialogButtonBox.StandardButton.Save)
        undo = buttons.addButton(self.tr("Undo the summary"), QDialogButtonBox.ButtonRole.ResetRole)
        undo.clicked.connect(self.undo)
        if summary.original is not None:
            back = buttons.addButton(self.tr("As it was written"), QDialogButtonBox.ButtonRole.ResetRole)
            back.clicked.connect(self.restore)
        buttons.accepted.connect(self.save)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(note)
        column.addWidget(self._text, 1)
        column.addWidget(self._label(self._made()))
        column.addWidget(buttons)
        self._text.textChanged.connect(self._look)
        self._text.setFocus()

    @Slot()
    def save(self) -> None:
        """Have it say what stands there now."""
        text = self._text.toPlainText().strip()
        self.accept()
        if text and text != self._summary.text:
            self.rewritten.emit(self._summary.id, text)

    @Slot()
    def undo(self) -> None:
        """Do without it."""
        self.reject()
        self.undone.emit()

    @Slot()
    def restore(self) -> None:
        """Put what the model wrote into the field."""
        self._text.setPlainText(self._summary.original or self._summary.text)

    @Slot()
    def _look(self) -> None:
        self._save.setEnabled(bool(self._text.toPlainText().strip()))

    def _made(self) -> str:
        """Who wrote it, and what that took."""
        details = self._summary.details
        usages = [each for each in details.get("usages", ()) if isinstance(each, dict)]
        cost = details.get("cost")
        figures = figures_of([{"usage": each, **({"cost": cost / len(usages)} if cost else {})} for each in usages])
        said = self.tr("Written by {model}").format(model=self._summary.model or self.tr("a model"))
        edited = self.tr("changed by you") if self._summary.original is not None else ""
        return " · ".join(each for each in (said, str(figures), edited) if each)

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        return label
