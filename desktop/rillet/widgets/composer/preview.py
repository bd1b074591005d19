"""A window that shows exactly what will be sent of a file.

Above: ``attachment``, ``core/wire/attachments`` (which writes what is sent), ``paged_text``. Below: ``composer`` opens
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from rillet.core.types import FilePart
from rillet.core.wire.attachments import file_text
from rillet.widgets.blocks.button import Button, small_font
from rillet.widgets.composer.chip import short_number
from rillet.widgets.composer.limits import size_text
from rillet.widgets.labels import tint
from rillet.widgets.paged_text import PagedText
from rillet.widgets.theme.palette import dialog_style_sheet

if TYPE_CHECKING:
    from rillet.widgets.composer.attachment import Attachment
    from rillet.widgets.theme.palette import Theme


class Preview(QDialog):
    """One file; not modal."""

    def __init__(self, attachment: Attachment, takes_files: bool, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What will be sent of {name}").format(name=attachment.name))
        self.resize(760, 560)
        self.setStyleSheet(dialog_style_sheet(theme.tokens))
        about = QLabel(_about(self, attachment, takes_files), textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        about.setFont(small_font(theme))
        tint(about, theme.tokens.muted)
        pages = PagedText(sent_text(attachment, takes_files), self.windowTitle())
        pages.set_theme(theme)
        close = Button("", self.tr("Close"), look="filled")
        close.clicked.connect(self.accept)
        close.set_theme(theme)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        column.addWidget(about)
        column.addWidget(pages, 1)
        column.addLayout(foot)
        pages.setFocus()


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
