"""Conversations in one file: what was saved is there, whole, for the next process too."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.errors import ServerError
from rillet.core.store.conversation_file import VERSION, ConversationFile
from rillet.core.store.trouble import Closed, Damaged, StoreError, TooNew
from rillet.core.types import (
    ChatMessage,
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from support.scripted import ScriptedModel, calls, shelf, tool

if TYPE_CHECKING:
    from pathlib import Path

EVERYTHING = (
    ChatMessage.user("see", ImagePart(b"\x00png", url=None), FilePart(b"\xff", media_type="a/b", name="f")),
    ChatMessage(
        "assistant",
        (
            ReasoningPart("", provider_metadata={"signature": "s" * 100}),
            TextPart("Tea 🍵\x00"),
            ToolCallPart("c1", "look", '{"at": [1, 2.5, null]}', provider_metadata={"nested": {"a": [True]}}),
            OpaquePart("anthropic", {"type": "server_tool_use", "input": {}}),
        ),
    ),
    ChatMessage(
        "tool", (ToolResultPart("c1", "no", is_error=True, images=(ImagePart(b"x", media_type="image/gif"),)),)
    ),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "conversations.db"


def damage(path: Path, sql: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(sql, values)


def put(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)


def holds(path: Path, data: bytes) -> bool:
    return path.read_bytes() == data


async def test_what_was_saved_is_there_in_every_part_for_the_next_one_who_opens_the_file(path: Path) -> None:
    async with ConversationFile(path) as file:
        assert await file.get("a") is None
        await file.save("a", EVERYTHING)
        assert await file.get("a") == EVERYTHING
    async with ConversationFile(path) as file:
        assert await file.get("a") == EVERYTHING
        assert await file.get("b") is None


async def test_a_save_takes_the_place_of_what_was_there(path: Path) -> None:
    async with ConversationFile(path) as file:
        await file.save("a", EVERYTHING)
        await file.save("a", EVERYTHING[:1])
        await file.save("", [])
        assert await file.get("a") == EVERYTHING[:1]
        assert await file.get("") == ()


async def test_conversations_are_listed_by_their_last_save_and_can_be_forgotten(path: Path) -> None:
    async with ConversationFile(path) as file:
        for id in ("a", "b", "a"):
            await file.save(id, EVERYTHING)
        assert set(await file.ids()) == {"a", "b"}
        await file.delete("a")
        await file.delete("never there")
        assert await file.ids() == ["b"]
        assert await file.get("a") is None


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of the folder there")
async def test_the_file_is_the_users_alone(path: Path) -> None:
    async with ConversationFile(path) as file:
        await file.save("a", EVERYTHING)
        files = list(path.parent.iterdir())
        assert path in files
        assert all(each.stat().st_mode & 0o077 == 0 for each in (path.parent, *files))


@pytest.mark.parametrize("row", [b"", b"{", b"[1]", b'[{"role": "user", "parts": [{"type": "new"}]}]', b"\xff\xfe"])
async def test_a_broken_conversation_is_an_error_for_itself_alone(path: Path, row: bytes) -> None:
    async with ConversationFile(path) as file:
        await file.save("good", EVERYTHING)
        await file.save("bad", EVERYTHING)
        damage(path, "UPDATE conversation SET messages = ? WHERE id = 'bad'", row)
        with pytest.raises(Damaged, match=r"cannot be read \('bad'"):
            await file.get("bad")
        assert await file.get("good") == EVERYTHING
        await file.save("bad", EVERYTHING)
        assert await file.get("bad") == EVERYTHING


async def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    async with ConversationFile(path) as file:
        await file.save("a", EVERYTHING)
    damage(path, f"PRAGMA user_version = {VERSION + 1}")
    async with ConversationFile(path) as file:
        with pytest.raises(TooNew):
            await file.get("a")


async def test_what_is_no_database_says_so_and_is_left_alone(path: Path) -> None:
    letter = b"a letter to grandmother " * 100
    put(path, letter)
    async with ConversationFile(path) as file:
        with pytest.raises(Damaged):
            await file.save("a", EVERYTHING)
    assert holds(path, letter)


async def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("no folder")
    async with ConversationFile(tmp_path / "a file" / "conversations.db") as file:
        with pytest.raises(StoreError, match="cannot be made"):
            await file.save("a", EVERYTHING)


async def test_a_closed_file_says_so(path: Path) -> None:
    file = ConversationFile(path)
    await file.save("a", EVERYTHING)
    await file.aclose()
    await file.aclose()
    with pytest.raises(Closed):
        await file.get("a")


async def test_many_at_once_do_not_disturb_each_other(path: Path) -> None:
    async with ConversationFile(path) as one, ConversationFile(path) as other:
        await asyncio.gather(*(file.save(f"{n}", EVERYTHING) for n in range(20) for file in (one, other)))
        found = await asyncio.gather(*(other.get(f"{n}") for n in range(20)))
    assert found == [EVERYTHING] * 20


WRITER = """
import asyncio, itertools, sys
from rillet import ChatMessage, ConversationFile

async def main(path):
    async with ConversationFile(path) as file:
        for n in itertools.count():
            await file.save("a", [ChatMessage.user(f"{n} " * 20_000)] * 3)
            print(n, flush=True)

asyncio.run(main(sys.argv[1]))
"""


def save_until_killed(path: Path, stop: int) -> None:
    """Let a process save again and again, and kill it somewhere in the save behind number ``stop``."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if int(line) == stop:
                child.kill()
                return
    raise AssertionError("it ended by itself")


async def test_a_process_that_is_killed_while_it_saves_leaves_a_whole_conversation(path: Path) -> None:
    for stop in (1, 2, 5):
        save_until_killed(path, stop)
        async with ConversationFile(path) as file:
            saved = await file.get("a")
        assert saved is not None
        assert len(saved) == 3
        assert len({message.text for message in saved}) == 1
        assert int(saved[0].text.split()[0]) >= stop


async def test_an_agent_goes_on_after_a_restart(path: Path) -> None:
    async with ConversationFile(path) as file:
        agent = Agent(ScriptedModel(calls(("c1", "look", "{}")), "I see."), conversation_store=file)
        first = await agent.stream("look", shelf(tool("look")), id="s")
    async with ConversationFile(path) as file:
        model = ScriptedModel("Again.", [ServerError("boom")])
        agent = Agent(model, conversation_store=file)
        second = await agent.ask("again", id="s")
        assert model.requests[0].messages == (*first.messages, ChatMessage.user("again"))
        with pytest.raises(ServerError):
            await agent.ask("and again", id="s")
        assert await file.get("s") == second.messages
