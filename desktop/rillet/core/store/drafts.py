"""What was written and not sent yet, per chat, attachments included.

Above: ``blobs``, ``attachments/folder``. Guarantee: a draft comes back as it was, also after a crash, and what was not
read yet as what it is read from; a broken one is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from rillet.core.attachments.folder import FolderChoice
from rillet.core.store.blobs import Fetcher, Keeper
from rillet.core.types import Part
from rillet.core.types.saved import dump_parts, load_parts, whole

if TYPE_CHECKING:
    from sqlite3 import Connection

NEW_CHAT: Final = 0
"""The id under which the draft of a chat is kept that does not exist yet."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """What was pasted: under which name it is attached, and its bytes, or what makes them where they are kept.

    Without any there is nothing to keep.
    """

    name: str
    content: bytes | Callable[[], bytes]


Unread: TypeAlias = str | FolderChoice | Pasted
"""The path of a file, files of a folder, or what was pasted."""


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """Text, attachments, and where the cursor was.

    Attributes:
        unread: What is attached and was not read yet.
    """

    text: str
    attachments: tuple[Part, ...] = ()
    cursor: int = 0
    unread: tuple[Unread, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.attachments or self.unread)


class _Folder(msgspec.Struct, tag="folder"):
    root: str
    paths: tuple[str, ...]


class _Pasted(msgspec.Struct, tag="pasted"):
    name: str
    hash: str


class _Row(msgspec.Struct):
    text: str
    attachments: str
    cursor: int
    unread: tuple[str | _Folder | _Pasted, ...] = ()


def save(db: Connection, chat_id: int, draft: SavedDraft) -> None:
    """Keep the draft of a chat; an empty one is forgotten."""
    keeper = Keeper(db)
    if draft:
        unread = tuple(kept for each in draft.unread if (kept := _kept(each, keeper)) is not None)
        row = _Row(whole(draft.text), dump_parts(draft.attachments, keeper).decode(), draft.cursor, unread)
        db.execute(
            "INSERT OR REPLACE INTO drafts (chat_id, draft) VALUES (?, ?)",
            (chat_id, msgspec.json.encode(row).decode()),
        )
    else:
        db.execute("DELETE FROM drafts WHERE chat_id = ?", (chat_id,))
    keeper.settle("draft", chat_id)


def load(db: Connection, chat_id: int) -> SavedDraft:
    """The draft of a chat; an empty one when there is none."""
    row = db.execute("SELECT draft FROM drafts WHERE chat_id = ?", (chat_id,)).fetchone()
    if row is None:
        return SavedDraft("")
    try:
        saved, fetcher = msgspec.json.decode(row[0], type=_Row), Fetcher(db)
        unread = tuple(_found(each, fetcher) for each in saved.unread)
        return SavedDraft(saved.text, load_parts(saved.attachments, fetcher), saved.cursor, unread)
    except ValueError:
        return SavedDraft("")


def chats_with_drafts(db: Connection) -> set[int]:
    """The ids of the chats in which something was written and not sent."""
    return {id for (id,) in db.execute("SELECT chat_id FROM drafts")}


def _kept(unread: Unread, keeper: Keeper) -> str | _Folder | _Pasted | None:
    """How it is written; None: it cannot be, because names of files are no text or there are no bytes."""
    match unread:
        case str():
            return unread if whole(unread) == unread else None
        case FolderChoice(root, paths):
            paths = tuple(path for path in paths if whole(path) == path)
            return _Folder(root, paths) if paths and whole(root) == root else None
        case Pasted(name, content):
            data = content() if callable(content) else content
            return _Pasted(whole(name), keeper(data)) if data else None


def _found(kept: str | _Folder | _Pasted, fetcher: Fetcher) -> Unread:
    match kept:
        case str():
            return kept
        case _Folder():
            return FolderChoice(kept.root, kept.paths)
        case _Pasted():
            return Pasted(kept.name, fetcher(kept.hash))
