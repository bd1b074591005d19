"""The one who writes: changes in the order in which they were asked for, each one a transaction.

Above: ``trouble``. Below: ``store`` writes a file with it, ``temporary`` memory. Knows nothing of chats. Guarantees: a
change is written whole or not at all; when the disk takes nothing, changes wait in order and are written once it does,
and ``on_trouble`` is told of both; a change whose asker was cancelled is written all the same; a ``durable`` change has
reached the disk when ``run`` returns; a file that is damaged, or turns out to be a newer version's, is written into no
more, until another one was put in its place (``replace``).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, Final, TypeVar

from rillet.core.store.trouble import Closed, Damaged, DiskTrouble, StoreError, TooNew, Unwritable, trouble_of

log = logging.getLogger("rillet.store")

T = TypeVar("T")

RETRY_SECONDS: Final = 0.5
"""How long to wait before the disk is asked once more."""
_LASTING: Final = (Damaged, TooNew)
"""What no waiting mends."""


@dataclass(slots=True)
class _Change:
    function: Callable[[Connection], Any]
    durable: bool
    bare: bool
    """Not inside a transaction."""
    done: asyncio.Future[Any]


@dataclass(slots=True)
class _Replacement:
    function: Callable[[], Awaitable[Any]]
    done: asyncio.Future[Any]
    needed: bool = False
    """Whether nothing may be written without it."""


class Writer:
    """Writes through one connection, from one event loop.

    ``connect`` is called when the first change is to be written, and where ``reconnects`` says that this helps, once
    more after the disk has failed.

    Attributes:
        trouble: Why nothing is written just now, or None.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        on_trouble: Callable[[StoreError | None], None],
        *,
        reconnects: bool = True,
    ) -> None:
        self.trouble: StoreError | None = None
        self._connect = connect
        self._reconnects = reconnects
        self._on_trouble = on_trouble
        self._db: Connection | None = None
        self._waiting: deque[_Change | _Replacement] = deque()
        self._pump: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()
        self._closed = False
        self._giving_up = False

    @property
    def unwritten(self) -> int:
        """How many changes wait."""
        return sum(isinstance(each, _Change) for each in self._waiting)

    async def run(self, function: Callable[[Connection], T], *, durable: bool = False) -> T:
        """Write a change: ``function`` gets the connection, inside a transaction, on a thread of its own.

        Raises:
            StoreError: the file is damaged, the store closed, or the function says so.
        """
        self._require_whole()
        result: T = await asyncio.shield(self._enqueue(_Change(function, durable, False, _future())))
        return result

    async def run_outside(self, function: Callable[[Connection], T]) -> T:
        """Run a statement that cannot stand inside a transaction, in its turn."""
        self._require_whole()
        result: T = await asyncio.shield(self._enqueue(_Change(function, False, True, _future())))
        return result

    async def replace(self, function: Callable[[], Awaitable[T]]) -> T:
        """Have another file put in the place of this one, in its turn; nobody here has it open meanwhile.

        Damage is over then.
        """
        result: T = await asyncio.shield(self._enqueue(_Replacement(function, _future())))
        return result

    def prepare(self, function: Callable[[], Awaitable[None]]) -> None:
        """Write nothing that is asked for from now on before this has succeeded; it is tried until it does."""
        self._enqueue(_Replacement(function, _future(), needed=True)).add_done_callback(_note)

    async def close(self, timeout: float) -> int:
        """Write what waits; how many changes could not be written.

        A disk that takes nothing is tried for ``timeout`` seconds; from then on the first refusal is the last.
        """
        self._closed = True
        self._hurry.set()
        if self._pump is not None and self.unwritten:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await asyncio.shield(self._pump)
        self._giving_up = True
        self._hurry.set()
        if self._pump is not None:
            await self._pump
        left = self.unwritten
        self._fail_all(Closed("The store was closed before this could be written"))
        if self._db is not None:
            await asyncio.to_thread(_close, self._db)
            self._db = None
        return left

    def _require_whole(self) -> None:
        if isinstance(self.trouble, _LASTING):
            raise self.trouble

    def _enqueue(self, change: _Change | _Replacement) -> asyncio.Future[Any]:
        if self._closed:
            raise Closed("The store is closed")
        self._waiting.append(change)
        if self._pump is None:
            self._pump = asyncio.create_task(self._write_all())
        return change.done

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                if not await self._write_next():
                    if self._giving_up:
                        break
                    self._hurry.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(RETRY_SECONDS):
                            await self._hurry.wait()
        finally:
            self._pump = None

    async def _write_next(self) -> bool:
        """Write the change that waits longest; False: the disk does not take it now."""
        change = self._waiting[0]
        try:
            if isinstance(change, _Replacement):
                await asyncio.to_thread(self._forget_connection)
                result = await change.function()
            else:
                result = await asyncio.to_thread(self._write, change)
        except DiskTrouble as trouble:
            self._tell(trouble)
            return False
        except _LASTING as trouble:
            self._tell(trouble)
            self._fail_all(trouble)
            return True
        except Exception as error:  # noqa: BLE001 (a boundary: it belongs to whoever asked)
            if isinstance(change, _Replacement) and change.needed:
                self._tell(Unwritable("The file cannot be opened", str(error)))
                return False
            self._waiting.popleft()
            if not change.done.cancelled():
                change.done.set_exception(error)
            if isinstance(change, _Replacement):  # (the damaged file is still there)
                return True
        else:
            self._waiting.popleft()
            if not change.done.cancelled():
                change.done.set_result(result)
        self._tell(None)
        return True

    def _write(self, change: _Change) -> Any:
        """On a thread of its own, one at a time."""
        try:
            if self._db is None:
                self._db = self._connect()
            db = self._db
            db.execute(f"PRAGMA synchronous = {'FULL' if change.durable else 'NORMAL'}")
            result = change.function(db) if change.bare else _transact(db, change.function)
        except sqlite3.Error as error:
            if (trouble := trouble_of(error)) is None:
                raise
            if self._reconnects:
                self._forget_connection()  # (one that has seen a disk fail goes on failing)
            raise trouble from error
        else:
            return result

    def _forget_connection(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with contextlib.suppress(sqlite3.Error):
                db.close()

    def _tell(self, trouble: StoreError | None) -> None:
        if str(trouble) != str(self.trouble):
            log.warning("writing: %s", trouble or "goes on")
            self.trouble = trouble
            self._on_trouble(trouble)

    def _fail_all(self, error: StoreError) -> None:
        while self._waiting:
            change = self._waiting.popleft()
            if not change.done.done():
                change.done.set_exception(error)
                change.done.exception()  # (whoever asked may be gone)


def _future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


def _note(prepared: asyncio.Future[None]) -> None:
    error = None if prepared.cancelled() else prepared.exception()
    if error is not None and not isinstance(error, Closed):
        log.warning("nothing can be written: %s", error)


def _transact(db: Connection, function: Callable[[Connection], T]) -> T:
    db.execute("BEGIN IMMEDIATE")
    try:
        result = function(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return result


def _close(db: Connection) -> None:
    with contextlib.suppress(sqlite3.Error):
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with contextlib.suppress(sqlite3.Error):
        db.close()
