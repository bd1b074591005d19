"""The window: a header, the chat, and the model picker at the foot of its composer.

It paints before it knows whom to talk to; ``serve`` brings that. Above: ``services``, ``widgets``. Below: ``main``
opens it. Guarantee: it comes back where it was, a question sent before it is served is asked then, and closing it stops
what runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QUrl, Slot
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget

from rillet.app import coroutines
from rillet.widgets.blocks.button import Button
from rillet.widgets.chat_view import ChatView

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QPaintEvent

    from rillet.app.services import Choice, Services
    from rillet.app.window_state import WindowState
    from rillet.core.types import ChatMessage, ChatRequest, ImagePart
    from rillet.widgets.binding import ChatBinding
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.theme.palette import Theme

HEADER_HEIGHT = 44
FIRST_SIZE = QSize(920, 760)


class MainWindow(QMainWindow):
    """One chat with whoever is chosen."""

    def __init__(self, state: WindowState, theme: Theme) -> None:
        super().__init__()
        self._state = state
        self._services: Services | None = None
        self._binding: ChatBinding | None = None
        self.setWindowTitle("Rillet")
        self.setMinimumSize(400, 360)
        self._view = ChatView()
        self._view.linkActivated.connect(self.openLink)
        self._view.imageRequested.connect(self.openLink)
        self._view.imageActivated.connect(self.showImage)
        self._view.sendRequested.connect(self.keepForLater)
        self._early: list[ChatMessage] = []
        self._header = _Header(theme)
        self._header.new_chat.clicked.connect(self.newChat)
        self._theme = theme
        self._picker: Button = Button("chevron-down", state.choice_label, icon_size=12, icon_last=True)
        self._picker.set_theme(theme)
        self._view.composer.addFootWidget(self._picker)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._view, 1)
        self.setCentralWidget(page)
        self._restore_geometry()
        self._view.setFocus()

    @property
    def view(self) -> ChatView:
        """The chat."""
        return self._view

    def serve(self, services: Services) -> None:
        """Become a working chat with whoever is chosen there."""
        from rillet.app.picker import ModelPicker
        from rillet.widgets.binding import bind  # (after the first paint)

        self._services = services
        self._add_shortcuts()
        picker = ModelPicker(self._theme)
        picker.serve(services)
        self._view.composer.replaceFootWidget(self._picker, picker)
        self._picker = picker
        choice = services.choice
        self._binding = bind(self._view, services.client(choice.provider), _request(choice))
        self._binding.answerStarted.connect(self.tellStart)
        services.choiceChanged.connect(self.useChoice)
        self._view.sendRequested.disconnect(self.keepForLater)
        for message in self._early:
            self._view.sendRequested.emit(message)
        self._early.clear()

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts, after the application has taken its palette."""
        self._theme = theme
        self._header.set_theme(theme)
        self._picker.set_theme(theme)

    @Slot()
    def newChat(self) -> None:
        """Stop what runs and begin with an empty chat."""
        self.stop()
        self._view.clear()
        self._view.setFocus()

    @Slot()
    def escape(self) -> None:
        """Stop the answer that is being written, and go on writing."""
        self.stop()
        self._view.setFocus()

    @Slot()
    def stop(self) -> None:
        """Stop the answer that is being written, if there is one."""
        if self._binding is not None:
            self._binding.stop()

    @Slot(object)
    def keepForLater(self, message: ChatMessage) -> None:
        """Keep a question that was sent before anybody could answer it."""
        self._early.append(message)

    @Slot(object)
    def useChoice(self, choice: Choice) -> None:
        """Send the next message to somebody else; an answer that is being written goes on. One goes on writing."""
        if self._binding is not None and self._services is not None:
            self._binding.use(self._services.client(choice.provider), _request(choice))
        self._view.setFocus()

    @Slot(object)
    def tellStart(self, handle: MessageHandle) -> None:
        """Say why the first answer of the built-in model takes longer."""
        server = self._services.choice.provider.server if self._services is not None else None
        if server is not None and not server.is_running:
            handle.setStatus(self.tr("Starting the built-in model…"))

    @Slot(QUrl)
    def openLink(self, url: QUrl) -> None:
        """Hand a link, or the address of a picture, that was clicked to the desktop; nothing else is opened."""
        from PySide6.QtGui import QDesktopServices

        from rillet.widgets.links import allowed

        if allowed(url.toString(QUrl.ComponentFormattingOption.FullyEncoded)):
            QDesktopServices.openUrl(url)

    def _add_shortcuts(self) -> None:
        from PySide6.QtGui import QKeySequence, QShortcut  # (classes with large enums: 1 ms before the first paint)

        QShortcut(QKeySequence(QKeySequence.StandardKey.New), self, self.newChat)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Quit), self, self.close)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, self.escape)

    @Slot(object)
    def showImage(self, part: ImagePart) -> None:
        """Show an image of a message large, in a window of its own."""
        from rillet.widgets.image_viewer import ImageViewer

        ImageViewer(part, self).show()

    def _restore_geometry(self) -> None:
        if not self.restoreGeometry(self._state.geometry):
            self.resize(FIRST_SIZE)

    # Qt overrides

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop, remember where the window was, and let the program end."""
        if self._binding is not None:
            self._binding.close()
        coroutines.cancel_all()
        self._state.geometry = self.saveGeometry()
        self._state.choice_label = self._picker.text()
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
        row.setContentsMargins(24, 0, 14, 0)
        row.addWidget(self._title)
        row.addStretch(1)
        row.addWidget(self.new_chat)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts."""
        self._edge = QColor(theme.tokens.border)
        font = QFont(theme.body)
        font.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(font)
        self.new_chat.set_theme(theme)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the edge that the conversation passes under."""
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._edge)
        painter.end()


def _request(choice: Choice) -> ChatRequest:
    from rillet.core.types import ChatRequest  # (after the first paint)

    return ChatRequest((), model=choice.model)
