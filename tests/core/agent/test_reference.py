"""What the reference implementation of the loop gets wrong, over real sockets: each of it is right here.

What it gets wrong in its tools is tested beside ours (``core/tools``).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from rillet import Agent, Toolkit, tool
from rillet.core.errors import InvalidRequestError, LlmError, NetworkError, OverloadedError, RateLimitError
from support.fake_server import (
    FakeServer,
    Script,
    close,
    hold,
    redirect,
    reset,
    respond,
    sse,
    sse_chunk,
    sse_end,
    sse_text,
    sse_tool_call,
    stream,
)
from support.scripted import Kind, of_kind

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent

KEY = "sk-canary-0123456789"


def agent_of(server: FakeServer, **options: Any) -> Agent:
    return Agent.create(base_url=f"{server.url}/v1", model="m", api_key=KEY, **options)


@pytest.mark.parametrize("count", [1_000, 5_000, 20_000])
async def test_a_burst_of_deltas_is_delivered_whole(count: int) -> None:
    words = [f"{n} " for n in range(count)]
    with FakeServer(stream(sse_text(*words), sse_end())) as server:
        async with agent_of(server) as agent:
            run = agent.stream("hi")
            texts = [event.delta async for event in run if event.type is Kind.TEXT]
            assert texts == words
            assert (await run).text == "".join(words)


async def test_a_consumer_that_pauses_while_the_answer_goes_on_loses_nothing() -> None:
    words = [f"{n} " for n in range(600)]
    with FakeServer(stream(*(sse_text(word) for word in words), sse_end())) as server:
        async with agent_of(server) as agent:
            run = agent.stream("hi")
            texts: list[str] = []
            async for event in run:
                if event.type is Kind.TEXT:
                    texts.append(event.delta)
                    if len(texts) == 1:
                        await run  # a pause of the whole rest of the answer
            assert texts == words


@pytest.mark.parametrize("before", [b"", sse_text("Hello")], ids=["before the first byte", "in the middle"])
async def test_stopping_a_stream_that_stalls_needs_nothing_from_the_server(before: bytes) -> None:
    script: Script = stream(before, hold) if before else hold
    with FakeServer(script) as server:
        async with agent_of(server) as agent:
            task = asyncio.ensure_future(agent.stream("hi"))
            assert await asyncio.to_thread(server.wait_requests)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(server.wait_closed)


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        (stream(sse_text("Hel"), sse({"error": {"message": "overloaded", "code": 529}})), OverloadedError),
        (stream(sse_text("Hel"), close), NetworkError),
        (stream(sse_text("Hel"), reset), NetworkError),
        (stream(sse_text("Hel")), NetworkError),
    ],
    ids=["an error in the stream", "an early close", "a reset", "an end without the end"],
)
async def test_an_answer_that_breaks_off_is_an_error_and_not_done(ending: Script, kind: type[LlmError]) -> None:
    seen: list[StreamEvent] = []
    with FakeServer(ending) as server:
        async with agent_of(server) as agent:
            with pytest.raises(kind) as caught:
                await agent.stream("hi", on_event=seen.append, id="s")
            assert await agent.conversation_store.get("s") is None
    assert [event.type for event in seen] == [Kind.TURN, Kind.TEXT]
    assert caught.value.partial is not None
    assert caught.value.partial.text == "Hel"
    assert len(server.requests) == 1, "nothing is sent again once a byte of the answer came"


@pytest.mark.parametrize(
    "rest",
    [
        [sse_tool_call(0, '{"path": "/tmp/a", "con'), sse_end("length")],
        [sse_tool_call(0, '{"path": "/tmp/a", "con'), sse_end("tool_calls")],
        [sse_end("length")],
        [sse_tool_call(0, '{"path": "/tmp/a"}'), sse_end("length")],
    ],
    ids=["cut by the limit", "broken but called whole", "cut before the arguments", "whole before the limit"],
)
async def test_arguments_that_were_cut_never_run(rest: list[bytes]) -> None:
    ran: list[str] = []

    @tool
    def write(path: str = "", content: str = "") -> str:
        """Write a file."""
        ran.append(path)
        return "written"

    first = stream(sse_tool_call(0, "", id="c1", name="write"), *rest)
    seen: list[StreamEvent] = []
    with FakeServer(first, stream(sse_text("Sorry."), sse_end())) as server:
        async with agent_of(server) as agent, Toolkit(extra_tools=[write]) as toolkit:
            result = await agent.stream("write", toolkit, seen.append)
    assert ran == []
    [ended] = of_kind(seen, Kind.TOOL_RESULT)
    assert ended.is_error
    assert "truncated" in ended.output
    assert result.text == "Sorry."
    back = server.requests[1].json["messages"][-1]
    assert (back["role"], back["tool_call_id"]) == ("tool", "c1")
    assert "truncated" in back["content"]


async def test_arguments_cut_by_a_broken_connection_never_run() -> None:
    ran: list[str] = []

    @tool
    def write(path: str = "") -> str:
        """Write a file."""
        ran.append(path)
        return "written"

    with FakeServer(stream(sse_tool_call(0, '{"pa', id="c1", name="write"), close)) as server:
        async with agent_of(server) as agent, Toolkit(extra_tools=[write]) as toolkit:
            with pytest.raises(NetworkError):
                await agent.run("write", toolkit)
    assert ran == []


async def test_a_server_that_asks_to_wait_a_day_is_an_error_that_says_so() -> None:
    busy = respond(429, {"error": {"message": "slow down"}}, {"Retry-After": "86400"})
    with FakeServer(busy) as server:
        async with agent_of(server) as agent:
            with pytest.raises(RateLimitError) as caught:
                await agent.run("hi")
    assert len(server.requests) == 1
    assert "24 hours" in caught.value.user_message


async def test_a_redirect_gets_neither_the_request_nor_the_key() -> None:
    with FakeServer(stream(sse_text("got you"), sse_end())) as thief, FakeServer(redirect(f"{thief.url}/v1")) as server:
        async with agent_of(server) as agent:
            with pytest.raises(InvalidRequestError):
                await agent.run("hi")
    assert thief.requests == []
    assert thief.accepted == 0


async def test_an_empty_answer_and_an_empty_delta_are_no_trouble() -> None:
    script = stream(sse_chunk({"content": ""}), sse_chunk({}), sse_end())
    with FakeServer(script) as server:
        async with agent_of(server) as agent:
            result = await agent.run("hi")
    assert (result.text, result.status) == ("", "done")
