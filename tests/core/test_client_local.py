"""One small model behind three styles: llama.cpp speaks Chat Completions, Responses and Messages for real."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.providers.local_model import local_provider
from rillet.core.providers.local_server import LocalServer
from rillet.core.types import ChatMessage, ChatRequest, Finished, TextDelta
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.providers.provider import Provider

STYLES = ("openai", "openai-responses", "anthropic")
COUNT = ChatRequest([ChatMessage.user("Count: one two three four five six")], max_tokens=12, temperature=0.0)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    server = LocalServer()
    if not server.is_available:
        pytest.skip(f"NOT TESTED: THREE STYLES AGAINST A REAL SERVER: {server.missing}")
    yield server
    server.stop()


@pytest.fixture(params=STYLES)
def provider(request: pytest.FixtureRequest, server: LocalServer) -> Provider:
    return replace(local_provider(server), style=request.param)


async def test_a_stream_and_a_whole_answer_are_the_same_and_counted(provider: Provider) -> None:
    async with AsyncLlmClient(provider) as client:
        deltas = [delta async for delta in client.stream(COUNT)]
        whole = await client.chat(COUNT)
    streamed = fold(deltas)
    texts = [delta.text for delta in deltas if isinstance(delta, TextDelta)]
    assert len(texts) > 3
    assert isinstance(deltas[-1], Finished)
    assert streamed.text == whole.text == "".join(texts)
    for response in (streamed, whole):
        assert response.usage is not None
        assert response.usage.completion_tokens == 12
        assert (response.usage.prompt_tokens or 0) > 6


async def test_styles_agree_on_the_words(server: LocalServer) -> None:
    answers = set()
    for style in STYLES:
        async with AsyncLlmClient(replace(local_provider(server), style=style)) as client:
            answers.add((await client.chat(COUNT)).text)
    assert len(answers) == 1


async def test_an_answer_can_be_stopped_and_the_next_one_begun(provider: Provider) -> None:
    async with AsyncLlmClient(provider) as client:
        async with aclosing(client.stream(replace(COUNT, max_tokens=400))) as stream:
            async for delta in stream:
                if isinstance(delta, TextDelta):
                    break
        assert (await client.chat(COUNT)).text
