"""The store: one file, one writer, a few readers, and what happens when it opens and closes.

    store = await Store.open(path)
    chat = await store.write(chats.create)
    await store.write(messages.add, chat, None, ChatMessage.user("Hello"), durable=True)
    for node in await store.read(messages.path, chat): …

Above: everything in this package. Below: ``chat`` runs answers into it, ``qt`` brings it to the GUI thread. Guarantees:
an event loop never waits for the disk; what was written before a crash is there after it; a file that cannot be used is
left as it is (too new) or set aside (damaged), never overwritten; one that cannot be written is read all the same, and
written once it can be; a backup can take its place at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from rillet.core.store import database, journal, trash
from rillet.core.store.database import connect
from rillet.core.store.readers import Readers
from rillet.core.store.trouble import Damaged, DiskTrouble, Held, StoreError, TooNew, Unwritable, trouble_of
from rillet.core.store.view import View, look, sweep
from rillet.core.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from sqlite3 import Connection

log = logging.getLogger("rillet.store")

P = ParamSpec("P")
T = TypeVar("T")

CLOSE_SECONDS: Final = 1.5
"""How long closing waits for a disk that takes nothing."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What opening the file found.

    Attributes:
        recovered: Answers that a crash had interrupted; what had come of them is there.
        set_aside: Where a damaged file was moved to; the store is a new, empty one then.
        read_only: Why nothing can be written, or None.
    """

    recovered: int = 0
    set_aside: Path | None = None
    read_only: TooNew | None = None


class Store:
    """An open file. Made by ``open``; belongs to one event loop.

    Attributes:
        path: The file.
        opening: What opening it found.
    """

    def __init__(
        self, path: Path, opening: Opening, on_trouble: Callable[[StoreError | None], None], view: View | None = None
    ) -> None:
        self.path = path
        self.opening = opening
        self._writer = Writer(partial(connect, path, writable=True), on_trouble)
        self._view = view
        """What is read as long as nothing can be written, or None: the file."""
        self._read_file = partial(database.connect, path, writable=False)
        self._readers = Readers(self._read_file if view is None else view.connect)
        self._restoring = asyncio.Lock()
        if view is not None and opening.read_only is None:
            self._writer.prepare(self._begin_writing)

    @classmethod
    async def open(cls, path: Path, on_trouble: Callable[[StoreError | None], None] = lambda trouble: None) -> Store:
        """Open the file, or make it. ``on_trouble`` is told when nothing can be written, and (None) when it can again.

        Where the disk takes nothing from the start, what it has is read, and written once the disk takes something.

        Raises:
            DiskTrouble: the disk does not even let it be read, or there is nothing yet.
        """
        opening, view = await asyncio.to_thread(_open, path)
        return cls(path, opening, on_trouble, view)

    @property
    def trouble(self) -> StoreError | None:
        """Why nothing is written just now, or None."""
        return self._writer.trouble

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask: ``function(connection, …)`` on a thread that may wait for the disk.

        Raises:
            StoreError: the file is damaged or the store closed, or the function says so.
        """
        return await self._readers.run(lambda db: function(db, *args, **kwargs))

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Change: ``function(connection, …)`` as one transaction, in the order of the calls.

        While the disk takes nothing this waits. A crash of the program loses nothing that was written; a power failure
        may lose the last second (see ``write_durably``).

        Raises:
            StoreError: as ``read``; TooNew: the file is one of a newer version.
        """
        self._require_writable()
        return await self._writer.run(lambda db: function(db, *args, **kwargs))

    async def write_durably(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As ``write``, and on the disk when this returns, power failures included: 4 to 10 ms instead of one."""
        self._require_writable()
        return await self._writer.run(lambda db: function(db, *args, **kwargs), durable=True)

    async def purge(self, chat_ids: Iterable[int]) -> int:
        """Delete chats for good, so that nothing of them can be read in the file: how many there were."""
        count = await self.write(trash.purge, list(chat_ids))
        await self.tidy()
        return count

    async def tidy(self) -> None:
        """Take what was deleted out of the write-ahead log too. Does nothing while a reader still needs it."""
        self._require_writable()
        await self._writer.run_outside(_checkpoint)

    async def back_up(self, target: Path | None = None, *, label: str = "by hand") -> Path:
        """Copy everything while it is in use: where the copy is.

        Raises:
            StoreError: the disk does not take it.
        """
        target = target or database.backup_path(self.path, label)
        await asyncio.to_thread(database.require_other, target, self.path)
        await self._readers.run(lambda db: database.copy(db, target))
        return target

    async def restore(self, backup: Path) -> Path:
        """Put a backup in the place of everything while the store is open: where a copy of what there was is.

        Nobody may be writing an answer. Raises:
            Damaged, TooNew: the backup cannot be used; nothing was changed.
            StoreError: the disk does not take it.
        """
        self._require_writable()
        async with self._restoring:
            await asyncio.to_thread(database.require_other, backup, self.path)
            await asyncio.to_thread(database.inspect_backup, backup)
            try:
                previous = await self.back_up(label="before restoring")
                await self._writer.run_outside(lambda db: database.take_over(db, backup))
            except Damaged:  # (what there was cannot even be copied)
                return await self._writer.replace(partial(self._put_in_place, backup))
            return previous

    async def check(self) -> None:
        """Read through the whole file; Damaged when parts of it cannot be read."""
        await self._readers.run(database.check)

    async def close(self) -> int:
        """Write what waits and close the file: how many changes a failing disk did not take."""
        left = await self._writer.close(CLOSE_SECONDS)
        await self._readers.close()
        await asyncio.to_thread(self._leave_view)
        return left

    def _require_writable(self) -> None:
        if self.opening.read_only is not None:
            raise self.opening.read_only

    async def _put_in_place(self, backup: Path) -> Path:
        async with self._readers.away():
            previous = await asyncio.to_thread(database.replace, self.path, backup)
            self._readers.turn(self._read_file)
        await asyncio.to_thread(self._leave_view)
        return previous

    async def _begin_writing(self) -> None:
        """Go over from the view to the file.

        Nobody reads meanwhile: SQLite takes the file for read-only everywhere in this process while one connection
        found it so, and what was opened as immutable must be.

        Raises:
            Unwritable: the disk still takes nothing.
            Damaged, TooNew: it takes something, but the file has become another one.
        """
        try:
            await asyncio.to_thread(database.probe, self.path)
            async with self._readers.away():
                opening = await asyncio.to_thread(_prepare, self.path)
                self._readers.turn(self._read_file)
        except DiskTrouble as trouble:
            raise Unwritable(trouble.summary, trouble.detail) from trouble
        await asyncio.to_thread(self._leave_view)
        if opening.read_only is not None:
            raise opening.read_only

    def _leave_view(self) -> None:
        view, self._view = self._view, None
        if view is not None:
            view.close()


def _open(path: Path) -> tuple[Opening, View | None]:
    """Blocks. What was found, and what is to be read where nothing can be written."""
    sweep()
    try:
        return _opened(path), None
    except Held:
        raise
    except DiskTrouble as trouble:
        try:
            view = look(path)
        except (OSError, sqlite3.Error) as error:
            log.warning("the file cannot be read as it is: %s", error)
            raise trouble from error
        log.warning("the file is read as it is: %s", trouble)
        return Opening(read_only=view.too_new), view


def _opened(path: Path) -> Opening:
    """A damaged file is set aside, and a new one made."""
    try:
        return _prepare(path)
    except Damaged as damage:
        log.error("%s", damage)
        aside = database.set_aside(path)
        opening = _prepare(path)
        return Opening(recovered=opening.recovered, set_aside=aside)


def _prepare(path: Path) -> Opening:
    try:
        database.prepare(path)
    except TooNew as too_new:
        return Opening(read_only=too_new)
    try:
        with contextlib.closing(connect(path, writable=True)) as db:
            db.execute("BEGIN IMMEDIATE")
            recovered = journal.recover(db)
            db.execute("COMMIT")
    except sqlite3.Error as error:
        raise trouble_of(error) or error from error
    return Opening(recovered=recovered)


def _checkpoint(db: Connection) -> None:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
