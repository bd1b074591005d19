"""Temporary chats: everything works in them, and nothing of them is kept unless somebody says so."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rillet.core.chat.answering import PENDING
from rillet.core.chat.desk import Desk
from rillet.core.chat.plan import Plan
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, drafts, messages
from rillet.core.store.drafts import SavedDraft
from rillet.core.store.temporary import is_temporary
from rillet.core.store.trouble import Missing
from rillet.core.types import ChatMessage, FilePart
from rillet.core.types.suspension import Answer
from support.fake_server import FakeServer, answer, hold, sse_text, stream
from support.kept_chat import Chat, calling, request_of, saying
from support.scripted import ScriptedModel
from support.traces import traces

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.chat.events import ChatEvent

CANARY = "canary-tidal-4711"
FILE = FilePart(f"{CANARY} in a file".encode(), media_type="text/plain", name=f"{CANARY}.txt")


def plan_for(server: FakeServer) -> Plan:
    return Plan(provider=Provider("p", "openai", f"{server.url}/v1", default_model="m"))


async def asked(desk: Desk, text: str, *parts: FilePart) -> int:
    chat = await desk.temporary.write(chats.create)
    await desk.temporary.write(messages.add, chat, None, ChatMessage.user(text, *parts))
    return chat


def nobody(event: ChatEvent) -> None:
    """Hears nothing."""


async def test_a_temporary_chat_is_answered_and_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path / "chats.db")
    with FakeServer(answer(f"About {CANARY}."), answer("Kept.")) as server:
        chat = await asked(desk, f"Tell me of {CANARY}", FILE)
        await desk.temporary.write(drafts.save, chat, SavedDraft(CANARY, (FILE,)))
        await desk.answer(chat, plan_for(server), nobody)
        said = [node.message.text for node in await desk.temporary.read(messages.path, chat)]
        assert said == [f"Tell me of {CANARY}", f"About {CANARY}."]
        assert (await desk.context(chat, plan_for(server))).turns
        # Something is written, so that a trace would be found where there is one.
        other = await desk.store.write(chats.create, title="Ordinary")
        await desk.store.write(messages.add, other, None, ChatMessage.user("Hello"))
        await desk.answer(other, plan_for(server), nobody)
        await desk.store.back_up()
        assert traces(tmp_path, CANARY) == []
        await desk.aclose()
    assert traces(tmp_path, CANARY) == []


async def test_what_was_allowed_in_a_temporary_chat_holds_there_and_is_not_written_down(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    home = tmp_path / "home"
    desk = await Desk.open(home / "chats.db")
    script = [calling("write", {"path": "a.txt", "content": CANARY}), saying("Written."), saying("Again.")]
    chat = Chat(desk, folder, ScriptedModel(*script), store=desk.temporary)
    waits = await chat.ask("Write")
    await chat.reply(waits, scope="always")
    assert (folder / "a.txt").read_text() == CANARY
    assert [grant.given_in for grant in desk.bench.grants.grants()] == [str(chat.id)]
    assert request_of(waits).id
    await desk.aclose()
    assert traces(home, CANARY) == []
    assert traces(folder, CANARY)


async def test_what_is_kept_after_all_is_an_ordinary_chat_and_nothing_of_it_stays_in_memory(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path / "chats.db")
    with FakeServer(answer("The moon.")) as server:
        chat = await asked(desk, "Why tides?", FILE)
        await desk.answer(chat, plan_for(server), nobody)
        sent = await desk.temporary.read(messages.path, chat)
        answered = sent[-1].id
        assert desk.log.of([answered])
        moved = await desk.keep(chat)
        assert not is_temporary(moved.chat_id)
        kept = await desk.store.read(messages.path, moved.chat_id)
        assert [node.message for node in kept] == [node.message for node in sent]
        assert desk.log.of([answered]) == ()
        with pytest.raises(Missing):
            await desk.temporary.read(chats.get, chat)
    await desk.aclose()
    again = await Desk.open(tmp_path / "chats.db")
    assert len(await again.store.read(messages.path, moved.chat_id)) == 2
    await again.aclose()


@pytest.mark.parametrize("closing", [False, True])
async def test_a_chat_that_is_kept_while_it_is_answered_is_kept_with_what_came(tmp_path: Path, closing: bool) -> None:
    desk = await Desk.open(tmp_path / "chats.db")
    came = asyncio.Event()
    with FakeServer(stream(sse_text("The moon"), hold)) as server:
        chat = await asked(desk, "Why tides?")
        answering = asyncio.create_task(desk.answer(chat, plan_for(server), lambda event: came.set()))
        await came.wait()
        keeping = asyncio.create_task(desk.keep(chat))
        await asyncio.sleep(0)
        if closing:
            await desk.aclose()
        else:
            answering.cancel()
        moved = await keeping
        await asyncio.wait([answering])
    if not closing:
        await desk.aclose()
    again = await Desk.open(tmp_path / "chats.db")
    kept = await again.store.read(messages.path, moved.chat_id)
    assert (kept[0].message.text, kept[-1].status) == ("Why tides?", "cancelled")
    await again.aclose()


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_question_that_is_open_goes_along_and_is_answered_once(tmp_path: Path, restarts: bool) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    desk = await Desk.open(tmp_path / "home" / "chats.db")
    script = [calling("bash", {"command": "echo ran >> log.txt"}), saying("Done.")]
    chat = Chat(desk, folder, ScriptedModel(*script), store=desk.temporary)
    before = await chat.ask("Run it")
    moved = await desk.keep(chat.id)
    if restarts:
        await desk.aclose()
        desk = await Desk.open(tmp_path / "home" / "chats.db")
    after = Chat(desk, folder, chat.model)
    after.id = moved.chat_id
    waits = await after.last()
    assert waits.id == moved.ids[before.id]
    shown, asked = request_of(before), request_of(waits)
    assert (asked.prompt, asked.data, asked.expires_at) == (shown.prompt, shown.data, shown.expires_at)
    with pytest.raises(ValueError, match="another answer"):
        await (await after.answering()).resume(waits, Answer(id=shown.id, ok=True))
    with pytest.raises(Missing):
        await desk.resume(chat.id, before.id, Answer(id=shown.id, ok=True), chat.plan, nobody)
    assert not (folder / "log.txt").exists()
    assert (await after.reply(waits, scope="once")).message.text == "Done."
    with pytest.raises(ValueError, match="nothing waits"):
        await after.reply(waits, scope="once")
    assert (folder / "log.txt").read_text() == "ran\n"
    await desk.aclose()


async def test_nothing_is_answered_in_the_old_place_while_a_chat_moves(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    desk = await Desk.open(tmp_path / "home" / "chats.db")
    chat = Chat(desk, folder, ScriptedModel(calling("write", {"path": "a.txt", "content": "x"})), store=desk.temporary)
    waits = await chat.ask("Write")
    keeping = asyncio.create_task(desk.keep(chat.id))
    await asyncio.sleep(0)
    with pytest.raises((ValueError, Missing)):
        await desk.resume(chat.id, waits.id, Answer(id=request_of(waits).id, ok=True), chat.plan, nobody)
    with pytest.raises((ValueError, Missing)):
        await desk.keep(chat.id)
    moved = await keeping
    assert len(await desk.store.read(chats.overview)) == 1
    assert PENDING in (await desk.store.read(messages.path, moved.chat_id))[-1].details
    assert not (folder / "a.txt").exists()
    await desk.aclose()


async def test_a_question_of_another_chat_does_not_go_along_and_is_not_answered(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    desk = await Desk.open(tmp_path / "home" / "chats.db")
    write = calling("write", {"path": "a.txt", "content": "x"})
    one, other = (Chat(desk, folder, ScriptedModel(write, saying("No.")), store=desk.temporary) for _ in range(2))
    foreign = (await one.ask("Write")).details[PENDING]
    waits = await other.ask("Write")
    await desk.temporary.write(messages.annotate, waits.id, {PENDING: foreign})
    planted = await other.last()
    with pytest.raises(ValueError, match="another chat"):
        await other.reply(planted, scope="once")
    moved = await desk.keep(other.id)
    assert PENDING not in (await desk.store.read(messages.path, moved.chat_id))[-1].details
    assert not (folder / "a.txt").exists()
    await desk.aclose()


@pytest.mark.parametrize("scope", ["chat", "always"])
async def test_what_was_allowed_in_a_chat_is_allowed_in_it_once_it_is_kept(tmp_path: Path, scope: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    path = tmp_path / "home" / "chats.db"
    desk = await Desk.open(path)
    run = calling("bash", {"command": "echo ran >> log.txt"})
    chat = Chat(desk, folder, ScriptedModel(run, saying("Once."), run, saying("Twice.")), store=desk.temporary)
    await chat.reply(await chat.ask("Run it"), scope=scope)
    moved = await desk.keep(chat.id)
    assert [grant.given_in for grant in desk.bench.grants.grants()] == [str(moved.chat_id)]
    await desk.aclose()
    desk = await Desk.open(path)
    after = Chat(desk, folder, chat.model)
    after.id = moved.chat_id
    assert (await after.ask("Again")).message.text == "Twice."
    assert (folder / "log.txt").read_text() == "ran\nran\n"
    await desk.aclose()


async def test_a_chat_that_was_let_go_is_gone(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path / "chats.db")
    chat, other = await asked(desk, "one"), await asked(desk, "two")
    await desk.forget([chat])
    with pytest.raises(Missing):
        await desk.temporary.read(chats.get, chat)
    assert [node.message.text for node in await desk.temporary.read(messages.path, other)] == ["two"]
    await desk.aclose()
