"""The event clock: how long a provider may stay silent before the answer is given up.

Bytes prove that a socket lives; events prove that a model does, and gateways send keep-alive comments for a model that
died long ago. So this clock is fed by whoever understands the bytes. Knows no httpx. Above: ``profile``. Below:
``client`` awaits the network through ``wait`` and calls ``event`` for every read that brought something.

Guarantee: only time spent waiting for the network counts. While the consumer is slow, the clock stands still.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

from rillet.core.errors import TimedOutError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.core.net.profile import NetworkProfile

T = TypeVar("T")


class EventClock:
    """Limits the waiting of one request: to the first event, between events, and in all."""

    __slots__ = ("_idle", "_left", "_limit", "_now", "_profile", "_total")

    def __init__(self, profile: NetworkProfile, *, now: Callable[[], float] = time.monotonic) -> None:
        self._profile = profile
        self._now = now
        self._idle = profile.idle_timeout
        self._limit = self._left = profile.first_event_timeout
        self._total = profile.total_timeout

    def restart(self) -> None:
        """A new attempt has all the time for its first event; the limit in all goes on."""
        self._limit = self._left = self._profile.first_event_timeout

    def event(self) -> None:
        """Something meaningful arrived."""
        self._limit = self._left = self._idle

    def hurry(self, seconds: float) -> None:
        """From now on nothing but formalities is expected: allow ``seconds`` between events at most."""
        self._idle = seconds if self._idle is None else min(self._idle, seconds)
        self._limit = self._left = self._idle

    async def wait(self, arrival: Awaitable[T]) -> T:
        """Await ``arrival``, and count the time.

        Raises:
            TimedOutError: one of the limits was reached; ``arrival`` was cancelled.
        """
        limits = [limit for limit in (self._left, self._total) if limit is not None]
        if not limits:
            return await arrival
        started = self._now()
        try:
            async with asyncio.timeout(max(0.0, min(limits))) as deadline:
                return await arrival
        except TimeoutError:
            if deadline.expired():
                raise self._timed_out(min(limits)) from None
            raise
        finally:
            waited = self._now() - started
            if self._left is not None:
                self._left -= waited
            if self._total is not None:
                self._total -= waited

    def _timed_out(self, limit: float) -> TimedOutError:
        if limit == self._total:
            return TimedOutError(f"the answer was not complete after {self._profile.total_timeout:g} seconds")
        return TimedOutError(f"nothing new arrived for {self._limit or 0.0:g} seconds")
