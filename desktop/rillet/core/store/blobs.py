"""Attached bytes, each kept once, under the hash of what they are.

Above: ``types/saved`` writes messages and asks here for the bytes. Below: ``messages``, ``drafts``. Guarantee: bytes
that a message or a draft uses are there; those that a message or a draft lets go of and nobody else uses are gone with
the same transaction, those of what was deleted after ``collect``.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from sqlite3 import Connection

Owner: TypeAlias = Literal["message", "draft"]


class Keeper:
    """Puts bytes into the file, and notes which (``types/saved`` calls it)."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._used: set[str] = set()

    def __call__(self, data: bytes) -> str:
        """Keep ``data``: its hash."""
        name = hashlib.sha256(data).hexdigest()
        self._db.execute("INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", (name, data))
        self._used.add(name)
        return name

    def settle(self, owner: Owner, owner_id: int) -> None:
        """Say who uses what was kept, and nothing else from now on."""
        before = self._db.execute(
            "DELETE FROM blob_uses WHERE owner = ? AND owner_id = ? RETURNING hash", (owner, owner_id)
        ).fetchall()
        self._db.executemany(
            "INSERT INTO blob_uses (owner, owner_id, hash) VALUES (?, ?, ?)",
            [(owner, owner_id, name) for name in sorted(self._used)],
        )
        self._db.executemany(
            "DELETE FROM blobs WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM blob_uses WHERE hash = ?1)",
            [(name,) for (name,) in before if name not in self._used],
        )


class Fetcher:
    """Gets bytes out of the file (``types/saved`` calls it)."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def __call__(self, name: str) -> bytes:
        """The bytes with this hash; ValueError when they are not there."""
        row = self._db.execute("SELECT data FROM blobs WHERE hash = ?", (name,)).fetchone()
        if row is None:
            raise ValueError("an attachment is missing from the file")
        data: bytes = row[0]
        return data


def collect(db: Connection) -> int:
    """Remove what nobody uses: how many."""
    db.execute(
        """
        DELETE FROM blob_uses
        WHERE (owner = 'message' AND owner_id NOT IN (SELECT id FROM messages))
           OR (owner = 'draft' AND owner_id NOT IN (SELECT chat_id FROM drafts))
        """
    )
    return db.execute("DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)").rowcount
