"""A window that shows exactly what will be sent of a file.

Above: ``attachment``, ``core/wire/attachments`` (which writes what is sent). Below: ``composer`` opens it. Guarantee: a
text of any length is shown a part at a time, so laying it out stops nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from rillet.core.types import FilePart
from rillet.core.wire.attachments import file_text
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.composer.chip import short_number
from rillet.widgets.composer.limits import size_text
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.theme.palette import Theme

PART: Final = 20_000
"""Characters that are shown at a time."""


class Preview(QDialog):
    """One file; not modal."""

    def __init__(self, attachment: Attachment, takes_files: bool, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = sent_text(attachment, takes_files)
        self._part = 0
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What will be sent of {name}").format(name=attachment.name))
        self.resize(760, 560)
        self.setStyleSheet(dialog_style_sheet(theme.tokens))
        about = QLabel(_about(self, attachment, takes_files), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        about.setFont(small_font(theme))
        colours = about.palette()
        colours.setColor(QPalette.ColorRole.WindowText, QColor(theme.tokens.muted))
        about.setPalette(colours)
        self._view = QPlainTextEdit(readOnly=True)
        self._view.setFont(theme.mono)
        self._view.setAccessibleName(self.windowTitle())
        self._back = Button("chevron-left", "", self.tr("The part before"))
        self._on = Button("chevron-right", "", self.tr("The next part"))
        self._where = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._where.setFont(small_font(theme))
        self._back.clicked.connect(self._turn_back)
        self._on.clicked.connect(self._turn_on)
        close = Button("", self.tr("Close"), look="filled")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        for button in (self._back, self._on, close):
            button.set_theme(theme)
        foot.addWidget(self._back)
        foot.addWidget(self._where)
        foot.addWidget(self._on)
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        column.addWidget(about)
        column.addWidget(self._view, 1)
        column.addLayout(foot)
        self._show()
        self._view.setFocus()

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


def sent_text(attachment: Attachment, takes_files: bool) -> str:
    """What is sent of a file as text; of one that is sent as it is, what it says (which may be nothing)."""
    part = attachment.part
    if not isinstance(part, FilePart):
        return ""
    if attachment.goes_as_text(takes_files):
        return file_text(part) or ""
    return part.text or ""


def _about(window: QWidget, attachment: Attachment, takes_files: bool) -> str:
    tokens = short_number(attachment.tokens(takes_files))
    if attachment.goes_as_text(takes_files):
        words = window.tr("This text is sent, as data and not as instructions: about {tokens} tokens, an estimate.")
        return words.format(tokens=tokens)
    words = window.tr(
        "The file itself is sent ({size}), and the provider reads it: about {tokens} tokens, an estimate. "
        "This is the text that was found in it."
    )
    return words.format(size=size_text(len(attachment.data)), tokens=tokens)
