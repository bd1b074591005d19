"""A run that can be awaited and watched.

Above: ``events``, ``outlet``, ``session``. Below: ``Agent.stream`` makes one. Knows no models and no tools.
Guarantees:

- it starts at the first await or iteration; both may be used on one run, in any order, and more than once;
- each event is iterated once, none is lost, however slow the consumer: what waits is kept (``waiting`` counts it), and
  the run does not wait for it. A host that wants the model held back gives a coroutine function as ``on_event``;
- whatever ends the run is raised after everything that came before was delivered;
- a bare ``break`` stops nothing: the run goes on by itself. Leaving ``async with``, ``aclose``, and cancelling a task
  that awaits or iterates stop it, and return when everything of it has ended.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Self

from rillet.core.agent.events import StreamEvent, told
from rillet.core.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator, Sequence
    from types import TracebackType

    from rillet.core.agent.result import RunResult
    from rillet.core.agent.session import Session
    from rillet.core.types import ChatMessage, Delta

_running: set[asyncio.Task[RunResult]] = set()
"""Event loops hold tasks weakly, and nobody need hold an ``AgentRun``."""


class AgentRun:
    """One run of an agent; see ``Agent.stream``."""

    def __init__(self, session: Session, work: Callable[[], Coroutine[None, None, RunResult]]) -> None:
        self._session = session
        self._work = work
        self._kept: deque[StreamEvent | Sequence[Delta]] = deque()
        self._ready: Iterator[StreamEvent] = iter(())
        self._keeps = not session.out.has_listener
        session.out.keep = self._keep
        self._task: asyncio.Task[RunResult] | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many events nobody has taken yet. With an ``on_event`` they are kept once somebody iterates."""
        events = [*self._ready]
        for news in self._kept:
            events += _events(news)
        self._kept.clear()
        self._ready = iter(events)
        return len(events)

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The transcript as far as its turns are whole: what there is when a run was stopped or failed."""
        return self._session.messages

    def __await__(self) -> Generator[None, None, RunResult]:
        return self._finished().__await__()

    def __aiter__(self) -> AsyncGenerator[StreamEvent, None]:
        self._keeps = True
        return self._each()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Stop, and wait until everything has ended. What was delivered stays; nothing is saved."""
        self._closed = True
        await self._stop()

    async def _each(self) -> AsyncGenerator[StreamEvent, None]:
        """What nobody has taken yet, until the run has ended. (A generator: it costs least per event.)"""
        task = self._started()
        new_future = task.get_loop().create_future
        while True:
            ready = self._ready
            for event in ready:
                yield event
            if ready is not self._ready:
                continue  # somebody else, who iterates as well, went on with it
            if self._kept:
                # One at a time: thousands of events that wait would be what a garbage collection is busy with.
                self._ready = iter(_events(self._kept.popleft()))
                continue
            if task.done():
                self._ended(task)
                return
            news = new_future()
            self._waiters.append(news)
            try:
                await news
            except asyncio.CancelledError:
                await self._stop()
                raise

    def _started(self) -> asyncio.Task[RunResult]:
        if self._task is None:
            if self._closed:
                raise Cancelled("the run was closed before it began")
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(self._wake)
            self._task.add_done_callback(_running.discard)
            _running.add(self._task)
        return self._task

    async def _finished(self) -> RunResult:
        """Wait for the end. A cancelled wait stops the run, as with any task."""
        task = self._started()
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            await self._stop()
            raise
        return self._ended(task)

    def _ended(self, task: asyncio.Task[RunResult]) -> RunResult:
        if task.cancelled():
            raise Cancelled("the run was stopped")
        return task.result()

    def _keep(self, news: StreamEvent | Sequence[Delta]) -> None:
        if self._keeps:
            self._kept.append(news)
            if self._waiters:
                self._wake()

    def _wake(self, _: object = None) -> None:
        for news in self._waiters:
            if not news.done():
                news.set_result(None)
        self._waiters.clear()

    async def _stop(self) -> None:
        task = self._task
        if task is None:
            return
        task.cancel()
        await asyncio.wait((task,))


def _events(news: StreamEvent | Sequence[Delta]) -> Sequence[StreamEvent]:
    return (news,) if isinstance(news, StreamEvent) else told(news)
