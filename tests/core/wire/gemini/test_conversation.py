"""A conversation with a tool over real sockets: what came back from the first answer is in the second question."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import RateLimitError
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, ToolSpec
from rillet.core.wire.fold import fold
from support.asking import KEY
from support.fake_server import FakeServer, hold, respond, sse, stream

WEATHER = ToolSpec("weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}})
CALL = {"functionCall": {"id": "x7", "name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "QQ=="}


def chunk(*parts: dict[str, Any], finish: str | None = None) -> bytes:
    candidate = {"content": {"role": "model", "parts": list(parts)}} | ({"finishReason": finish} if finish else {})
    return sse({"candidates": [candidate], "modelVersion": "gemini-3-pro"})


def client_of(server: FakeServer) -> AsyncLlmClient:
    provider = Provider("fake", "gemini", f"{server.url}/v1beta", KEY, "gemini-3-pro")
    return AsyncLlmClient(provider, retry=RetryPolicy.none())


async def test_a_tool_is_called_and_its_result_goes_back_with_what_the_server_wants_to_see_again() -> None:
    first = stream(chunk({"text": "hm", "thought": True}), chunk(CALL), chunk({"text": ""}, finish="STOP"))
    second = stream(chunk({"text": "It is "}), chunk({"text": "cold."}, finish="STOP"))
    question = ChatMessage.user("How is Oslo?")
    with FakeServer(first, second) as server:
        async with client_of(server) as client:
            asked = fold([d async for d in client.stream(ChatRequest([question], tools=[WEATHER]))])
            (call,) = asked.tool_calls
            messages = [question, asked.message, ChatMessage.tool(call.id, "-3 °C")]
            answer = fold([d async for d in client.stream(ChatRequest(messages, tools=[WEATHER]))])

        assert (asked.finish_reason, asked.reasoning, call.parsed) == ("tool_calls", "hm", {"city": "Oslo"})
        assert (answer.text, answer.finish_reason, answer.model) == ("It is cold.", "stop", "gemini-3-pro")
        for request in server.requests:
            assert request.path == "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"
            assert request.headers["x-goog-api-key"] == KEY
            assert KEY not in request.path
        assert server.requests[1].json["contents"][1:] == [
            {"role": "model", "parts": [CALL]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "x7", "name": "weather", "response": {"output": "-3 °C"}}}],
            },
        ]


async def test_the_whole_answer_is_asked_for_at_its_own_address() -> None:
    value = {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}
    with FakeServer(respond(200, value)) as server:
        async with client_of(server) as client:
            response = await client.chat(ChatRequest([ChatMessage.user("Hello")]))
        assert response.text == "Hi"
        assert server.requests[0].path == "/v1beta/models/gemini-3-pro:generateContent"


async def test_a_server_that_does_not_close_behind_the_reason_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rillet.core.client.AFTER_FINISH", 0.05)
    with FakeServer(stream(chunk({"text": "Hi"}), chunk({"text": "."}, finish="STOP"), hold)) as server:
        async with client_of(server) as client:
            response = fold([d async for d in client.stream(ChatRequest([ChatMessage.user("Hello")]))])
    assert (response.text, response.finish_reason) == ("Hi.", "stop")


async def test_a_refusal_of_the_server_says_how_long_to_wait() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}]
    error = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota.", "details": details}}
    with FakeServer(respond(429, error)) as server:
        async with client_of(server) as client:
            with pytest.raises(RateLimitError) as caught:
                await client.chat(ChatRequest([ChatMessage.user("Hello")]))
    assert caught.value.retry_after == 34.4
