"""From the store and back into it: whole or not at all, one run at a time, and within its time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.errors import ServerError, TimedOutError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, Finished, TextDelta, ToolCallPart
from support.scripted import Kind, ScriptedModel, calls, shelf, tool, until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.agent.events import StreamEvent

CALL = ("c1", "work", "{}")


class SlowStore(MemoryConversationStore):
    """Saves when it is let, as a file does on a thread: what it began it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.saving = asyncio.Event()

    async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
        self.saving.set()
        await self.gate.wait()
        await super().save(id, messages)


async def test_a_conversation_goes_on_under_its_id() -> None:
    model = ScriptedModel("Hi there.", "Still here.", "Who are you?")
    agent = Agent(model)
    first = await agent.ask("Hello", id="a")
    second = await agent.stream("Still there?", id="a")
    other = await agent.ask("Hello", id="b")
    assert second.messages[:2] == first.messages
    assert len(second.messages) == 4
    assert model.requests[1].messages == (*first.messages, ChatMessage.user("Still there?"))
    assert len(other.messages) == 2
    assert await agent.conversation_store.get("a") == second.messages
    assert (first.id, second.id, other.id) == ("a", "a", "b")


async def test_without_an_id_nothing_is_kept() -> None:
    store = MemoryConversationStore()
    agent = Agent(ScriptedModel("a", "b", "c"), conversation_store=store)
    await agent.ask("Hello")
    await agent.run("Hello")
    await agent.stream("Hello")
    assert store._conversations == {}


async def test_an_incomplete_run_is_saved_too() -> None:
    agent = Agent(ScriptedModel(calls(CALL)), max_turns=1)
    result = await agent.ask("go", shelf(tool("work")), id="a")
    assert result.status == "incomplete"
    assert await agent.conversation_store.get("a") == result.messages


async def test_it_is_saved_once_done_was_told() -> None:
    store = SlowStore()
    seen: list[StreamEvent] = []
    run = Agent(ScriptedModel("ok"), conversation_store=store).stream("go", id="a", on_event=seen.append)
    task = asyncio.ensure_future(run)
    await store.saving.wait()
    assert seen[-1].type is Kind.DONE
    store.gate.set()
    result = await task
    assert await store.get("a") == result.messages


async def test_a_failed_run_leaves_the_stored_conversation_as_it_was() -> None:
    agent = Agent(ScriptedModel("Hi.", calls(CALL), [TextDelta("Hel"), ServerError("boom")], "Again."))
    first = await agent.ask("Hello", id="a")
    with pytest.raises(ServerError) as caught:
        await agent.ask("and now?", shelf(tool("work")), id="a")
    assert "is as it was before" in caught.value.__notes__[0]
    assert await agent.conversation_store.get("a") == first.messages
    assert (await agent.ask("again", id="a")).repairs == ()


async def test_a_save_that_fails_fails_the_run_after_done() -> None:
    class Full(MemoryConversationStore):
        async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
            raise OSError("the disk is full")

    seen: list[StreamEvent] = []
    with pytest.raises(OSError, match="the disk is full"):
        await Agent(ScriptedModel("ok"), conversation_store=Full()).stream("go", id="a", on_event=seen.append)
    assert seen[-1].type is Kind.DONE


async def test_a_stop_during_the_save_waits_for_it() -> None:
    store = SlowStore()
    task = asyncio.create_task(Agent(ScriptedModel("ok"), conversation_store=store).ask("go", id="a"))
    await store.saving.wait()
    task.cancel()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done(), "a thread that writes cannot be called back"
    store.gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await store.get("a") is not None, "whole, and before the end of the task"


async def test_runs_of_one_conversation_follow_each_other() -> None:
    gate = asyncio.Event()
    model = ScriptedModel([gate, TextDelta("one"), Finished("stop")], "two", "three")
    agent = Agent(model)
    first = asyncio.create_task(agent.ask("1", id="a"))
    await until(lambda: model.open == 1)
    second = asyncio.create_task(agent.ask("2", id="a"))
    third = asyncio.create_task(agent.ask("3", id="a"))
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(model.requests) == 1
    gate.set()
    await asyncio.gather(first, second, third)
    saved = await agent.conversation_store.get("a")
    assert saved is not None
    assert [message.text for message in saved] == ["1", "one", "2", "two", "3", "three"]


async def test_a_failed_run_lets_the_next_one_in() -> None:
    agent = Agent(ScriptedModel([ServerError("boom")], "ok"))
    results = await asyncio.gather(agent.ask("1", id="a"), agent.ask("2", id="a"), return_exceptions=True)
    assert isinstance(results[0], ServerError)
    assert not isinstance(results[1], BaseException)


async def test_other_conversations_do_not_wait() -> None:
    gate = asyncio.Event()
    model = ScriptedModel([gate, Finished("stop")], "two")
    agent = Agent(model)
    first = asyncio.create_task(agent.ask("1", id="a"))
    await until(lambda: model.open == 1)
    await agent.ask("2", id="b")
    gate.set()
    await first


async def test_a_run_inside_a_run_of_the_same_conversation_is_refused_instead_of_hanging() -> None:
    agents: list[Agent] = []

    async def again(*_: object) -> ToolResult:
        return ToolResult((await agents[0].ask("inner", id="a")).text)

    agents.append(Agent(ScriptedModel(calls(CALL), "ok")))
    result = await agents[0].ask("outer", shelf(tool("work", again)), id="a")
    assert result.tool_calls[0].is_error
    assert "cannot wait for another one" in result.tool_calls[0].output


async def test_a_run_inside_a_run_of_another_conversation_works() -> None:
    agents: list[Agent] = []

    async def ask(*_: object) -> ToolResult:
        return ToolResult((await agents[0].ask("inner", id="b")).text)

    agents.append(Agent(ScriptedModel(calls(CALL), "from inside", "ok")))
    result = await agents[0].ask("outer", shelf(tool("work", ask)), id="a")
    assert result.tool_calls[0].output == "from inside"


async def test_a_broken_stored_conversation_is_repaired_not_refused() -> None:
    store = MemoryConversationStore()
    await store.save(
        "a",
        [
            ChatMessage.user("?"),
            ChatMessage.assistant("", ToolCallPart("c1", "work", '{"a')),
        ],
    )
    agent = Agent(ScriptedModel("ok"), conversation_store=store)
    seen: list[StreamEvent] = []
    result = await agent.stream("go on", id="a", on_event=seen.append)
    assert seen[0].type is Kind.REPAIRED
    assert result.repairs == seen[0].repairs
    assert await store.get("a") == result.messages


# Time


async def stuck(*_: object) -> ToolResult:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize(
    ("model", "toolkit"),
    [(ScriptedModel([asyncio.Event()]), None), (ScriptedModel(calls(CALL)), shelf(tool("work", stuck)))],
    ids=["model", "tool"],
)
async def test_a_run_that_takes_too_long_is_an_error_and_stops_everything(model: ScriptedModel, toolkit: Any) -> None:
    before = asyncio.all_tasks()
    agent = Agent(model, timeout=0.02)
    with pytest.raises(TimedOutError, match=r"within 0\.02 s"):
        await agent.ask("go", toolkit, id="a")
    assert model.open == 0
    assert asyncio.all_tasks() == before
    assert await agent.conversation_store.get("a") is None


async def test_a_timeout_of_somebody_else_is_not_the_runs() -> None:
    with pytest.raises(TimeoutError, match="the tap is dry"):
        await Agent(ScriptedModel([TimeoutError("the tap is dry")]), timeout=60).run("go")
