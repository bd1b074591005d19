"""Writes an answer down while it comes: into the journal in small batches, into the tree message by message.

Above: ``store``. Below: ``answering`` feeds one recorder per answer. Knows no model and no tools. Guarantees: what
arrived is in the file ``BATCH_SECONDS`` later, whatever a view does; a message is settled with everything that arrived
of it, however the answer ends; the order in the file is the order of the calls.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from rillet.core.chat.events import Placed, Settled
from rillet.core.store import journal, messages
from rillet.core.store.trouble import StoreError
from rillet.core.types import ChatMessage
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from sqlite3 import Connection

    from rillet.core.chat.events import ChatEvent
    from rillet.core.store.keeping import Keeping
    from rillet.core.store.messages import Status
    from rillet.core.types import Delta

BATCH_SECONDS: Final = 0.2


class Recorder:
    """The pen of one answer.

    Attributes:
        head: The message that was placed last; the next one goes below it.
        failure: Why nothing is written down any more, or None. A disk that takes nothing is no such reason: see
            ``store/writer``.
    """

    def __init__(
        self, store: Keeping, chat_id: int, head: int | None, tell: Callable[[ChatEvent], None], *, provider: str
    ) -> None:
        self.head = head
        self.failure: StoreError | None = None
        self._store = store
        self._chat_id = chat_id
        self._tell = tell
        self._provider = provider
        self._deltas: list[Delta] = []
        self._unwritten: list[Delta] = []
        self._open = False
        self._steps: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._working = asyncio.create_task(self._work())
        self._flusher: asyncio.TimerHandle | None = None

    def begin(self, model: str | None) -> None:
        """A message of the model begins."""
        self._open = True
        self._deltas = []

        async def place() -> None:
            await self._place(ChatMessage("assistant", ()), status="writing", model=model)

        self._steps.put_nowait(place)

    def begin_unless_open(self, model: str | None) -> None:
        """Have a message that can say how the answer ended, also where none had begun."""
        if not self._open:
            self.begin(model)

    def add(self, delta: Delta) -> None:
        """A piece of it came."""
        self._deltas.append(delta)
        self._unwritten.append(delta)
        if self._flusher is None:
            self._flusher = asyncio.get_running_loop().call_later(BATCH_SECONDS, self._flush)

    def settle(
        self,
        message: ChatMessage | None = None,
        *,
        status: Status = "whole",
        model: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """The message is over. ``message`` None: it is what had arrived. Nothing happens when none is open."""
        if not self._open:
            return
        self._open = False
        self._stop_flushing()
        whole = fold(self._deltas).message if message is None else message
        self._deltas = []

        async def write() -> None:
            assert self.head is not None
            await self._store.write_durably(
                messages.rewrite, self.head, whole, status=status, model=model, details=details
            )
            self._tell(Settled(self.head, status))

        self._steps.put_nowait(write)

    def put(self, message: ChatMessage, details: Mapping[str, Any] | None = None) -> None:
        """A whole message, such as the result of a tool."""

        async def place() -> None:
            await self._place(message, status="whole", details=details)

        self._steps.put_nowait(place)

    def annotate(self, details: Mapping[str, Any]) -> None:
        """Add to what is known about the message that was placed last."""

        async def write() -> None:
            if self.head is not None:
                await self._store.write_durably(messages.annotate, self.head, details)

        self._steps.put_nowait(write)

    def spend(self, enter: Callable[[Connection, int], None]) -> None:
        """Note in the ledger what the message that was placed last has cost."""

        async def write() -> None:
            if (head := self.head) is not None:
                await self._store.write(lambda db: enter(db, head))

        self._steps.put_nowait(write)

    async def done(self) -> None:
        """Wait until everything is in the file; a cancelled wait does not keep it from getting there."""
        self._stop_flushing()
        await asyncio.shield(self._steps.join())

    async def close(self) -> None:
        """Write what there is, and end. To be cancelled once more, as happens when the program ends, is no way out."""
        self._stop_flushing()
        written, again = asyncio.ensure_future(self._steps.join()), False
        while not written.done():
            try:
                await asyncio.shield(written)
            except asyncio.CancelledError:
                again = True
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working
        if again:
            raise asyncio.CancelledError

    def _flush(self) -> None:
        self._flusher = None
        batch, self._unwritten = self._unwritten, []
        if not batch or not self._open:
            return

        async def write() -> None:
            assert self.head is not None
            await self._store.write(journal.append, self.head, batch)

        self._steps.put_nowait(write)

    def _stop_flushing(self) -> None:
        self._unwritten = []
        if self._flusher is not None:
            self._flusher.cancel()
            self._flusher = None

    async def _place(self, message: ChatMessage, *, status: Status, **more: Any) -> None:
        parent = self.head
        self.head = await self._store.write(
            messages.add, self._chat_id, parent, message, status=status, provider=self._provider, **more
        )
        assert message.role in ("assistant", "tool")
        self._tell(Placed(self.head, parent, message.role))

    async def _work(self) -> None:
        while True:
            step = await self._steps.get()
            try:
                if self.failure is None:
                    await step()
            except StoreError as error:
                self.failure = error
            finally:
                self._steps.task_done()
