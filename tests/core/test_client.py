"""The client against a server that does what the test says: answers, attempts, and what importing it costs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextlib import aclosing
from typing import TYPE_CHECKING

import httpx
import pytest

from rillet.core import client as client_module
from rillet.core.client import AsyncLlmClient, Batch
from rillet.core.errors import (
    NetworkError,
    OverloadedError,
    RateLimitError,
    ServerError,
)
from rillet.core.net.retry import RetryPolicy
from rillet.core.net.watch import EventClock
from rillet.core.providers.local_server import Endpoint, LocalServer
from rillet.core.providers.provider import Provider
from rillet.core.types import (
    Delta,
    Finished,
    Model,
    ReasoningDelta,
    RetryNotice,
    TextDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from rillet.core.wire.fold import fold
from support.asking import AT_ONCE, BUSY, HELLO, KEY, ask, failure, provider, read_into
from support.fake_server import (
    FakeServer,
    Script,
    answer,
    close,
    completion,
    raw,
    refused_port,
    reset,
    respond,
    sse,
    sse_chunk,
    sse_end,
    sse_reasoning,
    sse_text,
    sse_tool_call,
    sse_usage,
    stream,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

# Answers


async def test_an_answer_arrives_delta_by_delta_and_ends_with_finished() -> None:
    script = stream(
        sse_reasoning("hm"),
        sse_text("Hello", " world"),
        sse_tool_call(0, '{"a":', id="c1", name="f"),
        sse_tool_call(0, "1}"),
        sse_chunk({}, finish="tool_calls"),
        sse_usage(3, 2),
        sse("[DONE]"),
    )
    with FakeServer(script) as server:
        deltas = await ask(server.url)
    assert deltas == [
        ReasoningDelta("hm", {"reasoning_field": "reasoning_content"}),
        TextDelta("Hello"),
        TextDelta(" world"),
        ToolCallDelta(0, "c1", "f", '{"a":'),
        ToolCallDelta(0, None, None, "1}"),
        UsageDelta(Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)),
        Finished("tool_calls", "fake-1"),
    ]
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json["stream"] is True


async def test_a_batch_holds_what_one_read_brought_and_counts_every_byte() -> None:
    chunks = [sse_text("a", "b", "c"), b": keep-alive\n\n", sse_text("d"), sse_end()]
    gates = [threading.Event(), threading.Event()]
    batches: list[Batch] = []
    with FakeServer(stream(chunks[0], gates[0], *chunks[1:3], gates[1], chunks[3])) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            async for batch in client.batches(HELLO):
                batches.append(batch)
                for gate in gates[: len(batches)]:
                    gate.set()
    assert batches[0] == Batch([TextDelta("a"), TextDelta("b"), TextDelta("c")], len(chunks[0]))
    assert batches[1] == Batch([TextDelta("d")], len(chunks[1]) + len(chunks[2]))
    assert sum(batch.size for batch in batches) == sum(map(len, chunks))


async def test_a_delta_is_there_before_the_next_one_is_sent() -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("first"), gate, sse_text("second"), sse_end())) as server:
        async with AsyncLlmClient(provider(server.url)) as client, aclosing(client.stream(HELLO)) as deltas:
            assert await anext(deltas) == TextDelta("first")
            gate.set()
            assert await anext(deltas) == TextDelta("second")


@pytest.mark.parametrize(
    ("patience", "course"),
    [(0.0, ["a", "long", "b", Finished]), (0.04, ["a", 0.04, "long", "b", 0.04, Finished])],
)
async def test_behind_a_small_read_a_patient_caller_waits_for_more(
    patience: float, course: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[object] = []

    async def sleep(seconds: float) -> None:
        happened.append(seconds)

    class Reads(httpx.AsyncBaseTransport, httpx.AsyncByteStream):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, stream=self)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for data in (sse_text("a"), sse_text("long") + b":" + bytes(20_000) + b"\n", sse_text("b"), sse_end()):
                yield data

    monkeypatch.setattr(asyncio, "sleep", sleep)
    async with AsyncLlmClient(provider("http://127.0.0.1"), transport=Reads(), patience=patience) as client:
        async for delta in client.stream(HELLO):
            happened.append(delta.text if isinstance(delta, TextDelta) else type(delta))  # noqa: PERF401 (in order)
    assert happened == course


async def test_the_same_connection_serves_the_next_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rillet.core.net.transport.KEPT_PLAIN", 20)
    with FakeServer(answer("Hi")) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            for _ in range(3):
                assert fold([delta async for delta in client.stream(HELLO)]).text == "Hi"
            assert server.accepted == 1
        assert server.wait_closed()


async def test_chat_asks_for_one_json_value_and_gives_the_same_result() -> None:
    with FakeServer(respond(200, completion("Hello world")), answer("Hello", " world")) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            whole = await client.chat(HELLO)
            streamed = fold([delta async for delta in client.stream(HELLO)])
    assert (whole.text, whole.finish_reason, whole.model) == (streamed.text, "stop", "fake-1")
    assert whole.usage == Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    assert "stream" not in server.requests[0].json or server.requests[0].json["stream"] is False


async def test_models_are_listed() -> None:
    listing = {"object": "list", "data": [{"id": "large"}, {"id": "small"}]}
    with FakeServer(respond(200, listing)) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            assert {model.id for model in await client.models()} == {"large", "small"}
            assert all(isinstance(model, Model) for model in await client.models())
    assert (server.requests[0].method, server.requests[0].path) == ("GET", "/v1/models")


async def test_think_tags_are_split_where_the_provider_says_so() -> None:
    with FakeServer(answer("<think>hm</think>", "Hi")) as server:
        assert fold(await ask(server.url, think_tags=True)).reasoning == "hm"
        assert fold(await ask(server.url)).reasoning == ""


async def test_a_transport_of_the_host_takes_the_place_of_the_network() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=completion(f"from {request.url.host}")))
    async with AsyncLlmClient(provider("http://nowhere.invalid"), transport=transport) as client:
        assert (await client.chat(HELLO)).text == "from nowhere.invalid"


async def test_a_local_server_is_asked_for_its_address_before_each_attempt() -> None:
    class Server:
        asked = 0

        async def endpoint(self) -> Endpoint:
            self.asked += 1
            return Endpoint(f"{fake.url}/v1", f"key-{self.asked}")

    local = Server()
    with FakeServer(BUSY, answer("Hi")) as fake:
        entry = Provider("local", "openai", "http://unused", default_model="m", server=local)  # type: ignore[arg-type]
        async with AsyncLlmClient(entry, retry=AT_ONCE) as client:
            assert fold([delta async for delta in client.stream(HELLO)]).text == "Hi"
    assert [request.headers["authorization"] for request in fake.requests] == ["Bearer key-1", "Bearer key-2"]


async def test_a_local_server_that_cannot_start_is_an_error_of_the_request() -> None:
    class Server:
        async def endpoint(self) -> Endpoint:
            raise ServerError("it crashed twice", retryable=False)

    entry = Provider("local", "openai", "http://unused", default_model="m", server=Server())  # type: ignore[arg-type]
    async with AsyncLlmClient(entry) as client:
        with pytest.raises(ServerError, match="it crashed twice"):
            await client.chat(HELLO)


async def test_a_local_server_that_ends_in_the_middle_of_an_answer_is_no_matter_of_the_network() -> None:
    class Server(LocalServer):
        async def endpoint(self) -> Endpoint:
            return Endpoint(f"{fake.url}/v1", "key")

    with FakeServer(stream(sse_text("Hel"), reset)) as fake:
        entry = Provider("local", "openai", "http://unused", default_model="m", server=Server())
        async with AsyncLlmClient(entry, retry=AT_ONCE) as client:
            with pytest.raises(ServerError) as caught:
                async for _ in client.stream(HELLO):
                    pass
    assert caught.value.retryable
    assert caught.value.partial is not None and caught.value.partial.text == "Hel"
    assert caught.value.user_message == (
        "The built-in model had an internal error: it ended in the middle of the answer. Try again: it starts anew."
    )


# Retries


async def test_a_busy_provider_is_asked_again_and_the_caller_is_told() -> None:
    with FakeServer(BUSY, respond(500, b""), answer("Hi")) as server:
        deltas = await ask(server.url)
    notices = [delta for delta in deltas if isinstance(delta, RetryNotice)]
    assert [(notice.attempt, notice.delay, type(notice.error)) for notice in notices] == [
        (2, 0.0, OverloadedError),
        (3, 0.0, ServerError),
    ]
    assert notices[0].error.provider == "Fake"
    assert deltas[2:] == [TextDelta("Hi"), Finished("stop", "fake-1")]
    bodies = {request.body for request in server.requests}
    assert len(server.requests) == 3 and len(bodies) == 1


async def test_the_third_failure_is_final() -> None:
    with FakeServer(BUSY) as server:
        error = await failure(server.url)
    assert isinstance(error, OverloadedError)
    assert len(server.requests) == 3


async def test_each_attempt_has_all_the_time_for_its_first_event(monkeypatch: pytest.MonkeyPatch) -> None:
    restarts: list[EventClock] = []

    class Clock(EventClock):
        def restart(self) -> None:
            restarts.append(self)
            super().restart()

    monkeypatch.setattr(client_module, "EventClock", Clock)
    with FakeServer(BUSY, BUSY, answer("Hi")) as server:
        await ask(server.url)
    assert len(restarts) == 3
    assert len(set(map(id, restarts))) == 1, "but the limit in all is one"


async def test_without_retries_the_first_failure_is_final() -> None:
    with FakeServer(BUSY) as server:
        await failure(server.url, retry=RetryPolicy.none())
    assert len(server.requests) == 1


async def test_a_refused_connection_is_tried_three_times() -> None:
    url = f"http://127.0.0.1:{refused_port()}"
    async with AsyncLlmClient(provider(url), retry=AT_ONCE) as client:
        seen: list[Delta] = []
        with pytest.raises(NetworkError, match="nothing answers at 127"):
            await read_into(seen, client)
    assert [delta.attempt for delta in seen if isinstance(delta, RetryNotice)] == [2, 3]


@pytest.mark.parametrize("script", [close, reset, raw(b"nonsense\r\n\r\n"), stream(reset), stream(close)])
async def test_what_was_sent_and_broke_is_not_sent_again(script: Script) -> None:
    with FakeServer(script) as server:
        await failure(server.url)
    assert len(server.requests) == 1


async def test_a_provider_that_asks_for_a_day_is_not_waited_for() -> None:
    with FakeServer(respond(429, {"error": {"message": "slow down"}}, {"Retry-After": "86400"})) as server:
        error = await failure(server.url)
    assert isinstance(error, RateLimitError)
    assert "Try again in 24 hours" in error.user_message
    assert len(server.requests) == 1


async def test_a_provider_without_a_list_has_brought_one() -> None:
    with FakeServer(respond(404)) as server:
        async with AsyncLlmClient(provider(server.url, listed_models=["one", "two"])) as client:
            assert [model.id for model in await client.models()] == ["one", "two"]
    assert server.accepted == 0


async def test_a_loading_model_is_waited_for_beyond_three_attempts() -> None:
    loading = respond(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})
    with FakeServer(*[loading] * 6, answer("Hi")) as server:
        assert fold([d for d in await ask(server.url) if not isinstance(d, RetryNotice)]).text == "Hi"
    assert len(server.requests) == 7


# What importing costs


def test_importing_the_client_does_not_import_httpx() -> None:
    program = "import sys, rillet.core.client; print([name for name in ('httpx', 'PySide6') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
