"""A conversation that remembers what was said, in the order in which it was said."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.errors import ServerError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, Finished, TextDelta
from rillet.core.types.suspension import Answer, Request
from support.scripted import ScriptedModel, calls, shelf, tool, until

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent


async def test_each_prompt_goes_on_where_the_last_one_ended() -> None:
    model = ScriptedModel("Hi.", "Still here.")
    chat = Agent(model).conversation()
    assert chat.messages == ()
    first = await chat.send("Hello")
    assert chat.messages == first.messages
    second = await chat.send("Still there?")
    assert model.requests[1].messages == (*first.messages, ChatMessage.user("Still there?"))
    assert chat.messages == second.messages


async def test_its_tools_are_those_it_was_made_with() -> None:
    toolkit = shelf(tool("work"))
    chat = Agent(ScriptedModel(calls(("c1", "work", "{}")), "ok")).conversation(toolkit)
    await chat.send("go")
    assert len(toolkit.called) == 1


async def test_it_can_be_watched() -> None:
    seen: list[StreamEvent] = []
    result = await Agent(ScriptedModel("Hi.")).conversation().send("Hello", seen.append)
    assert seen[-1].result is result


async def test_what_failed_was_not_said() -> None:
    chat = Agent(ScriptedModel("Hi.", [TextDelta("Hel"), ServerError("boom")])).conversation()
    first = await chat.send("Hello")
    with pytest.raises(ServerError):
        await chat.send("And?")
    assert chat.messages == first.messages


async def test_it_can_forget() -> None:
    model = ScriptedModel("Hi.", "Who?")
    chat = Agent(model).conversation()
    await chat.send("Hello")
    chat.reset()
    assert chat.messages == ()
    await chat.send("Hello")
    assert model.requests[1].messages == (ChatMessage.user("Hello"),)


async def test_prompts_are_answered_one_after_the_other() -> None:
    gate = asyncio.Event()
    model = ScriptedModel([gate, TextDelta("one"), Finished("stop")], "two")
    chat = Agent(model).conversation()
    first = asyncio.create_task(chat.send("1"))
    await until(lambda: model.open == 1)
    second = asyncio.create_task(chat.send("2"))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, second)
    assert [message.text for message in chat.messages] == ["1", "one", "2", "two"]


def ask(_: object, ctx: Any) -> ToolResult:
    if ctx.answer is None:
        return ToolResult.suspended(Request(id="q", kind="question", prompt="which?"))
    return ToolResult("answered")


async def test_what_waits_can_be_answered() -> None:
    toolkit = shelf(tool("ask", ask))
    chat = Agent(ScriptedModel(calls(("c1", "ask", "{}")), "ok")).conversation(toolkit)
    waiting = await chat.send("go")
    assert waiting.status == "pending"
    result = await chat.resume(waiting, Answer(id="q", ok=True))
    assert result.status == "done"
    assert chat.messages == result.messages


async def test_a_late_answer_is_refused() -> None:
    toolkit = shelf(tool("ask", ask))
    chat = Agent(ScriptedModel(calls(("c1", "ask", "{}")), "ok")).conversation(toolkit)
    waiting = await chat.send("go")
    await chat.send("never mind")
    with pytest.raises(ValueError, match="has gone on"):
        await chat.resume(waiting, Answer(id="q", ok=True))
