"""The built-in model among the providers."""

from __future__ import annotations

import asyncio
import os

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.providers.local_model import DESCRIPTION, NAME, local_provider
from rillet.core.providers.local_server import LocalServer
from rillet.core.types import ChatMessage, ChatRequest
from rillet.core.wire.fold import fold


def test_it_is_a_provider_like_any_other_that_starts_its_own_server() -> None:
    provider = local_provider()
    assert (provider.id, provider.style, provider.label) == ("local", "openai", NAME)
    assert provider.think_tags
    assert isinstance(provider.server, LocalServer)
    assert not provider.server.is_running


def test_its_server_can_be_shared() -> None:
    server = LocalServer()
    assert local_provider(server).server is server


def test_loopback_never_goes_through_a_proxy() -> None:
    assert local_provider().network.proxy is None


def test_it_is_labelled_as_what_it_is() -> None:
    assert "often wrong" in DESCRIPTION


@pytest.mark.skipif(not LocalServer().is_available, reason=f"the built-in model: {LocalServer().missing}")
def test_the_client_talks_with_it_and_outlives_its_crash() -> None:
    """The same path as every other provider: a start, an answer, a killed child, an answer from the next one."""
    server = LocalServer()
    request = ChatRequest([ChatMessage.user("Say hi")], max_tokens=8, temperature=0.0)

    async def talk() -> None:
        async with AsyncLlmClient(local_provider(server)) as client:
            first = fold([delta async for delta in client.stream(request)])
            assert first.text
            assert first.finish_reason in {"stop", "length"}
            crash(server)
            assert (await client.chat(request)).text

    try:
        asyncio.run(talk())
    finally:
        server.stop()


def crash(server: LocalServer) -> None:
    """Kill the child, as the system does when memory runs out."""
    assert server._running is not None
    process = server._running[0]
    process.kill()
    while process.is_running:
        os.sched_yield()
