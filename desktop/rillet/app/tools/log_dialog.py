"""What an MCP server said last: standard error, log messages, and what Rillet noted about it.

Above: ``tools``. Below: ``servers_page`` opens it. Guarantee: plain text, without the secrets that the server got.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.sizes import resize_to_fit
from rillet.app.tools.consent_dialog import consent_style_sheet
from rillet.core.visible import visible

if TYPE_CHECKING:
    import asyncio

    from rillet.app.tools.tools import Tools
    from rillet.widgets.theme.palette import Theme


class LogDialog(QDialog):
    """The last lines; new ones come while it is open, whenever the server's state changes."""

    def __init__(self, tools: Tools, server: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools = tools
        self._server = server
        self._loading: asyncio.Task[None] | None = None
        self.setWindowTitle(self.tr("Log of {server}").format(server=visible(server)))
        self.setStyleSheet(consent_style_sheet(theme))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_to_fit(self, QSize(680, 420))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(theme.mono)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(self.windowTitle())
        self.text.setPlaceholderText(self.tr("It has said nothing."))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(self.text)
        column.addWidget(buttons)
        self.finished.connect(self.stopLoading)
        tools.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Fetch what it said."""
        if self._loading is not None:
            self._loading.cancel()
        self._loading = coroutines.start(self._load())

    @Slot()
    def stopLoading(self) -> None:
        """Nobody looks any more."""
        if self._loading is not None:
            self._loading.cancel()

    async def _load(self) -> None:
        lines = await self._tools.server_log(self._server)
        text = "\n".join(map(visible, lines))
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
            self.text.verticalScrollBar().setValue(self.text.verticalScrollBar().maximum())
