"""What was written and not sent yet, per chat, attachments included.

Above: ``blobs``. Guarantee: a draft comes back as it was, also after a crash; a broken one is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from rillet.core.store.blobs import Fetcher, Keeper
from rillet.core.types import Part
from rillet.core.types.saved import dump_parts, load_parts, whole

if TYPE_CHECKING:
    from sqlite3 import Connection

NEW_CHAT: Final = 0
"""The id under which the draft of a chat is kept that does not exist yet."""


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """Text, attachments, and where the cursor was.

    Attributes:
        unread: Paths of files that are attached and were not read yet.
    """

    text: str
    attachments: tuple[Part, ...] = ()
    cursor: int = 0
    unread: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.attachments or self.unread)


class _Row(msgspec.Struct):
    text: str
    attachments: str
    cursor: int
    unread: tuple[str, ...] = ()


def save(db: Connection, chat_id: int, draft: SavedDraft) -> None:
    """Keep the draft of a chat; an empty one is forgotten."""
    keeper = Keeper(db)
    if draft:
        unread = tuple(path for path in draft.unread if whole(path) == path)  # (names that are no text are let go)
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
        saved = msgspec.json.decode(row[0], type=_Row)
        return SavedDraft(saved.text, load_parts(saved.attachments, Fetcher(db)), saved.cursor, saved.unread)
    except ValueError:
        return SavedDraft("")


def chats_with_drafts(db: Connection) -> set[int]:
    """The ids of the chats in which something was written and not sent."""
    return {id for (id,) in db.execute("SELECT chat_id FROM drafts")}
