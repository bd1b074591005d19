"""The style against a server that speaks it for real: the built-in model behind llama.cpp's ``/v1/responses``."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import InvalidRequestError
from rillet.core.providers.local_model import local_provider
from rillet.core.providers.local_server import LocalServer
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    FilePart,
    Finished,
    ReasoningPart,
    TextDelta,
    ToolCallPart,
    ToolSpec,
)
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.providers.provider import Provider

pytestmark = pytest.mark.skipif(not LocalServer().is_available, reason=f"the built-in model: {LocalServer().missing}")

HELLO = ChatRequest([ChatMessage.system("Be brief."), ChatMessage.user("Say hello.")], max_tokens=12, temperature=0.0)


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    server = LocalServer()
    yield replace(local_provider(server), style="openai-responses")
    server.stop()


def test_text_streams_to_its_end_with_its_counts(provider: Provider) -> None:
    async def talk() -> None:
        async with AsyncLlmClient(provider) as client:
            deltas = [delta async for delta in client.stream(HELLO)]
        # llama.cpp closes the connection behind a stream without having said so; another client opens another one.
        async with AsyncLlmClient(provider) as client:
            whole = await client.chat(HELLO)
        streamed = fold(deltas)
        assert len([delta for delta in deltas if isinstance(delta, TextDelta)]) > 3
        assert isinstance(deltas[-1], Finished)
        assert streamed.text == whole.text != ""
        for response in (streamed, whole):
            assert response.finish_reason == "stop"
            assert response.usage is not None
            assert response.usage.completion_tokens == 12
            assert (response.usage.prompt_tokens or 0) > 12

    asyncio.run(talk())


def test_a_stream_can_be_left_and_the_next_one_begun(provider: Provider) -> None:
    async def talk() -> None:
        async with AsyncLlmClient(provider) as client:
            stream = client.stream(replace(HELLO, max_tokens=400))
            async for delta in stream:
                if isinstance(delta, TextDelta):
                    break
            await stream.aclose()
            assert (await client.chat(HELLO)).text

    asyncio.run(talk())


def test_a_whole_conversation_is_accepted(provider: Provider) -> None:
    """Everything that this server reads: text, files, thoughts in the clear, calls and their results, tools."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    messages = (
        ChatMessage.system("Be brief."),
        ChatMessage.user("Weather?", FilePart(b"Oslo", media_type="text/plain", name="city.txt")),
        ChatMessage.assistant("Looking.", ToolCallPart("call_1", "weather", '{"city": "Oslo"}')),
        ChatMessage.tool("call_1", "rain", is_error=True),
        ChatMessage(
            "assistant",
            (
                ReasoningPart("hm", provider_metadata={"responses": {"index": 0, "item": thought}}),
                *ChatMessage.assistant("It rains.").parts,
            ),
        ),
        ChatMessage.user("Thanks."),
    )
    weather = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})
    request = ChatRequest(
        messages, max_tokens=4, tools=[weather], tool_choice="auto", metadata={"a": "b"}, reasoning="low"
    )

    async def talk() -> None:
        async with AsyncLlmClient(provider) as client:
            assert (await client.chat(request)).text

    asyncio.run(talk())


def test_what_the_server_refuses_is_an_error_of_its_kind(provider: Provider) -> None:
    async def talk() -> None:
        async with AsyncLlmClient(provider) as client:
            file = FilePart(b"%PDF", media_type="application/pdf", name="a.pdf")
            with pytest.raises(InvalidRequestError, match="input_file"):
                await client.chat(ChatRequest([ChatMessage.user("Read", file)]))

    asyncio.run(talk())
