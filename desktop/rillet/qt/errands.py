"""Coroutines of ``core`` that are no request of a client, run on the engine thread: looking for servers, diagnoses.

Above: ``engine``, ``request``. Below: the program. The function that is handed over must hold nothing of the host: it
is called, and released, over there.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from rillet.qt.engine import Engine
from rillet.qt.request import Household, Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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

    def close(self) -> None:
        """Cancel what is under way."""
        self._household.dissolve()


async def _run(function: Callable[[], Awaitable[T]], _worker: Worker, _outbox: Outbox) -> T:
    return await function()
