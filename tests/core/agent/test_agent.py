"""The agent over HTTP: the three examples of the specification, every style, and what is sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from rillet import Agent, RetryPolicy, StreamEvent, Tool, Toolkit
from rillet.core.agent.hooks import Hooks, Replacement
from rillet.core.errors import NetworkError, TimedOutError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.retry import RetryPolicy as Policy
from rillet.core.types import ChatMessage, ChatRequest, ChatResponse, ToolCallPart, ToolResultPart, ToolSpec
from support.answers import Answer, Call, base_path, frames, media_type
from support.fake_server import FakeServer, Script, close, reset, respond, sse, stream
from support.scripted import Kind, ScriptedModel, calls, of_kind

STYLES = ("openai", "openai-responses", "anthropic", "gemini", "ollama")
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def weather() -> Tool:
    return Tool.native("get_weather", "Current weather for a city", SCHEMA, lambda args: f"sunny in {args['city']}")


def agent_of(server: FakeServer, **options: Any) -> Agent:
    return Agent.create(base_url=server.url, model="test-model", api_key="test-key", **options)


def text_chunk(text: str) -> bytes:
    return sse({"choices": [{"delta": {"content": text}}]})


# The examples of the specification


async def test_the_smallest_useful_call() -> None:
    script = stream(text_chunk("Hel"), text_chunk("lo!"), sse("[DONE]"))
    with FakeServer(script) as server:
        async with agent_of(server) as agent, Toolkit(builtins=False) as toolkit:
            deltas: list[str] = []

            def on_event(event: StreamEvent) -> None:
                if event.type is StreamEvent.Kind.TEXT:
                    deltas.append(event.delta)

            result = await agent.stream("Say hello", toolkit, on_event)
    assert deltas == ["Hel", "lo!"]
    assert result.text == "Hello!"
    assert server.requests[0].path == "/chat/completions"
    assert server.requests[0].headers["authorization"] == "Bearer test-key"
    assert server.requests[0].json["model"] == "test-model"


async def test_a_streamed_tool_call() -> None:
    function = {"name": "get_weather", "arguments": '{"city":"Chennai"}'}
    call = {"tool_calls": [{"index": 0, "id": "call_1", "function": function}]}
    first = stream(sse({"choices": [{"delta": call}]}), sse("[DONE]"))
    second = stream(text_chunk("It is sunny in Chennai."), sse("[DONE]"))
    with FakeServer(first, second) as server:
        async with agent_of(server) as agent, Toolkit(builtins=False, extra_tools=[weather()]) as toolkit:
            events: list[StreamEvent] = []
            result = await agent.stream("weather in Chennai?", toolkit, events.append)
    assert [event.name for event in of_kind(events, Kind.TOOL_CALL)] == ["get_weather"]
    assert [event.output for event in of_kind(events, Kind.TOOL_RESULT)] == ["sunny in Chennai"]
    assert result.text == "It is sunny in Chennai."
    assert len(server.requests) == 2


async def test_memory_by_id_usage_and_done() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    scripts = [stream(text_chunk(text), sse({"usage": usage}), sse("[DONE]")) for text in ("Hi there.", "Still here.")]
    with FakeServer(*scripts) as server:
        async with agent_of(server) as agent, Toolkit(builtins=False) as toolkit:
            first_events: list[StreamEvent] = []
            first = await agent.stream("Hello", toolkit, first_events.append, "session-1")
            second_events: list[StreamEvent] = []
            second = await agent.stream("Still there?", toolkit, second_events.append, "session-1")
            saved = await agent.conversation_store.get("session-1")
    told = [event.usage.total_tokens for event in of_kind(first_events, Kind.USAGE) if event.usage]
    assert told == [5]
    assert second_events[-1].type is Kind.DONE
    assert second_events[-1].result is second
    assert second.text == "Still here."
    assert len(second.messages) > len(first.messages)
    assert saved == second.messages


# Every style


def served(style: str, answer: Answer) -> Script:
    return stream(*(frame.data for frame in frames(style, answer)), headers={"Content-Type": media_type(style)})


@pytest.mark.parametrize("style", STYLES)
async def test_the_loop_is_the_same_over_every_style(style: str) -> None:
    call = Call("call_1", "get_weather", ('{"city": ', '"Chennai"}'))
    first = Answer(("Let me ", "look."), call)
    with FakeServer(served(style, first), served(style, Answer(("It is ", "sunny.")))) as server:
        base_url = server.url + base_path(style)
        agent = Agent.create(base_url=base_url, style=style, model="test-model", api_key="k", system_prompt="Be brief.")
        async with agent, Toolkit(builtins=False, extra_tools=[weather()]) as toolkit:
            events = [event async for event in agent.stream("weather?", toolkit)]
    result = events[-1].result
    assert result is not None
    assert result.text == "It is sunny."
    assert [record.args for record in result.tool_calls] == [{"city": "Chennai"}]
    assert [record.output for record in result.tool_calls] == ["sunny in Chennai"]
    text = "".join(event.delta for event in of_kind(events, Kind.TEXT))
    assert text == "Let me look.It is sunny."
    arguments = "".join(event.delta for event in of_kind(events, Kind.TOOL_CALL_DELTA))
    assert json.loads(arguments) == {"city": "Chennai"}
    assert result.usage is not None
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (14, 10)
    first_body, second_body = (request.json for request in server.requests)
    assert "get_weather" in repr(first_body["tools"])
    assert "Be brief." in repr(first_body)
    assert "sunny in Chennai" in repr(second_body)
    assert "sunny in Chennai" not in repr(first_body)


@pytest.mark.parametrize("ending", [(close,), (reset,), ()], ids=["close", "reset", "orderly"])
@pytest.mark.parametrize("style", STYLES)
async def test_no_call_runs_of_an_answer_that_breaks_off(style: str, ending: tuple[Script, ...]) -> None:
    ran: list[dict[str, Any]] = []
    look = Tool.native("get_weather", "Current weather for a city", SCHEMA, ran.append)
    sent = frames(style, Answer(("Hm. ",), Call("c1", "get_weather", ('{"city": ', '"X"}'))))
    named = next(place for place, frame in enumerate(sent) if b"get_weather" in frame.data)
    finished = next(place for place, frame in enumerate(sent) if frame.role == "finish")
    for place in range(named, finished + 1):
        pieces = [frame.data for frame in sent[:place]]
        half = sent[place].data[: len(sent[place].data) // 2]
        script = stream(*pieces, half, *ending, headers={"Content-Type": media_type(style)})
        with FakeServer(script) as server:
            agent = Agent.create(base_url=server.url + base_path(style), style=style, model="m", api_key="k")
            async with agent, Toolkit(builtins=False, extra_tools=[look]) as toolkit:
                with pytest.raises(NetworkError) as caught:
                    await agent.run("weather?", toolkit)
        assert ran == []
        assert len(server.requests) == 1
        assert caught.value.partial is not None
        assert (caught.value.partial.text, caught.value.partial.incomplete) == ("Hm. ", True)


@pytest.mark.parametrize("style", STYLES)
async def test_without_tools_the_body_has_no_key_for_them(style: str) -> None:
    with FakeServer(served(style, Answer(("Hi.",)))) as server:
        agent = Agent.create(base_url=server.url + base_path(style), style=style, model="m", api_key="k")
        async with agent, Toolkit(builtins=False) as toolkit:
            await agent.run("hello", toolkit)
    assert "tools" not in server.requests[0].json
    assert "tool_choice" not in server.requests[0].json


# What is sent


async def test_request_params_come_last_but_replace_no_messages_tools_or_stream() -> None:
    wanted = {"temperature": 0.1, "top_k": 7, "messages": [], "tools": [], "stream": False, "model": "other"}
    script = stream(text_chunk("ok"), sse("[DONE]"))
    with FakeServer(script) as server:
        base = ChatRequest((), temperature=0.9)
        async with agent_of(server, request_params=wanted, base_request=base) as agent:
            await agent.run("hello", Toolkit(builtins=False, extra_tools=[weather()]))
            await agent.translate(ChatRequest([ChatMessage.user("hello")], temperature=0.5))
    for request in server.requests:
        assert request.json["temperature"] == 0.1
        assert request.json["top_k"] == 7
        assert request.json["stream"] is True
        assert request.json["messages"] == [{"role": "user", "content": "hello"}]
        assert request.json["model"] == "other"
    assert server.requests[0].json["tools"][0]["function"]["name"] == "get_weather"


async def test_the_body_can_be_transformed_as_the_last_thing() -> None:
    def transform(body: dict[str, Any]) -> dict[str, Any]:
        return body | {"top_k": body["top_k"] + 1}

    with FakeServer(stream(text_chunk("ok"), sse("[DONE]"))) as server:
        async with agent_of(server, body_transform=transform, request_params={"top_k": 7}) as agent:
            await agent.run("hello")
    assert server.requests[0].json["top_k"] == 8


async def test_the_transport_can_be_injected() -> None:
    body = b"".join([text_chunk("from nowhere"), sse("[DONE]")])
    headers = {"Content-Type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body, headers=headers))
    async with Agent.create(base_url="http://nowhere.invalid", model="m", transport=transport) as agent:
        assert (await agent.run("hello")).text == "from nowhere"


async def test_how_the_network_is_reached_can_be_said() -> None:
    network = NetworkProfile(proxy=None, headers={"X-Gateway": "canary"})
    with FakeServer(stream(text_chunk("ok"), sse("[DONE]"))) as server:
        async with agent_of(server, network=network) as agent:
            await agent.run("hello")
    assert server.requests[0].headers["x-gateway"] == "canary"


async def test_retries_are_the_clients_and_are_told() -> None:
    busy = respond(503, {"error": {"message": "busy"}})
    with FakeServer(busy, busy, stream(text_chunk("ok"), sse("[DONE]"))) as server:
        async with agent_of(server, retry=Policy(base=0.0)) as agent:
            events = [event async for event in agent.stream("hello")]
    assert [(event.attempt, event.error and event.error.status) for event in of_kind(events, Kind.RETRY)] == [
        (2, 503),
        (3, 503),
    ]
    assert len(server.requests) == 3


async def test_retries_can_be_switched_off() -> None:
    with FakeServer(respond(503, {"error": {"message": "busy"}})) as server:
        async with agent_of(server, retry=RetryPolicy.none()) as agent:
            with pytest.raises(Exception, match="busy"):
                await agent.run("hello")
    assert len(server.requests) == 1


def test_an_unknown_style_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="unknown style"):
        Agent.create(base_url="http://127.0.0.1:1", style="esperanto", model="m")


async def test_a_client_that_was_given_is_left_open() -> None:
    closed: list[bool] = []

    class Model(ScriptedModel):
        async def aclose(self) -> None:
            closed.append(True)

    async with Agent(Model("ok")) as agent:
        await agent.run("hello")
    assert closed == []


# One call without the loop


async def test_translate_is_one_call_and_runs_no_tool() -> None:
    call = ("c1", "get_weather", '{"city": "X"}')
    model = ScriptedModel(calls(call))
    spec = ToolSpec("get_weather", "d", SCHEMA)
    response = await Agent(model, system_prompt="not sent").translate(
        ChatRequest([ChatMessage.user("hello")], tools=[spec], temperature=0.3)
    )
    assert isinstance(response, ChatResponse)
    assert response.tool_calls == (ToolCallPart(*call),)
    [request] = model.requests
    assert request.messages == (ChatMessage.user("hello"),)
    assert (request.tools, request.temperature) == ((spec,), 0.3)


async def test_hooks_around_model_calls_see_translate_too() -> None:
    seen: list[str] = []
    hooks = Hooks(
        before_llm=lambda messages, *_: Replacement([ChatMessage.user("[redacted]")]),
        after_llm=lambda response, *_: seen.append(response.text),
    )
    model = ScriptedModel("ok")
    await Agent(model, hooks=hooks).translate(ChatRequest([ChatMessage.user("secret")]))
    assert model.requests[0].messages == (ChatMessage.user("[redacted]"),)
    assert seen == ["ok"]


async def test_translate_takes_no_longer_than_a_run_may() -> None:
    with pytest.raises(TimedOutError):
        await Agent(ScriptedModel([asyncio.Event()]), timeout=0.01).translate(ChatRequest([ChatMessage.user("?")]))


async def test_a_real_toolkit_judges_and_validates_each_call() -> None:
    wanted = [("c1", "get_weather", '{"city": 5}'), ("c2", "get_weather", '{"city": "X"}')]
    async with Toolkit(builtins=False, extra_tools=[weather()]) as toolkit:
        result = await Agent(ScriptedModel(calls(*wanted), "ok")).run("?", toolkit)
    parts = [part for message in result.messages for part in message.parts if isinstance(part, ToolResultPart)]
    assert [part.is_error for part in parts] == [True, False]
