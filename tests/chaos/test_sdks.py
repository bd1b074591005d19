"""The official SDKs read our server's good answers: so it is right where it is good, and what it breaks is broken."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai

from chaos.behaviour import ANSWER, body
from support.answers import whole
from support.asking import KEY
from support.fake_server import FakeServer, respond

ASKED: list[Any] = [{"role": "user", "content": "Weather in Tromsø?"}]
assert ANSWER.call is not None
CALL = (ANSWER.call.id, ANSWER.call.name, ANSWER.call.arguments)


def streaming(style: str) -> FakeServer:
    good = body(style)
    return FakeServer(good.stream(*(frame.data for frame in good.frames)))


def at_once(style: str) -> FakeServer:
    return FakeServer(respond(200, whole(style, ANSWER)))


def openai_client(server: FakeServer) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0)


def anthropic_client(server: FakeServer) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=server.url, api_key=KEY, max_retries=0)


async def test_a_stream_of_chat_completions() -> None:
    text, arguments, id, name, counts, reason = "", "", "", "", (0, 0), ""
    with streaming("openai") as server:
        async with openai_client(server) as client:
            async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True):
                if chunk.usage:
                    counts = chunk.usage.prompt_tokens, chunk.usage.completion_tokens
                for choice in chunk.choices:
                    text += choice.delta.content or ""
                    reason = choice.finish_reason or reason
                    for call in choice.delta.tool_calls or ():
                        assert call.function is not None
                        id, name = call.id or id, call.function.name or name
                        arguments += call.function.arguments or ""
    assert (text, counts, reason) == (ANSWER.text, ANSWER.counts, "tool_calls")
    assert (id, name, json.loads(arguments)) == CALL


async def test_a_whole_chat_completion() -> None:
    with at_once("openai") as server:
        async with openai_client(server) as client:
            answer = await client.chat.completions.create(model="m", messages=ASKED)
    message = answer.choices[0].message
    assert message.content == ANSWER.text
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == ANSWER.counts
    assert message.tool_calls is not None
    call: Any = message.tool_calls[0]
    assert (call.id, call.function.name, json.loads(call.function.arguments)) == CALL


def check_response(response: Any) -> None:
    assert response.output_text == ANSWER.text
    assert (response.usage.input_tokens, response.usage.output_tokens) == ANSWER.counts
    call = response.output[-1]
    assert (call.call_id, call.name, json.loads(call.arguments)) == CALL


async def test_a_stream_of_responses() -> None:
    with streaming("openai-responses") as server:
        async with openai_client(server) as client, client.responses.stream(model="m", input="Weather?") as stream:
            deltas = [event.delta async for event in stream if event.type == "response.output_text.delta"]
            check_response(await stream.get_final_response())
    assert deltas == list(ANSWER.texts)


async def test_a_whole_response() -> None:
    with at_once("openai-responses") as server:
        async with openai_client(server) as client:
            check_response(await client.responses.create(model="m", input="Weather?"))


def check_message(message: anthropic.types.Message) -> None:
    text, call = message.content
    assert text.type == "text"
    assert text.text == ANSWER.text
    assert call.type == "tool_use"
    assert (call.id, call.name, call.input) == CALL
    assert (message.usage.input_tokens, message.usage.output_tokens) == ANSWER.counts
    assert message.stop_reason == "tool_use"


async def test_a_stream_of_messages() -> None:
    with streaming("anthropic") as server:
        async with (
            anthropic_client(server) as client,
            client.messages.stream(model="m", max_tokens=100, messages=ASKED) as stream,
        ):
            assert [text async for text in stream.text_stream] == list(ANSWER.texts)
            check_message(await stream.get_final_message())


async def test_a_whole_message() -> None:
    with at_once("anthropic") as server:
        async with anthropic_client(server) as client:
            check_message(await client.messages.create(model="m", max_tokens=100, messages=ASKED))
