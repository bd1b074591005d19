"""What is in a chat: a tree of messages, so that editing, regenerating and forking never destroy anything.

A chat shows one path through its tree, from the first message to its ``head``. Two messages with the same parent are
versions of each other. Plain functions of a connection. Above: ``chats``, ``summaries``, ``blobs``. Below: ``journal``.
Guarantees: messages are ordered by the numbers they got, never by a clock; a message that cannot be read is shown as
such, and hides no other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from rillet.core.store import chats, summaries
from rillet.core.store.blobs import Fetcher, Keeper
from rillet.core.store.trouble import Missing
from rillet.core.types import ChatMessage, FilePart, ReasoningPart, TextPart, ToolCallPart
from rillet.core.types.saved import dump_parts, load_parts, whole, whole_json

if TYPE_CHECKING:
    from sqlite3 import Connection

Status: TypeAlias = Literal["whole", "writing", "incomplete", "failed", "cancelled"]
"""``writing``: an answer is under way, and ``journal`` has what came so far."""

PENDING: Final = "pending"
"""Among a message's details: the run that waits for an answer, as JSON. It waits in one chat only."""
OUTSIDE: Final = "outside"
"""Among them: that the chat held something that may have come from outside, and is not in it any more."""

NAMING_MESSAGES: Final = ("off", "pinned")
"""Settings of a chat that are lists of messages (ids); in a fork they name its own."""

_COLUMNS = "id, parent_id, role, parts, status, provider, model, details, created_at, hidden"


@dataclass(frozen=True, slots=True)
class Node:
    """A message in its place.

    Attributes:
        id: Its number; a later message has a larger one.
        parent_id: The message before it; None: the first.
        details: What there is to know about it beyond the message (JSON values): usage, timings, an error.
        unreadable: Why ``message`` is not what was written, or None.
        is_deleted: Whether nobody is shown it any more.
    """

    id: int
    parent_id: int | None
    message: ChatMessage
    status: Status
    provider: str | None
    model: str | None
    details: Mapping[str, Any]
    created_at: float
    unreadable: str | None = None
    is_deleted: bool = False


def add(
    db: Connection,
    chat_id: int,
    parent_id: int | None,
    message: ChatMessage,
    *,
    status: Status = "whole",
    provider: str | None = None,
    model: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> int:
    """Put a message below another: its id. The chat shows it from now on, and comes to the top of the list.

    Raises:
        Missing: there is no such chat, or the parent is not in it.
    """
    if parent_id is not None and _chat_of(db, parent_id) != chat_id:
        raise Missing("The message before this one is not in this chat")
    chats.get(db, chat_id)
    keeper = Keeper(db)
    made = db.execute(
        "INSERT INTO messages (chat_id, parent_id, role, parts, status, provider, model, details, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chat_id,
            parent_id,
            message.role,
            dump_parts(message.parts, keeper).decode(),
            status,
            provider,
            model,
            _json(details),
            time.time(),
        ),
    )
    assert made.lastrowid is not None
    keeper.settle("message", made.lastrowid)
    _index(db, made.lastrowid, message)
    db.execute("UPDATE chats SET head = ? WHERE id = ?", (made.lastrowid, chat_id))
    chats.stir(db, chat_id)
    return made.lastrowid


def rewrite(
    db: Connection,
    message_id: int,
    message: ChatMessage,
    *,
    status: Status = "whole",
    model: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Say what the message is now; an answer that was being written is settled with this.

    ``model`` None and ``details`` None leave what was there. Nothing happens when the message is gone.
    """
    keeper = Keeper(db)
    parts = dump_parts(message.parts, keeper).decode()
    changed = db.execute(
        "UPDATE messages SET parts = ?, status = ?, model = coalesce(?, model), details = coalesce(?, details)"
        " WHERE id = ?",
        (parts, status, model, None if details is None else _json(details), message_id),
    )
    db.execute("DELETE FROM journal WHERE message_id = ?", (message_id,))
    if changed.rowcount:
        keeper.settle("message", message_id)
        _index(db, message_id, message)


def annotate(db: Connection, message_id: int, details: Mapping[str, Any]) -> None:
    """Add to what is known about a message; None takes a name away. Nothing happens when the message is gone."""
    row = db.execute("SELECT details FROM messages WHERE id = ?", (message_id,)).fetchone()
    if row is not None:
        known = {**_details(row[0]), **details}
        kept = {name: value for name, value in known.items() if value is not None}
        db.execute("UPDATE messages SET details = ? WHERE id = ?", (_json(kept), message_id))


def waiting(db: Connection, chat_id: int) -> dict[int, Any]:
    """The runs that wait in a chat (see ``PENDING``), by the messages they wait at."""
    rows = db.execute("SELECT id, details FROM messages WHERE chat_id = ? ORDER BY id", (chat_id,))
    known = {id: _details(details) for id, details in rows}
    return {id: details[PENDING] for id, details in known.items() if PENDING in details}


def path(db: Connection, chat_id: int) -> list[Node]:
    """What the chat shows, first message first; without what was deleted."""
    return [node for node in line(db, chat_id) if not node.is_deleted]


def line(db: Connection, chat_id: int) -> list[Node]:
    """The same with what was deleted: everything that led to what the chat shows."""
    chats.get(db, chat_id)
    rows = db.execute(
        f"""
        WITH RECURSIVE line (id, parent_id) AS (
            SELECT id, parent_id FROM messages WHERE id = (SELECT head FROM chats WHERE id = ?)
            UNION
            SELECT messages.id, messages.parent_id FROM messages JOIN line ON messages.id = line.parent_id
        )
        SELECT {_COLUMNS} FROM messages WHERE id IN (SELECT id FROM line) ORDER BY id
        """,  # noqa: S608 (names of ours)
        (chat_id,),
    ).fetchall()
    fetcher = Fetcher(db)
    return [_node(row, fetcher) for row in rows]


def get(db: Connection, message_id: int) -> Node:
    """One message; Missing when there is none."""
    row = db.execute(f"SELECT {_COLUMNS} FROM messages WHERE id = ?", (message_id,)).fetchone()  # noqa: S608 (names of ours)
    if row is None:
        raise Missing("This message does not exist")
    return _node(row, Fetcher(db))


def ids(db: Connection, chat_id: int) -> list[int]:
    """The numbers of all messages of a chat, in their order."""
    return [id for (id,) in db.execute("SELECT id FROM messages WHERE chat_id = ? ORDER BY id", (chat_id,))]


def versions(db: Connection, chat_id: int) -> dict[int, tuple[int, ...]]:
    """For each message of the chat that has versions: all of them, itself included, oldest first."""
    rows = db.execute("SELECT id, parent_id FROM messages WHERE chat_id = ? AND NOT hidden ORDER BY id", (chat_id,))
    by_parent: dict[int | None, list[int]] = {}
    for id, parent_id in rows:
        by_parent.setdefault(parent_id, []).append(id)
    return {id: tuple(siblings) for siblings in by_parent.values() if len(siblings) > 1 for id in siblings}


def show(db: Connection, chat_id: int, message_id: int) -> None:
    """Make the chat show this version, and what was written last below it.

    Raises:
        Missing: the message is not in this chat.
    """
    if _chat_of(db, message_id) != chat_id:
        raise Missing("This message is not in this chat")
    (leaf,) = db.execute(
        """
        WITH RECURSIVE below (id) AS (
            SELECT ?
            UNION
            SELECT messages.id FROM messages JOIN below ON messages.parent_id = below.id WHERE NOT messages.hidden
        )
        SELECT max(id) FROM below
        """,
        (message_id,),
    ).fetchone()
    db.execute("UPDATE chats SET head = ? WHERE id = ?", (leaf, chat_id))


def rewind(db: Connection, chat_id: int, message_id: int | None) -> None:
    """Make the chat end with this message (None: before the first): what comes next becomes a version."""
    db.execute("UPDATE chats SET head = ? WHERE id = ?", (message_id, chat_id))


def hide(db: Connection, message_ids: Iterable[int], *, hidden: bool = True) -> None:
    """Delete messages so that it can be undone, or undo it; what follows them stays."""
    db.executemany("UPDATE messages SET hidden = ? WHERE id = ?", [(int(hidden), each) for each in message_ids])


def fork(db: Connection, chat_id: int, message_id: int) -> int:
    """A new chat that holds what leads to this message, the message included: the chat's id.

    What was deleted is not copied, but noted if it may have come from outside (``OUTSIDE``). What waits goes on waiting
    where it is. Summaries of what was copied come along.

    Raises:
        Missing: the message is not on the path that the chat shows.
    """
    everything = [node for node in line(db, chat_id) if node.id <= message_id]
    shown = [node for node in everything if not node.is_deleted]
    if not shown or shown[-1].id != message_id:
        raise Missing("This message is not in this chat")
    lacks = any(may_be_foreign(node) for node in everything if node.is_deleted)
    origin = chats.get(db, chat_id)
    copy = chats.create(db, settings=origin.settings, folder_id=origin.folder_id)
    chats.rename(db, copy, origin.title, origin.title_by)
    parent: int | None = None
    copies: dict[int, int] = {}
    for node in shown:
        status = "incomplete" if node.status == "writing" else node.status
        details = {name: value for name, value in node.details.items() if name != PENDING}
        details |= {"forked_from": node.id} | ({OUTSIDE: True} if lacks else {})
        parent = copies[node.id] = add(
            db, copy, parent, node.message, status=status, provider=node.provider, model=node.model, details=details
        )
    summaries.copy(db, chat_id, copy, copies)
    chats.configure(db, copy, translated(origin.settings, copies))
    return copy


def translated(settings: Mapping[str, Any], copies: Mapping[int, int]) -> dict[str, Any]:
    """The settings of a chat for a copy of it; ``copies`` says which message became which."""
    named = {name: settings[name] for name in NAMING_MESSAGES if isinstance(settings.get(name), list)}
    return {**settings, **{name: [copies[id] for id in ids if id in copies] for name, ids in named.items()}}


def may_be_foreign(node: Node) -> bool:
    """Whether nobody can say that this was written by the person, or by a model that read nothing else."""
    if node.unreadable is not None or OUTSIDE in node.details:
        return True
    return not all(isinstance(part, TextPart | ReasoningPart | ToolCallPart) for part in node.message.parts)


def index_chat(db: Connection, chat_id: int) -> None:
    """Let a search find every message of a chat."""
    fetcher = Fetcher(db)
    rows = db.execute(f"SELECT {_COLUMNS} FROM messages WHERE chat_id = ?", (chat_id,)).fetchall()  # noqa: S608 (names of ours)
    for row in rows:
        node = _node(row, fetcher)
        if node.unreadable is None:
            _index(db, node.id, node.message)


def _chat_of(db: Connection, message_id: int) -> int | None:
    row = db.execute("SELECT chat_id FROM messages WHERE id = ?", (message_id,)).fetchone()
    return None if row is None else int(row[0])


def _index(db: Connection, message_id: int, message: ChatMessage) -> None:
    db.execute("DELETE FROM message_texts WHERE rowid = ?", (message_id,))
    if message.role in ("user", "assistant") and (text := searchable(message)):
        db.execute("INSERT INTO message_texts (rowid, text) VALUES (?, ?)", (message_id, text))


def searchable(message: ChatMessage) -> str:
    """What a search finds in a message: its text, and the names of its files."""
    texts = [part.text for part in message.parts if isinstance(part, TextPart)]
    names = [part.name for part in message.parts if isinstance(part, FilePart) and part.name]
    return whole("\n".join([*texts, *names])).replace("\0", "\N{REPLACEMENT CHARACTER}")


def _node(row: tuple[Any, ...], fetcher: Fetcher) -> Node:
    id, parent_id, role, parts, status, provider, model, details, created_at, hidden = row
    unreadable = None
    try:
        message = ChatMessage(role, load_parts(parts, fetcher))
    except ValueError as error:
        message, unreadable = ChatMessage(role, ()), str(error)
    return Node(
        id, parent_id, message, status, provider, model, _details(details), created_at, unreadable, bool(hidden)
    )


def _details(text: str) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return {}


def _json(details: Mapping[str, Any] | None) -> str:
    return whole_json(details or {})
