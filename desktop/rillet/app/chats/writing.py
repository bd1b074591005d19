"""What a person writes in a chat, on its way into the store and back: questions, and drafts of them.

Above: ``store``, ``widgets/composer``. Below: ``session``. Holds nothing. Guarantee: a question and the chat that it
begins are kept together or not at all.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rillet.core.attachments.folder import FolderChoice
from rillet.core.attachments.problems import Unreadable
from rillet.core.store import chats, drafts, messages
from rillet.core.store.drafts import NEW_CHAT, Pasted, SavedDraft, Unread
from rillet.core.types import FilePart, ImagePart
from rillet.widgets.composer.attachment import Attachment
from rillet.widgets.composer.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from sqlite3 import Connection

    from PySide6.QtGui import QImage

    from rillet.core.types import ChatMessage, Part
    from rillet.widgets.composer.incoming import Incoming, Source


def ask(
    db: Connection, chat_id: int | None, parent: int | None, message: ChatMessage, settings: Mapping[str, Any]
) -> tuple[int, int]:
    """Put a question into a chat, or into a new one with these settings: the ids of both. For ``Store.write``."""
    if chat_id is None:
        chat_id = chats.create(db, settings=settings)
    return chat_id, messages.add(db, chat_id, parent, message)


def begin(db: Connection, message: ChatMessage, settings: Mapping[str, Any]) -> tuple[int, int]:
    """Begin a chat with a question, which was the draft of a new chat until now: the ids of both."""
    ids = ask(db, None, None, message, settings)
    drafts.save(db, NEW_CHAT, SavedDraft(""))  # (after it, so that what is attached is not let go of in between)
    return ids


def ask_at_end(db: Connection, chat_id: int, message: ChatMessage) -> int:
    """Put a question behind whatever a chat ends with: its id."""
    return messages.add(db, chat_id, chats.get(db, chat_id).head, message)


def add_to_draft(db: Connection, chat_id: int, more: SavedDraft) -> None:
    """Keep this behind what is kept of the draft of a chat already."""
    drafts.save(db, chat_id, joined(drafts.load(db, chat_id), more))


def joined(first: SavedDraft, second: SavedDraft) -> SavedDraft:
    """Two drafts as one; the cursor is where it was in the second."""
    if not first:
        return second
    before = f"{first.text}\n\n" if first.text and second.text else first.text
    cursor = len(before) + second.cursor if second else first.cursor
    return SavedDraft(
        before + second.text, first.attachments + second.attachments, cursor, first.unread + second.unread
    )


def draft_of(message: ChatMessage) -> Draft:
    """A question, to be written once more."""
    return Draft(message.text, _attachments(message.parts))


def saved(draft: Draft, waiting: Sequence[ChatMessage] = ()) -> SavedDraft:
    """What is kept of a draft, and before it of questions that wait to be asked."""
    before = "".join(f"{message.text}\n\n" for message in waiting)
    attached = (each for message in waiting for each in _attachments(message.parts))
    parts = tuple(each.part for each in (*attached, *draft.attachments))
    cursor = draft.cursor if draft.cursor is not None else len(draft.text)
    unread = tuple(kept for each in draft.incoming if (kept := _unread(each)) is not None)
    return SavedDraft(before + draft.text, parts, len(before) + cursor, unread)


def sources(draft: SavedDraft) -> list[tuple[Source, str]]:
    """What of a draft that was kept is yet to be read, and the name of each."""
    return [_source(each) for each in draft.unread]


def shown(draft: SavedDraft, incoming: tuple[Incoming, ...] = ()) -> Draft:
    """A draft that was kept, to go on with it, and with what is still being read."""
    return Draft(draft.text, (*_attachments(draft.attachments), *incoming), draft.cursor)


def _attachments(parts: Iterable[Part]) -> tuple[Attachment, ...]:
    """What of these parts was attached to a text."""
    return tuple(
        Attachment(part, (part.name if isinstance(part, FilePart) else None) or "image")
        for part in parts
        if isinstance(part, ImagePart | FilePart)
    )


def _unread(incoming: Incoming) -> Unread | None:
    """What it is read from; None: it was pasted and cannot be read, which was said and will not change."""
    source = incoming.source
    if isinstance(source, Path):
        return str(source)
    if isinstance(source, FolderChoice):
        return source
    if incoming.problem:
        return None
    if isinstance(source, bytes):
        return Pasted(incoming.name, source)
    if isinstance(source, str):
        return Pasted(incoming.name, partial(source.encode, "utf-8", "replace"))
    from rillet.widgets.composer.fitting import encoded  # (on this thread: it names classes of Qt)

    return Pasted(incoming.name, partial(_as_attached, encoded, source))


def _as_attached(encoded: Callable[[QImage], ImagePart], image: QImage) -> bytes:
    """The image that these pixels become; b"" where they are too many, which is said in its chip. Takes its time."""
    try:
        return encoded(image).data or b""
    except Unreadable:
        return b""


def _source(unread: Unread) -> tuple[Source, str]:
    if isinstance(unread, str):
        return Path(unread), Path(unread).name
    if isinstance(unread, FolderChoice):
        return unread, unread.root
    assert isinstance(unread.content, bytes)
    return unread.content, unread.name
