"""Embeddings from the GUI thread, and the client of Ollama."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from rillet.core.types import EmbeddingRequest, Usage
from rillet.qt import LlmClient
from support.fake_server import FakeServer, respond

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

ANSWER = {"data": [{"index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 1}}


def test_vectors_come_through_the_resource(qtbot: QtBot) -> None:
    with FakeServer(respond(200, ANSWER)) as server:
        client = LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m")
        resource = client.embed(EmbeddingRequest("a"))
        qtbot.waitUntil(resource.isDone)
    response = resource.get()
    assert response.vectors == (array("f", [0.5]),)
    assert response.usage == Usage(prompt_tokens=1)


def test_a_refusal_comes_through_the_resource(qtbot: QtBot) -> None:
    failures: list[Exception] = []
    with FakeServer(respond(401, {"error": {"message": "Incorrect API key provided"}})) as server:
        client = LlmClient.localOpenAiCompatible(f"{server.url}/v1", None, "m")
        client.embed(EmbeddingRequest("a")).except_(failures.append)
        qtbot.waitUntil(lambda: bool(failures))
    assert getattr(failures[0], "kind", None) == "auth"


def test_ollama_is_asked_on_this_machine_without_a_proxy_or_a_key(qtbot: QtBot) -> None:
    provider = LlmClient.ollama("qwen3:8b").provider
    assert (provider.style, provider.base_url) == ("ollama", "http://127.0.0.1:11434")
    assert (provider.default_model, provider.api_key, provider.network.proxy) == ("qwen3:8b", None, None)
