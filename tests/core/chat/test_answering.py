"""An answer is in the store, whatever becomes of it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.events import StreamEvent
from rillet.core.chat.answering import PENDING, Answering
from rillet.core.chat.desk import Desk
from rillet.core.chat.events import ChatEvent, Placed, Settled
from rillet.core.chat.plan import Plan
from rillet.core.errors import ServerError
from rillet.core.providers.provider import Provider
from rillet.core.store import chats, ledger, messages
from rillet.core.store.store import Store
from rillet.core.tools.tool import Tool, ToolContext, ToolResult
from rillet.core.types import (
    ChatMessage,
    Finished,
    ImagePart,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolResultPart,
    Usage,
    UsageDelta,
)
from rillet.core.types.suspension import Answer, Request
from support.scripted import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

PLAN = Plan(provider=Provider("p", "openai", "http://127.0.0.1:1/v1", default_model="m"), system_prompt="Be brief.")


class Tools:
    """A toolbox of these tools."""

    def __init__(self, *tools: Tool) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.specs = tuple(tool.spec for tool in tools)
        self.skills_prompt = ""

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name)

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        return await self._tools[name].run(args, ctx)


async def _picture(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    return ToolResult("a picture", images=(ImagePart(b"\x89PNG"),))


async def _asks(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    if ctx.answer is None:
        return ToolResult.suspended(Request(id="r", kind="question", prompt="Which?"))
    return ToolResult(f"told {(ctx.answer.data or {}).get('which')}")


PICTURE = Tool("picture", "Draws", {"type": "object"}, _picture)
ASKS = Tool("asks", "Asks", {"type": "object"}, _asks)


def call(name: str, id: str = "c1", index: int = 0) -> ToolCallDelta:
    return ToolCallDelta(index, id, name, "{}")


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[Store, int]]:
    """A store with a chat in which something was asked."""
    store = await Store.open(path / "rillet.db")
    try:
        chat = await store.write(chats.create)
        await store.write(messages.add, chat, None, ChatMessage.user("Q"))
        yield store, chat
    finally:
        await store.close()


def result_of(node: messages.Node) -> ToolResultPart:
    (part,) = node.message.parts
    assert isinstance(part, ToolResultPart)
    return part


def answering(
    store: Store, chat: int, model: ScriptedModel, *tools: Tool, tell: Callable[[ChatEvent], None] = lambda event: None
) -> Answering:
    return Answering(
        store, chat, PLAN, model=model, toolbox=Tools(*tools), tell=tell, price=lambda plan, model, usage: 0.5
    )


def test_every_message_of_a_run_with_tools_stands_in_the_tree(tmp_path: Path) -> None:
    async def go() -> tuple[list[messages.Node], list[ChatEvent], ledger.Spending]:
        model = ScriptedModel(
            [
                ReasoningDelta("Hm. "),
                TextDelta("I draw. "),
                call("picture"),
                UsageDelta(Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)),
                Finished("tool_calls", model="m-1"),
            ],
            [TextDelta("There."), Finished("stop", model="m-1")],
        )
        events: list[ChatEvent] = []
        async with opened(tmp_path) as (store, chat):
            answered = await answering(store, chat, model, PICTURE, tell=events.append).answer()
            line = await store.read(messages.path, chat)
            assert answered.ending == "done"
            assert answered.head == line[-1].id
            assert [message.role for message in model.requests[0].messages] == ["system", "user"]
            return line, events, await store.read(ledger.spent, chat)

    line, events, spent = asyncio.run(go())
    assert [node.message.role for node in line] == ["user", "assistant", "tool", "assistant"]
    assert (line[1].message.reasoning, line[1].message.text) == ("Hm. ", "I draw. ")
    assert line[1].message.tool_calls[0].name == "picture"
    assert result_of(line[2]).images == (ImagePart(b"\x89PNG"),)
    assert {node.status for node in line} == {"whole"}
    assert line[1].model == "m-1"
    assert line[1].details["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    assert (spent.answers, spent.cost) == (1, 0.5)
    places = [event.message_id for event in events if isinstance(event, Placed)]
    assert places == [node.id for node in line[1:]]
    assert [event.status for event in events if isinstance(event, Settled)] == ["whole", "whole"]


def test_what_a_stopped_answer_had_stays_and_is_marked(tmp_path: Path) -> None:
    async def go() -> messages.Node:
        model = ScriptedModel([TextDelta("Half "), TextDelta("an"), asyncio.Event()])
        async with opened(tmp_path) as (store, chat):
            texts: list[str] = []
            half = asyncio.Event()

            def tell(event: ChatEvent) -> None:
                if isinstance(event, StreamEvent) and event.delta:
                    texts.append(event.delta)
                    if len(texts) == 2:
                        half.set()

            task = asyncio.create_task(answering(store, chat, model, tell=tell).answer())
            await half.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return (await store.read(messages.path, chat))[-1]

    node = asyncio.run(go())
    assert (node.message.text, node.status) == ("Half an", "cancelled")


def test_what_a_failed_answer_had_stays_and_says_why(tmp_path: Path) -> None:
    async def go() -> messages.Node:
        model = ScriptedModel([TextDelta("Half"), ServerError("it broke")])
        async with opened(tmp_path) as (store, chat):
            with pytest.raises(ServerError):
                await answering(store, chat, model).answer()
            return (await store.read(messages.path, chat))[-1]

    node = asyncio.run(go())
    assert (node.message.text, node.status) == ("Half", "failed")
    assert node.details["error"]["kind"] == "server"
    assert "it broke" in node.details["error"]["message"]


CUT_SHORT: dict[str, tuple[messages.Status, dict[str, Any]]] = {
    "failed": ("failed", {}),
    "stopped": ("cancelled", {}),
    "program ended": ("incomplete", {}),
    "limit": ("whole", {"finish_reason": "length"}),
}


@pytest.mark.parametrize("how", CUT_SHORT)
def test_an_answer_that_broke_off_is_gone_on_with_where_it_stopped(how: str, tmp_path: Path) -> None:
    async def go() -> tuple[list[messages.Node], ScriptedModel]:
        model = ScriptedModel([TextDelta("nd."), Finished("stop")])
        async with opened(tmp_path) as (store, chat):
            (question,) = await store.read(messages.path, chat)
            status, details = CUT_SHORT[how]
            half = ChatMessage.assistant("The e")
            await store.write(messages.add, chat, question.id, half, status=status, details=details)
            answered = await answering(store, chat, model).answer()
            assert answered.ending == "done"
            return await store.read(messages.path, chat), model

    line, model = asyncio.run(go())
    assert [node.message.text for node in line] == ["Q", "The e", "nd."]
    *known, request = model.requests[0].messages[1:]
    assert [message.text for message in known] == ["Q", "The e"]
    assert (request.role, "exactly where it stopped" in request.text) == ("user", True)


@pytest.mark.parametrize("said", ["", "All of it."])
def test_an_answer_without_a_beginning_or_with_an_end_is_not_gone_on_with(said: str, tmp_path: Path) -> None:
    async def go() -> None:
        async with opened(tmp_path) as (store, chat):
            (question,) = await store.read(messages.path, chat)
            parts = ChatMessage.assistant(said) if said else ChatMessage("assistant", ())
            await store.write(
                messages.add, chat, question.id, parts, status="whole" if said else "cancelled", details={}
            )
            with pytest.raises(ValueError, match="nothing to answer"):
                await answering(store, chat, ScriptedModel()).answer()

    asyncio.run(go())


def test_an_answer_that_reached_its_limit_says_which(tmp_path: Path) -> None:
    async def go() -> None:
        async with opened(tmp_path) as (store, chat):
            model = ScriptedModel([TextDelta("The e"), Finished("length")])
            answered = await answering(store, chat, model).answer()
            assert (answered.ending, answered.limit) == ("incomplete", "max_tokens")

    asyncio.run(go())


def test_a_run_that_waits_is_kept_and_goes_on_in_another_process(tmp_path: Path) -> None:
    async def wait() -> tuple[int, int]:
        model = ScriptedModel([call("picture", "c1"), call("asks", "c2", 1), Finished("tool_calls")])
        async with opened(tmp_path) as (store, chat):
            answered = await answering(store, chat, model, PICTURE, ASKS).answer()
            assert answered.ending == "pending"
            assert answered.head is not None
            return chat, answered.head

    async def go_on(chat: int, head: int) -> list[messages.Node]:
        model = ScriptedModel([TextDelta("Fine."), Finished("stop")])
        store = await Store.open(tmp_path / "rillet.db")
        try:
            node = await store.read(messages.get, head)
            assert PENDING in node.details
            reply = Answer(id="r", ok=True, data={"which": "this"})
            answered = await answering(store, chat, model, PICTURE, ASKS).resume(node, reply)
            assert answered.ending == "done"
            return await store.read(messages.path, chat)
        finally:
            await store.close()

    chat, head = asyncio.run(wait())
    line = asyncio.run(go_on(chat, head))
    assert [node.message.role for node in line] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [result_of(node).output for node in line[2:4]] == ["a picture", "told this"]
    assert not any(PENDING in node.details for node in line)


def test_one_chat_has_one_answer_at_a_time_and_several_chats_have_several(tmp_path: Path) -> None:
    async def go() -> None:
        desk = await Desk.open(tmp_path / "rillet.db")
        models = {"p": ScriptedModel([asyncio.Event()], [asyncio.Event()])}
        desk.client = lambda provider: models[provider.id]  # type: ignore[assignment,method-assign,return-value]
        first = await desk.store.write(chats.create)
        second = await desk.store.write(chats.create)
        for chat in (first, second):
            await desk.store.write(messages.add, chat, None, ChatMessage.user("Q"))
        both = asyncio.Event()
        begun: list[ChatEvent] = []

        def tell(event: ChatEvent) -> None:
            if isinstance(event, StreamEvent):
                begun.append(event)
                if len(begun) == 2:
                    both.set()

        tasks = [asyncio.create_task(desk.answer(chat, PLAN, tell)) for chat in (first, second)]
        await both.wait()
        assert desk.answering == {first, second}
        with pytest.raises(ValueError, match="under way"):
            await desk.answer(first, PLAN, lambda event: None)
        await desk.aclose()
        assert all(task.cancelled() for task in tasks)

    asyncio.run(go())


def test_there_must_be_something_to_answer(tmp_path: Path) -> None:
    async def go() -> None:
        async with opened(tmp_path) as (store, _):
            empty = await store.write(chats.create)
            with pytest.raises(ValueError, match="nothing to answer"):
                await answering(store, empty, ScriptedModel()).answer()

    asyncio.run(go())
