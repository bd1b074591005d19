"""What was written is there: after a crash, beside a failing disk, in a file of another version."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from rillet.core.store import chats, drafts, journal, messages, migrations, search, summaries, trash
from rillet.core.store.drafts import SavedDraft
from rillet.core.store.store import Store
from rillet.core.store.trouble import Missing, TooNew
from rillet.core.types import ChatMessage, FilePart, ImagePart, TextDelta

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

T = TypeVar("T")


def with_store(path: Path, use: Callable[[Store], Awaitable[T]]) -> T:
    """Run ``use`` with an open store, and close it."""

    async def go() -> T:
        store = await Store.open(path)
        try:
            return await use(store)
        finally:
            await store.close()

    return asyncio.run(go())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "rillet.db"


def test_a_conversation_comes_back_as_it_was(path: Path) -> None:
    question = ChatMessage.user(
        "Look", ImagePart(b"\x89PNG"), FilePart(b"%PDF", media_type="application/pdf", name="a")
    )

    async def write(store: Store) -> int:
        chat = await store.write(chats.create)
        first = await store.write_durably(messages.add, chat, None, question)
        await store.write(messages.add, chat, first, ChatMessage.assistant("Nice."), model="m", details={"a": 1})
        return chat

    chat = with_store(path, write)
    line = with_store(path, lambda store: store.read(messages.path, chat))
    assert [node.message for node in line] == [question, ChatMessage.assistant("Nice.")]
    assert [node.details for node in line] == [{}, {"a": 1}]


def test_an_answer_that_a_crash_interrupted_is_there_and_marked(path: Path) -> None:
    async def crash(store: Store) -> int:
        chat = await store.write(chats.create)
        first = await store.write(messages.add, chat, None, ChatMessage.user("Q"))
        answer = await store.write(messages.add, chat, first, ChatMessage.assistant(""), status="writing")
        for piece in ("Half ", "an ", "answer"):
            await store.write(journal.append, answer, [TextDelta(piece)])
        return chat

    chat = with_store(path, crash)

    async def look(store: Store) -> tuple[int, list[messages.Node]]:
        return store.opening.recovered, await store.read(messages.path, chat)

    recovered, line = with_store(path, look)
    assert recovered == 1
    assert (line[-1].message.text, line[-1].status) == ("Half an answer", "incomplete")


def test_another_version_of_a_question_destroys_nothing(path: Path) -> None:
    async def edit(store: Store) -> Any:
        chat = await store.write(chats.create)
        first = await store.write(messages.add, chat, None, ChatMessage.user("Q1"))
        await store.write(messages.add, chat, first, ChatMessage.assistant("A1"))
        second = await store.write(messages.add, chat, None, ChatMessage.user("Q2"))
        shown = [node.message.text for node in await store.read(messages.path, chat)]
        await store.write(messages.show, chat, first)
        again = [node.message.text for node in await store.read(messages.path, chat)]
        return shown, again, (await store.read(messages.versions, chat))[first] == (first, second)

    assert with_store(path, edit) == (["Q2"], ["Q1", "A1"], True)


def test_a_deleted_message_can_be_brought_back(path: Path) -> None:
    async def delete(store: Store) -> list[list[str]]:
        chat = await store.write(chats.create)
        ids: list[int] = []
        for text in "abc":
            ids.append(await store.write(messages.add, chat, ids[-1] if ids else None, ChatMessage.user(text)))
        seen = []
        await store.write(messages.hide, [ids[1]])
        seen.append([node.message.text for node in await store.read(messages.path, chat)])
        await store.write(messages.hide, [ids[1]], hidden=False)
        seen.append([node.message.text for node in await store.read(messages.path, chat)])
        await store.write(messages.hide, ids[1:])
        await store.write(trash.purge_messages, chat)
        seen.append([node.message.text for node in await store.read(messages.path, chat)])
        return seen

    assert with_store(path, delete) == [["a", "c"], ["a", "b", "c"], ["a"]]


def test_a_fork_is_a_chat_of_its_own(path: Path) -> None:
    async def fork(store: Store) -> tuple[list[str], list[str]]:
        chat = await store.write(chats.create, title="Tea")
        first = await store.write(messages.add, chat, None, ChatMessage.user("a"))
        await store.write(messages.add, chat, first, ChatMessage.assistant("b"))
        other = await store.write(messages.fork, chat, first)
        await store.purge([chat])
        line = await store.read(messages.path, other)
        return [node.message.text for node in line], [each.title for each in await store.read(chats.overview)]

    assert with_store(path, fork) == (["a"], ["Tea"])


@pytest.mark.parametrize("wanted", ["needle", "NEEDLE", "eedl", "日本", "語", 'a"b', "100%", "hay needle"])
def test_any_piece_of_a_text_is_found(path: Path, wanted: str) -> None:
    async def look(store: Store) -> list[str]:
        chat = await store.write(chats.create)
        await store.write(messages.add, chat, None, ChatMessage.user('A needle in hay, 日本語, a"b 100%_'))
        await store.write(messages.add, chat, None, ChatMessage.user("Nothing"))
        found = await store.read(search.search, wanted)
        return [hit.before + hit.found + hit.after for hit in found.hits]

    assert with_store(path, look) == ['A needle in hay, 日本語, a"b 100%_']


def test_what_was_purged_stands_nowhere_in_the_file(path: Path) -> None:
    canary = "Quetzalcoatlus"

    async def delete(store: Store) -> None:
        chat = await store.write(chats.create, title=canary)
        other = await store.write(chats.create)
        await store.write(messages.add, other, None, ChatMessage.user("stays"))
        await store.write(
            messages.add, chat, None, ChatMessage.user(canary, FilePart(canary.encode(), media_type="text/plain"))
        )
        await store.write(drafts.save, chat, SavedDraft(canary))
        await store.write(chats.trash, [chat])
        await store.purge([chat])

    with_store(path, delete)
    for file in path.parent.rglob("*"):
        if file.is_file():
            assert canary.lower().encode() not in file.read_bytes().lower(), file


def test_a_file_of_a_newer_version_is_read_and_never_written(path: Path) -> None:
    with_store(path, lambda store: store.write(chats.create, title="Old"))
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO migrations (name, at) VALUES ('2031 telepathy', 0)")
    db.close()
    before = path.read_bytes()

    async def use(store: Store) -> list[str]:
        with pytest.raises(TooNew):
            await store.write(chats.create)
        assert store.opening.read_only is not None
        return [each.title for each in await store.read(chats.overview)]

    assert with_store(path, use) == ["Old"]
    assert path.read_bytes() == before


def test_a_file_of_the_first_version_is_copied_and_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        chat = with_store(path, lambda store: store.write(chats.create, title="Old"))

    async def use(store: Store) -> list[str]:
        await store.write(summaries.add, chat, [1], "short")
        return [each.text for each in await store.read(summaries.of_chat, chat)]

    assert with_store(path, use) == ["short"]
    [copy] = [each for each in path.parent.rglob("*.db") if each != path]
    with sqlite3.connect(copy) as db:
        assert [name for (name,) in db.execute("SELECT name FROM migrations")] == ["2026-12 first"]
    db.close()


def test_a_damaged_file_is_set_aside_and_told_of(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"This is no database. " * 1000)

    async def use(store: Store) -> Path | None:
        await store.write(chats.create)
        return store.opening.set_aside

    aside = with_store(path, use)
    assert aside is not None
    assert aside.read_bytes().startswith(b"This is no database.")


def test_what_does_not_exist_is_missing(path: Path) -> None:
    async def use(store: Store) -> None:
        with pytest.raises(Missing):
            await store.read(messages.path, 7)
        with pytest.raises(Missing):
            await store.write(messages.add, 7, None, ChatMessage.user("a"))

    with_store(path, use)


def test_a_draft_comes_back_with_its_attachments(path: Path) -> None:
    draft = SavedDraft("Half a thou", (FilePart(b"x", media_type="text/plain", name="x.txt"),), 4)
    with_store(path, lambda store: store.write(drafts.save, 3, draft))
    assert with_store(path, lambda store: store.read(drafts.load, 3)) == draft


def test_a_backup_taken_while_writing_is_whole(path: Path) -> None:
    async def use(store: Store) -> Path:
        chat = await store.write(chats.create, title="Kept")
        adding = [
            asyncio.ensure_future(store.write(messages.add, chat, None, ChatMessage.user(f"{n}"))) for n in range(50)
        ]
        backup = await store.back_up()
        await asyncio.gather(*adding)
        return backup

    backup = with_store(path, use)
    assert [each.title for each in with_store(backup, lambda store: store.read(chats.overview))] == ["Kept"]


async def test_half_a_character_in_the_settings_of_a_chat_keeps_no_question_from_being_written(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "rillet.db")
    chat = await store.write(chats.create, settings={"system_prompt": "Smile \ud83d", "tools": "all"})
    assert (await store.read(chats.get, chat)).settings == {"system_prompt": "Smile \ufffd", "tools": "all"}
    await store.write(chats.configure, chat, {"workspace": "/odd\udcff"})
    assert (await store.read(chats.get, chat)).settings == {"workspace": "/odd\ufffd"}
    await store.close()
