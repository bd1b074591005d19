"""A chat that moves from one store into another, as one does that was temporary and is to be kept."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from rillet.core.store import chats, drafts, ledger, messages, moving, search, summaries
from rillet.core.store.drafts import SavedDraft
from rillet.core.store.store import Store
from rillet.core.store.temporary import FIRST_ID, TemporaryStore, is_temporary
from rillet.core.store.trouble import Missing
from rillet.core.types import ChatMessage, FilePart, ImagePart, Usage

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

PICTURE = ImagePart(b"\x89PNG picture", media_type="image/png")
FILE = FilePart(b"bytes of a file", media_type="text/plain", name="notes.txt")


def a_chat(db: Connection) -> int:
    """Versions, a deleted message, attachments, a draft, costs, settings."""
    chat = chats.create(db, settings={"model": "m"})
    chats.rename(db, chat, "Tides", "program")
    asked = messages.add(db, chat, None, ChatMessage.user("Why tides?", PICTURE))
    messages.add(db, chat, asked, ChatMessage.assistant("The sun."), status="failed", details={"error": {"kind": "x"}})
    right = messages.add(db, chat, asked, ChatMessage.assistant("The moon."), provider="p", model="m")
    messages.annotate(db, right, {messages.PENDING: "{}", "seconds": 2.5})
    gone = messages.add(db, chat, right, ChatMessage.user("Never mind"))
    messages.hide(db, [gone])
    messages.add(db, chat, gone, ChatMessage.assistant("Half an ans"), status="writing")
    usage = Usage(prompt_tokens=10, completion_tokens=20)
    ledger.enter(db, usage, provider="p", model="m", chat_id=chat, message_id=right, cost=0.5)
    summaries.add(db, chat, [asked, right], "About tides", provider="p", model="m")
    chats.configure(db, chat, {"model": "m", "pinned": [asked, right, 7]})
    drafts.save(db, chat, SavedDraft("half", (FILE,), 2))
    return chat


async def test_a_temporary_store_gives_numbers_that_no_file_has(tmp_path: Path) -> None:
    store, memory = await Store.open(tmp_path / "chats.db"), TemporaryStore()
    for place, temporary in ((store, False), (memory, True)):
        chat = await place.write(chats.create)
        asked = await place.write(messages.add, chat, None, ChatMessage.user("Hello"))
        assert [is_temporary(chat), is_temporary(asked)] == [temporary] * 2
    assert FIRST_ID < 1 << 31
    await memory.close()
    await store.close()


async def test_everything_of_a_chat_arrives_under_other_numbers(tmp_path: Path) -> None:
    store, memory = await Store.open(tmp_path / "chats.db"), TemporaryStore()
    await store.write(chats.create, title="Another one")
    chat = await memory.write(a_chat)
    moved = await store.write(moving.put, await memory.read(moving.take, chat))
    assert not is_temporary(moved.chat_id)

    def told(line: list[messages.Node]) -> list[object]:
        known = [{name: each.details[name] for name in each.details if name != messages.PENDING} for each in line]
        named = [(each.message, each.provider, each.model, each.is_deleted) for each in line]
        return [*named, *known]

    before, after = await memory.read(messages.line, chat), await store.read(messages.line, moved.chat_id)
    assert told(after) == told(before)
    assert [each.id for each in after] == [moved.ids[each.id] for each in before]
    assert not any(messages.PENDING in each.details for each in after)
    assert [each.status for each in after] == ["whole", "whole", "whole", "incomplete"]
    versions = await store.read(messages.versions, moved.chat_id)
    assert sorted(map(len, versions.values())) == [2, 2]
    assert await store.read(drafts.load, moved.chat_id) == SavedDraft("half", (FILE,), 2)
    assert (await store.read(ledger.spent, moved.chat_id)).cost == 0.5
    [summary] = await store.read(summaries.of_chat, moved.chat_id)
    shown = [after[0].id, after[1].id]
    assert (summary.text, sorted(summary.covers), summary.model) == ("About tides", shown, "m")
    kept = await store.read(chats.get, moved.chat_id)
    settings = {"model": "m", "pinned": shown}
    assert (kept.title, kept.title_by, kept.settings) == ("Tides", "program", settings)
    assert (await store.read(chats.overview))[0].id == moved.chat_id
    found = await store.read(search.search, "moon")
    assert [hit.chat_id for hit in found.hits] == [moved.chat_id]
    await memory.close()
    await store.close()


async def test_what_cannot_arrive_whole_does_not_arrive_at_all(tmp_path: Path) -> None:
    store, memory = await Store.open(tmp_path / "chats.db"), TemporaryStore()
    bundle = await memory.read(moving.take, await memory.write(a_chat))

    def fails(db: Connection) -> None:
        moving.put(db, bundle)
        raise sqlite3.IntegrityError("no")

    with pytest.raises(sqlite3.IntegrityError):
        await store.write(fails)
    assert await store.read(chats.overview) == []
    with pytest.raises(Missing):
        await memory.read(moving.take, FIRST_ID + 99)
    await memory.close()
    await store.close()
