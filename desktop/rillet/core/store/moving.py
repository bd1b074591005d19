"""A chat with everything in it, on its way from one store into another.

Above: ``messages``, ``summaries``, ``drafts``, ``blobs``, ``ledger``. Below: ``chat/desk`` keeps what was temporary.
Guarantees: the whole tree arrives, with versions, deleted messages, summaries, attached bytes, the draft and what was
spent, or nothing does; only the numbers are others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rillet.core.store import chats, messages, summaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from sqlite3 import Connection

_CHAT: Final = ("title", "title_by", "pinned", "archived", "unread", "settings", "created_at", "active_at")
_MESSAGE: Final = ("role", "parts", "status", "hidden", "provider", "model", "details", "created_at")
_SUMMARY: Final = ("text", "original", "provider", "model", "details", "withdrawn", "created_at")
_SPENT: Final = (
    "at", "message_id", "provider", "model", "prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens",
    "cost", "estimated",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bundle:
    """A chat as rows of tables."""

    chat: tuple[Any, ...]
    head: int | None
    messages: tuple[tuple[Any, ...], ...]
    """Of each its id, its parent's, and ``_MESSAGE``; parents first."""
    summaries: tuple[tuple[Any, ...], ...]
    """Of each what it covers, and ``_SUMMARY``."""
    draft: str | None
    blobs: Mapping[str, bytes]
    uses: tuple[tuple[str, int, str], ...]
    spent: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """Where it is now.

    Attributes:
        ids: The new number of each message by its old one.
    """

    chat_id: int
    ids: Mapping[int, int]


def take(db: Connection, chat_id: int) -> Bundle:
    """Everything of a chat; it stays where it is. Missing when there is none."""
    head = chats.get(db, chat_id).head
    uses = db.execute(
        "SELECT owner, owner_id, hash FROM blob_uses WHERE (owner = 'draft' AND owner_id = ?1)"
        " OR (owner = 'message' AND owner_id IN (SELECT id FROM messages WHERE chat_id = ?1))",
        (chat_id,),
    ).fetchall()
    hashes = {hash for _, _, hash in uses}
    draft = db.execute("SELECT draft FROM drafts WHERE chat_id = ?", (chat_id,)).fetchone()
    return Bundle(
        chat=db.execute(f"SELECT {', '.join(_CHAT)} FROM chats WHERE id = ?", (chat_id,)).fetchone(),  # noqa: S608 (names of ours)
        head=head,
        messages=_rows(db, ("id", "parent_id", *_MESSAGE), "messages", chat_id),
        summaries=_rows(db, ("covers", *_SUMMARY), "summaries", chat_id),
        draft=None if draft is None else draft[0],
        blobs={hash: db.execute("SELECT data FROM blobs WHERE hash = ?", (hash,)).fetchone()[0] for hash in hashes},
        uses=tuple(uses),
        spent=_rows(db, _SPENT, "ledger", chat_id),
    )


def put(
    db: Connection, bundle: Bundle, take_along: Callable[[Any, int], str | None] = lambda run, chat_id: None
) -> Moved:
    """Make a chat of it, which comes to the top of the list.

    What was being written has broken off. A run that waits for an answer (see ``messages.PENDING``) names its chat:
    ``take_along`` says what it is in the one with the new number, or None: then it waits no more.
    """
    columns = ("activity", *_CHAT)
    chat_id = _insert(db, "chats", columns, (chats.next_activity(db), *bundle.chat))
    ids: dict[int, int] = {}
    for id, parent_id, *values in bundle.messages:
        parent = None if parent_id is None else ids[parent_id]
        ids[id] = _insert(db, "messages", ("chat_id", "parent_id", *_MESSAGE), (chat_id, parent, *values))
    db.execute(
        "UPDATE messages SET status = 'incomplete' WHERE chat_id = ? AND status = 'writing'",
        (chat_id,),
    )
    for id, run in messages.waiting(db, chat_id).items():
        messages.annotate(db, id, {messages.PENDING: take_along(run, chat_id)})
    head = None if bundle.head is None else ids[bundle.head]
    db.execute("UPDATE chats SET head = ? WHERE id = ?", (head, chat_id))
    chats.configure(db, chat_id, messages.translated(chats.get(db, chat_id).settings, ids))
    for covers, *values in bundle.summaries:
        _insert(
            db, "summaries", ("chat_id", "covers", *_SUMMARY), (chat_id, summaries.renumbered(covers, ids), *values)
        )
    db.executemany("INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", bundle.blobs.items())
    if bundle.draft is not None:
        db.execute("INSERT INTO drafts (chat_id, draft) VALUES (?, ?)", (chat_id, bundle.draft))
    db.executemany(
        "INSERT INTO blob_uses (owner, owner_id, hash) VALUES (?, ?, ?)",
        [(owner, chat_id if owner == "draft" else ids[id], hash) for owner, id, hash in bundle.uses],
    )
    for row in bundle.spent:
        spent: dict[str, Any] = dict(zip(_SPENT, row, strict=True))
        spent |= {"chat_id": chat_id, "message_id": ids.get(spent["message_id"])}
        _insert(db, "ledger", spent, tuple(spent.values()))
    messages.index_chat(db, chat_id)
    return Moved(chat_id, ids)


def _rows(db: Connection, columns: Iterable[str], table: str, chat_id: int) -> tuple[tuple[Any, ...], ...]:
    return tuple(db.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE chat_id = ? ORDER BY id", (chat_id,)))  # noqa: S608 (names of ours)


def _insert(db: Connection, table: str, columns: Iterable[str], values: tuple[Any, ...]) -> int:
    names, marks = ", ".join(columns), ", ".join("?" * len(values))
    made = db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)  # noqa: S608 (names of ours)
    assert made.lastrowid is not None
    return made.lastrowid
