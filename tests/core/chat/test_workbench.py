"""Tools in a chat: asked about where they act, remembered as long as it was said, and never started unasked."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from rillet.core.agent.result import RunResult
from rillet.core.chat.answering import PENDING, Answering
from rillet.core.chat.desk import Desk
from rillet.core.chat.plan import Plan
from rillet.core.chat.workbench import GRANTS, ToolSettings
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, grants, messages
from rillet.core.types import ChatMessage, Finished, TextDelta, ToolCallDelta, ToolResultPart
from rillet.core.types.suspension import Answer, Request
from support.scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

PROVIDER = Provider("p", "openai", "http://127.0.0.1:1/v1", default_model="m")


def calling(name: str, arguments: dict[str, Any]) -> list[Any]:
    return [ToolCallDelta(0, "c1", name, json.dumps(arguments)), Finished("tool_calls")]


def saying(text: str) -> list[Any]:
    return [TextDelta(text), Finished("stop")]


class Chat:
    """A chat with a scripted model, in a folder."""

    def __init__(self, desk: Desk, folder: Path, model: ScriptedModel) -> None:
        self.desk = desk
        self.plan = Plan(provider=PROVIDER, tools=None, workspace=str(folder))
        self.model = model
        self.id = 0

    async def answering(self) -> Answering:
        return Answering(
            self.desk.store,
            self.id,
            self.plan,
            model=self.model,
            toolbox=await self.desk.bench.toolbox(self.plan),
            tell=lambda event: None,
            price=lambda plan, model, usage: None,
        )

    async def ask(self, text: str) -> messages.Node:
        """What the chat ends with once it was answered, or waits."""
        if not self.id:
            self.id = await self.desk.store.write(chats.create)
        line = await self.desk.store.read(messages.path, self.id)
        parent = line[-1].id if line else None
        await self.desk.store.write(messages.add, self.id, parent, ChatMessage.user(text))
        await (await self.answering()).answer()
        return await self.last()

    async def reply(self, node: messages.Node, **data: Any) -> messages.Node:
        answer = Answer(id=request_of(node).id, ok=bool(data), data=data or None)
        await (await self.answering()).resume(node, answer)
        return await self.last()

    async def last(self) -> messages.Node:
        return (await self.desk.store.read(messages.path, self.id))[-1]


def request_of(node: messages.Node) -> Request:
    pending = RunResult.from_json(node.details[PENDING].encode()).pending
    assert pending is not None
    return pending.request


def test_a_file_is_written_once_somebody_agreed_to_exactly_that(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    async def go() -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        model = ScriptedModel(calling("write", {"path": "a.txt", "content": "new\n"}), saying("Written."))
        chat = Chat(desk, folder, model)
        waiting = await chat.ask("Write a.txt")
        request = request_of(waiting)
        assert request.kind == "approval"
        assert request.data is not None
        assert request.data["tool"] == "write"
        assert "+new" in request.data["diff"]
        assert not (folder / "a.txt").exists()
        last = await chat.reply(waiting, scope="once")
        assert last.message.text == "Written."
        assert (folder / "a.txt").read_text() == "new\n"
        await desk.aclose()

    asyncio.run(go())


def test_what_was_refused_does_not_run_and_the_model_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()

    async def go() -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        chat = Chat(desk, folder, ScriptedModel(calling("write", {"path": "a", "content": "x"}), saying("Well.")))
        last = await chat.reply(await chat.ask("Write"))
        assert last.message.text == "Well."
        assert not (folder / "a").exists()
        (result,) = chat.model.requests[1].messages[-1].parts
        assert isinstance(result, ToolResultPart)
        assert result.is_error
        await desk.aclose()

    asyncio.run(go())


def test_a_grant_for_a_chat_holds_there_and_after_a_restart_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    write = calling("write", {"path": "a.txt", "content": "x"})

    async def grant() -> int:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        chat = Chat(desk, folder, ScriptedModel(write, saying("One.")))
        await chat.reply(await chat.ask("Write"), scope="chat")
        await desk.aclose()
        return chat.id

    async def use(id: int) -> None:
        desk = await Desk.open(tmp_path / "data" / "rillet.db")
        again = Chat(desk, folder, ScriptedModel(write, saying("Two.")))
        again.id = id
        assert (await again.ask("Once more")).message.text == "Two."
        elsewhere = Chat(desk, folder, ScriptedModel(write))
        assert PENDING in (await elsewhere.ask("Write")).details
        await desk.aclose()

    use_id = asyncio.run(grant())
    asyncio.run(use(use_id))


def test_a_damaged_book_of_grants_grants_nothing_and_says_so(tmp_path: Path) -> None:
    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        await desk.store.write(grants.keep, GRANTS, '{"version": 99}')
        await desk.aclose()
        desk = await Desk.open(tmp_path / "rillet.db")
        assert desk.bench.grants.grants() == ()
        assert "nothing is allowed" in desk.bench.problems[0]
        await desk.aclose()

    asyncio.run(go())


def test_a_server_starts_with_nothing_but_the_consent_to_exactly_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = [sys.executable, "-c", f"open({str(started)!r}, 'w')"]

    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        servers = {"mcpServers": {"s": {"command": command[0], "args": command[1:]}}}
        await desk.bench.configure(ToolSettings(servers=servers))
        toolbox = await desk.bench.toolbox(Plan(provider=PROVIDER, tools=None))
        assert toolbox is not None
        assert not started.exists()
        (consent,) = desk.bench.servers.asked
        await desk.bench.approve(consent.digest)
        assert started.exists()
        await desk.aclose()

    asyncio.run(go())


def test_a_tool_that_is_off_is_neither_told_of_nor_run(tmp_path: Path) -> None:
    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        await desk.bench.configure(ToolSettings(off=frozenset({"question"})))
        toolbox = await desk.bench.toolbox(Plan(provider=PROVIDER, tools=None))
        assert toolbox is not None
        assert "question" not in {spec.name for spec in toolbox.specs}
        assert toolbox.find("question") is None
        assert await desk.bench.toolbox(Plan(provider=PROVIDER)) is None
        await desk.aclose()

    asyncio.run(go())
