"""What the program keeps ready for answers, on one event loop: the store, a client per provider, tools, and who judges.

Above: ``answering``, ``store``, ``client``, ``tools``. Below: ``qt/desk`` brings it to the GUI thread, the command line
uses it as it is. Guarantees: one answer per chat at a time, as many chats at once as like; ``aclose`` stops answers,
keeps what they have, and ends everything that was started; of a temporary chat nothing is kept anywhere, unless
somebody says so.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rillet.core.agent.events import StreamEvent
from rillet.core.chat.answering import Answering
from rillet.core.chat.context import weigh
from rillet.core.chat.cost import cost
from rillet.core.chat.events import Placed
from rillet.core.chat.fitting import Fitting
from rillet.core.chat.waiting import taken_along
from rillet.core.chat.workbench import Workbench
from rillet.core.client import AsyncLlmClient
from rillet.core.net.exchange_log import ExchangeLog
from rillet.core.providers.facts import FactBook
from rillet.core.store import messages, moving, summaries, trash
from rillet.core.store.store import Store
from rillet.core.store.temporary import TemporaryStore, is_temporary

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from pathlib import Path

    from rillet.core.chat.answering import Answered
    from rillet.core.chat.context import Ledger
    from rillet.core.chat.events import ChatEvent
    from rillet.core.chat.plan import Plan
    from rillet.core.net.exchange_log import Watch
    from rillet.core.providers.provider import Provider
    from rillet.core.store.keeping import Keeping
    from rillet.core.store.moving import Moved
    from rillet.core.store.trouble import StoreError
    from rillet.core.types import Usage
    from rillet.core.types.suspension import Answer

log = logging.getLogger("rillet.chat")

T = TypeVar("T")

PATIENCE: Final = 0.05
"""Seconds that what arrives may wait for more: 20 times a second text flows, and each time costs what it costs."""


class Desk:
    """Made by ``open``; belongs to one event loop.

    Attributes:
        store: Everything that is kept.
        temporary: Chats that are not.
        bench: The tools.
        log: What was sent for the last answers, and what came.
    """

    def __init__(self, store: Store, bench: Workbench, facts: FactBook | None = None) -> None:
        self.store = store
        self.temporary = TemporaryStore()
        self.bench = bench
        self.log = ExchangeLog()
        self._facts = facts or FactBook.builtin()
        self._clients: dict[str, AsyncLlmClient] = {}
        self._answering: dict[int, asyncio.Task[Any]] = {}
        self._summarizing: dict[int, asyncio.Task[Any]] = {}
        self._moving: dict[int, asyncio.Task[Any]] = {}

    @classmethod
    async def open(cls, path: Path, on_trouble: Callable[[StoreError | None], None] = lambda trouble: None) -> Desk:
        """Open the store at ``path``.

        Raises:
            DiskTrouble: the disk does not even let it be opened.
        """
        store = await Store.open(path, on_trouble)
        try:
            return cls(store, await Workbench.open(store, path.parent))
        except BaseException:  # (cancelled, as a rule: nobody else would close it)
            await store.close()
            raise

    @property
    def answering(self) -> frozenset[int]:
        """The chats in which an answer is under way."""
        return frozenset(self._answering)

    async def answer(self, chat_id: int, plan: Plan, tell: Callable[[ChatEvent], None]) -> Answered:
        """Answer what the chat ends with; cancelling this stops the answer and keeps what there is.

        Raises:
            LlmError: a model call failed.
            SummaryFailed: what has no room any more could not be summarized.
            StoreError: the answer cannot be written down.
            ValueError: there is nothing to answer, or an answer is under way.
        """
        with self.log.watching() as watch:
            return await self._alone(chat_id, (await self._new(chat_id, plan, _followed(watch, tell))).answer)

    async def resume(
        self, chat_id: int, message_id: int, reply: Answer, plan: Plan, tell: Callable[[ChatEvent], None]
    ) -> Answered:
        """Go on with the run that waits at a message.

        Raises:
            as ``answer``.
        """
        node = await self.store_of(chat_id).read(messages.get, message_id)
        with self.log.watching() as watch:
            answering = await self._new(chat_id, plan, _followed(watch, tell))
            return await self._alone(chat_id, lambda: answering.resume(node, reply))

    async def context(self, chat_id: int, plan: Plan) -> Ledger:
        """What would go along with the next question. Starts nothing: tools that nobody has asked are not known."""
        store = self.store_of(chat_id)
        known = await store.read(summaries.of_chat, chat_id)
        return weigh(await store.read(messages.path, chat_id), plan, self.bench.present(plan), known)

    async def summarize(self, chat_id: int, plan: Plan, tell: Callable[[ChatEvent], None]) -> int:
        """Summarize the oldest turns of a chat, though there may be room: the id of the summary. Cancelling stops it.

        An answer that is begun meanwhile waits for it.

        Raises:
            SummaryFailed: there is none.
            StoreError: it cannot be written down.
            ValueError: there is nothing to summarize, or an answer is under way.
        """
        fitting = Fitting(
            self.store_of(chat_id),
            chat_id,
            plan,
            toolbox=self.bench.present(plan),
            summarizer=self._summarizer(plan),
            tell=tell,
            price=self._price,
        )
        if chat_id in self._summarizing:
            raise ValueError("a summary of this chat is being written")
        return await self._alone(chat_id, fitting.summarize, self._summarizing)

    async def holds_outside(self, chat_id: int, workspace: str | None) -> bool:
        """Whether a chat holds text that came from outside, so that whatever acts is asked about in it."""
        return self.bench.holds_outside(await self.store_of(chat_id).read(messages.line, chat_id), workspace)

    def store_of(self, chat_id: int) -> Keeping:
        """Where a chat is."""
        return self.temporary if is_temporary(chat_id) else self.store

    async def keep(self, chat_id: int) -> Moved:
        """Make a temporary chat one that is kept, once the answer in it is over: where it is now.

        Nothing is answered meanwhile where it was. A run that waits for an answer waits on where it is now, for an
        answer with another id; what was allowed in the chat is allowed there.

        Raises:
            StoreError: the file cannot be changed; the chat is what it was.
            ValueError: it is being kept already.
        """
        if chat_id in self._moving:
            raise ValueError("this chat is being kept already")
        task = asyncio.current_task()
        assert task is not None
        self._moving[chat_id] = task
        try:
            await self._end_of_answer(chat_id)
            bundle = await self.temporary.read(moving.take, chat_id)
            moved = await self.store.write_durably(moving.put, bundle, partial(taken_along, chat_id))
            self.bench.grants.move_chat(str(chat_id), str(moved.chat_id))
            await self.forget([chat_id])
        finally:
            del self._moving[chat_id]
        return moved

    async def forget(self, chat_ids: Iterable[int]) -> None:
        """Let go of temporary chats: nothing of them is left in memory either."""
        for chat_id in chat_ids:
            await self._end_of_answer(chat_id)
            ids = await self.temporary.read(messages.ids, chat_id)
            self.log.forget(ids)
            self.bench.grants.forget_chat(str(chat_id))
            await self.temporary.write(trash.purge, [chat_id])

    def client(self, provider: Provider) -> AsyncLlmClient:
        """The client of a provider; another one once the provider's address or key has changed."""
        client = self._clients.get(provider.id)
        if client is None or client.provider != provider:
            if client is not None:
                closing = asyncio.ensure_future(client.aclose())
                closing.add_done_callback(_forget)
            client = self._clients[provider.id] = AsyncLlmClient(provider, patience=PATIENCE)
        return client

    async def aclose(self) -> None:
        """Stop answers, keep what they have, close everything."""
        under_way = [*self._answering.values(), *self._summarizing.values()]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await asyncio.gather(*self._moving.values(), return_exceptions=True)
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()
        await self.bench.aclose()
        await self.temporary.close()
        if left := await self.store.close():
            log.error("the disk took nothing: %d changes were lost", left)

    async def _new(self, chat_id: int, plan: Plan, tell: Callable[[ChatEvent], None]) -> Answering:
        return Answering(
            self.store_of(chat_id),
            chat_id,
            plan,
            model=self.client(plan.provider),
            toolbox=await self.bench.toolbox(plan),
            tell=tell,
            price=self._price,
            summarizer=self._summarizer(plan),
        )

    def _summarizer(self, plan: Plan) -> AsyncLlmClient:
        return self.client(plan.provider if plan.summarizer is None else plan.summarizer.provider)

    async def _alone(
        self, chat_id: int, work: Callable[[], Awaitable[T]], tasks: dict[int, asyncio.Task[Any]] | None = None
    ) -> T:
        """Do ``work`` while nothing else answers the chat; a summary that is being written is waited for."""
        tasks = self._answering if tasks is None else tasks
        if chat_id in self._answering:
            raise ValueError("an answer is under way in this chat")
        if chat_id in self._moving:
            raise ValueError("this chat goes on under another number")
        task = asyncio.current_task()
        assert task is not None
        tasks[chat_id] = task
        try:
            if tasks is self._answering and (before := self._summarizing.get(chat_id)) is not None:
                await asyncio.wait([before])
            return await work()
        finally:
            del tasks[chat_id]

    async def _end_of_answer(self, chat_id: int) -> None:
        for tasks in (self._summarizing, self._answering):
            if (task := tasks.get(chat_id)) is not None:
                await asyncio.wait([task])

    def _price(self, provider: Provider, models: Sequence[str | None], usage: Usage) -> float | None:
        return cost(self._facts, provider, (*models, provider.default_model), usage)


def _followed(watch: Watch, tell: Callable[[ChatEvent], None]) -> Callable[[ChatEvent], None]:
    """``tell``, with ``watch`` told which messages the answer is made of."""

    def follow(event: ChatEvent) -> None:
        if isinstance(event, Placed):
            if event.role == "assistant":
                watch.place(event.message_id)
        elif isinstance(event, StreamEvent) and event.type is StreamEvent.Kind.TURN:
            watch.begin_turn()
        tell(event)

    return follow


def _forget(done: asyncio.Future[None]) -> None:
    with suppress(asyncio.CancelledError):
        if error := done.exception():
            log.warning("closing a client failed: %r", error)
