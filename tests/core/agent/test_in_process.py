"""A function of the host in the place of a provider."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    ChatResponse,
    Delta,
    Finished,
    ImagePart,
    ReasoningPart,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
    Usage,
)
from support.scripted import Kind, of_kind, shelf, tool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rillet.core.agent.in_process import Reply

CALL = ToolCallPart("c1", "work", '{"n": 1}', provider_metadata={"kept": True})


async def test_a_plain_function_answers_on_a_thread_of_its_own() -> None:
    threads: list[int] = []

    def generate(request: ChatRequest) -> str:
        threads.append(threading.get_ident())
        return f"you said {request.messages[-1].text}"

    result = await Agent.in_process(generate, "mine").run("hello")
    assert result.text == "you said hello"
    assert (result.model, result.finish_reason, result.status) == ("mine", "stop", "done")
    assert threads != [threading.get_ident()]


async def test_a_coroutine_function_answers() -> None:
    async def generate(_: ChatRequest) -> ChatMessage:
        return ChatMessage.assistant("hi")

    assert (await Agent.in_process(generate, "mine").run("hello")).text == "hi"


async def test_an_answer_may_come_in_pieces() -> None:
    async def generate(_: ChatRequest) -> AsyncIterator[str | Delta]:
        yield "one "
        yield TextDelta("two")

    events = [event async for event in Agent.in_process(generate, "mine").stream("hello")]
    assert [event.delta for event in of_kind(events, Kind.TEXT)] == ["one ", "two"]
    assert events[-1].result is not None
    assert events[-1].result.finish_reason == "stop"


async def test_pieces_may_be_a_call_and_their_own_end() -> None:
    turns: list[int] = []

    async def generate(_: ChatRequest) -> AsyncIterator[Delta]:
        turns.append(1)
        if len(turns) == 1:
            yield ToolCallDelta(0, "c1", "work", "{}")
        else:
            yield TextDelta("done")
            yield Finished("length", "mine")
            yield TextDelta("never seen")

    toolkit = shelf(tool("work"))
    result = await Agent.in_process(generate, "mine").run("go", toolkit)
    assert len(toolkit.called) == 1
    assert (result.text, result.limit) == ("done", "max_tokens")


async def test_a_whole_message_keeps_everything() -> None:
    signed = ReasoningPart("hm", provider_metadata={"signature": "s"})
    image = ImagePart(b"png")
    answer = ChatMessage("assistant", (signed, TextPart("see"), image, CALL))
    replies: list[Reply] = [ChatResponse(answer, usage=Usage(prompt_tokens=1)), ChatMessage.assistant("done")]
    toolkit = shelf(tool("work"))
    result = await Agent.in_process(lambda _: replies.pop(0), "mine").run("go", toolkit)
    assert result.messages[1].parts == (signed, TextPart("see"), image, CALL)
    assert result.usage == Usage(prompt_tokens=1)
    assert toolkit.called[0][1] == {"n": 1}


async def test_a_function_that_returns_a_coroutine_is_awaited() -> None:
    async def later() -> str:
        return "later"

    generate: Any = lambda _: later()  # noqa: E731 (no coroutine function, yet it gives a coroutine)
    assert (await Agent.in_process(generate, "mine").run("hello")).text == "later"


async def test_a_generator_ends_when_the_run_is_stopped() -> None:
    ended: list[bool] = []

    async def generate(_: ChatRequest) -> AsyncIterator[str]:
        try:
            yield "one"
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async with Agent.in_process(generate, "mine").stream("hello") as run:
        async for event in run:
            if event.type is Kind.TEXT:
                break
        assert ended == []
        await run.aclose()
        assert ended == [True], "at once, not when it is collected"


async def test_what_it_raises_ends_the_run() -> None:
    def generate(_: ChatRequest) -> str:
        raise LookupError("out of words")

    with pytest.raises(LookupError, match="out of words"):
        await Agent.in_process(generate, "mine").run("hello")


async def test_an_answer_that_is_none_says_how_pieces_are_yielded() -> None:
    def pieces(request: ChatRequest) -> Any:
        yield "a"

    with pytest.raises(TypeError, match=r"cannot be a generator: return a text .* from an async def"):
        await Agent.in_process(pieces, "mine").run("go")


async def test_it_takes_the_options_of_any_agent() -> None:
    requests: list[ChatRequest] = []

    async def generate(request: ChatRequest) -> str:
        requests.append(request)
        return "ok"

    await Agent.in_process(generate, "mine", system_prompt="Be brief.").run("hello")
    assert requests[0].messages[0] == ChatMessage.system("Be brief.")
