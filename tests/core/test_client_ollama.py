"""Ollama through the client: the same join of codec and network as for every style, in lines instead of events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import ModelNotFoundError, NetworkError, ServerError
from rillet.core.providers.provider import Provider
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    Finished,
    Model,
    RetryNotice,
    TextDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from support.asking import AT_ONCE
from support.fake_server import FakeServer, Script, close, respond, stream

if TYPE_CHECKING:
    from rillet.core.types import Delta

HELLO = ChatRequest([ChatMessage.user("Hello")], temperature=0.5, extra_body={"options": {"num_ctx": 8192}})
CALL = {"tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]}
END = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
COUNTS = {"prompt_eval_count": 3, "eval_count": 2}


def lines(*values: dict[str, Any]) -> bytes:
    return b"".join(json.dumps({"model": "tiny", **value}).encode() + b"\n" for value in values)


def text(*pieces: str) -> bytes:
    return lines(*({"message": {"role": "assistant", "content": piece}, "done": False} for piece in pieces))


def client(server: FakeServer) -> AsyncLlmClient:
    return AsyncLlmClient(Provider("fake", "ollama", server.url, None, "tiny", name="Fake"), retry=AT_ONCE)


async def ask(*scripts: Script) -> tuple[list[Delta], FakeServer]:
    with FakeServer(*scripts) as server:
        async with client(server) as asked:
            return [delta async for delta in asked.stream(HELLO)], server


async def test_an_answer_arrives_delta_by_delta_and_ends_with_finished() -> None:
    script = stream(text("Hel", "lo"), lines({"message": CALL, "done": False}), lines(END | COUNTS))
    deltas, server = await ask(script)
    assert deltas == [
        TextDelta("Hel"),
        TextDelta("lo"),
        ToolCallDelta(0, None, "f", '{"x":1}'),
        UsageDelta(Usage(prompt_tokens=3, completion_tokens=2)),
        Finished("tool_calls", "tiny"),
    ]
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/api/chat")
    assert "authorization" not in request.headers
    assert request.json == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "truncate": False,
        "options": {"temperature": 0.5, "num_ctx": 8192},
    }


async def test_the_connection_is_kept_although_the_answer_ends_with_its_last_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rillet.core.net.transport.KEPT_PLAIN", 20)
    with FakeServer(stream(text("Hi"), lines(END))) as server:
        async with client(server) as asked:
            for _ in range(3):
                assert TextDelta("Hi") in [delta async for delta in asked.stream(HELLO)]
            assert server.accepted == 1


async def test_chat_asks_for_one_json_value() -> None:
    message = {"role": "assistant", "content": "Hello", "thinking": "hm"}
    with FakeServer(respond(200, {"model": "tiny", **END, "message": message, **COUNTS})) as server:
        async with client(server) as asked:
            response = await asked.chat(HELLO)
    assert (response.text, response.reasoning, response.finish_reason) == ("Hello", "hm", "stop")
    assert server.requests[0].json["stream"] is False


async def test_models_are_listed() -> None:
    with FakeServer(respond(200, {"models": [{"name": "tiny:1b", "model": "tiny:1b"}]})) as server:
        async with client(server) as asked:
            assert await asked.models() == [Model("tiny:1b")]
    assert (server.requests[0].method, server.requests[0].path) == ("GET", "/api/tags")


async def test_an_error_in_the_stream_keeps_what_came_before() -> None:
    with pytest.raises(ServerError) as caught:
        await ask(stream(text("Hel"), b'{"error":"unexpected EOF"}\n'))
    assert (caught.value.message, caught.value.provider, caught.value.status) == ("unexpected EOF", "Fake", None)
    assert caught.value.partial is not None
    assert (caught.value.partial.text, caught.value.partial.incomplete) == ("Hel", True)


@pytest.mark.parametrize("script", [stream(text("Hel")), stream(text("Hel"), close)], ids=["ended", "broken"])
async def test_an_answer_without_its_last_line_is_incomplete(script: Script) -> None:
    with pytest.raises(NetworkError) as caught:
        await ask(script)
    assert caught.value.partial is not None
    assert caught.value.partial.text == "Hel"


async def test_a_busy_server_is_asked_again_and_a_missing_model_is_not() -> None:
    busy = respond(503, {"error": "server busy, please try again.  maximum pending requests exceeded"})
    deltas, _ = await ask(busy, stream(text("Hi"), lines(END)))
    assert [type(delta) for delta in deltas] == [RetryNotice, TextDelta, Finished]
    with pytest.raises(ModelNotFoundError) as caught:
        await ask(respond(404, {"error": "model 'tiny' not found"}))
    assert caught.value.status == 404
