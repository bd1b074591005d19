"""Attached bytes are kept once, as long as anybody uses them, and not a moment longer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import pytest

from rillet.core.attachments.folder import FolderChoice
from rillet.core.store import chats, drafts, messages, trash
from rillet.core.store.drafts import Pasted, SavedDraft, Unread
from rillet.core.store.store import Store
from rillet.core.types import ChatMessage, FilePart, ImagePart

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path
    from sqlite3 import Connection

T = TypeVar("T")

LETTER = FilePart(b"%PDF-1.7 letter", media_type="application/pdf", name="letter.pdf", text="Dear Sir")
PICTURE = ImagePart(b"\x89PNG picture")
QUESTION = ChatMessage.user("Read this", LETTER)


def _with_store(tmp_path: Path, use: Callable[[Store], Awaitable[T]]) -> T:
    async def go() -> T:
        store = await Store.open(tmp_path / "rillet.db")
        try:
            return await use(store)
        finally:
            await store.close()

    return asyncio.run(go())


def _kept(db: Connection) -> list[bytes]:
    return sorted(data for (data,) in db.execute("SELECT data FROM blobs"))


BOTH = sorted([LETTER.data, b"Dear Sir"])


def test_a_document_in_a_draft_survives_a_restart_with_what_it_says(tmp_path: Path) -> None:
    draft = SavedDraft("What does", (LETTER, PICTURE), 9)
    _with_store(tmp_path, lambda store: store.write(drafts.save, 7, draft))
    assert _with_store(tmp_path, lambda store: store.read(drafts.load, 7)) == draft


def test_what_a_draft_had_not_read_yet_survives_as_what_it_is_read_from(tmp_path: Path) -> None:
    folder = FolderChoice("/home/ann/rivers", ("a.md", "b/c.md"))
    unread: tuple[Unread, ...] = ("/home/ann/notes.md", folder, Pasted("Image.png", lambda: b"pixels"))
    nothing: tuple[Unread, ...] = ("\udcff.md", FolderChoice("/x", ("\udcff",)), Pasted("Image.png", b""))
    _with_store(tmp_path, lambda store: store.write(drafts.save, 7, SavedDraft("x", unread=(*unread, *nothing))))
    found = _with_store(tmp_path, lambda store: store.read(drafts.load, 7))
    assert found.unread == (*unread[:2], Pasted("Image.png", b"pixels"))
    assert _with_store(tmp_path, lambda store: store.read(_kept)) == [b"pixels"]
    _with_store(tmp_path, lambda store: store.write(drafts.save, 7, SavedDraft("x", unread=unread[:2])))
    assert _with_store(tmp_path, lambda store: store.read(_kept)) == []


def test_what_is_taken_out_of_a_draft_is_gone_at_once(tmp_path: Path) -> None:
    async def use(store: Store) -> list[list[bytes]]:
        kept = []
        for parts in ((LETTER, PICTURE), (LETTER,), ()):
            await store.write(drafts.save, 7, SavedDraft("x", parts))
            kept.append(await store.read(_kept))
        return kept

    both, letter, nothing = _with_store(tmp_path, use)
    assert both == sorted([*BOTH, PICTURE.data or b""])
    assert (letter, nothing) == (BOTH, [])


def test_what_was_sent_stays_when_its_draft_is_emptied(tmp_path: Path) -> None:
    async def use(store: Store) -> list[bytes]:
        chat = await store.write(chats.create)
        await store.write(drafts.save, chat, SavedDraft("Read this", (LETTER,)))
        await store.write(messages.add, chat, None, QUESTION)
        await store.write(drafts.save, chat, SavedDraft(""))
        return await store.read(_kept)

    assert _with_store(tmp_path, use) == BOTH


@pytest.mark.parametrize("purged", ["first", "second"])
def test_a_fork_shares_what_is_attached_and_outlives_the_other(tmp_path: Path, purged: str) -> None:
    async def use(store: Store) -> tuple[list[bytes], list[bytes], ChatMessage, list[bytes]]:
        chat = await store.write(chats.create)
        node = await store.write(messages.add, chat, None, QUESTION)
        copy = await store.write(messages.fork, chat, node)
        shared = await store.read(_kept)
        gone, left = (chat, copy) if purged == "first" else (copy, chat)
        await store.write(trash.purge, [gone])
        after = await store.read(_kept)
        (shown,) = await store.read(messages.path, left)
        await store.write(trash.purge, [left])
        return shared, after, shown.message, await store.read(_kept)

    assert _with_store(tmp_path, use) == (BOTH, BOTH, QUESTION, [])


def test_versions_of_a_question_share_and_deleting_one_keeps_the_other(tmp_path: Path) -> None:
    async def use(store: Store) -> tuple[list[bytes], list[bytes]]:
        chat = await store.write(chats.create)
        first = await store.write(messages.add, chat, None, QUESTION)
        await store.write(messages.add, chat, None, ChatMessage.user("Read this well", LETTER))
        shared = await store.read(_kept)
        await store.write(messages.hide, [first])
        await store.write(trash.purge_messages, chat)
        return shared, await store.read(_kept)

    assert _with_store(tmp_path, use) == (BOTH, BOTH)
