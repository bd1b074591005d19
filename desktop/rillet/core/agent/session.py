"""One run, from the store and back into it.

Above: ``loop``, ``conversations``. Below: ``agent`` opens sessions, ``run`` makes one something to await and watch.
Guarantees: runs of one conversation follow each other; a transcript is saved whole, after DONE, or not at all; when a
cancelled session has ended, nothing is written any more; a run that takes too long is a ``TimedOutError``.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from rillet.core.agent.calls import too_late
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.loop import Loop
from rillet.core.agent.metrics import Metric
from rillet.core.agent.turn import status_of
from rillet.core.errors import TimedOutError
from rillet.core.types.saved import dump_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from rillet.core.agent.conversations import ConversationStore
    from rillet.core.agent.outlet import Outlet
    from rillet.core.agent.result import RunResult
    from rillet.core.agent.setup import Job
    from rillet.core.types import ChatMessage, ChatRequest, ChatResponse
    from rillet.core.types.suspension import Answer

T = TypeVar("T")

_inside: ContextVar[frozenset[tuple[int, str]]] = ContextVar("_inside", default=frozenset())
"""The conversations (of which store) that the present task is a part of."""


class Session:
    """Use it once: ``run`` or ``resume``."""

    def __init__(self, job: Job, store: ConversationStore, door: asyncio.Lock | None, timeout: float | None) -> None:
        self._job = job
        self._store = store
        self._door = door
        self._timeout = timeout
        self._loop = Loop(job)

    @property
    def out(self) -> Outlet:
        """Where its events go."""
        return self._job.out

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The transcript as far as its turns are whole."""
        return self._loop.messages

    async def run(self, prompt: ChatMessage, history: Iterable[ChatMessage] | None = None) -> RunResult:
        """From a prompt to the end."""

        async def work() -> RunResult:
            known = history if history is not None else await self._stored() or ()
            return await self._loop.run(prompt, known)

        return await self._whole(work)

    async def resume(self, result: RunResult, answer: Answer) -> RunResult:
        """From the answer to what a run waited for to the end.

        Raises:
            ValueError: the conversation has gone on meanwhile.
        """
        pending = result.pending
        assert pending is not None
        expires = pending.request.expires_at
        if expires is not None and time.time() > expires:
            answer = too_late(pending.request)

        async def work() -> RunResult:
            stored = await self._stored()
            if stored is not None and dump_messages(stored) != dump_messages(result.messages):
                raise ValueError(f"the conversation {self._job.chat!r} has gone on: the answer comes too late")
            return await self._loop.resume(result, answer)

        return await self._whole(work)

    async def translate(self, request: ChatRequest) -> ChatResponse:
        """One model call."""
        return await self._timed(lambda: self._loop.translate(request))

    async def _whole(self, work: Callable[[], Coroutine[None, None, RunResult]]) -> RunResult:
        started = time.perf_counter()
        try:
            async with self._entered():
                result = await self._timed(work)
                self.out.post(StreamEvent(StreamEvent.Kind.DONE, result=result))
                await self.out.drain()
                await self._save(result)
        except Exception as error:  # (noted, and raised again)
            await self.out.drain()
            self._note(started, status_of(error), error=error)
            if self._job.chat is not None:
                error.add_note(
                    f"Of this run nothing was saved: the conversation {self._job.chat!r} is as it was before."
                )
            raise
        except BaseException as error:
            self._note(started, status_of(error), error=error)
            raise
        finally:
            self.out.close()
        self._note(started, result.limit or ("ok" if result.status == "done" else result.status), result)
        return result

    async def _timed(self, work: Callable[[], Coroutine[None, None, T]]) -> T:
        try:
            async with asyncio.timeout(self._timeout) as clock:
                return await work()
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise TimedOutError(
                f"the run did not end within {self._timeout:g} s", advice="Allow more time, or ask for less."
            ) from error

    def _entered(self) -> _Entered | nullcontext[None]:
        """Alone with the conversation."""
        if self._door is None or self._job.chat is None:
            return nullcontext()
        return _Entered(self._door, (id(self._store), self._job.chat))

    async def _stored(self) -> tuple[ChatMessage, ...] | None:
        return None if self._job.chat is None else await self._store.get(self._job.chat)

    async def _save(self, result: RunResult) -> None:
        """Save, and do not end before that is done: a thread that writes cannot be called back."""
        if self._job.chat is None:
            return
        saving = asyncio.ensure_future(self._store.save(self._job.chat, result.messages))
        try:
            await asyncio.shield(saving)
        except asyncio.CancelledError:
            await asyncio.wait((saving,))
            raise

    def _note(
        self, started: float, status: str, result: RunResult | None = None, error: BaseException | None = None
    ) -> None:
        setup = self._job.setup
        setup.metrics.add(
            Metric(
                kind="run",
                name=setup.model_name or "default",
                status=status,
                ms=(time.perf_counter() - started) * 1000,
                usage=result.usage if result else None,
                turns=self._loop.turns,
                error=None if error is None else str(error) or type(error).__name__,
            )
        )


class _Entered:
    """The turn of this run on its conversation."""

    def __init__(self, door: asyncio.Lock, key: tuple[int, str]) -> None:
        self._door = door
        self._key = key

    async def __aenter__(self) -> None:
        if self._key in _inside.get():
            raise RuntimeError(f"a run of the conversation {self._key[1]!r} cannot wait for another one of it")
        await self._door.acquire()
        self._token = _inside.set(_inside.get() | {self._key})

    async def __aexit__(self, *_: object) -> None:
        _inside.reset(self._token)
        self._door.release()
