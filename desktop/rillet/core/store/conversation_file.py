"""Conversations of agents in one SQLite file, for programs that have no chat window.

A ``ConversationStore`` (see ``agent/conversations``): whole transcripts by id, nothing else; the program's own chats
are the affair of ``store``. Above: ``types/saved``, ``database``, ``trouble``. Blocking work runs on asyncio's threads.
Guarantees: a save is whole or did not happen, whatever dies in between; several processes may use the file; a
transcript that cannot be read is an error for its id alone, and stays in the file.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from rillet.core.store.database import connect
from rillet.core.store.trouble import Closed, Damaged, StoreError, TooNew, trouble_of
from rillet.core.types.saved import dump_messages, load_messages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike
    from sqlite3 import Connection

    from rillet.core.types import ChatMessage

T = TypeVar("T")

VERSION: Final = 1
"""Kept in the file (``user_version``)."""
_TABLE: Final = """
    CREATE TABLE IF NOT EXISTS conversation (id TEXT PRIMARY KEY, messages BLOB NOT NULL, saved_at REAL NOT NULL) STRICT
"""


class ConversationFile:
    """Use it as an asynchronous context manager, or close it with ``aclose``. The file is made when it is needed."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = Path(path)
        self._db: Connection | None = None
        self._closed = False
        self._alone = threading.Lock()

    async def __aenter__(self) -> ConversationFile:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the file once what is under way is done."""
        await asyncio.to_thread(self._close)

    async def get(self, id: str) -> tuple[ChatMessage, ...] | None:
        """The transcript as it was saved last; None when there is none.

        Raises:
            StoreError: the file cannot be read; Damaged: this one transcript cannot.
        """
        row = await asyncio.to_thread(self._do, lambda db: _row(db, id))
        if row is None:
            return None
        try:
            return load_messages(row)
        except ValueError as error:
            raise Damaged("A conversation cannot be read", f"{id!r}: {error}") from error

    async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
        """Put ``messages`` in the place of what was there.

        Raises:
            StoreError: nothing was changed.
        """
        data = dump_messages(messages)
        await asyncio.to_thread(self._do, lambda db: _put(db, id, data))

    async def delete(self, id: str) -> None:
        """Forget a conversation; one that is not there is forgotten already.

        Raises:
            StoreError: nothing was changed.
        """
        await asyncio.to_thread(self._do, lambda db: _delete(db, id))

    async def ids(self) -> list[str]:
        """Every conversation, the one that was saved last first.

        Raises:
            StoreError: the file cannot be read.
        """
        return await asyncio.to_thread(self._do, _ids)

    def _do(self, work: Callable[[Connection], T]) -> T:
        with self._alone:
            if self._closed:
                raise Closed("The file of conversations was closed")
            try:
                if self._db is None:
                    self._db = _opened(self._path)
                return work(self._db)
            except sqlite3.Error as error:
                raise trouble_of(error) or error from error
            except OSError as error:
                raise StoreError("The file of conversations cannot be made", str(error)) from error

    def _close(self) -> None:
        with self._alone:
            self._closed = True
            if self._db is not None:
                self._db.close()
                self._db = None


def _opened(path: Path) -> Connection:
    """The file, made if need be, the user's alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with contextlib.ExitStack() as stack:
        db = connect(path, writable=True)
        stack.callback(db.close)
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise TooNew("A newer version of Rillet has changed the file of conversations")
        db.execute("PRAGMA synchronous = FULL")  # a conversation that was saved is one that power cuts leave
        db.execute(_TABLE)
        db.execute(f"PRAGMA user_version = {VERSION}")
        stack.pop_all()
    return db


def _row(db: Connection, id: str) -> bytes | None:
    row = db.execute("SELECT messages FROM conversation WHERE id = ?", (id,)).fetchone()
    return None if row is None else row[0]


def _put(db: Connection, id: str, data: bytes) -> None:
    """One statement, and so one transaction."""
    db.execute(
        "INSERT INTO conversation VALUES (?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET messages = excluded.messages, saved_at = excluded.saved_at",
        (id, data, time.time()),
    )


def _delete(db: Connection, id: str) -> None:
    db.execute("DELETE FROM conversation WHERE id = ?", (id,))


def _ids(db: Connection) -> list[str]:
    return [id for (id,) in db.execute("SELECT id FROM conversation ORDER BY saved_at DESC, rowid DESC")]
