"""The window: a header, the chat, and the model picker at the foot of its composer.

Above: ``services`` knows whom to talk to, ``widgets`` shows the chat. Below: ``main`` opens it. Guarantee: it comes
back where it was, and closing it stops what runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFont, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.app.picker import ModelPicker
from rillet.core.types import ChatRequest
from rillet.widgets import ChatView, bind
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

    from rillet.app.services import Choice, Services
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.theme.palette import Theme

HEADER_HEIGHT = 44
FIRST_SIZE = QSize(920, 760)


class MainWindow(QMainWindow):
    """One chat with whoever is chosen."""

    def __init__(self, services: Services, theme: Theme) -> None:
        super().__init__()
        self._services = services
        self.setWindowTitle("Rillet")
        self.setMinimumSize(400, 360)
        self._view = ChatView()
        self._view.linkActivated.connect(self.openLink)
        self._picker = ModelPicker(services, theme)
        self._view.composer.addFootWidget(self._picker)
        self._header = _Header(theme)
        self._header.new_chat.clicked.connect(self.newChat)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._view, 1)
        self.setCentralWidget(page)
        QShortcut(QKeySequence.StandardKey.New, self, self.newChat)
        QShortcut(QKeySequence.StandardKey.Quit, self, self.close)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.stop)
        choice = services.choice
        self._binding = bind(self._view, services.client(choice.provider), _request(choice))
        self._binding.answerStarted.connect(self.tellStart)
        services.choiceChanged.connect(self.useChoice)
        self._restore_geometry()
        self._view.setFocus()

    @property
    def view(self) -> ChatView:
        """The chat."""
        return self._view

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts, after the application has taken its palette."""
        self._header.set_theme(theme)
        self._picker.set_theme(theme)

    @Slot()
    def newChat(self) -> None:
        """Stop what runs and begin with an empty chat."""
        self.stop()
        self._view.clear()
        self._view.setFocus()

    @Slot()
    def stop(self) -> None:
        """Stop the answer that is being written, if there is one."""
        self._binding.stop()

    @Slot(object)
    def useChoice(self, choice: Choice) -> None:
        """Send the next message to somebody else; an answer that is being written goes on."""
        self._binding.use(self._services.client(choice.provider), _request(choice))

    @Slot(object)
    def tellStart(self, handle: MessageHandle) -> None:
        """Say why the first answer of the built-in model takes longer."""
        server = self._services.choice.provider.server
        if server is not None and not server.is_running:
            handle.setStatus(self.tr("Starting the built-in model…"))

    @Slot(QUrl)
    def openLink(self, url: QUrl) -> None:
        """Hand a link that was clicked to the desktop."""
        QDesktopServices.openUrl(url)

    def _restore_geometry(self) -> None:
        saved = QByteArray((self._services.settings.window_geometry or "").encode())
        if not self.restoreGeometry(QByteArray.fromBase64(saved)):
            self.resize(FIRST_SIZE)

    # Qt overrides

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop, remember where the window was, and let the program end."""
        self._binding.close()
        coroutines.cancel_all()
        self._services.remember(window_geometry=bytes(self.saveGeometry().toBase64().data()).decode("ascii"))
        super().closeEvent(event)


class _Header(QWidget):
    """The program's name, and what applies to the whole chat."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFixedHeight(HEADER_HEIGHT)
        self._title = QLabel("Rillet")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self.new_chat = Button("plus", self.tr("New chat"), self.tr("Start a new chat"))
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 0, 12, 0)
        row.addWidget(self._title)
        row.addStretch(1)
        row.addWidget(self.new_chat)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        font = QFont(theme.body)
        font.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(font)
        self.new_chat.set_theme(theme)


def _request(choice: Choice) -> ChatRequest:
    return ChatRequest((), model=choice.model)
