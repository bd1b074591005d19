"""Those who read: a few connections beside the writer's, each used by one thread at a time.

Above: ``trouble``. Below: ``store`` says what is read. Guarantee: a reader sees only what was committed, never waits
for the writer, and one whose asker was cancelled stops at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rillet.core.store.trouble import Closed, trouble_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from sqlite3 import Connection

T = TypeVar("T")

MOST: Final = 3
"""Connections: one for what is on the screen, one for a search, one for whatever comes beside them."""


class Readers:
    """Reads one file, from one event loop; ``connect`` makes each connection."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._free: list[_Seat] = []
        self._permits = asyncio.Semaphore(MOST)
        self._reading: dict[asyncio.Future[Any], _Seat] = {}
        self._closed = False

    async def run(self, function: Callable[[Connection], T]) -> T:
        """Read: ``function`` gets a connection on a thread of its own.

        Raises:
            StoreError: the file is damaged or gone, the store closed, or the function says so.
        """
        if self._closed:
            raise Closed("The store is closed")
        async with self._permits:
            seat = self._free.pop() if self._free else _Seat(self._connect)
            reading = asyncio.ensure_future(asyncio.to_thread(seat.read, function))
            self._reading[reading] = seat
            try:
                return await asyncio.shield(reading)
            except asyncio.CancelledError:
                seat.interrupt()
                await asyncio.gather(reading, return_exceptions=True)
                raise
            finally:
                del self._reading[reading]
                self._put_back(seat)

    @contextlib.asynccontextmanager
    async def away(self) -> AsyncIterator[None]:
        """Wait until nobody reads, and have the file open nowhere meanwhile. One at a time."""
        taken = 0
        try:
            while taken < MOST:
                await self._permits.acquire()
                taken += 1
            while self._free:
                self._free.pop().close()
            yield
        finally:
            for _ in range(taken):
                self._permits.release()

    def turn(self, connect: Callable[[], Connection]) -> None:
        """Read something else from now on. Only while everybody is ``away``."""
        self._connect = connect

    async def close(self) -> None:
        """Stop whoever reads, and close the connections."""
        self._closed = True
        for seat in self._reading.values():
            seat.interrupt()
        while self._reading:
            await asyncio.wait(list(self._reading))
            await asyncio.sleep(0)  # (those who read put back their seats)
        while self._free:
            self._free.pop().close()

    def _put_back(self, seat: _Seat) -> None:
        if self._closed:
            seat.close()
        else:
            self._free.append(seat)


class _Seat:
    """A connection that is opened by the first who reads with it."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._db: Connection | None = None
        self._in_use = threading.RLock()
        """SQLite crashes when a connection is closed that a thread reads with, and a thread outlives its task."""

    def read(self, function: Callable[[Connection], T]) -> T:
        with self._in_use:
            try:
                if self._db is None:
                    self._db = self._connect()
                return function(self._db)
            except sqlite3.Error as error:
                if (trouble := trouble_of(error)) is None:
                    raise
                self.close()
                raise trouble from error

    def interrupt(self) -> None:
        db = self._db
        if db is not None:
            with contextlib.suppress(sqlite3.ProgrammingError):  # (closed in this moment)
                db.interrupt()

    def close(self) -> None:
        self.interrupt()
        with self._in_use:
            db, self._db = self._db, None
            if db is not None:
                with contextlib.suppress(sqlite3.Error):
                    db.close()
