"""Coroutines of ``core`` that are no request of a client, run on the engine thread: looking for servers, diagnoses.

Above: ``engine``, ``request``. Below: the program. The function that is handed over must hold nothing of the host: it
is called, and released, over there.
"""

from __future__ import annotations

import itertools
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rillet.qt.engine import Engine
from rillet.qt.reporter import Reporter
from rillet.qt.request import Household, Request

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from PySide6.QtCore import QObject

    from rillet.qt.engine import Outbox, Worker
    from rillet.qt.resource import AsyncResource

T = TypeVar("T")


class Errands:
    """The errands of one QObject: its end, or ``close``, cancels them. GUI thread only."""

    _numbers = itertools.count(-1, -1)  # clients count upwards

    def __init__(self, owner: QObject, label: str) -> None:
        self._owner = owner
        self._household = Household(owner, next(self._numbers), label)

    def run(self, function: Callable[[], Awaitable[T]]) -> AsyncResource[T]:
        """Await ``function()`` on the engine thread."""
        request: Request[Any] = Request(self._owner, self._household, Engine.default())
        return request.start(partial(_run, function))

    def follow(self, function: Callable[[], AsyncGenerator[T]], hear: Callable[[T], object]) -> AsyncResource[None]:
        """Run the generator ``function()`` on the engine thread; what it yields is told to ``hear`` on this one.

        In order, and never after the resource was cancelled or has ended. A slow ``hear`` does not hold it up.
        """
        request = _Followed(self._owner, self._household, Engine.default(), hear)
        return request.start(partial(_follow, function))

    def close(self) -> None:
        """Cancel what is under way."""
        self._household.dissolve()


class _Followed(Request[None]):
    """The GUI half of a generator."""

    def __init__(self, owner: QObject, household: Household, engine: Engine, hear: Callable[[Any], object]) -> None:
        super().__init__(owner, household, engine)
        self._hear: Callable[[Any], object] | None = hear
        self._reporter = Reporter()

    def deliver(self, event: object) -> None:
        """Tell what it yielded."""
        if self._hear is not None and not self._silent:
            self._reporter.call("follow", self._hear, event)

    def _release(self) -> None:
        super()._release()
        self._hear = None


async def _follow(function: Callable[[], AsyncGenerator[object]], _worker: Worker, outbox: Outbox) -> None:
    async with aclosing(function()) as found:
        async for each in found:
            outbox.post((each,), 0)


async def _run(function: Callable[[], Awaitable[T]], _worker: Worker, _outbox: Outbox) -> T:
    return await function()
