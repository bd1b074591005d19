"""The desk on the GUI thread: everything that is kept, and answers that go on whether anybody looks or not.

Above: ``core/chat`` does the work on the engine thread. Below: the program. Guarantees: nothing here waits for the
disk; each operation ends in its resource, in the order in which they were asked for; closing, or the end of the
application, stops answers and keeps what they have.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from functools import partial
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from PySide6.QtCore import QObject, Signal

from rillet.core.chat.events import Placed, Settled, Summarized, Summarizing
from rillet.core.store.store import Opening
from rillet.core.store.temporary import is_temporary
from rillet.qt.agent import AgentListener
from rillet.qt.engine import Engine
from rillet.qt.jobs import require_gui_thread
from rillet.qt.request import Household, Request
from rillet.qt.run_request import EventRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path
    from sqlite3 import Connection

    from rillet.core.chat.answering import Answered
    from rillet.core.chat.desk import Desk
    from rillet.core.chat.events import ChatEvent
    from rillet.core.chat.plan import Plan
    from rillet.core.store.keeping import Keeping
    from rillet.core.store.messages import Status
    from rillet.core.store.moving import Moved
    from rillet.core.store.trouble import StoreError
    from rillet.core.types.suspension import Answer
    from rillet.qt.engine import Outbox, Worker
    from rillet.qt.jobs import Outcome, Work
    from rillet.qt.resource import AsyncResource

P = ParamSpec("P")
T = TypeVar("T")

RETRY_SECONDS: Final = 1.0
"""How long to wait before the disk is asked once more to let the store be opened."""
_numbers: Final = itertools.count(-2_000_000, -1)  # (apart from those of clients, errands and agents)


class ChatListener(AgentListener):
    """What an answer tells, its places in the store included. Override what you need."""

    def onPlaced(self, messageId: int, parentId: int | None, role: str) -> None:
        """A message of the answer got its place: what comes next belongs to it."""

    def onSettled(self, messageId: int, status: Status) -> None:
        """A message stands in the store as it will stay."""

    def onSummarizing(self, turns: int, model: str | None) -> None:
        """So many of the oldest turns are being summarized, for there is no room for them any more."""

    def onSummarized(self, summaryId: int) -> None:
        """The summary stands in the store."""


class Shelf:
    """One of the two places for chats: the file, or memory. ``DeskClient.shelf`` gives it out.

    What is changed here cannot be taken back: neither cancelling nor ``close`` does.
    """

    def __init__(self, client: DeskClient, *, temporary: bool) -> None:
        self._client = client
        self._temporary = temporary

    def read(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncResource[T]:
        """Ask; see ``Store.read``."""
        return self._client.do(lambda desk: self._of(desk).read(function, *args, **kwargs))

    def write(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncResource[T]:
        """Change; see ``Store.write``."""
        return self._change(lambda desk: self._of(desk).write(function, *args, **kwargs))

    def writeDurably(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncResource[T]:
        """As ``write``, so that even a power failure keeps it, where anything is kept; see ``Store.write_durably``."""
        return self._change(lambda desk: self._of(desk).write_durably(function, *args, **kwargs))

    def _change(self, work: Callable[[Desk], Awaitable[T]]) -> AsyncResource[T]:
        return self._client._change(work, kept=not self._temporary)

    def _of(self, desk: Desk) -> Keeping:
        return desk.temporary if self._temporary else desk.store


class DeskClient(QObject):
    """The desk at one path. Make it on the GUI thread; ``open`` it before anything else.

    Attributes:
        kept: The file. ``read``, ``write`` and ``writeDurably`` mean it, too.
        temporary: The chats that are in memory only.
        trouble: Why nothing is written just now, or None.
        unwritten: How many changes were asked for that are not in the file yet.

    Signals:
        opened(object): The ``Opening``: what was recovered, set aside, or cannot be written.
        troubled(object): Why nothing is written just now (a ``StoreError``), or None: it goes on.
    """

    opened = Signal(object)
    troubled = Signal(object)

    def __init__(self, path: Path, *, engine: Engine | None = None, parent: QObject | None = None) -> None:
        require_gui_thread("A DeskClient")
        super().__init__(parent)
        self._path = path
        self._engine = engine
        self._household = Household(self, next(_numbers), "Rillet")
        self.trouble: StoreError | None = None
        self.unwritten = 0
        self.kept = Shelf(self, temporary=False)
        self.temporary = Shelf(self, temporary=True)

    def open(self) -> AsyncResource[Opening]:
        """Open the store, or make it. Harmless when it is open.

        While the disk does not let it be opened everything that is asked for waits, and ``troubled`` says why.
        """
        resource = self._start(_Watch(self, self._household, self._running), partial(_open, self._resident()))
        resource.ready(self.opened.emit)
        return resource

    def read(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncResource[T]:
        """Ask the file; see ``Store.read``."""
        return self.kept.read(function, *args, **kwargs)

    def write(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncResource[T]:
        """Change the file; see ``Shelf``."""
        return self.kept.write(function, *args, **kwargs)

    def writeDurably(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> AsyncResource[T]:
        """As ``write``, so that even a power failure keeps it; see ``Store.write_durably``."""
        return self.kept.writeDurably(function, *args, **kwargs)

    def shelf(self, chatId: int) -> Shelf:
        """Where a chat is."""
        return self.temporary if is_temporary(chatId) else self.kept

    def keep(self, chatId: int) -> AsyncResource[Moved]:
        """Make a temporary chat one that is kept, once the answer in it is over. It cannot be taken back."""
        return self._change(lambda desk: desk.keep(chatId), kept=True)

    def forget(self, chatIds: Iterable[int]) -> AsyncResource[None]:
        """Let go of temporary chats. It cannot be taken back."""
        ids = list(chatIds)
        return self._change(lambda desk: desk.forget(ids), kept=False)

    def do(self, work: Callable[[Desk], Awaitable[T]]) -> AsyncResource[T]:
        """Await ``work(desk)`` on the engine thread. It must hold nothing of the host that matters where it ends."""
        return self._start(Request[T](self, self._household, self._running), partial(_do, self._resident(), work))

    def answer(self, chatId: int, plan: Plan, listener: ChatListener) -> AsyncResource[Answered]:
        """Answer what a chat ends with. Cancelling the resource stops the answer and keeps what there is.

        A listener that is a QObject stops the answer with its own end; any other may go, the answer goes on.
        """
        return self._run(listener, lambda desk, tell: desk.answer(chatId, plan, tell))

    def resume(
        self, chatId: int, messageId: int, reply: Answer, plan: Plan, listener: ChatListener
    ) -> AsyncResource[Answered]:
        """Go on with the run that waits at a message."""
        return self._run(listener, lambda desk, tell: desk.resume(chatId, messageId, reply, plan, tell))

    def summarize(self, chatId: int, plan: Plan) -> AsyncResource[int]:
        """Summarize the oldest turns of a chat now; see ``Desk.summarize``. Cancelling the resource stops it."""
        return self.do(lambda desk: desk.summarize(chatId, plan, lambda event: None))

    def close(self) -> None:
        """Stop answers, keep what they have, close the store. The end of the application does the same."""
        self._household.dissolve()

    @property
    def _running(self) -> Engine:
        return self._engine or Engine.default()

    def _resident(self) -> _Resident:
        return _Resident(self._household.number, self._path)

    def _start(self, request: Request[T], work: Callable[[Worker, Outbox], Awaitable[T]]) -> AsyncResource[T]:
        return request.start(work)

    def _change(self, work: Callable[[Desk], Awaitable[T]], *, kept: bool) -> AsyncResource[T]:
        request = _Change[T](self, self._household, self._running, kept=kept)
        return request.start(partial(_change, self._resident(), work))

    def _run(
        self,
        listener: ChatListener,
        work: Callable[[Desk, Callable[[ChatEvent], None]], Awaitable[Answered]],
    ) -> AsyncResource[Answered]:
        request = _AnswerRequest(self, self._household, self._running, listener)
        return request.start(partial(_answer, self._resident(), work))


class _Change(Request[T]):
    """A change of the store, which takes place once it was asked for."""

    def __init__(self, client: DeskClient, household: Household, engine: Engine, *, kept: bool) -> None:
        """``kept``: it is one of the file."""
        super().__init__(client, household, engine)
        self._counter = client if kept else None

    def start(self, work: Work) -> AsyncResource[T]:
        """Count it until it ends."""
        resource = super().start(work)
        if self._counter is not None:
            self._counter.unwritten += 1
        return resource

    def end(self, outcome: Outcome) -> None:
        """It is in the file, or will never be."""
        if self._counter is not None:
            self._counter.unwritten -= 1
        super().end(outcome)

    def _stop(self) -> bool:
        return False


class _AnswerRequest(EventRequest["Answered"]):
    """The GUI half of an answer."""

    def __init__(self, client: QObject, household: Household, engine: Engine, listener: ChatListener) -> None:
        super().__init__(client, household, engine, listener)
        self._chat_listener = listener

    def deliver(self, event: object) -> None:
        """Tell the listener."""
        if isinstance(event, Placed):
            self._call(self._chat_listener.onPlaced, event.message_id, event.parent_id, event.role)
        elif isinstance(event, Settled):
            self._call(self._chat_listener.onSettled, event.message_id, event.status)
        elif isinstance(event, Summarizing):
            self._call(self._chat_listener.onSummarizing, event.turns, event.model)
        elif isinstance(event, Summarized):
            self._call(self._chat_listener.onSummarized, event.summary_id)
        else:
            super().deliver(event)


class _Watch(Request[Opening]):
    """Opens the store, and then tells of its troubles as long as it is open."""

    def __init__(self, client: DeskClient, household: Household, engine: Engine) -> None:
        super().__init__(client, household, engine)
        self._desk_client = client

    def deliver(self, event: object) -> None:
        """Tell what happened."""
        if isinstance(event, Opening):
            self.resource._settle(event)
        else:
            self._desk_client.trouble = event[0] if isinstance(event, tuple) else None
            self._desk_client.troubled.emit(self._desk_client.trouble)


class _Resident:
    """Which desk: what the engine thread needs to find or open it."""

    def __init__(self, number: int, path: Path) -> None:
        self.number = number
        self.path = path

    async def desk(self, worker: Worker) -> Desk:
        """The open desk.

        Raises:
            StoreError: the disk does not even let it be opened.
        """
        return await self.home(worker).enter(self.path)

    def home(self, worker: Worker) -> _Home:
        """Where it lives, whether it is open or not."""
        home = worker.belongings.get(self.number)
        if home is None:
            home = worker.belongings[self.number] = _Home()
        assert isinstance(home, _Home)
        return home


class _Home:
    """Where the desk lives: opened once, by whoever comes first, as soon as the disk allows it."""

    def __init__(self) -> None:
        self.troubles: asyncio.Queue[StoreError | None] = asyncio.Queue()
        self._closed = asyncio.Event()
        self._door = asyncio.Lock()
        self._desk: Desk | None = None

    @property
    def closed(self) -> bool:
        """Whether nobody may come any more."""
        return self._closed.is_set()

    async def enter(self, path: Path) -> Desk:
        """The open desk.

        Raises:
            StoreError: it is closed before it could be opened.
        """
        async with self._door:
            while self._desk is None:
                self._desk = await self._opened(path)
            return self._desk

    async def _opened(self, path: Path) -> Desk | None:
        """The desk; None after a while: the disk does not let it be opened now."""
        from rillet.core.chat.desk import Desk
        from rillet.core.store.trouble import DiskTrouble

        try:
            return await Desk.open(path, self.troubles.put_nowait)
        except DiskTrouble as trouble:
            if self.closed:
                raise
            self.troubles.put_nowait(trouble)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS):
                    await self._closed.wait()
            return None

    async def aclose(self) -> None:
        """Close it."""
        self._closed.set()
        self.troubles.put_nowait(None)
        async with self._door:  # behind whoever has a change to make
            if self._desk is not None:
                await self._desk.aclose()


async def _open(resident: _Resident, worker: Worker, outbox: Outbox) -> Opening:
    home = resident.home(worker)
    entering = asyncio.ensure_future(home.enter(resident.path))
    entering.add_done_callback(lambda _: home.troubles.put_nowait(_trouble_after(entering)))
    while not entering.done():
        outbox.post(((await home.troubles.get(),),), 0)
    opening = entering.result().store.opening
    outbox.post((opening,), 0)
    while not home.closed:
        outbox.post(((await home.troubles.get(),),), 0)
    return opening


def _trouble_after(entering: asyncio.Future[Desk]) -> StoreError | None:
    """Why nothing is written although the desk was entered, or None."""
    return None if entering.cancelled() or entering.exception() is not None else entering.result().store.trouble


async def _do(resident: _Resident, work: Callable[[Desk], Awaitable[T]], worker: Worker, _outbox: Outbox) -> T:
    return await work(await resident.desk(worker))


async def _change(resident: _Resident, work: Callable[[Desk], Awaitable[T]], worker: Worker, _outbox: Outbox) -> T:
    """As ``_do``, to its end even when the engine stops meanwhile: the home closes behind it."""
    home = resident.home(worker)

    async def change() -> T:
        return await work(await home.enter(resident.path))

    changing = asyncio.ensure_future(change())
    changing.add_done_callback(_seen)
    return await asyncio.shield(changing)


def _seen(changing: asyncio.Future[T]) -> None:
    """Whoever asked may be gone, and the desk says by itself what a disk did not take."""
    if not changing.cancelled():
        changing.exception()


async def _answer(
    resident: _Resident,
    work: Callable[[Desk, Callable[[ChatEvent], None]], Awaitable[Answered]],
    worker: Worker,
    outbox: Outbox,
) -> Answered:
    """Events never hold an answer back: it has to get into the store whether anybody reads them or not."""

    def tell(event: ChatEvent) -> None:
        outbox.post((event,), 0)

    return await work(await resident.desk(worker), tell)
