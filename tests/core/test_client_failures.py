"""Broken answers and bad input: each is a readable sentence, and nothing that had arrived is lost."""

from __future__ import annotations

import logging
import traceback

import pytest

from rillet.core import client as client_module
from rillet.core.client import AsyncLlmClient
from rillet.core.errors import (
    AuthError,
    InvalidRequestError,
    LlmError,
    ModelNotFoundError,
    NetworkError,
    RateLimitError,
    ServerError,
    TimedOutError,
)
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.provider import Provider
from rillet.core.types import (
    ChatRequest,
    Delta,
    Finished,
    TextDelta,
)
from support.asking import AT_ONCE, BUSY, HELLO, KEY, ask, failure, provider, read_into
from support.fake_server import (
    FakeServer,
    Script,
    close,
    completion,
    drip,
    hold,
    raw,
    redirect,
    reset,
    respond,
    sse,
    sse_chunk,
    sse_end,
    sse_reasoning,
    sse_text,
    sse_tool_call,
    stream,
)

# Ends that are not as they should be


@pytest.mark.parametrize("rest", [close, reset, hold, drip(b": ping\n\n")], ids=["close", "reset", "hold", "drip"])
async def test_after_the_finish_reason_a_missing_end_is_a_success(
    rest: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "AFTER_FINISH", 0.05)
    with FakeServer(stream(sse_text("Hi"), sse_chunk({}, finish="stop"), rest)) as server:
        deltas = await ask(server.url)
        assert server.wait_closed()
    assert deltas == [TextDelta("Hi"), Finished("stop", "fake-1")]


@pytest.mark.parametrize("rest", [hold, drip(sse_text("ignored"))], ids=["hold", "drip"])
async def test_after_the_end_marker_nothing_matters(rest: Script) -> None:
    with FakeServer(stream(sse_text("Hi"), sse_end(), rest)) as server:
        assert await ask(server.url) == [TextDelta("Hi"), Finished("stop", "fake-1")]
        assert server.wait_closed()


@pytest.mark.parametrize("rest", [close, reset], ids=["close", "reset"])
async def test_a_broken_stream_keeps_what_had_arrived(rest: Script) -> None:
    with FakeServer(
        stream(sse_reasoning("hm"), sse_text("Hello", " wor"), sse_tool_call(0, '{"a', id="c", name="f"), rest)
    ) as server:
        error = await failure(server.url)
    assert type(error) is NetworkError
    assert error.retryable
    assert error.partial is not None
    assert (error.partial.text, error.partial.reasoning, error.partial.incomplete) == ("Hello wor", "hm", True)
    assert [call.parsed for call in error.partial.tool_calls] == [None], "half a call must never run"
    assert len(server.requests) == 1, "never sent again after a byte of an answer"


async def test_an_orderly_end_without_the_protocols_end_is_no_success() -> None:
    with FakeServer(stream(sse_text("Hello"))) as server:
        error = await failure(server.url)
    assert type(error) is NetworkError
    assert error.partial is not None and error.partial.text == "Hello"


async def test_an_error_inside_the_stream_comes_after_the_text_before_it() -> None:
    inside = sse({"error": {"message": "upstream exploded", "type": "server_error", "code": 500}})
    with FakeServer(stream(sse_text("Hello") + inside, hold)) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            seen: list[Delta] = []
            with pytest.raises(ServerError, match="upstream exploded") as caught:
                await read_into(seen, client)
        assert server.wait_closed()
    assert seen == [TextDelta("Hello")]
    assert caught.value.partial is not None and caught.value.partial.text == "Hello"


async def test_silence_before_the_first_event_and_between_events_ends_in_time() -> None:
    limits = {"first_event_timeout": 0.1, "idle_timeout": 0.1}
    for script in (hold, stream(hold), stream(drip(b": ping\n\n"))):
        with FakeServer(script) as server:
            error = await failure(server.url, network=limits)
            assert type(error) is TimedOutError
            assert error.partial is None
            assert server.wait_closed()
    for rest in (hold, drip(b": ping\n\n")):
        with FakeServer(stream(sse_text("Hello"), rest)) as server:
            error = await failure(server.url, network={"first_event_timeout": 3600.0, "idle_timeout": 0.1})
            assert type(error) is TimedOutError
            assert "took too long: nothing new arrived" in error.user_message
            assert error.partial is not None and error.partial.text == "Hello"
            assert server.wait_closed()


# Bad input: each a readable sentence


HTML = "<!doctype html><html><head><title>Sign in</title></head><body>…</body></html>"


@pytest.mark.parametrize(
    ("script", "kind", "sentence"),
    [
        (
            respond(401, {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}),
            AuthError,
            "Fake refused the key",
        ),
        (
            respond(404, {"error": {"message": "The model `fake-1` does not exist", "code": "model_not_found"}}),
            ModelNotFoundError,
            "Fake does not offer this model",
        ),
        (respond(200, HTML, {"Content-Type": "text/html"}), InvalidRequestError, "address"),
        (respond(502, HTML, {"Content-Type": "text/html"}), ServerError, "Fake had an internal error"),
        (respond(200, {"error": {"message": "No credit left", "code": 402}}), RateLimitError, "No credit left"),
        (respond(200, b""), LlmError, "Fake"),
        (respond(404, b"404 page not found"), InvalidRequestError, "Fake"),
        (respond(400, b""), InvalidRequestError, "Fake did not accept the request"),
        (redirect("https://elsewhere.example/"), InvalidRequestError, "redirects to https://elsewhere.example"),
        (raw(b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"choices":'), NetworkError, "connection to Fake failed"),
        (stream(b"{", hold, status=500), ServerError, "Fake had an internal error"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("streaming", [True, False], ids=["stream", "chat"])
async def test_bad_input_is_a_sentence(
    script: Script, kind: type[LlmError], sentence: str, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "ERROR_BODY_PATIENCE", 0.05)
    with FakeServer(script) as server:
        async with AsyncLlmClient(provider(server.url), retry=RetryPolicy.none()) as client:
            with pytest.raises(kind) as caught:
                if streaming:
                    async for _ in client.stream(HELLO):
                        raise AssertionError("there is nothing to deliver")
                else:
                    await client.chat(HELLO)
        assert server.wait_closed()
    message = caught.value.user_message
    assert sentence in message
    assert "<" not in message and "Traceback" not in message and "{" not in message
    assert caught.value.provider == "Fake"
    assert caught.value.partial is None


async def test_an_unusable_environment_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    error = await failure("https://api.example.com")
    assert error.user_message == (
        "The connection to Fake failed: the environment variable SSL_CERT_FILE names a file that cannot be read. "
        "Correct or remove the variable, then start the program again."
    )
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:1080")
    assert "the environment variable ALL_PROXY" in (await failure("https://api.example.com")).user_message


async def test_no_model_and_an_unwritable_body_are_sentences() -> None:
    nobody = Provider("fake", "openai", "http://127.0.0.1:1/v1", name="Fake")
    async with AsyncLlmClient(nobody) as client:
        with pytest.raises(InvalidRequestError, match="no model is chosen"):
            await client.chat(HELLO)
        with pytest.raises(InvalidRequestError, match="half a character"):
            await client.chat(ChatRequest([HELLO.messages[0]], model="m", extra_body={"x": "\ud83d"}))


@pytest.mark.parametrize("body", [HTML, "{}", '{"data": 5}', "[]", ""])
async def test_a_list_of_models_that_is_none_is_a_sentence_or_empty(body: str) -> None:
    with FakeServer(respond(200, body)) as server:
        async with AsyncLlmClient(provider(server.url)) as client:
            try:
                assert await client.models() == []
            except LlmError as error:
                assert error.provider == "Fake"
                assert "<" not in error.user_message


async def test_every_attempt_is_in_the_log_also_where_no_stream_could_tell_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger="rillet.client")
    with FakeServer(BUSY, BUSY, respond(200, completion("Hello"))) as server:
        async with AsyncLlmClient(provider(server.url), retry=AT_ONCE) as client:
            assert (await client.chat(HELLO)).text == "Hello"
    assert [record.getMessage() for record in caplog.records] == [
        f"attempt {number} at Fake in 0.0 s: busy" for number in (2, 3)
    ]


async def test_the_key_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = respond(400, {"error": {"message": f"you sent Authorization: Bearer {KEY}"}})
    scripts = [echo, respond(401, f"bad key {KEY}"), redirect(f"https://x.example/?key={KEY}"), hold, close, reset]
    for script in [*scripts, stream(sse({"error": {"message": f"key {KEY} expired"}}))]:
        with FakeServer(script) as server:
            error = await failure(server.url, network={"first_event_timeout": 0.1})
            assert KEY not in f"{error}{error!r}{error.user_message}{error.args}"
            assert KEY not in "".join(traceback.format_exception(error))
    assert KEY not in caplog.text
