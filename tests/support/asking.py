"""One question to a fake server, and what comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import LlmError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, Delta
from support.fake_server import respond

KEY = "sk-canary-0123456789"
HELLO = ChatRequest([ChatMessage.user("Hello")])
AT_ONCE = RetryPolicy(base=0.0)
BUSY = respond(503, {"error": {"message": "busy", "code": "server_is_overloaded"}})


def provider(url: str, **changes: Any) -> Provider:
    """The server at ``url`` as a provider; ``network`` holds fields of its profile."""
    network = NetworkProfile(**changes.pop("network", {}))
    return Provider("fake", "openai", f"{url}/v1", KEY, "fake-1", network=network, name="Fake", **changes)


async def ask(url: str, request: ChatRequest = HELLO, *, retry: RetryPolicy = AT_ONCE, **changes: Any) -> list[Delta]:
    """Every delta of one answer."""
    async with AsyncLlmClient(provider(url, **changes), retry=retry) as client:
        return [delta async for delta in client.stream(request)]


async def failure(url: str, request: ChatRequest = HELLO, **changes: Any) -> LlmError:
    """The error that one question ends with."""
    with pytest.raises(LlmError) as caught:
        await ask(url, request, **changes)
    assert caught.value.provider == "Fake"
    return caught.value


async def read_into(seen: list[Delta], client: AsyncLlmClient) -> None:
    """Ask, and keep what comes before an error."""
    async for delta in client.stream(HELLO):
        seen.append(delta)  # noqa: PERF401 (an error must not lose what came before it)
