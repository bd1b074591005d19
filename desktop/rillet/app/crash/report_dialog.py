"""Shows what was kept of a run that ended badly: all of it, and nothing happens to it but what the person does.

Above: ``report`` made the text. Below: ``window`` opens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout

from rillet.app.settings.sheet import settings_style_sheet
from rillet.app.sizes import resize_to_fit
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.widgets.theme.palette import Theme


class ReportDialog(QDialog):
    """The report, to be read and copied."""

    def __init__(self, report: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What is known of the last run"))
        self.setStyleSheet(settings_style_sheet(theme.tokens))
        resize_to_fit(self, QSize(720, 480))
        self._report = report
        said = [
            self.tr(
                "This is all that was kept. It stands on this machine only, and nobody is sent it. It says where in "
                "the code something went wrong; nothing of your chats and no keys are in it."
            )
        ]
        if "\n" not in report:
            said.append(self.tr("There is no trace of an error: it was ended from outside, or the computer went off."))
        words = QLabel("\n".join(said), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        words.setFont(theme.body)
        text = QPlainTextEdit()
        text.setReadOnly(True)
        text.setTabChangesFocus(True)
        text.setFont(theme.mono)
        text.setAccessibleName(self.tr("Report"))
        text.setPlainText(report)
        copy = Button("copy", self.tr("Copy"), self.tr("Copy the report"), look="outlined")
        copy.clicked.connect(self.copyReport)
        close = Button("", self.tr("Close"), look="outlined")
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (copy, close):
            button.set_theme(theme)
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(words)
        column.addWidget(text, 1)
        column.addLayout(row)

    @Slot()
    def copyReport(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self._report)
