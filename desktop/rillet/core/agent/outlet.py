"""Where the events of one run go.

Knows neither models nor tools. Above: ``events``. Below: the loop posts, ``run`` keeps for whoever iterates.
Guarantees: events arrive in the order in which they were posted, each once; a listener that raises is reported and the
run goes on; what a listener returns to be awaited is awaited before the run goes on (``drain``), so that a listener
that is behind holds the model back.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rillet.core.agent.events import told
from rillet.core.types.expect import expect_callable

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent
    from rillet.core.types import Delta

log = logging.getLogger("rillet.agent")

OnEvent: TypeAlias = Callable[["StreamEvent"], object]
"""Gets every event. A coroutine function is awaited; anything else it returns is ignored."""


class Outlet:
    """Takes events from anywhere on the loop's thread and hands them to one listener, one keeper, both or neither.

    Attributes:
        keep: Gets events, and deltas that are still to be told, before the listener does; code of this package, which
            must not fail.
    """

    def __init__(self, on_event: OnEvent | None = None) -> None:
        if on_event is not None:
            expect_callable(on_event, "on_event")
        self.keep: Callable[[StreamEvent | Sequence[Delta]], None] | None = None
        self._listener = on_event
        self._owed: deque[Awaitable[object]] = deque()
        self._turnstile = asyncio.Lock()
        self._closed = False
        self._failures = 0

    @property
    def has_listener(self) -> bool:
        """Whether the host listens."""
        return self._listener is not None

    @property
    def owes(self) -> bool:
        """Whether there is something to ``drain``."""
        return bool(self._owed)

    def post(self, event: StreamEvent) -> None:
        """Deliver, as far as that goes without waiting."""
        if self._closed:
            return
        if self.keep is not None:
            self.keep(event)
        if self._listener is not None:
            self._deliver(self._listener, (event,))

    def post_deltas(self, deltas: Sequence[Delta]) -> None:
        """Deliver what a model sent. Events are made of it when somebody takes them, and if nobody does, never."""
        if self._closed:
            return
        if self.keep is not None:
            self.keep(deltas)
        if self._listener is not None:
            self._deliver(self._listener, told(deltas))

    def _deliver(self, listener: OnEvent, events: Sequence[StreamEvent]) -> None:
        for event in events:
            try:
                returned = listener(event)
            except Exception as error:  # noqa: BLE001 (a boundary: code of the host)
                self._report(error)
            else:
                if returned is not None and inspect.isawaitable(returned):
                    self._owed.append(returned)

    async def drain(self) -> None:
        """Wait until the listener has taken everything."""
        if not self._owed:
            return
        async with self._turnstile:
            while self._owed:
                try:
                    await self._owed.popleft()
                except Exception as error:  # noqa: BLE001 (a boundary: code of the host)
                    self._report(error)

    def close(self) -> None:
        """Nothing is delivered any more, whatever is still posted."""
        self._closed = True
        while self._owed:
            owed = self._owed.popleft()
            if inspect.iscoroutine(owed):
                owed.close()

    def _report(self, error: Exception) -> None:
        """The first with its traceback: a listener that fails fails on every delta."""
        self._failures += 1
        if self._failures == 1:
            log.error("a listener of the run raised; the run goes on", exc_info=error)
        else:
            log.warning("a listener of the run raised again (%d times so far): %r", self._failures, error)
