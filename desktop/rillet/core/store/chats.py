"""The list of chats: titles, folders, pins, archive, unread marks, trash. Not what is in them: that is ``messages``.

Plain functions of a connection, called through ``Store.read`` and ``Store.write``. Guarantee: chats are ordered by a
counter of what happened, never by a clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from rillet.core.store.trouble import Missing
from rillet.core.types.saved import whole, whole_json

if TYPE_CHECKING:
    from sqlite3 import Connection

TitleBy: TypeAlias = Literal["nobody", "program", "person"]
_COLUMNS = (
    "id, title, title_by, folder_id, pinned, archived, unread, activity, created_at, active_at, trashed_at, settings,"
    " head"
)


@dataclass(frozen=True, slots=True)
class Chat:
    """A row of the list.

    Attributes:
        activity: The larger, the later something happened in it.
        created_at, active_at, trashed_at: Seconds since the epoch, to be shown; never to sort by.
        settings: What holds for this chat alone: model, parameters, tools (JSON values).
        head: The message it shows last; None while it is empty.
    """

    id: int
    title: str
    title_by: TitleBy
    folder_id: int | None
    pinned: bool
    archived: bool
    unread: bool
    activity: int
    created_at: float
    active_at: float
    trashed_at: float | None
    settings: Mapping[str, Any]
    head: int | None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of chats."""

    id: int
    name: str


def create(
    db: Connection, *, title: str = "", settings: Mapping[str, Any] | None = None, folder_id: int | None = None
) -> int:
    """A new, empty chat: its id."""
    now = time.time()
    made = db.execute(
        "INSERT INTO chats (title, title_by, folder_id, settings, activity, created_at, active_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            whole(title),
            "person" if title else "nobody",
            folder_id,
            whole_json(settings or {}),
            next_activity(db),
            now,
            now,
        ),
    )
    assert made.lastrowid is not None
    return made.lastrowid


def overview(db: Connection) -> list[Chat]:
    """All chats that are not in the trash, pinned ones first, then by what happened last."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM chats WHERE trashed_at IS NULL ORDER BY pinned DESC, activity DESC"  # noqa: S608 (names of ours)
    )
    return [_chat(row) for row in rows]


def trashed(db: Connection) -> list[Chat]:
    """The chats in the trash, the last one first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM chats WHERE trashed_at IS NOT NULL ORDER BY trashed_at DESC, id DESC"  # noqa: S608 (names of ours)
    )
    return [_chat(row) for row in rows]


def get(db: Connection, chat_id: int) -> Chat:
    """One chat, also one in the trash; Missing when there is none."""
    row = db.execute(f"SELECT {_COLUMNS} FROM chats WHERE id = ?", (chat_id,)).fetchone()  # noqa: S608 (names of ours)
    if row is None:
        raise Missing("This chat does not exist")
    return _chat(row)


def rename(db: Connection, chat_id: int, title: str, by: TitleBy = "person") -> bool:
    """Give it a title; whether it was taken: what a person wrote is not replaced by the program."""
    clause = "" if by == "person" else " AND title_by <> 'person'"
    changed = db.execute(
        f"UPDATE chats SET title = ?, title_by = ? WHERE id = ?{clause}",  # noqa: S608 (names of ours)
        (whole(title), by, chat_id),
    )
    return changed.rowcount > 0


def configure(db: Connection, chat_id: int, settings: Mapping[str, Any]) -> None:
    """Replace what holds for this chat alone."""
    db.execute("UPDATE chats SET settings = ? WHERE id = ?", (whole_json(settings), chat_id))


def pin(db: Connection, chat_ids: Iterable[int], *, pinned: bool) -> None:
    """Put chats to the top, or back."""
    _set(db, "pinned", int(pinned), chat_ids)


def archive(db: Connection, chat_ids: Iterable[int], *, archived: bool) -> None:
    """Put chats out of sight, or back."""
    _set(db, "archived", int(archived), chat_ids)


def mark_unread(db: Connection, chat_ids: Iterable[int], *, unread: bool) -> None:
    """Say that there is something in it that nobody has seen, or that somebody has."""
    _set(db, "unread", int(unread), chat_ids)


def file(db: Connection, chat_ids: Iterable[int], folder_id: int | None) -> None:
    """Put chats into a folder, or out of all."""
    _set(db, "folder_id", folder_id, chat_ids)


def trash(db: Connection, chat_ids: Iterable[int]) -> None:
    """Put chats into the trash."""
    _set(db, "trashed_at", time.time(), chat_ids)


def untrash(db: Connection, chat_ids: Iterable[int]) -> None:
    """Take them out again."""
    _set(db, "trashed_at", None, chat_ids)


def stir(db: Connection, chat_id: int) -> None:
    """Note that something happened: the chat comes to the top."""
    db.execute("UPDATE chats SET activity = ?, active_at = ? WHERE id = ?", (next_activity(db), time.time(), chat_id))


def next_activity(db: Connection) -> int:
    """The next number of the counter that orders chats."""
    (last,) = db.execute("SELECT coalesce(max(activity), 0) FROM chats").fetchone()
    return int(last) + 1


def folders(db: Connection) -> list[Folder]:
    """The folders, as the person ordered them."""
    return [Folder(*row) for row in db.execute("SELECT id, name FROM folders ORDER BY position, id")]


def create_folder(db: Connection, name: str) -> int:
    """A new folder, below the others: its id."""
    made = db.execute(
        "INSERT INTO folders (name, position) SELECT ?, coalesce(max(position), 0) + 1 FROM folders", (whole(name),)
    )
    assert made.lastrowid is not None
    return made.lastrowid


def rename_folder(db: Connection, folder_id: int, name: str) -> None:
    """Give it another name."""
    db.execute("UPDATE folders SET name = ? WHERE id = ?", (whole(name), folder_id))


def order_folders(db: Connection, folder_ids: Iterable[int]) -> None:
    """Bring the folders into this order."""
    db.executemany("UPDATE folders SET position = ? WHERE id = ?", [*enumerate(folder_ids)])


def remove_folder(db: Connection, folder_id: int) -> None:
    """Remove a folder; its chats stay, in no folder."""
    db.execute("DELETE FROM folders WHERE id = ?", (folder_id,))


def _set(db: Connection, column: str, value: object, chat_ids: Iterable[int]) -> None:
    db.executemany(f"UPDATE chats SET {column} = ? WHERE id = ?", [(value, each) for each in chat_ids])  # noqa: S608 (names of ours)


def _chat(row: tuple[Any, ...]) -> Chat:
    id, title, title_by, folder_id, pinned, archived, unread, activity, created, active, trashed_at, settings, head = (
        row
    )
    return Chat(
        id,
        title,
        title_by,
        folder_id,
        bool(pinned),
        bool(archived),
        bool(unread),
        activity,
        created,
        active,
        trashed_at,
        _settings(settings),
        head,
    )


def _settings(text: str) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text != "{}" else {}
    except (msgspec.DecodeError, RecursionError):
        return {}  # one broken row must not hide the others
