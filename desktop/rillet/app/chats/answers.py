"""The answers of one open chat: how the next one is made, and how the view follows it until it ends.

Above: ``place``, ``plans``, ``line``, ``qt/desk``. Below: ``session`` says what is to be answered. Answers go on in the
store whether this exists or not; it follows them as long as it does. Guarantee: a stop is heeded also before the answer
has begun, and what had come of it then is shown.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app.chats import summary_words
from rillet.app.chats.line import waiting
from rillet.app.chats.plans import plan_for
from rillet.core.chat.summarizing import SummaryFailed
from rillet.core.store import messages
from rillet.core.store.temporary import is_temporary
from rillet.core.store.trouble import Missing
from rillet.core.types.suspension import Answer
from rillet.qt.desk import ChatListener
from rillet.widgets import words
from rillet.widgets.run_listener import RunListener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.app.chats.line import Line
    from rillet.app.chats.place import Place
    from rillet.app.models.picker import ModelPicker
    from rillet.app.services import Services
    from rillet.core.chat.answering import Answered
    from rillet.core.chat.plan import Plan
    from rillet.qt.resource import AsyncResource
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.transcript.tool import ApprovalAnswer


class Answers(QObject):
    """One answer after another.

    Signals:
        begun(): There is room for one.
        changed(bool): One began or ended.
        answered(str): One ended by itself, with this text.
        over(bool): Everything about one is shown, and it went as usual or did not.
        summarized(): What was said first is summarized now.
        ended(object): What the chat shows after one: its nodes.
    """

    begun = Signal()
    changed = Signal(bool)
    answered = Signal(str)
    over = Signal(bool)
    summarized = Signal()
    ended = Signal(object)

    def __init__(
        self, services: Services, place: Place, view: ChatView, line: Line, *, picker: ModelPicker, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._place = place
        self._view = view
        self._line = line
        self._picker = picker
        self._resource: AsyncResource[Answered] | None = None
        self._stopped = False
        """Whether somebody wants no answer, which may be before it has begun."""
        self._awaited: MessageHandle | None = None
        """Where an answer will be whose question is not kept yet."""
        services.desk.troubled.connect(self.tellWait)

    @property
    def under_way(self) -> bool:
        """Whether one is."""
        return self._resource is not None

    def begin(self) -> MessageHandle:
        """Make room for the next one."""
        self._stopped = False
        handle = self._view.beginAssistantStream(datetime.now())
        self._awaited = handle
        self.tellWait()
        self.begun.emit()
        return handle

    @Slot()
    def tellWait(self) -> None:
        """Say what an answer waits for that is not begun yet."""
        trouble = self._services.desk.trouble
        if self._awaited is None:
            return
        if trouble is not None and trouble.retryable and not self._place.temporary:
            self._awaited.setStatus(self.tr("Waiting for the disk…"))
        else:
            self._tell_start(self._awaited)

    def _tell_start(self, handle: MessageHandle) -> None:
        server = self._picker.choice.provider.server
        is_starting = server is not None and not server.is_running
        handle.setStatus(self.tr("Starting the built-in model…") if is_starting else "")

    def stop(self) -> None:
        """Stop the one that is under way, or about to be; what there is of it stays."""
        self._stopped = True
        if self._resource is not None:
            self._resource.cancel()

    async def answer(self, handle: MessageHandle) -> None:
        """Answer what the chat ends with, until it is over."""
        plan = await self._plan()
        self._awaited = None
        self._tell_start(handle)
        writer = self._writer(handle)
        await self._follow(self._services.desk.answer(self._place.known_id, plan, writer), writer)

    async def resume(self, decision: ApprovalAnswer) -> None:
        """Go on with the run that waited for this; with none, do nothing.

        A temporary chat may be kept at this very moment: then the question is shown again, and this answers nothing.
        """
        chat_id = self._place.known_id
        try:
            plan = await self._plan()
            message_id = await self._waiting(decision.request.id)
        except Missing:
            if not is_temporary(chat_id):
                raise
            return
        if message_id is None or self._place.known_id != chat_id:
            return
        data = {"scope": decision.choice} if decision.ok else None
        reply = Answer(id=decision.request.id, ok=decision.ok, data=data)
        self._view.handles()[-1].setEnding()  # (it waits no more)
        handle = self.begin()
        writer = self._writer(handle)
        self._awaited = None
        resource = self._services.desk.resume(self._place.known_id, message_id, reply, plan, writer)
        await self._follow(resource, writer)

    def _writer(self, handle: MessageHandle) -> _Writer:
        return _Writer(self, self._line, handle, self._view.handles()[:-1])

    async def _plan(self) -> Plan:
        """How the next answer is made: by what the chat is set to now, which the disk may not know yet."""
        library, chat_id = self._services.library, self._place.known_id
        await self._services.keys.arrived()
        chat = library.find(chat_id) or await library.refresh(chat_id)
        if chat.settings.get("tools"):
            self._services.tools.begin()
        return plan_for(self._services, chat.settings)

    async def _waiting(self, request_id: str) -> int | None:
        """The message at which the run waits that asked this."""
        for node in reversed(await self._path()):
            pending = waiting(node)
            if pending is not None and pending.request.id == request_id:
                return node.id
        return None

    async def _follow(self, resource: AsyncResource[Answered], writer: _Writer) -> None:
        """Show how the answer goes on, until it ends."""
        handle = writer.handle
        chat_id = self._place.known_id
        self._resource = resource
        if self._stopped:
            resource.cancel()
        self._services.library.set_answering(chat_id, True)
        self.changed.emit(True)
        well = False
        try:
            answered = await resource
        except Exception as error:  # noqa: BLE001 (a boundary: it is shown where the answer stands)
            try:
                if resource.isCancelled():
                    await self._catch_up(handle)
            finally:
                writer.fail(summary_words.not_sent(error) if isinstance(error, SummaryFailed) else error)
            if handle.message is not None and handle.message.text:
                handle.offerResume()
        else:
            well = answered.ending == "done"
            handle.finish(note=_ending(answered))
            if answered.limit == "max_tokens":
                handle.offerResume()
            message = handle.message
            self.answered.emit(message.text if message is not None else "")
        finally:
            self._resource = None
            self._services.library.set_answering(chat_id, False)
            self.changed.emit(False)
        with suppress(Missing):  # (a temporary chat that is kept under another number by now, and shown anew)
            await self._services.library.refresh(chat_id)
            nodes = await self._path()
            self._line.tell_figures(nodes)
            self.ended.emit(nodes)
        self.over.emit(well)

    async def _catch_up(self, handle: MessageHandle) -> None:
        """Note what the store has of an answer that was stopped: nobody is told any more once it was."""
        with suppress(Missing):  # (as above)
            self._line.note_rest(handle, await self._path())

    async def _path(self) -> list[messages.Node]:
        return await self._place.shelf.read(messages.path, self._place.known_id)


class _Writer(RunListener, ChatListener):
    """Writes an answer into its message, and notes which messages of the store it is."""

    def __init__(self, answers: Answers, line: Line, handle: MessageHandle, earlier: Sequence[MessageHandle]) -> None:
        super().__init__(handle, earlier)
        self._answers = answers
        self._line = line

    def onError(self, error: Exception) -> None:
        """It is shown once the answer has ended."""

    def onPlaced(self, messageId: int, parentId: int | None, role: str) -> None:
        """Note its place."""
        self._line.note(self.handle, messageId, parentId)

    def onSummarizing(self, turns: int, model: str | None) -> None:
        """Say that it takes a while before the answer begins."""
        said = self._answers.tr("{name} summarizes the oldest questions ({count})…")
        self.handle.setStatus(said.format(name=model or self._answers.tr("The model"), count=turns))

    def onSummarized(self, summaryId: int) -> None:
        """Say that the answer is awaited now, and where the model's view begins."""
        self.handle.setStatus("")
        self._answers.summarized.emit()


def _ending(answered: Answered) -> str:
    """How an answer ended; empty when as usual."""
    match answered.ending:
        case "done":
            return ""
        case "pending":
            return words.waiting()
        case "incomplete":
            return words.ending("length") if answered.limit == "max_tokens" else words.too_many_turns()
