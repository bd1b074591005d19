"""A window that shows what a file of a message says, to be read and saved. Nothing is opened by it.

Above: ``paged_text``, ``saving``. Below: hosts open one when ``ChatView.fileActivated`` asks. Guarantees: text is plain
text, whatever the file is called; Escape closes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths, Qt, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout

from rillet.core.wire.attachments import plain_text
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.blocks.file_chip import file_facts, file_name
from rillet.widgets.labels import tint
from rillet.widgets.paged_text import PagedText
from rillet.widgets.saving import Saving
from rillet.widgets.theme.palette import applied, dialog_style_sheet

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from rillet.core.types import FilePart


class FileViewer(QDialog):
    """One file; not modal. It is deleted when it is closed."""

    def __init__(self, part: FilePart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme = applied(self.palette())
        name, text = file_name(part), plain_text(part)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(name)
        self.setStyleSheet(dialog_style_sheet(theme.tokens))
        self._saving = Saving(part.data, name, self.tr("Save file"), self)
        self._saving.told.connect(self._tell)
        self._about = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._about.setFont(small_font(theme))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        column.addWidget(self._about)
        if text is not None:
            pages = PagedText(text, name)
            pages.set_theme(theme)
            column.addWidget(pages, 1)
            pages.setFocus()
            self.resize(760, 560)
        column.addLayout(self._foot())
        self._tell(f"{file_facts(part)}. {self._sentence(part, text)}".strip())

    def _foot(self) -> QHBoxLayout:
        save = Button("save", self.tr("Save as…"), look="outlined")
        close = Button("", self.tr("Close"), look="filled")
        save.clicked.connect(self._ask)
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addStretch(1)
        for button in (save, close):
            button.set_theme(self._theme)
            foot.addWidget(button)
        return foot

    def _sentence(self, part: FilePart, text: str | None) -> str:
        if text is None:
            return self.tr("What is in it cannot be shown here.")
        return self.tr("This is the text that was found in it.") if part.text is not None else ""

    @Slot()
    def _ask(self) -> None:
        self._saving.ask(QStandardPaths.StandardLocation.DocumentsLocation)

    @Slot(str, bool)
    def _tell(self, words: str, failed: bool = False) -> None:
        tokens = self._theme.tokens
        tint(self._about, tokens.danger if failed else tokens.muted)
        self._about.setText(words)
