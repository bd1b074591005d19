"""The conversation inside a chat view: its messages, the handles that fill them, and the frames that draw them.

Made by the view with the first message, because an empty chat has nothing to scroll and a program should not pay for
that before its window is seen. Knows messages and the transcript; no composer, no providers. Above: ``transcript``,
``message_handle``. Below: ``chat_view``. Guarantee: at most one frame is under way for all answers that stream.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.core.types import FilePart, ImagePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from rillet.widgets.message_handle import MessageHandle
from rillet.widgets.narrator import Narrator
from rillet.widgets.transcript.attachments import FileSection, ImageSection
from rillet.widgets.transcript.frames import FrameScheduler
from rillet.widgets.transcript.model import Entry, Foot, Section
from rillet.widgets.transcript.tool import ToolSection
from rillet.widgets.transcript.view import Transcript

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from PySide6.QtWidgets import QWidget

    from rillet.core.types import ChatMessage
    from rillet.widgets.narrator import Voice
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.tool import ApprovalAnswer


class Conversation(QObject):
    """All messages of one chat.

    Attributes:
        transcript: The widget that shows them.
        narrator: What reads out answers while they are written.

    Signals:
        changed(): Messages came, went, or stopped streaming.
        said(str): What a screen reader is to say: of an answer that is being written, and how it ended.
        answerRemoved(): A message that was still streaming was removed.
        retryRequested(object): The ``MessageHandle`` of an answer that is wanted once more.
        actionRequested(str, object): Another action and the ``MessageHandle`` it is wanted of.
        approvalAnswered(object): The ``ApprovalAnswer`` to what a tool handle asked.
    """

    changed = Signal()
    said = Signal(str)
    answerRemoved = Signal()
    retryRequested = Signal(object)
    actionRequested = Signal(str, object)
    approvalAnswered = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.transcript = Transcript(theme, parent)
        self.transcript.actionChosen.connect(self._act)
        self.transcript.approvalAnswered.connect(self._take_answer)
        self.narrator = Narrator(self)
        self.narrator.said.connect(self.said)
        formulas = self.transcript.formulas
        self._frames = FrameScheduler(self._draw, self, hindered=lambda: formulas.at_work)
        formulas.rested.connect(self._frames.go_on)
        self._handles: list[MessageHandle] = []
        self._streams: list[MessageHandle] = []
        self._open_calls: dict[str, tuple[Entry, ToolSection]] = {}
        """Calls of messages that were added, by id, until their results are added too."""

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

    def add(self, messages: Iterable[ChatMessage], times: Iterable[datetime | None] = ()) -> list[MessageHandle]:
        """Append messages, with the times when they were written as far as these are known: a handle for each.

        Those of one answer, which called tools and went on with their results, are one message, as they were when they
        were written; they have one handle.
        """
        handles: list[MessageHandle] = []
        for message, time in zip(messages, chain(times, repeat(None)), strict=False):
            sections = _sections_of(message)
            if handles and handles[-1].join(message, sections):
                handle = handles[-1]
            else:
                handle = MessageHandle(self.transcript, Entry(message.role, sections, time=time), message=message)
            self._open_calls |= {call.id: (handle.entry, call) for call in handle.calls if call.output is None}
            self._show_results(message)
            handles.append(handle)
        self._append(*dict.fromkeys(handles))
        return handles

    def begin_stream(self, time: datetime | None = None) -> MessageHandle:
        """Append an answer that is still to be written."""
        entry = Entry("assistant", foot=Foot(busy=True), time=time)
        voice = self.narrator.voice()
        handle = MessageHandle(
            self.transcript,
            entry,
            draw=self._frames.request,
            ended=self.changed.emit,
            drawn=partial(self._tell_end, voice),
            voice=voice,
        )
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
        entries = {handle.entry for handle in removed}
        self._open_calls = {id: found for id, found in self._open_calls.items() if found[0] not in entries}
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
        # An answer has its place also when there is nothing in it: how it ended is said there.
        self.transcript.extend(
            [handle.entry for handle in handles if handle.entry.sections or handle.entry.role == "assistant"]
        )
        self.changed.emit()

    def _tell_end(self, voice: Voice, foot: Foot) -> None:
        """Only now that all of it is drawn: whoever hears of the end may read the message at once."""
        voice.end()
        self.said.emit(foot.error or foot.note or self.tr("Answer finished"))

    def _draw(self) -> bool:
        """One frame: whether there is more to draw."""
        more = False
        for handle in self._streams:
            if handle.pending:
                more |= handle.advance()
        self._streams = [handle for handle in self._streams if handle.isOpen() or handle.pending]
        return more

    def _show_results(self, message: ChatMessage) -> None:
        """Write the results in ``message`` on the cards of their calls."""
        for part in message.parts:
            if isinstance(part, ToolResultPart) and (found := self._find_call(part.call_id)) is not None:
                entry, section = found
                section.set_result(part.output, "failed" if part.is_error else "done", None, part.images)
                if entry.index >= 0:
                    self.transcript.touch(entry, [section.card])

    def _find_call(self, id: str) -> tuple[Entry, ToolSection] | None:
        """The call that a result answers: of a message that was added, or of an answer that was streamed."""
        if id in self._open_calls:
            return self._open_calls.pop(id)
        last = next((handle for handle in reversed(self._handles) if handle.entry.role == "assistant"), None)
        return next(((last.entry, call) for call in last.calls if call.id == id), None) if last else None

    @Slot(str, object)
    def _act(self, action: str, entry: Entry) -> None:
        handle = next((handle for handle in self._handles if handle.entry is entry), None)
        if handle is not None and action == "retry":
            self.retryRequested.emit(handle)
        elif handle is not None:
            self.actionRequested.emit(action, handle)

    @Slot(object, object, object)
    def _take_answer(self, entry: Entry, section: ToolSection, answer: ApprovalAnswer) -> None:
        """Take the question away at once, so that it cannot be answered twice."""
        section.set_status("running" if answer.ok else "denied")
        self.transcript.touch(entry, [section.card])
        self.approvalAnswered.emit(answer)


def _sections_of(message: ChatMessage) -> list[Section]:
    """What the transcript shows of a message; nothing of system messages and tool results."""
    sections: list[Section] = []
    if message.role not in ("user", "assistant"):
        return sections
    for part in message.parts:
        match part:
            case TextPart(text=text) if text:
                sections.append(Section("plain" if message.role == "user" else "markdown", text))
            case ReasoningPart(text=text) if text:
                sections.append(Section("reasoning", text))
            case ImagePart():
                sections.append(ImageSection(part))
            case FilePart():
                sections.append(FileSection(part))
            case ToolCallPart():
                sections.append(ToolSection(part.name, part.id, part.arguments))
            case _:
                pass
    return sections
