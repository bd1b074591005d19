"""The event clock: how long a provider may stay silent before the answer is given up.

Bytes prove that a socket lives; events prove that a model does, and gateways send keep-alive comments for a model that
died long ago. So this clock is fed by whoever understands the bytes. Knows no httpx. Above: ``profile``. Below:
``client`` awaits the network through ``wait`` and calls ``event`` for every read that brought something.

Guarantee: time counts from one event to the next, whether it is spent waiting or reading what comes, and a flood of
keep-alives ends like a drip of them. While the consumer has an event in its hands, the clock stands still.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, TypeVar

from rillet.core.errors import TimedOutError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.core.net.profile import NetworkProfile

T = TypeVar("T")


class EventClock:
    """Limits the waiting of one request: to the first event, between events, and in all."""

    __slots__ = ("_alarm", "_idle", "_left", "_limit", "_now", "_profile", "_since", "_total")

    def __init__(self, profile: NetworkProfile, *, now: Callable[[], float] = time.monotonic) -> None:
        self._profile = profile
        self._now = now
        self._alarm = _Alarm()
        self._idle = profile.idle_timeout
        self._limit = self._left = profile.first_event_timeout
        self._total = profile.total_timeout
        self._since: float | None = None
        """Up to when time was counted; None while the clock stands still."""

    def restart(self) -> None:
        """A new attempt has all the time for its first event; the limit in all goes on."""
        self._limit = self._left = self._profile.first_event_timeout
        self._since = None

    def event(self) -> None:
        """Something meaningful arrived: the clock stands still until the next wait."""
        self._limit = self._left = self._idle
        self._since = None

    def hurry(self, seconds: float) -> None:
        """From now on nothing but formalities is expected: allow ``seconds`` between events at most."""
        self._idle = seconds if self._idle is None else min(self._idle, seconds)
        self._limit = self._left = self._idle

    def close(self) -> None:
        """The request is over."""
        self._alarm.close()

    async def wait(self, arrival: Awaitable[T]) -> T:
        """Await ``arrival``, and count the time.

        Raises:
            TimedOutError: one of the limits was reached; ``arrival`` was cancelled.
        """
        self._count()
        limit = self._left
        if limit is None or (self._total is not None and self._total < limit):
            limit = self._total
        if limit is None:
            return await arrival
        alarm = self._alarm
        alarm.set(limit)
        try:
            return await arrival
        except asyncio.CancelledError:
            if alarm.was_the_reason():
                raise self._timed_out(limit) from None
            raise
        finally:
            alarm.clear()
            self._count()

    def _count(self) -> None:
        """Take the time since the last look off the limits."""
        now = self._now()
        if self._since is not None:
            passed = now - self._since
            if self._left is not None:
                self._left -= passed
            if self._total is not None:
                self._total -= passed
        self._since = now

    def _timed_out(self, limit: float) -> TimedOutError:
        if limit == self._total:
            return TimedOutError(f"the answer was not complete after {self._profile.total_timeout:g} seconds")
        return TimedOutError(f"nothing new arrived for {self._limit or 0.0:g} seconds")


class _Alarm:
    """Cancels the task that waits when its time is up.

    One timer serves all waits of a request: it is left where it is when a wait ends early, and looks again when it
    rings. A timer per wait costs four microseconds, which is more than decoding what has arrived.
    """

    __slots__ = ("_cancelling", "_due", "_rang", "_task", "_timer")

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[Any] | None = None
        self._due = 0.0
        self._cancelling = 0
        self._rang = False

    def set(self, seconds: float) -> None:
        """Ring in ``seconds``, for the current task."""
        task = asyncio.current_task()
        assert task is not None, "only a task can be cancelled"
        loop = task.get_loop()
        self._task = task
        self._cancelling = task.cancelling()
        self._rang = False
        self._due = loop.time() + max(0.0, seconds)
        if self._timer is None or self._timer.when() > self._due:
            self.close()
            self._timer = loop.call_at(self._due, self._ring)

    def clear(self) -> None:
        """The wait is over."""
        self._task = None

    def was_the_reason(self) -> bool:
        """Whether the task was cancelled by the alarm and by nobody else; takes the alarm's own cancel back."""
        return self._rang and self._task is not None and self._task.uncancel() <= self._cancelling

    def close(self) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        if self._task is None:
            return
        loop = self._task.get_loop()
        if loop.time() < self._due:
            self._timer = loop.call_at(self._due, self._ring)
        else:
            self._rang = True
            self._task.cancel()
