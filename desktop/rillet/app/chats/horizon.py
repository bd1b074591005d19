"""Where the model's view of a chat begins: says so in the chat and above the field, and does what is chosen about it.

Above: ``prospect`` (the words), ``line``, ``notice``, ``plans``. Below: ``session`` has one; the gauge tells it what
was weighed. Guarantees: what is not sent any more is said where it stands; every way can be taken back; a chat that a
provider refused as too long can be gone on with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from rillet.app import coroutines
from rillet.app.chats import prospect, summary_words
from rillet.app.chats.plans import plan_for, rule_for, summarizing_choice, window_for
from rillet.core.chat.refusal import window_after_refusal
from rillet.core.chat.summarizing import SummaryFailed
from rillet.core.errors import Cancelled
from rillet.core.store import summaries
from rillet.core.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.app.chats.chat_settings import ChatSettings
    from rillet.app.chats.line import Line
    from rillet.app.chats.notice import Notice
    from rillet.app.chats.place import Place
    from rillet.app.chats.prospect import Said
    from rillet.app.services import Services
    from rillet.core.chat.context import Ledger, Turn
    from rillet.core.chat.plan import Rule
    from rillet.core.store.messages import Node
    from rillet.core.store.summaries import Summary
    from rillet.qt.resource import AsyncResource
    from rillet.widgets.chat_view import ChatView
    from rillet.widgets.message_handle import MessageHandle

SETTLE_MS: Final = 200
"""How long nothing is typed before it is looked what the question will bring about."""
_TOO_LONG, _NOT_SUMMARIZED = "context_length", SummaryFailed.__name__
"""How the store names these errors."""


class Horizon(QObject):
    """Of one open chat.

    Attributes:
        ledger: What goes along, as it was weighed last.

    Signals:
        changed(): Something is sent otherwise now: it wants to be weighed.
        retryRequested(object): The answer of this ``MessageHandle`` is to be asked for once more.
        undoOffered(str, object): Something was done: a sentence, and a function that takes it back.
        ledgerRequested(): All that goes along is to be seen.
    """

    changed = Signal()
    retryRequested = Signal(object)
    undoOffered = Signal(str, object)
    ledgerRequested = Signal()

    def __init__(
        self,
        services: Services,
        place: Place,
        *,
        view: ChatView,
        line: Line,
        settings: ChatSettings,
        notice: Notice,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.ledger: Ledger | None = None
        self._owner = parent
        self._services = services
        self._place = place
        self._view = view
        self._line = line
        self._settings = settings
        self._notice = notice
        self._marked: set[MessageHandle] = set()
        self._failed: Node | None = None
        """The last answer, if there is none because the chat is too long, or could not be summarized."""
        self._writing: AsyncResource[int] | None = None
        self._problem = ""
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self.advise)
        view.composer.draftChanged.connect(self._timer.start)
        notice.chosen.connect(self.act)

    @property
    def is_summarizing(self) -> bool:
        """Whether a summary is being written that was asked for by hand."""
        return self._writing is not None

    def show(self, ledger: Ledger) -> None:
        """Draw the lines where what goes along says that they are."""
        self.ledger = ledger
        wanted: dict[MessageHandle, Said] = {}
        summed, left_out = ledger.standing("summarized"), ledger.standing("left out")
        if ledger.summary is not None and (handle := self._last_of(summed)) is not None:
            wanted[handle] = prospect.summary_mark(ledger.summary, len(summed))
        if (handle := self._last_of(left_out)) is not None:
            wanted[handle] = prospect.trim_mark(ledger)
        for gone in self._marked - wanted.keys():
            gone.setMark()
        for handle, said in wanted.items():
            handle.setMark(said.text, said.detail, said.actions)
        self._marked = set(wanted)
        self.advise()

    def show_again(self) -> None:
        """Draw the lines anew where the chat was; what has changed is weighed soon."""
        if self.ledger is not None:
            self.show(self.ledger)

    @Slot(object)
    def note_end(self, nodes: Sequence[Node]) -> None:
        """The chat ends with the last of these: did something come of it?"""
        self._failed = nodes[-1] if nodes and _error_of(nodes[-1]) in (_TOO_LONG, _NOT_SUMMARIZED) else None
        self.advise()

    @Slot()
    def advise(self) -> None:
        """Say what the next question will bring about."""
        said = self._advice()
        self._notice.say(said.text, said.actions)

    @Slot(str)
    def act(self, action: str) -> None:
        """Do what was chosen."""
        self._problem = ""
        summary = None if self.ledger is None else self.ledger.summary
        match action:
            case prospect.TRIM:
                coroutines.start(self.take_rule("trim"), self._owner)
            case prospect.SUMMARIZE if self._failed is not None:
                coroutines.start(self.take_rule("summarize"), self._owner)
            case prospect.SUMMARIZE:
                coroutines.start(self.summarize(), self._owner)
            case prospect.SEND_ALL:
                coroutines.start(self.take_rule("keep"), self._owner)
            case prospect.EDIT if summary is not None:
                self.open(summary)
            case prospect.UNDO if summary is not None:
                coroutines.start(self._withdraw(summary), self._owner)
            case prospect.STOP if self._writing is not None:
                self._writing.cancel()
            case prospect.LEDGER:
                self.ledgerRequested.emit()

    def open(self, summary: Summary) -> None:
        """Show a summary, to be read and changed."""
        from rillet.app.chats.summary_dialog import SummaryDialog

        dialog = SummaryDialog(summary, self._view.window())
        dialog.rewritten.connect(self.rewrite)
        dialog.undone.connect(self.undo)
        dialog.open()

    @Slot(int, str)
    def rewrite(self, summaryId: int, text: str) -> None:
        """Have a summary say something else."""
        coroutines.start(self._rewrite(summaryId, text), self._owner)

    @Slot()
    def undo(self) -> None:
        """Send the messages themselves again instead of their summary."""
        self.act(prospect.UNDO)

    async def summarize(self) -> None:
        """Have the oldest summarized now, whatever the rule is."""
        if self._writing is not None:
            return
        self._problem = ""
        await self._services.keys.arrived()
        plan = plan_for(self._services, self._settings.values)
        self._writing = self._services.desk.summarize(self._place.known_id, plan)
        self.advise()
        try:
            await self._writing
        except Cancelled:
            pass
        except SummaryFailed as failure:
            self._problem = summary_words.failed(failure)
        except ValueError:
            self._problem = self.tr("There is nothing to summarize: the last question and what is pinned stay.")
        finally:
            self._writing = None
            self.advise()
        self.changed.emit()

    async def take_rule(self, rule: Rule) -> None:
        """Follow this rule from now on; an answer of which nothing came is asked for once more."""
        failed, before = self._failed, self._settings.values.get("rule")
        values: dict[str, Any] = {"rule": rule}
        if failed is not None and self.ledger is not None and _error_of(failed) == _TOO_LONG:
            choice = self._services.choice_for(self._settings.values)
            said = str(failed.details["error"].get("message"))
            values["window"] = window_for(choice, window_after_refusal(self.ledger.used, said))
        await self._settings.put(**values)
        handle = None if failed is None else self._line.handle_of(failed.id)
        if handle is not None and self._failed is failed:
            self._failed = None
            self.retryRequested.emit(handle)
        elif rule == "keep":
            self.undoOffered.emit(self.tr("All messages are sent again"), lambda: self._settings.set(rule=before))
        self.advise()
        self.changed.emit()

    @property
    def summarizer(self) -> str:
        """Who writes summaries, for people."""
        values = self._settings.values
        return (summarizing_choice(self._services, values) or self._services.choice_for(values)).label

    def _advice(self) -> Said:
        if self._writing is not None:
            return prospect.being_summarized(self.summarizer)
        if self._problem:
            return prospect.problem(self._problem)
        if self._view.composer.isBusy():
            return prospect.Said()
        if self._failed is not None:
            return prospect.way_on(self.ledger, too_long=_error_of(self._failed) == _TOO_LONG)
        if self.ledger is None:
            return prospect.Said()
        return prospect.prospect(self.ledger, self._draft_tokens(), self.summarizer)

    def _draft_tokens(self) -> int:
        draft = self._view.composer.draft()
        takes_files = bool(draft.attachments) and plan_for(self._services, self._settings.values).takes_files
        return estimate_tokens(draft.text) + sum(each.tokens(takes_files) for each in draft.attachments)

    def _last_of(self, turns: Sequence[Turn]) -> MessageHandle | None:
        """What is shown last of these turns."""
        for turn in reversed(turns):
            for id in reversed(turn.ids):
                handle = self._line.handle_of(id)
                if handle is not None and handle.entry.index >= 0:
                    return handle
        return None

    async def _rewrite(self, summary_id: int, text: str) -> None:
        await self._place.shelf.writeDurably(summaries.rewrite, summary_id, text)
        self.changed.emit()

    async def _withdraw(self, summary: Summary) -> None:
        """Send the messages themselves; as long as the rule is to summarize, it would be done at once again."""
        rule = self._settings.values.get("rule")
        await self._place.shelf.write(summaries.withdraw, summary.id)
        if rule_for(self._services, self._settings.values) == "summarize":
            await self._settings.put(rule="keep")
        self.changed.emit()
        self.undoOffered.emit(
            self.tr("The messages themselves are sent again"),
            lambda: coroutines.start(self._restore(summary, rule), self._owner),
        )

    async def _restore(self, summary: Summary, rule: str | None) -> None:
        await self._place.shelf.write(summaries.withdraw, summary.id, withdrawn=False)
        await self._settings.put(rule=rule)
        self.changed.emit()


def _error_of(node: Node) -> str:
    error = node.details.get("error")
    return str(error.get("kind")) if isinstance(error, dict) else ""
