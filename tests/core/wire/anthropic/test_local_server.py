"""The real thing: the built-in server speaks this style at ``/v1/messages``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import InvalidRequestError
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.local_server import LocalServer
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, ImagePart, TextDelta, UsageDelta
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.types import ChatResponse, Delta

COUNT = ChatMessage.user("Count: one two three four five six")


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    server = LocalServer()
    if not server.is_available:
        pytest.skip(f"the built-in model: {server.missing}")
    profile = NetworkProfile(proxy=None)
    yield Provider("local", "anthropic", "", default_model="m", network=profile, server=server)
    server.stop()


def stream(provider: Provider, request: ChatRequest) -> list[Delta]:
    async def ask() -> list[Delta]:
        async with AsyncLlmClient(provider) as client:
            return [delta async for delta in client.stream(request)]

    return asyncio.run(ask())


def chat(provider: Provider, request: ChatRequest) -> ChatResponse:
    async def ask() -> ChatResponse:
        async with AsyncLlmClient(provider) as client:
            return await client.chat(request)

    return asyncio.run(ask())


def test_an_answer_streams_with_its_counts_and_ends_at_the_limit(provider: Provider) -> None:
    deltas = stream(provider, ChatRequest([ChatMessage.system("Be brief."), COUNT], max_tokens=12, temperature=0.0))
    response = fold(deltas)
    pieces = [delta.text for delta in deltas if isinstance(delta, TextDelta)]
    assert len(pieces) > 6
    assert response.text == "".join(pieces)
    assert response.finish_reason == "length"
    assert response.usage is not None
    assert response.usage.completion_tokens == 12
    assert (response.usage.prompt_tokens or 0) > 12
    assert isinstance(deltas[0], UsageDelta)


def test_an_answer_ends_where_it_was_told_to(provider: Provider) -> None:
    response = fold(stream(provider, ChatRequest([COUNT], max_tokens=60, temperature=0.0, stop=["Three"])))
    assert response.text
    assert "Three" not in response.text
    assert response.finish_reason == "stop_sequence"


def test_an_earlier_answer_and_one_that_is_not_streamed_are_understood(provider: Provider) -> None:
    conversation = [COUNT, ChatMessage.assistant("One."), ChatMessage.user("Go on")]
    response = chat(provider, ChatRequest(conversation, max_tokens=8))
    assert response.text
    assert response.finish_reason in ("length", "stop")


def test_an_image_is_refused_with_advice(provider: Provider) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        stream(provider, ChatRequest([ChatMessage.user("What?", ImagePart(b"\x00"))], max_tokens=8))
    assert "cannot see images" in caught.value.user_message
