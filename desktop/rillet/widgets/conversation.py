"""The conversation inside a chat view: its messages, the handles that fill them, and the frames that draw them.

Made by the view with the first message, because an empty chat has nothing to scroll and a program should not pay for
that before its window is seen. Knows messages and the transcript; no composer, no providers. Above: ``transcript``,
``message_handle``. Below: ``chat_view``. Guarantee: at most one frame is under way for all answers that stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.core.types import FilePart, ImagePart, ReasoningPart, TextPart
from rillet.widgets.message_handle import MessageHandle
from rillet.widgets.transcript.frames import FrameScheduler
from rillet.widgets.transcript.model import Entry, Foot, Section
from rillet.widgets.transcript.view import Transcript

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QWidget

    from rillet.core.types import ChatMessage
    from rillet.widgets.theme.palette import Theme


class Conversation(QObject):
    """All messages of one chat.

    Attributes:
        transcript: The widget that shows them.

    Signals:
        changed(): Messages came, went, or stopped streaming.
        answerEnded(str): What to say of an answer that has just ended.
        answerRemoved(): A message that was still streaming was removed.
        retryRequested(object): The ``MessageHandle`` of an answer that is wanted once more.
    """

    changed = Signal()
    answerEnded = Signal(str)
    answerRemoved = Signal()
    retryRequested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.transcript = Transcript(theme, parent)
        self.transcript.retryClicked.connect(self._retry)
        self._frames = FrameScheduler(self._draw, self)
        self._handles: list[MessageHandle] = []
        self._streams: list[MessageHandle] = []

    @property
    def handles(self) -> list[MessageHandle]:
        """All messages, oldest first."""
        return list(self._handles)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to be seen."""
        return not self.transcript.entries

    @property
    def streaming(self) -> bool:
        """Whether an answer is being written."""
        return any(handle.isOpen() for handle in self._streams)

    def add(self, messages: Iterable[ChatMessage]) -> list[MessageHandle]:
        """Append messages."""
        handles = [MessageHandle(self.transcript, _entry_of(message), message=message) for message in messages]
        self._append(*handles)
        return handles

    def begin_stream(self) -> MessageHandle:
        """Append an answer that is still to be written."""
        entry = Entry("assistant", foot=Foot(busy=True))
        handle = MessageHandle(self.transcript, entry, draw=self._frames.request, ended=self._ended)
        self._streams.append(handle)
        self._append(handle)
        return handle

    def cut(self, count: int) -> None:
        """Keep the first ``count`` messages only."""
        removed = self._handles[count:]
        del self._handles[count:]
        self._streams = [handle for handle in self._streams if handle not in removed]
        stopped = [handle for handle in removed if handle.isOpen()]
        for handle in removed:
            handle.abandon()
        shown = [handle.entry for handle in removed if handle.entry.index >= 0]
        if shown:
            self.transcript.truncate(shown[0].index)
        self.changed.emit()
        if stopped:
            self.answerRemoved.emit()

    def _append(self, *handles: MessageHandle) -> None:
        if self._handles and handles:
            self._handles[-1].withdraw_retry()
        self._handles += handles
        self.transcript.extend([handle.entry for handle in handles if handle.entry.sections or handle.isOpen()])
        self.changed.emit()

    def _ended(self, foot: Foot) -> None:
        self.changed.emit()
        self.answerEnded.emit(foot.error or foot.note or self.tr("Answer finished"))

    def _draw(self) -> bool:
        """One frame: whether there is more to draw."""
        more = False
        for handle in self._streams:
            if handle.pending:
                more |= handle.advance()
        self._streams = [handle for handle in self._streams if handle.isOpen() or handle.pending]
        return more

    @Slot(object)
    def _retry(self, entry: Entry) -> None:
        for handle in self._handles:
            if handle.entry is entry:
                self.retryRequested.emit(handle)
                return


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
