"""Servers that already run on this machine."""

from __future__ import annotations

import asyncio

import pytest

from rillet.core.net.loopback import is_loopback
from rillet.core.providers import local_servers
from rillet.core.providers.builtin import builtin_providers
from rillet.core.providers.local_servers import detect_local
from rillet.core.providers.provider import Provider
from support.fake_server import FakeServer, hold, raw, redirect, refused_port, respond

OPENAI_LIST = {"object": "list", "data": [{"id": "m"}]}
OLLAMA_LIST = {"models": [{"name": "m:latest", "model": "m:latest"}]}


def at(url: str, style: str = "openai") -> Provider:
    return Provider(url, style, url, "canary-key")


async def test_those_that_answer_are_found_in_their_order_and_get_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{refused_port()}")
    with FakeServer(respond(200, OLLAMA_LIST)) as ollama, FakeServer(respond(200, OPENAI_LIST)) as openai:
        absent = at(f"http://127.0.0.1:{refused_port()}/v1")
        candidates = [at(ollama.url, "ollama"), absent, at(f"{openai.url}/v1")]
        found = await detect_local(candidates)
    assert found == [candidates[0], candidates[2]]
    assert ollama.requests[0].path == "/api/tags"
    assert openai.requests[0].path == "/v1/models"
    assert "canary-key" not in str([ollama.requests, openai.requests])


async def test_whatever_else_stands_there_is_left_out_silently() -> None:
    with (
        FakeServer(respond(200, "<html><title>Jenkins</title>")) as page,
        FakeServer(respond(401, {"error": "who are you"})) as private,
        FakeServer(redirect("http://elsewhere.example/")) as redirecting,
        FakeServer(raw(b"SSH-2.0-OpenSSH\r\n\r\n")) as ssh,
        FakeServer(hold) as silent,
    ):
        servers = [page, private, redirecting, ssh, silent]
        assert await detect_local([at(server.url) for server in servers], patience=1) == []
        assert silent.wait_closed()


async def test_the_known_local_servers_are_asked_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def answers(provider: Provider, _patience: float) -> bool:
        asked.append(provider.base_url)
        return provider.id == "lmstudio"

    monkeypatch.setattr(local_servers, "_answers", answers)
    assert [provider.id for provider in await detect_local()] == ["lmstudio"]
    assert asked == [known.base_url for known in builtin_providers() if known.local]
    assert all(is_loopback(url.split("/")[2].split(":")[0]) for url in asked)


async def test_it_can_be_cancelled() -> None:
    with FakeServer(hold) as silent:
        task = asyncio.create_task(detect_local([at(silent.url)]))
        assert await asyncio.to_thread(silent.wait_requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(silent.wait_closed)
