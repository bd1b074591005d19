"""Chats that are kept nowhere: the same tables, in memory alone.

    store = TemporaryStore()
    chat = await store.write(chats.create)
    is_temporary(chat)   # True; and no chat of any file has this number

Above: ``writer``, ``migrations``. Below: ``chat/desk`` has one beside the file. Guarantees: nothing of it reaches a
disk; it is gone with the program, however that ends; its numbers, of chats as of messages, are none that a file has.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from rillet.core.store import migrations
from rillet.core.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

P = ParamSpec("P")
T = TypeVar("T")

FIRST_ID: Final = 1 << 30
"""Of chats, messages and summaries. (Qt's signals carry 31 bits, and nobody writes a billion messages.)"""


def is_temporary(id: int) -> bool:
    """Whether a chat, a message or a summary is one that is kept nowhere."""
    return id >= FIRST_ID


class TemporaryStore:
    """Memory that is used as a file is. Belongs to one event loop; costs nothing before it is used."""

    def __init__(self) -> None:
        self._writer = Writer(_memory, lambda trouble: None, reconnects=False)

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask; see ``Store.read``. Whoever asks waits for the changes before."""
        return await self._writer.run(lambda db: function(db, *args, **kwargs))

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Change; see ``Store.write``."""
        return await self._writer.run(lambda db: function(db, *args, **kwargs))

    async def write_durably(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As ``write``: nothing here is durable."""
        return await self.write(function, *args, **kwargs)

    async def close(self) -> None:
        """Forget everything."""
        await self._writer.close(0)


def _memory() -> Connection:
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA temp_store = MEMORY")
    migrations.migrate(db)
    db.executemany(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
        [(table, FIRST_ID - 1) for table in ("chats", "messages", "summaries")],
    )
    return db
