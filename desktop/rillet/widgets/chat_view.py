"""The chat view: a transcript, a composer, and the handles through which messages are filled.

The widget to embed. It knows messages, but no providers, stores or settings: it asks for things by signals. Above:
``transcript``, ``composer``, ``message_handle``. Below: ``binding`` makes it a working chat, hosts do what they like.
Guarantees: no network and no file is ever touched from here; text that arrives is in ``history`` at once and on the
screen within a few frames; while an answer streams the composer offers Stop, and Enter sends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from rillet.core.types import ChatMessage, FilePart, ImagePart, ReasoningPart, TextPart
from rillet.widgets.composer import Composer
from rillet.widgets.message_handle import MessageHandle
from rillet.widgets.theme.palette import Theme, palette, tokens_for
from rillet.widgets.transcript.frames import FrameScheduler
from rillet.widgets.transcript.layout import MARGIN, MEASURE
from rillet.widgets.transcript.model import Entry, Foot, Section
from rillet.widgets.transcript.view import Transcript
from rillet.widgets.welcome import Welcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QResizeEvent

    from rillet.widgets.theme.tokens import Tokens

_OVERHANG = 12
"""The composer stands out from the text column by this much on both sides, so that its text is in line with it."""
_COMPOSER_SHARE = 0.4


class ChatView(QWidget):
    """A conversation and the field to go on with it.

    Signals:
        sendRequested(object): A ``ChatMessage`` by the user. It is not in the view yet: ``addMessage`` it.
        stopRequested(): The answer that streams is to be stopped: its button was pressed, or it was removed.
        retryRequested(object): The ``MessageHandle`` of an answer that is wanted once more.
        linkActivated(QUrl): A link (http, https or mailto) was followed.
    """

    sendRequested = Signal(object)
    stopRequested = Signal()
    retryRequested = Signal(object)
    linkActivated = Signal(QUrl)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme.of(_tokens_of(self.palette()))
        self._own_theme = False
        self._handles: list[MessageHandle] = []
        self._streams: list[MessageHandle] = []
        self._transcript = Transcript(self._theme, self)
        self._transcript.linkActivated.connect(self.linkActivated)
        self._transcript.retryClicked.connect(self._retry)
        self._welcome = Welcome(self)
        self._welcome.promptChosen.connect(self._take_prompt)
        self._composer = Composer(self)
        self._composer.setPlaceholderText("Message")
        self._composer.sendRequested.connect(self._send)
        self._composer.stopRequested.connect(self.stopRequested)
        self._composer.setMaximumWidth(MEASURE + 2 * _OVERHANG)
        self._frames = FrameScheduler(self._draw, self)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN - _OVERHANG, 0, MARGIN - _OVERHANG, MARGIN - _OVERHANG)
        row.addWidget(self._composer)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._transcript, 1)
        column.addWidget(self._welcome, 1)
        column.addLayout(row)
        self.setFocusProxy(self._composer)
        self.setAutoFillBackground(True)
        self._apply_theme()
        self._show_welcome()

    # The conversation

    def addMessage(self, message: ChatMessage) -> MessageHandle:
        """Show a message. System messages and tool results go into the history without being shown."""
        return self.addMessages([message])[0]

    def addMessages(self, messages: Iterable[ChatMessage]) -> list[MessageHandle]:
        """Show messages, oldest first; a conversation of thousands costs one layout of what fits into the window."""
        handles = [MessageHandle(self._transcript, _entry_of(message), message=message) for message in messages]
        self._add(*handles)
        return handles

    def beginAssistantStream(self) -> MessageHandle:
        """Open an answer and turn Send into Stop, until the handle's ``finish`` or ``fail``."""
        entry = Entry("assistant", foot=Foot(busy=True))
        handle = MessageHandle(self._transcript, entry, draw=self._frames.request, ended=self._answer_ended)
        self._streams.append(handle)
        self._add(handle)
        return handle

    def clear(self) -> None:
        """Remove everything. Handles of what was removed do nothing from now on; ``stopRequested`` if one was open."""
        self._cut(0)

    def removeFrom(self, handle: MessageHandle) -> None:
        """Remove a message and all that come after it, as ``clear`` does.

        Raises:
            ValueError: the message is not in this view (any more).
        """
        self._cut(self._handles.index(handle))

    def history(self) -> list[ChatMessage]:
        """All messages with something in them, oldest first; an answer that streams, failed or was stopped as it is."""
        return [message for handle in self._handles if (message := handle.message) is not None]

    def handles(self) -> list[MessageHandle]:
        """The handles of all messages, oldest first."""
        return list(self._handles)

    # Parts and looks

    @property
    def composer(self) -> Composer:
        """The field, to fill it or to add widgets to its row."""
        return self._composer

    @property
    def transcript(self) -> Transcript:
        """The scrolling part."""
        return self._transcript

    @property
    def welcome(self) -> Welcome:
        """What an empty chat shows."""
        return self._welcome

    def setTheme(self, theme: Theme) -> None:
        """Use these colours and fonts from now on. Without this it is light or dark as the palette it inherits."""
        self._own_theme = True
        self._theme = theme
        self.setPalette(palette(theme.tokens))
        self._apply_theme()

    def _add(self, *handles: MessageHandle) -> None:
        if self._handles and handles:
            self._handles[-1].withdraw_retry()
        self._handles += handles
        self._transcript.extend([handle.entry for handle in handles if handle.entry.sections or handle.isOpen()])
        self._show_welcome()
        self._update_busy()

    def _cut(self, count: int) -> None:
        removed = self._handles[count:]
        del self._handles[count:]
        self._streams = [handle for handle in self._streams if handle not in removed]
        stopped = [handle for handle in removed if handle.isOpen()]
        for handle in removed:
            handle.abandon()
        shown = [handle.entry for handle in removed if handle.entry.index >= 0]
        if shown:
            self._transcript.truncate(shown[0].index)
        self._show_welcome()
        self._update_busy()
        if stopped:
            self.stopRequested.emit()

    def _show_welcome(self) -> None:
        empty = not self._transcript.entries
        self._welcome.setVisible(empty)
        self._transcript.setVisible(not empty)

    def _update_busy(self) -> None:
        self._composer.setBusy(any(handle.isOpen() for handle in self._streams))

    def _answer_ended(self, foot: Foot) -> None:
        self._update_busy()
        if QAccessible.isActive():
            said = foot.error or foot.note or "Answer finished"
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._transcript, said))

    def _draw(self) -> bool:
        """One frame: whether there is more to draw."""
        more = False
        for handle in self._streams:
            if handle.pending:
                more |= handle.advance()
        self._streams = [handle for handle in self._streams if handle.isOpen() or handle.pending]
        return more

    @Slot(str)
    def _send(self, text: str) -> None:
        self._transcript.jump_to_latest()
        self.sendRequested.emit(ChatMessage.user(text))

    @Slot(object)
    def _retry(self, entry: Entry) -> None:
        for handle in self._handles:
            if handle.entry is entry:
                self.retryRequested.emit(handle)
                return

    @Slot(str)
    def _take_prompt(self, prompt: str) -> None:
        self._composer.setText(prompt)
        self._composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _apply_theme(self) -> None:
        self._transcript.set_theme(self._theme)
        self._welcome.set_theme(self._theme)
        self._composer.setTheme(self._theme)

    # Qt overrides

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette from light to dark and back."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and not self._own_theme:
            tokens = _tokens_of(self.palette())
            if tokens is not self._theme.tokens:
                self._theme = Theme.of(tokens)
                self._apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the larger part to the transcript, however long the text in the composer is."""
        super().resizeEvent(event)
        self._composer.setHeightLimit(int(self.height() * _COMPOSER_SHARE))


def _tokens_of(palette: QPalette) -> Tokens:
    """Our light or dark look, whichever is nearer to ``palette``."""
    return tokens_for("dark" if palette.color(QPalette.ColorRole.Window).lightness() < 128 else "light")


def _entry_of(message: ChatMessage) -> Entry:
    """What the transcript shows of a message; nothing of system messages and tool results."""
    if message.role not in ("user", "assistant"):
        return Entry(message.role)
    sections = []
    for part in message.parts:
        match part:
            case TextPart(text=text) if text:
                sections.append(Section("plain" if message.role == "user" else "markdown", text))
            case ReasoningPart(text=text) if text:
                sections.append(Section("reasoning", text))
            case ImagePart():
                sections.append(Section("plain", "[image]"))
            case FilePart():
                sections.append(Section("plain", f"[file {part.name or part.media_type}]"))
            case _:
                pass
    return Entry(message.role, sections)
