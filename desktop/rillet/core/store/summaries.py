"""Summaries of the beginnings of chats: a text, and which messages it stands for.

They are sent in the place of those messages, which stay where they are. Plain functions of a connection. Above:
``chats``. Below: ``messages`` copies them with a fork, ``chat/context`` says which one holds. Guarantees: a summary
names every message that it covers, so that one of another version of the chat is never taken for one of this; nothing
here deletes one, for what is undone is only withdrawn.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from rillet.core.types.saved import whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

_COLUMNS = "id, covers, text, original, provider, model, details, withdrawn, created_at"


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands for the beginning of a chat.

    Attributes:
        covers: The messages (ids) that it stands for; none: it cannot be read, and stands for nothing.
        original: What the model wrote, where a person changed it since; else None.
        provider, model: Who wrote it.
        details: What it took: usage, cost (JSON values).
    """

    id: int
    covers: frozenset[int]
    text: str
    original: str | None
    provider: str | None
    model: str | None
    details: Mapping[str, Any]
    is_withdrawn: bool
    created_at: float


def add(
    db: Connection,
    chat_id: int,
    covers: Iterable[int],
    text: str,
    *,
    provider: str | None = None,
    model: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> int:
    """Keep a summary: its id."""
    made = db.execute(
        "INSERT INTO summaries (chat_id, covers, text, provider, model, details, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (chat_id, _json(sorted(covers)), whole(text), provider, model, _json(dict(details or {})), time.time()),
    )
    assert made.lastrowid is not None
    return made.lastrowid


def of_chat(db: Connection, chat_id: int) -> list[Summary]:
    """All of a chat, oldest first, those that were withdrawn included."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM summaries WHERE chat_id = ? ORDER BY id", (chat_id,))  # noqa: S608 (names of ours)
    return [_summary(row) for row in rows]


def rewrite(db: Connection, summary_id: int, text: str) -> None:
    """Have it say something else; what the model wrote is kept beside it."""
    db.execute(
        "UPDATE summaries SET original = coalesce(original, text), text = ? WHERE id = ? AND text <> ?",
        (whole(text), summary_id, whole(text)),
    )


def withdraw(db: Connection, summary_id: int, *, withdrawn: bool = True) -> None:
    """Send the messages themselves again, or take that back."""
    db.execute("UPDATE summaries SET withdrawn = ? WHERE id = ?", (int(withdrawn), summary_id))


def copy(db: Connection, chat_id: int, copy_id: int, copies: Mapping[int, int]) -> None:
    """Copy those whose messages were all copied into another chat: ``copies`` says which message became which."""
    for each in of_chat(db, chat_id):
        if each.covers and each.covers <= copies.keys():
            db.execute(
                "INSERT INTO summaries (chat_id, covers, text, original, provider, model, details, withdrawn,"
                " created_at) SELECT ?, ?, text, original, provider, model, details, withdrawn, created_at"
                " FROM summaries WHERE id = ?",
                (copy_id, renumbered(_json(sorted(each.covers)), copies), each.id),
            )


def renumbered(covers: str, copies: Mapping[int, int]) -> str:
    """What the row of a copy says that it covers."""
    return _json(sorted(copies[id] for id in _covered(covers)))


def _covered(covers: str) -> frozenset[int]:
    try:
        return frozenset(msgspec.json.decode(covers, type=list[int]))
    except msgspec.DecodeError:
        return frozenset()


def _summary(row: tuple[Any, ...]) -> Summary:
    id, covers, text, original, provider, model, details, withdrawn, created_at = row
    try:
        told = msgspec.json.decode(details, type=dict[str, Any])
    except msgspec.DecodeError:
        told = {}
    return Summary(id, _covered(covers), text, original, provider, model, told, bool(withdrawn), created_at)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
