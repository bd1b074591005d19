"""Requests and answers over real sockets: what is sent, what is refused, and what is left open (nothing)."""

from __future__ import annotations

import asyncio
import gzip
import logging
import threading
from typing import TYPE_CHECKING

import httpx
import pytest

from rillet.core.errors import InvalidRequestError, LlmError, NetworkError, TimedOutError
from rillet.core.net.errors import ConnectError, ConnectTimedOut
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.transport import Transport
from support.fake_server import (
    FakeServer,
    Script,
    close,
    drip,
    hold,
    one_connection,
    raw,
    redirect,
    refused_port,
    reset,
    respond,
    stream,
    unanswered_port,
)
from support.tls import make_certificate, tls_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

PROFILE = NetworkProfile(proxy=None)


async def get(url: str, profile: NetworkProfile = PROFILE) -> bytes:
    transport = Transport(profile)
    try:
        async with await transport.open("GET", url, {}) as answer:
            return await answer.read_all(1_000_000)
    finally:
        await transport.aclose()


async def failure(url: str, profile: NetworkProfile = PROFILE) -> LlmError:
    with pytest.raises(LlmError) as caught:
        await get(url, profile)
    return caught.value


async def test_exactly_what_was_asked_is_sent() -> None:
    with FakeServer(respond(200, b"ok")) as server:
        transport = Transport(PROFILE)
        async with await transport.open("POST", f"{server.url}/v1/x?a=b", {"x-key": "k"}, b"body") as answer:
            assert answer.status == 200
            assert answer.headers["content-type"] == "application/json"
            assert await answer.read() == b"ok"
            assert await answer.read() == b""
            assert await answer.read() == b"", "the end stays the end"
        await transport.aclose()
    request = server.requests[0]
    assert (request.method, request.path, request.body) == ("POST", "/v1/x?a=b", b"body")
    host = f"127.0.0.1:{server.port}"
    assert request.headers == {"x-key": "k", "host": host, "content-length": "4"}, "and nothing else"


async def test_bytes_are_readable_as_soon_as_they_arrive() -> None:
    gate = threading.Event()
    with FakeServer(stream(b"one", gate, b"two")) as server:
        transport = Transport(PROFILE)
        async with await transport.open("GET", server.url, {}) as answer:
            assert await answer.read() == b"one"
            gate.set()
            assert await answer.read() == b"two"
        await transport.aclose()


async def test_without_tls_every_request_has_a_connection_of_its_own() -> None:
    with FakeServer(stream(b"one")) as server:
        transport = Transport(PROFILE)
        for _ in range(3):
            async with await transport.open("GET", server.url, {}) as answer:
                await answer.read_all(100)
        assert server.accepted == 3
        assert server.wait_closed()
        await transport.aclose()


async def test_a_connection_read_to_its_end_is_used_again_and_another_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rillet.core.net.transport.KEPT_PLAIN", 20)
    with FakeServer(stream(b"one")) as server:
        transport = Transport(PROFILE)
        for _ in range(3):
            async with await transport.open("GET", server.url, {}) as answer:
                await answer.read_all(100)
        assert server.accepted == 1
        async with await transport.open("GET", server.url, {}) as answer:
            await answer.read()
        async with await transport.open("GET", server.url, {}) as answer:
            await answer.read_all(100)
        assert server.accepted == 2
        await transport.aclose()
        assert server.wait_closed()


async def test_a_hundred_and_twenty_streams_run_at_once() -> None:
    gate = threading.Event()
    with FakeServer(stream(b"one", gate, b"two")) as server:
        transport = Transport(PROFILE)
        answers = await asyncio.gather(*(transport.open("GET", server.url, {}) for _ in range(120)))
        assert await asyncio.gather(*(answer.read() for answer in answers)) == [b"one"] * 120
        gate.set()
        assert await asyncio.gather(*(answer.read_all(9) for answer in answers)) == [b"two"] * 120
        await transport.aclose()


async def test_a_cookie_is_not_kept() -> None:
    with FakeServer(respond(200, b"ok", {"Set-Cookie": "id=1; Path=/"})) as server:
        transport = Transport(PROFILE)
        for _ in range(2):
            async with await transport.open("GET", server.url, {}) as answer:
                await answer.read_all(9)
        await transport.aclose()
    assert "cookie" not in server.requests[1].headers


# What goes wrong


async def test_a_redirect_is_an_error_that_names_the_host_and_sends_the_key_nowhere() -> None:
    with FakeServer(respond(200, b"gotcha")) as elsewhere:
        target = f"{elsewhere.url}/v1?key=canary-secret"
        with FakeServer(redirect(target)) as server:
            error = await failure(server.url)
        assert isinstance(error, InvalidRequestError)
        assert f"the address redirects to {elsewhere.url}" in error.user_message
        assert "enter that address" in error.user_message
        assert "canary-secret" not in error.user_message
        assert elsewhere.accepted == 0


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("/elsewhere", "redirects to http://127.0.0.1:"),
        ("https://user:canary@b.example/", "to https://b.example"),
        ("https://b.example:port/", "redirects to something that is no address"),
    ],
)
async def test_every_kind_of_target_is_shown_without_its_secrets(location: str, shown: str) -> None:
    with FakeServer(redirect(location, 302)) as server:
        error = await failure(server.url)
    assert shown in error.message
    assert "canary" not in error.message


async def test_nobody_listens() -> None:
    port = refused_port()
    error = await failure(f"http://127.0.0.1:{port}/")
    assert isinstance(error, ConnectError)
    assert f"nothing answers at 127.0.0.1:{port}" in error.user_message


async def test_a_name_that_does_not_exist() -> None:
    error = await failure("http://nowhere.invalid/v1")
    assert isinstance(error, ConnectError)
    assert "no such host: nowhere.invalid" in error.user_message


async def test_a_connection_that_is_never_made_ends_in_time() -> None:
    with unanswered_port() as port:
        error = await failure(f"http://127.0.0.1:{port}/", NetworkProfile(proxy=None, connect_timeout=0.05))
    assert isinstance(error, ConnectTimedOut)
    assert "cannot be reached" in error.user_message


async def test_silence_of_the_socket_ends_in_time() -> None:
    impatient = NetworkProfile(proxy=None, first_event_timeout=0.05, idle_timeout=0.01)
    for script in (hold, stream(hold), stream(b"data", hold)):
        with FakeServer(script) as server:
            error = await failure(server.url, impatient)
            assert type(error) is TimedOutError
            assert server.wait_closed()


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (close, "closed the connection without an answer"),
        (reset, "broke off"),
        (stream(b"data", close), "broke off in the middle of the answer"),
        (stream(b"data", reset), "broke off"),
        (raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), "broke off in the middle of the answer"),
        (raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "is not a web server"),
        (raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n"), "broke off"),
    ],
)
async def test_a_broken_answer_is_a_sentence(script: Script, sentence: str) -> None:
    with FakeServer(script) as server:
        error = await failure(server.url)
        assert sentence in error.user_message
        assert not isinstance(error, ConnectError), "it was sent: nobody may repeat it without asking"
        assert server.wait_closed()


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://127.0.0.1/", "http://", "http://[::1", "http://a:port/"])
async def test_an_address_that_is_none_is_refused(url: str) -> None:
    error = await failure(url)
    assert isinstance(error, InvalidRequestError)
    assert "the address is not a web address" in error.user_message


@pytest.mark.parametrize("value", ["canary\r\nX: y", "canary\x00", "canary\x7f", "cänary", "canary\u200b"])
async def test_a_header_that_cannot_be_sent_is_named_without_its_value(value: str) -> None:
    transport = Transport(PROFILE)
    with pytest.raises(InvalidRequestError) as caught:
        await transport.open("GET", "http://127.0.0.1:1/", {"x-api-key": value})
    assert "x-api-key holds a character that cannot be sent" in caught.value.user_message
    assert "nary" not in f"{caught.value!r}{caught.value.user_message}"
    await transport.aclose()


async def test_an_answer_larger_than_allowed_is_given_up() -> None:
    with FakeServer(stream(drip(bytes(1000)))) as server:
        transport = Transport(PROFILE)
        async with await transport.open("GET", server.url, {}) as answer:
            with pytest.raises(NetworkError, match="larger than allowed"):
                await answer.read_all(5000)
        await transport.aclose()
        assert server.wait_closed()


async def test_a_compressed_answer_is_undone_though_nobody_asked_for_it() -> None:
    body = gzip.compress(b"data: hello\n\n")
    with FakeServer(stream(body[:9], body[9:], headers={"Content-Encoding": "gzip"})) as server:
        assert await get(server.url) == b"data: hello\n\n"
    with FakeServer(stream(b"?", headers={"Content-Encoding": "br"})) as server:
        assert "compressed in a way" in (await failure(server.url)).user_message


async def test_a_compressed_answer_that_was_cut_is_not_whole() -> None:
    body = gzip.compress(b"data: hello\n\n" * 100)
    for sent, is_whole in ((body, True), (body[:-9], False)):
        transport = Transport(PROFILE)
        with FakeServer(respond(200, sent, {"Content-Encoding": "gzip"})) as server:
            async with await transport.open("GET", server.url, {}) as answer:
                assert not answer.is_whole
                await answer.read_all(5000)
                assert answer.is_whole == is_whole
            await transport.aclose()


# Environment


async def test_creating_a_transport_touches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:1080")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    await Transport(NetworkProfile()).aclose()


async def test_a_certificate_variable_that_points_nowhere_is_named_by_the_first_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    error = await failure("https://127.0.0.1:1/", NetworkProfile())
    assert isinstance(error, NetworkError)
    assert "SSL_CERT_FILE names a file that cannot be read" in error.user_message


async def test_a_certificate_variable_does_not_matter_without_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    with FakeServer(respond(200, b"ok")) as server:
        assert await get(server.url, NetworkProfile()) == b"ok"


async def test_a_proxy_variable_that_httpx_rejects_is_named_by_the_first_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:1080")
    error = await failure("https://api.example.com/", NetworkProfile())
    assert isinstance(error, NetworkError)
    assert "the environment variable ALL_PROXY names a kind of proxy that does not exist" in error.user_message


async def test_a_request_goes_through_the_proxy_and_its_failure_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(respond(200, b"from the proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://user:canary@127.0.0.1:{proxy.port}")
        assert await get("http://api.example.com/v1", NetworkProfile()) == b"from the proxy"
        assert proxy.requests[0].path == "http://api.example.com/v1"
        assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")
    error = await failure("http://api.example.com/v1", NetworkProfile())
    assert isinstance(error, ConnectError)
    assert f"api.example.com through the proxy 127.0.0.1:{proxy.port}" in error.message
    assert "canary" not in error.message


async def test_a_proxy_that_refuses_a_tunnel_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer(respond(403, b"")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        error = await failure("https://api.example.com/v1", NetworkProfile())
    assert isinstance(error, ConnectError)
    assert "the proxy refused to connect to api.example.com" in error.user_message
    assert "(HTTP 403)" in error.user_message


async def test_this_machine_is_reached_directly_whatever_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{refused_port()}")
    with FakeServer(respond(200, b"direct")) as server:
        assert await get(server.url, NetworkProfile()) == b"direct"


# TLS


async def test_a_certificate_nobody_signed_is_refused_until_the_variable_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = make_certificate(tmp_path)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with tls_server(certificate, key, answer) as port:
        error = await failure(f"https://127.0.0.1:{port}/")
        assert isinstance(error, ConnectError)
        assert f"the certificate of 127.0.0.1:{port} is not trusted" in error.user_message
        assert not error.retryable
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert await get(f"https://127.0.0.1:{port}/") == b"ok"


async def test_tls_and_plain_mixed_up_is_explained(tmp_path: Path) -> None:
    with one_connection() as server:
        task = asyncio.create_task(failure(f"https://127.0.0.1:{server.port}/"))
        await asyncio.to_thread(server.accept)
        server.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        error = await task
        assert await asyncio.to_thread(server.wait_closed)
    assert "may have to begin with http://" in error.user_message
    certificate, key = make_certificate(tmp_path)
    with tls_server(certificate, key, b"") as port:
        error = await failure(f"http://127.0.0.1:{port}/")
    assert isinstance(error, NetworkError | InvalidRequestError)


# Cancelling


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize(
    ("script", "reached"),
    [
        (hold, ["request"]),
        (stream(hold), ["request", "head"]),
        (stream(b"data", hold), ["request", "head", "data"]),
        (stream(drip(b": ping\n\n")), ["request", "head", "data"]),
    ],
    ids=["before the head", "before the body", "between bytes", "while bytes come"],
)
async def test_a_cancelled_task_closes_its_socket_in_every_phase(
    script: Script, reached: list[str], times: int
) -> None:
    """Twice is where httpx alone leaves the socket open (encode/httpx#3782)."""
    with FakeServer(script) as server:
        transport = Transport(PROFILE)
        phases: asyncio.Queue[str] = asyncio.Queue()

        async def read() -> None:
            phases.put_nowait("request")
            async with await transport.open("POST", server.url, {}, b"{}") as answer:
                phases.put_nowait("head")
                while await answer.read():
                    phases.put_nowait("data")

        task = asyncio.create_task(read())
        assert [await phases.get() for _ in reached] == reached
        assert await asyncio.to_thread(server.wait_requests)
        async for _ in turns(5):
            pass
        await cancel(task, times)
        assert await asyncio.to_thread(server.wait_closed)
        await transport.aclose()


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_cancelled_connection_attempt_is_given_up(times: int) -> None:
    with unanswered_port() as port:
        transport = Transport(PROFILE)
        task = asyncio.create_task(transport.open("GET", f"http://127.0.0.1:{port}/", {}))
        async for _ in turns(20):
            assert not task.done()
        await cancel(task, times)
        await transport.aclose()


@pytest.mark.parametrize("times", [1, 2])
async def test_a_cancelled_upload_that_nobody_reads_is_given_up(times: int) -> None:
    """Bytes are left in the send buffer: an orderly close would wait for them for ever."""
    with one_connection() as server:
        transport = Transport(PROFILE)
        url = f"http://127.0.0.1:{server.port}/"
        task = asyncio.create_task(transport.open("POST", url, {}, bytes(50_000_000)))
        await asyncio.to_thread(server.accept)
        async for _ in turns(50):
            assert not task.done()
        await cancel(task, times)
        assert await asyncio.to_thread(server.wait_closed)
        await transport.aclose()


async def test_an_answer_that_nobody_waits_for_any_more_is_closed() -> None:
    """The cancellation comes when the head has arrived but the waiting task has not run yet."""
    arrived = asyncio.Event()

    class Instant(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            arrived.set()
            return httpx.Response(200, stream=body)

    class Body(httpx.AsyncByteStream):
        closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"data"

        async def aclose(self) -> None:
            self.closed = True

    body = Body()
    transport = Transport(PROFILE, transport=Instant())
    task = asyncio.create_task(transport.open("GET", "http://127.0.0.1/", {}))
    await arrived.wait()
    await cancel(task, 1)
    assert body.closed
    await transport.aclose()


async def test_httpx_logs_no_address(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeServer(respond(200, b"ok")) as server:
        await get(f"{server.url}/canary-path?key=canary-key")
        async with httpx.AsyncClient(trust_env=False) as others:
            await others.get(f"{server.url}/their-own")
    assert "canary" not in caplog.text
    assert "their-own" in caplog.text, "what others do with httpx is logged as ever"


async def cancel(task: asyncio.Task[object], times: int) -> None:
    """Cancel on consecutive turns of the loop, as a stopping program does, and see the task end."""
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    async for _ in turns(5):
        pass


async def turns(count: int) -> AsyncIterator[None]:
    """Turns of the event loop."""
    for _ in range(count):
        await asyncio.sleep(0)
        yield
