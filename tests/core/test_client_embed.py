"""Embeddings through the client, against a server that does what the test says."""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import InvalidRequestError, LlmError, ServerError
from rillet.core.providers.provider import Provider
from rillet.core.types import EmbeddingRequest, EmbeddingResponse, Usage
from support.asking import AT_ONCE, BUSY, KEY, provider
from support.fake_server import FakeServer, Script, respond

if TYPE_CHECKING:
    from support.fake_server import Exchange


def embeddings(exchange: Exchange) -> None:
    """One vector per input, which is its length."""
    inputs = exchange.request.json["input"]
    data = [{"index": at, "embedding": [float(len(text))]} for at, text in enumerate(inputs)]
    exchange.respond(200, {"data": data, "model": "e-1", "usage": {"prompt_tokens": len(inputs)}})


async def embed(request: EmbeddingRequest, *scripts: Script, style: str = "openai") -> tuple[Any, list[Any]]:
    """What comes of it, and the requests that were sent."""
    with FakeServer(*scripts) as server:
        asked = Provider("fake", style, f"{server.url}/v1", KEY, "e", name="Fake")
        async with AsyncLlmClient(asked, retry=AT_ONCE) as client:
            try:
                return await client.embed(request), server.requests
            except LlmError as error:
                return error, server.requests


async def test_texts_become_vectors() -> None:
    response, requests = await embed(EmbeddingRequest(["a", "bcd"]), embeddings)
    assert response == EmbeddingResponse((array("f", [1.0]), array("f", [3.0])), Usage(prompt_tokens=2), "e-1")
    (request,) = requests
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept"] == "application/json"
    assert request.json == {"model": "e", "input": ["a", "bcd"], "encoding_format": "base64"}


async def test_many_texts_are_sent_in_batches_and_come_back_in_order() -> None:
    inputs = ["x" * (at % 7 + 1) for at in range(5000)]
    response, requests = await embed(EmbeddingRequest(inputs, "other"), embeddings)
    assert [len(request.json["input"]) for request in requests] == [2048, 2048, 904]
    assert {request.json["model"] for request in requests} == {"other"}
    assert [vector[0] for vector in response.vectors] == list(map(len, inputs))
    assert response.usage == Usage(prompt_tokens=5000)


async def test_long_texts_are_sent_in_batches_too() -> None:
    _, requests = await embed(EmbeddingRequest(["x" * 200_000] * 3), embeddings)
    assert [len(request.json["input"]) for request in requests] == [1, 1, 1]


async def test_nothing_asked_is_nothing_sent() -> None:
    response, requests = await embed(EmbeddingRequest([]), embeddings)
    assert (response, requests) == (EmbeddingResponse(()), [])


async def test_each_batch_is_repeated_like_any_request() -> None:
    inputs = ["x"] * 2049
    response, requests = await embed(EmbeddingRequest(inputs), embeddings, BUSY, embeddings)
    assert len(response.vectors) == 2049
    assert [len(request.json["input"]) for request in requests] == [2048, 1, 1]


async def test_a_failure_in_the_middle_is_the_failure_of_all() -> None:
    refused = respond(400, {"error": {"message": "maximum context length is 8192 tokens"}})
    error, requests = await embed(EmbeddingRequest(["x"] * 2049), embeddings, refused)
    assert (error.kind, error.provider, error.status) == ("context_length", "Fake", 400)
    assert len(requests) == 2


async def test_an_answer_with_too_few_vectors_is_an_error_that_names_the_provider() -> None:
    error, _ = await embed(EmbeddingRequest(["a", "b"]), respond(200, {"data": [{"embedding": [1.0]}]}))
    assert isinstance(error, ServerError)
    assert error.provider == "Fake"


async def test_vectors_of_another_length_than_asked_for_are_an_error() -> None:
    error, requests = await embed(EmbeddingRequest(["a"], dimensions=3), embeddings)
    assert isinstance(error, InvalidRequestError)
    assert requests[0].json["dimensions"] == 3


@pytest.mark.parametrize("style", ["anthropic", "openai-responses"])
async def test_a_style_without_embeddings_says_so_before_anything_is_sent(style: str) -> None:
    error, requests = await embed(EmbeddingRequest(["a"]), embeddings, style=style)
    assert isinstance(error, InvalidRequestError)
    assert f"{style!r} has no embeddings" in error.user_message
    assert error.provider == "Fake"
    assert requests == []


async def test_without_any_model_the_user_is_asked_to_choose_one() -> None:
    async with AsyncLlmClient(Provider("fake", "openai", "http://127.0.0.1:9/v1")) as client:
        with pytest.raises(InvalidRequestError, match="no model is chosen"):
            await client.embed(EmbeddingRequest(["a"]))


@pytest.mark.parametrize(
    ("style", "path", "body"),
    [
        ("ollama", "/api/embed", {"embeddings": [[1.0]], "prompt_eval_count": 1}),
        ("gemini", "/v1/models/e:batchEmbedContents", {"embeddings": [{"values": [1.0]}]}),
    ],
)
async def test_other_styles_go_their_own_way(style: str, path: str, body: dict[str, Any]) -> None:
    response, requests = await embed(EmbeddingRequest("a"), respond(200, body), style=style)
    assert response.vectors == (array("f", [1.0]),)
    assert requests[0].path == path


async def test_the_transform_sees_these_bodies_as_well() -> None:
    def transform(body: dict[str, Any]) -> dict[str, Any]:
        return body | {"user": "me"}

    with FakeServer(embeddings) as server:
        async with AsyncLlmClient(provider(server.url), body_transform=transform) as client:
            await client.embed(EmbeddingRequest("a"))
    assert json.loads(server.requests[0].body)["user"] == "me"
