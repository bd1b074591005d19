"""Deleting for good: rows, what the search knows of them, and attached bytes nobody uses any more.

Above: ``messages``, ``blobs``. SQLite overwrites what it frees (``secure_delete``, see ``database``); the search index
is the one place where deleted text stays until it is merged. Guarantee: after ``purge`` and the checkpoint that
``Store.purge`` makes the text stands nowhere in the file any more. Backups are other files.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from rillet.core.store import blobs, messages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

KEPT_SECONDS: Final = 30 * 24 * 3600.0
"""How long a chat stays in the trash by itself."""


def overdue(db: Connection, now: float | None = None) -> list[int]:
    """Chats that have been in the trash for longer than ``KEPT_SECONDS``."""
    latest = (time.time() if now is None else now) - KEPT_SECONDS
    return [id for (id,) in db.execute("SELECT id FROM chats WHERE trashed_at < ?", (latest,))]


def purge(db: Connection, chat_ids: Iterable[int]) -> int:
    """Delete chats with everything in them: how many there were."""
    count = 0
    for chat_id in chat_ids:
        db.execute("DELETE FROM message_texts WHERE rowid IN (SELECT id FROM messages WHERE chat_id = ?)", (chat_id,))
        db.execute("DELETE FROM drafts WHERE chat_id = ?", (chat_id,))
        db.execute("UPDATE messages SET parent_id = NULL WHERE chat_id = ?", (chat_id,))  # (no deep recursion)
        count += db.execute("DELETE FROM chats WHERE id = ?", (chat_id,)).rowcount
    blobs.collect(db)
    db.execute("INSERT INTO message_texts (message_texts) VALUES ('optimize')")
    return count


def clear(db: Connection) -> None:
    """Delete everything that is in no chat: drafts, folders, what was spent, what was allowed."""
    for table in ("drafts", "folders", "ledger", "grants"):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 (names of ours)


def purge_messages(db: Connection, chat_id: int) -> int:
    """Delete the hidden messages of a chat; what followed them follows what was before them: how many there were.

    It is noted if one of them may have come from outside (``messages.OUTSIDE``).
    """
    hidden = [id for (id,) in db.execute("SELECT id FROM messages WHERE chat_id = ? AND hidden", (chat_id,))]
    lacks = any(messages.may_be_foreign(messages.get(db, id)) for id in hidden)
    for message_id in sorted(hidden):
        (parent_id,) = db.execute("SELECT parent_id FROM messages WHERE id = ?", (message_id,)).fetchone()
        db.execute("UPDATE messages SET parent_id = ? WHERE parent_id = ?", (parent_id, message_id))
        db.execute("UPDATE chats SET head = ? WHERE head = ?", (parent_id, message_id))
        db.execute("DELETE FROM message_texts WHERE rowid = ?", (message_id,))
        db.execute("DELETE FROM messages WHERE id = ?", (message_id,))
    if lacks:
        for (id,) in db.execute(
            "SELECT id FROM messages WHERE chat_id = ? AND parent_id IS NULL", (chat_id,)
        ).fetchall():
            messages.annotate(db, id, {messages.OUTSIDE: True})
    blobs.collect(db)
    if hidden:
        db.execute("INSERT INTO message_texts (message_texts) VALUES ('optimize')")
    return len(hidden)
