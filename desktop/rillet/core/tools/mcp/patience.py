"""How long we wait for a server: a limit that stands still while a person is asked.

Above: nothing. Below: ``server`` limits a start with it, ``calls`` a call. Guarantee: time that somebody needs to
answer a question, or to sign in, is not the server's.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


class Patience:
    """An async context manager that raises TimeoutError inside it after ``seconds``, pauses apart."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._clock = asyncio.timeout(seconds)
        self._pauses = 0
        self._left = seconds
        self._began = 0.0
        self._is_entered = False

    async def __aenter__(self) -> Patience:
        await self._clock.__aenter__()
        self._is_entered = True
        self._began = asyncio.get_running_loop().time()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_entered = False
        await self._clock.__aexit__(kind, error, trace)

    @property
    def is_over(self) -> bool:
        """Whether it was this that ended the waiting."""
        return self._clock.expired()

    @property
    def is_running(self) -> bool:
        """Whether anybody waits now."""
        return self._is_entered and not self._clock.expired()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """The time does not count; pauses may overlap."""
        if not self.is_running:
            yield
            return
        now = asyncio.get_running_loop().time
        if not self._pauses:
            when = self._clock.when()
            self._left = 0.0 if when is None else when - now()
            self._clock.reschedule(None)
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            if not self._pauses and self.is_running:
                self._clock.reschedule(now() + self._left)

    def renew(self, most: float) -> None:
        """There is progress: count anew, though not for longer than ``most`` seconds in all."""
        if self._pauses or not self.is_running:
            return
        end = self._began + most
        self._clock.reschedule(min(asyncio.get_running_loop().time() + self._seconds, end))
