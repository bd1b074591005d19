"""One open chat: what its view shows, and what a person does in it.

Above: ``library``, ``place``, ``answers``, ``unsent``, ``naming``, ``widgets/chat_view``. Below: ``sessions`` opens
them, ``window`` shows one. Guarantees: a question is in the store before it is answered, and is kept from the moment it
was sent; what is shown is what the store holds, and what is being written.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from rillet.app import coroutines
from rillet.app.chats import writing
from rillet.app.chats.answers import Answers
from rillet.app.chats.branches import Branches
from rillet.app.chats.chat_settings import ChatSettings
from rillet.app.chats.editing import Editing
from rillet.app.chats.horizon import Horizon
from rillet.app.chats.key_guard import KeyGuard
from rillet.app.chats.line import Line
from rillet.app.chats.naming import name
from rillet.app.chats.notice import Notice
from rillet.app.chats.place import Place
from rillet.app.chats.plans import known_model
from rillet.app.chats.queue import Queue
from rillet.app.chats.restoring import Restoring
from rillet.app.chats.standing import Standing
from rillet.app.chats.unsent import Unsent
from rillet.app.models.parameters_button import ParametersButton
from rillet.app.models.picker import ModelPicker
from rillet.app.models.prompts import PromptCommands
from rillet.app.tools.button import ToolsButton
from rillet.app.trouble_words import of_store
from rillet.core.store import messages
from rillet.core.store.trouble import StoreError
from rillet.widgets.chat_view import ChatView
from rillet.widgets.theme.palette import applied

if TYPE_CHECKING:
    from rillet.app.services import Services
    from rillet.core.store.moving import Moved
    from rillet.core.types import ChatMessage
    from rillet.qt.resource import AsyncResource
    from rillet.widgets.message_handle import MessageHandle
    from rillet.widgets.theme.palette import Theme
    from rillet.widgets.transcript.tool import ApprovalAnswer

_READING = frozenset({"copy", "details"})
_WRITING = _READING | {"edit", "fork", "delete", "versions"}
_LAST = frozenset({"regenerate", "regenerate-with", "continue"})
"""What can be done with messages, and with the last answer besides."""


class Session(QObject):
    """A chat that is open.

    Attributes:
        view: What shows it. Whoever holds the session puts it somewhere.
        settings: What holds for this chat alone.
        standing: Says what sort of chat it is.
        tools: The button at the foot of the composer that opens the chat's tools.
        picker: The button beside it that says which model answers, and lets one choose another.
        parameters: The button beside it that opens how the chat is answered.
        horizon: Where the model's view of it begins.
        prompts: The commands of its composer.
        key_guard: Asks before a secret key is sent.

    Signals:
        created(): The chat has an id now.
        answeringChanged(bool): An answer began or ended.
        answered(str): An answer ended by itself, with this text.
        forked(int): Another chat was made of this one.
        told(str, object): A sentence about what was done, and a function that undoes it, or None.
        kept(): It was temporary, and is an ordinary chat with another id now.
        closeRequested(): A temporary chat is to go, or one in the trash to be deleted for good.
        wireRequested(object): What was sent for a message is to be seen: its ``Exchange`` objects.
        reloaded(): Other messages of the store are shown.
        contextChanged(): Something else goes along with the next question.
    """

    created = Signal()
    answeringChanged = Signal(bool)
    answered = Signal(str)
    forked = Signal(int)
    told = Signal(str, object)
    kept = Signal()
    closeRequested = Signal()
    wireRequested = Signal(object)
    reloaded = Signal()
    contextChanged = Signal()

    def __init__(
        self,
        services: Services,
        chat_id: int | None = None,
        view: ChatView | None = None,
        parent: QObject | None = None,
        *,
        temporary: bool = False,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._place = Place(services.desk, chat_id, temporary=temporary)
        self.view = view or ChatView()
        self.settings = ChatSettings(services.library, chat_id, self)
        self._loaded = chat_id is None
        self._early: tuple[ChatMessage, AsyncResource[int]] | None = None
        """A question that was sent before it was seen what it follows."""
        self._furnish(applied(self.view.palette()))
        self._line = Line(self.view)
        self._answers = Answers(services, self._place, self.view, self._line, picker=self.picker, parent=self)
        self._branches = Branches(services, self._place, self.view, self._line, reload=self.reload, owner=self)
        self.horizon = Horizon(
            services,
            self._place,
            view=self.view,
            line=self._line,
            settings=self.settings,
            notice=self._notice,
            parent=self,
        )
        self._restoring = Restoring(
            services, self._place, self.standing, follow=self._follow, reload=self.reload, owner=self
        )
        self.unsent = Unsent(self._place, self.view.composer, self.editing, self.queue, self)
        self._connect()
        self._tell_abilities()
        self.showStanding()

    def _furnish(self, theme: Theme) -> None:
        """Put what belongs to a chat around the field."""
        services = self._services
        self.tools = ToolsButton(services, self.settings, theme)
        self.view.composer.addFootWidget(self.tools)
        self.picker = ModelPicker(services, self.settings, theme)
        self.view.composer.addFootWidget(self.picker)
        self.parameters = ParametersButton(services, self.settings, theme)
        self.view.composer.addFootWidget(self.parameters)
        self.standing = Standing(theme)
        self.queue = Queue(theme)
        self.editing = Editing(self.view.composer, theme)
        self._notice = Notice(theme)
        self.key_guard = KeyGuard(self.view.composer, theme)
        for strip in (self.standing, self.queue, self.editing, self._notice, self.key_guard):
            self.view.addAboveComposer(strip)
        self.view.composer.setSendsWhileBusy(True)
        self.prompts = PromptCommands(services, self.view.composer)

    def _connect(self) -> None:
        services, view = self._services, self.view
        view.sendRequested.connect(self.send)
        view.stopRequested.connect(self.stop)
        view.retryRequested.connect(self.regenerate)
        view.messageActionRequested.connect(self.act)
        view.approvalAnswered.connect(self.approve)
        self.standing.keepRequested.connect(self.restore)
        self.standing.closeRequested.connect(self.closeRequested)
        self.queue.editRequested.connect(self._change)
        self.queue.sendRequested.connect(self._release)
        self.editing.ended.connect(self._send_next)
        self._answers.begun.connect(self.editing.end)
        self._answers.changed.connect(self._note_answer)
        self._answers.answered.connect(self.answered)
        self._answers.over.connect(self._go_on)
        self._answers.summarized.connect(self.contextChanged)
        self._answers.ended.connect(self.horizon.note_end)
        self.horizon.retryRequested.connect(self.regenerate)
        self.horizon.undoOffered.connect(self.told)
        self.horizon.changed.connect(self.contextChanged)
        self._branches.forked.connect(self.forked)
        self._branches.told.connect(self.told)
        self._branches.wireRequested.connect(self.wireRequested)
        self._restoring.changed.connect(self.showStanding)
        self._restoring.changed.connect(self._send_next)
        self._restoring.kept.connect(self.kept)
        self._restoring.told.connect(self.told)
        self.created.connect(self.showStanding)
        services.library.chatChanged.connect(self.noteChange)
        for changed in (self.settings.changed, services.choiceChanged, services.catalogue.changed):
            changed.connect(self._tell_abilities)

    def set_theme(self, theme: Theme) -> None:
        """Take colours and fonts, where the view does not by itself."""
        self.standing.set_theme(theme)
        self.queue.set_theme(theme)
        self.editing.set_theme(theme)
        self._notice.set_theme(theme)
        self.key_guard.set_theme(theme)
        self.tools.set_theme(theme)
        self.picker.set_theme(theme)
        self.parameters.set_theme(theme)

    @property
    def chat_id(self) -> int | None:
        """Its number; None until something was sent."""
        return self._place.chat_id

    @property
    def is_temporary(self) -> bool:
        """Whether nothing of it is kept."""
        return self._place.temporary

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be said here, because it is in the trash."""
        return self.standing.kind == "trashed"

    @property
    def is_answering(self) -> bool:
        """Whether an answer is under way."""
        return self._answers.under_way

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked here yet."""
        return self.chat_id is None and not self.view.handles()

    @property
    def is_untouched(self) -> bool:
        """Whether nobody has written anything here since it was opened, and nothing was asked before."""
        written = self.view.composer.draft()
        return self.is_empty and (not written or written.text == self.unsent.found)

    async def load(self) -> None:
        """Show what the store has, and have answered what was asked before that was there."""
        await self.reload()
        early, error = self._early, None
        if early is not None:
            try:
                await early[1]
            except StoreError as trouble:
                error = trouble
            await self.reload()
        self._loaded = True
        if early is not None:
            if error is not None:
                self.view.addMessages([early[0]], [datetime.now()])
            answer = self._answers.begin()
            if error is not None:
                answer.fail(of_store(error))
            else:
                coroutines.start(self._be_answered(self.view.handles()[-2], answer), self)
        await self.unsent.show()

    async def reload(self) -> None:
        """Show the path that the store has now."""
        if self.chat_id is None:
            return
        nodes = await self._place.shelf.read(messages.path, self.chat_id)
        versions = await self._place.shelf.read(messages.versions, self.chat_id)
        self._line.show(nodes, versions)
        self.horizon.note_end(nodes)
        self.horizon.show_again()
        self.reloaded.emit()

    async def show_found(self, message_id: int, found: str) -> None:
        """Scroll to a message, once it is there, and mark what was found; one of another version is looked for."""
        await self._branches.show(message_id, found)

    # What sort of chat it is

    @Slot()
    def showStanding(self) -> None:
        """Say so, if it is temporary, archived or in the trash."""
        chat = None if self.chat_id is None else self._services.library.find(self.chat_id)
        if self.is_temporary:
            self.standing.tell("temporary", begun=self.chat_id is not None, keeping=self._restoring.is_under_way)
        elif chat is not None and chat.trashed_at is not None:
            self.standing.tell("trashed", trashed_at=chat.trashed_at)
        else:
            self.standing.tell("archived" if chat is not None and chat.archived else "ordinary")
        self.view.setReadOnly(self.is_over)
        self.view.setMessageActions(*((_READING, ()) if self.is_over else (_WRITING, _LAST)))

    @Slot(int)
    def noteChange(self, chatId: int) -> None:
        """Something of a chat is different; was it this one?"""
        if chatId == self.chat_id:
            self.showStanding()

    @Slot()
    def restore(self) -> None:
        """Make an ordinary chat of it: one that is kept, in the list, and not in the trash."""
        self.unsent.save()
        self._restoring.begin()

    async def _follow(self, moved: Moved) -> None:
        """It is kept under other numbers."""
        self.editing.renumber(moved.ids)
        self.settings.move(moved.chat_id)
        await self.reload()

    # Sending and answering

    @Slot(object)
    def send(self, message: ChatMessage) -> None:
        """Ask: show the question and keep it, and have it answered; once the answer before it is over."""
        if not self._loaded and self._early is None:
            kept = self._place.shelf.writeDurably(writing.ask_at_end, self._place.known_id, message)
            self._early = message, kept
            return
        if not self._loaded or self._restoring.is_under_way or self.view.composer.isBusy():
            self.queue.put(message)
            self.unsent.save()
            return
        edited = self._line.handle_of(self.editing.message_id) if self.editing.message_id is not None else None
        parent = self._line.last if edited is None else self._line.cut(edited)
        (question,) = self.view.addMessages([message], [datetime.now()])
        answer = self._answers.begin()
        coroutines.start(self._send(self._keep(message, parent), parent, question, answer), self)

    def send_early(self, message: ChatMessage) -> None:
        """Ask what was sent before anybody looked at it; with a secret key in it, it stands in the field again."""
        if self.key_guard.admits(message.text):
            self.send(message)
            return
        asked, typed = writing.draft_of(message), self.view.composer.draft()
        self.view.composer.setDraft(writing.shown(writing.joined(writing.saved(asked), writing.saved(typed))))

    @Slot()
    def escape(self) -> None:
        """Leave what is going on: the change of a question, or else the answer that is under way."""
        if self.editing.message_id is not None:
            self.editing.end()
        else:
            self.stop()

    @Slot()
    def stop(self) -> None:
        """Stop the answer that is under way, or about to be; what there is of it stays."""
        self._answers.stop()

    @Slot(object)
    def regenerate(self, handle: MessageHandle) -> None:
        """Have the question above this answer answered once more, as another version."""
        if self.view.composer.isBusy() or self._restoring.is_under_way or self.is_over:
            return
        if self._line.ids_of(handle):
            question = self._line.cut(handle)
            coroutines.start(self._regenerate(question, self._answers.begin()), self)
        else:
            self._retry(handle)

    def _retry(self, handle: MessageHandle) -> None:
        """Ask once more where nothing came of it: no answer was begun, or even the question could not be kept."""
        handles = self.view.handles()
        question = handles[handles.index(handle) - 1]
        if asked := self._line.ids_of(question):
            self.view.removeFrom(handle)
            coroutines.start(self._regenerate(asked[-1], self._answers.begin()), self)
        elif question.message is not None:
            self.view.removeFrom(question)
            self.send(question.message)

    @Slot()
    def goOn(self) -> None:
        """Have the model go on with the answer that the chat ends with."""
        if self.chat_id is not None and not (
            self.view.composer.isBusy() or self._restoring.is_under_way or self.is_over
        ):
            coroutines.start(self._answers.answer(self._answers.begin()), self)

    @Slot(str, object)
    def act(self, action: str, handle: MessageHandle) -> None:
        """Do what was chosen at a message."""
        match action:
            case "regenerate":
                self.regenerate(handle)
            case "regenerate-with":
                self.picker.open_for(partial(self.regenerate, handle))
            case "continue":
                self.goOn()
            case "edit":
                self._edit(handle)
            case "previous" | "next" | "fork" | "details" | "delete":
                self._branches.act(action, handle)
            case _:
                self.horizon.act(action)

    @Slot(object)
    def approve(self, decision: ApprovalAnswer) -> None:
        """Go on with a run that waited for this; the card goes, and the composer has the keys again."""
        if self.view.isVisible():
            self.view.setFocus()
        if not (self._restoring.is_under_way or self.is_over):
            coroutines.start(self._answers.resume(decision), self)

    def leave(self) -> None:
        """Begin nothing more. Once what is under way is over, Qt deletes this and its view."""
        self.saveDraft()
        self._answers.over.disconnect(self._go_on)
        self.destroyed.connect(self.view.deleteLater)
        coroutines.release(self)

    @Slot()
    def saveDraft(self) -> None:
        """Keep what is written and not sent, what waits for its turn included, for the chat may be closed."""
        self.unsent.leave()

    def _keep(self, message: ChatMessage, parent: int | None) -> AsyncResource[tuple[int, int]]:
        """Hand a question to the store, at once and as a whole: it is kept even if the program ends now."""
        shelf = self._place.shelf
        if self.chat_id is None:
            self._place.is_beginning = True
            choice = self.picker.choice
            self.settings.set(provider=choice.provider.id, model=choice.model)
            if self.unsent.is_shown:
                return shelf.writeDurably(writing.begin, message, self.settings.values)
        return shelf.writeDurably(writing.ask, self.chat_id, parent, message, self.settings.values)

    async def _send(
        self,
        kept: AsyncResource[tuple[int, int]],
        parent: int | None,
        question: MessageHandle,
        answer: MessageHandle,
    ) -> None:
        try:
            chat_id, node_id = await kept
        except StoreError as error:
            answer.fail(of_store(error))
            return
        self._line.note(question, node_id, parent)
        await self._services.library.refresh(chat_id)
        if self.chat_id is None:
            self._place.move(chat_id)
            self.settings.adopt(chat_id)
            self.created.emit()
        await self._be_answered(question, answer)

    async def _be_answered(self, question: MessageHandle, answer: MessageHandle) -> None:
        """Have a question answered that is in the store, and name the chat after it if it has no name."""
        await self._branches.tell_versions()
        self.unsent.save()
        await self._answers.answer(answer)
        asked, said = (handle.message.text if handle.message else "" for handle in (question, answer))
        await name(self._services, self._place, self.picker.choice, asked, said)

    @Slot(bool)
    def _note_answer(self, under_way: bool) -> None:
        if under_way:
            self.queue.hold(held=True)
        self.answeringChanged.emit(under_way)

    @Slot(bool)
    def _go_on(self, well: bool) -> None:
        """An answer is over: what waits is asked, unless it ended badly."""
        self.queue.hold(held=not well)
        self._send_next()

    @Slot()
    def _send_next(self) -> None:
        """Ask what waits longest, if the answer before it went well and nothing before it is being changed."""
        if self.view.composer.isBusy() or self._restoring.is_under_way or self.editing.message_id is not None:
            return
        if (message := self.queue.take()) is not None:
            self.send(message)

    @Slot()
    def _release(self) -> None:
        """Ask what waits although the answer before it did not go well."""
        self.queue.hold(held=False)
        self._send_next()

    @Slot(object)
    def _change(self, message: ChatMessage) -> None:
        """Write a question that waited once more."""
        self.editing.end()
        self.view.composer.setDraft(writing.draft_of(message))
        self.view.setFocus()

    async def _regenerate(self, question: int | None, answer: MessageHandle) -> None:
        assert self.chat_id is not None
        await self._place.shelf.write(messages.rewind, self.chat_id, question)
        await self._answers.answer(answer)
        await self._branches.tell_versions()

    def _edit(self, handle: MessageHandle) -> None:
        message, ids = handle.message, self._line.ids_of(handle)
        if message is not None and ids and not self.view.composer.isBusy():
            self.editing.begin(ids[0], writing.draft_of(message))
            self.view.setFocus()

    @Slot()
    def _tell_abilities(self) -> None:
        """Say to the composer what the model takes that will be asked."""
        known = known_model(self._services, self.picker.choice)
        takes_files, sees = known is not None and known.pdf is True, known is None or known.vision is not False
        self.view.composer.setModelAbilities(takesFiles=takes_files, sees=sees)
