from __future__ import annotations

import asyncio
import gzip
import json
import logging
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from rillet.core.net.profile import NetworkProfile
from rillet.core.tools.http import http_tool
from rillet.core.tools.tool import Effect, Tool, ToolContext, ToolResult
from support.fake_server import FakeServer, respond, stream

if TYPE_CHECKING:
    from support.fake_server import Script

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
DIRECT = NetworkProfile(proxy=None)
PNG = b"\x89PNG\r\n\x1a\n and so on"
CANARY = 'canary-"7/x'


def made(url: str, **options: Any) -> Tool:
    return http_tool("weather", "The weather.", url, SCHEMA, network=DIRECT, **options)


def asked(script: Script, args: dict[str, Any] | None = None, **options: Any) -> tuple[ToolResult, FakeServer]:
    with FakeServer(script) as server:
        tool = made(f"{server.url}/weather/{{city}}", **options)
        result = asyncio.run(tool.run(args or {"city": "Oslo"}, ToolContext()))
    return result, server


def test_the_body_of_the_answer_is_the_result() -> None:
    result, server = asked(respond(200, "sunny ☀"))
    assert (result.output, result.is_error, result.metadata["status"]) == ("sunny ☀", False, 200)
    assert (server.requests[0].method, server.requests[0].path) == ("GET", "/weather/Oslo")


def test_what_is_left_of_the_arguments_is_the_body_of_a_post() -> None:
    result, server = asked(respond(201, "ok"), {"city": "Oslo", "note": "hi"}, method="POST")
    assert result.output == "ok"
    assert server.requests[0].json == {"note": "hi"}
    assert server.requests[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize("status", [400, 404, 500, 503])
def test_another_status_is_an_error_with_its_body(status: int) -> None:
    result, server = asked(respond(status, "nothing here"))
    assert (result.output, result.is_error) == (f"HTTP {status}: nothing here", True)
    assert len(server.requests) == 1


def test_an_answer_with_its_status_in_front() -> None:
    assert asked(respond(200, "x"), result="status+text")[0].output == "HTTP 200: x"


def test_json_is_made_compact() -> None:
    assert asked(respond(200, '{ "a": [1,\n 2], "ä": 1 }'), result="json")[0].output == '{"a":[1,2],"ä":1}'
    result, _ = asked(respond(200, "<html>"), result="json")
    assert (result.output, result.is_error) == ("the answer is no JSON: <html>", True)


def test_a_picture_is_a_picture() -> None:
    result, _ = asked(respond(200, PNG, {"Content-Type": "image/png"}))
    assert [image.data for image in result.images] == [PNG]


def test_what_is_no_text_is_named_instead_of_shown() -> None:
    result, _ = asked(respond(200, b"\0\1\2", {"Content-Type": "application/pdf"}))
    assert result.output == "(application/pdf, 3 bytes, which are no text)"


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"\xe9", "é"),
        ('text/plain; charset="UTF-16"', "hé".encode("utf-16"), "hé"),
        ("text/plain; charset=nonsense", "é".encode(), "é"),
        ("text/plain", b"a\xffb", "a�b"),
    ],
)
def test_text_is_read_in_the_charset_that_it_names(kind: str, body: bytes, text: str) -> None:
    assert asked(respond(200, body, {"Content-Type": kind}))[0].output == text


def test_an_answer_without_end_is_cut_off() -> None:
    result, server = asked(stream(lambda exchange: exchange.drip(b"x" * 1000)), limit=2500)
    assert result.output == "x" * 2500 + "\n(cut off after 2500 bytes)"
    assert server.wait_closed()


def test_the_limit_holds_for_what_a_compressed_answer_becomes() -> None:
    bomb = gzip.compress(b"a" * 10_000_000)
    result, _ = asked(respond(200, bomb, {"Content-Encoding": "gzip"}), limit=1000)
    assert result.output.startswith("a" * 1000 + "\n(cut off")


def test_an_answer_that_does_not_end_in_time_is_an_error() -> None:
    result, server = asked(stream(b"x", lambda exchange: exchange.hold()), timeout=0.05)
    assert (result.output, result.is_error) == ("no complete answer within 0.05 s", True)
    assert server.wait_closed()


@pytest.mark.parametrize(
    "script",
    [
        stream(b"half", lambda exchange: exchange.reset()),
        stream(b"half", end=False),
        lambda exchange: exchange.send(b"no HTTP at all\r\n\r\n"),
        lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
        lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 1_000_000 + b"\r\n\r\n"),
        respond(200, gzip.compress(b"x" * 100_000)[:50], {"Content-Encoding": "gzip"}),
        respond(200, b"no gzip", {"Content-Encoding": "gzip"}),
        respond(302, "", {"Location": "http://[::1"}),
        lambda exchange: exchange.close(),
        lambda exchange: exchange.reset(),
    ],
    ids=[
        *("reset", "cut", "no HTTP", "short", "bad chunk", "long header", "cut gzip", "no gzip"),
        *("bad redirect", "closed", "reset at once"),
    ],
)
def test_a_server_that_misbehaves_is_an_error(script: Script) -> None:
    result, server = asked(script, timeout=5)
    assert result.is_error
    assert result.output
    assert len(server.requests) == 1


def test_a_redirect_to_another_origin_is_not_followed() -> None:
    with FakeServer(respond(200, "stolen")) as other:
        result, _ = asked(
            respond(307, "", {"Location": f"{other.url}/x"}), headers={"Authorization": "Bearer canary-1234"}
        )
        assert result.is_error
        assert f"redirects to {other.url}" in result.output
        assert other.requests == []


def test_a_redirect_within_the_origin_is_followed() -> None:
    with FakeServer(respond(307, "", {"Location": "/weather/Oslo/"}), respond(200, "sunny")) as server:
        tool = made(f"{server.url}/weather/{{city}}", headers={"X-Key": "k"}, method="POST")
        result = asyncio.run(tool.run({"city": "Oslo", "day": 1}, ToolContext()))
    assert result.output == "sunny"
    assert [(request.method, request.path) for request in server.requests] == [
        ("POST", "/weather/Oslo"),
        ("POST", "/weather/Oslo/"),
    ]
    assert all(request.headers["x-key"] == "k" and request.json == {"day": 1} for request in server.requests)


def test_redirects_without_end_end() -> None:
    result, server = asked(respond(302, "", {"Location": "/weather/again"}))
    assert (result.output, result.is_error) == ("the address redirects again and again", True)
    assert len(server.requests) == 6


def test_a_server_that_is_not_there_is_an_error() -> None:
    with FakeServer() as server:
        tool = made(f"{server.url}/{{city}}")
    result = asyncio.run(tool.run({"city": "Oslo"}, ToolContext()))
    assert result.is_error
    assert "127.0.0.1" in result.output


def test_a_cancelled_call_closes_its_socket() -> None:
    async def main(server: FakeServer) -> None:
        task = asyncio.create_task(made(f"{server.url}/{{city}}").run({"city": "Oslo"}, ToolContext()))
        await asyncio.to_thread(server.wait_requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with FakeServer(lambda exchange: exchange.hold()) as server:
        asyncio.run(main(server))
        assert server.wait_closed()


def test_a_secret_is_in_no_result_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    def echo(exchange: Any) -> None:
        key = exchange.request.headers["authorization"].removeprefix("Bearer ")
        exchange.respond(403, f"{key} {json.dumps(key)} {quote(key, safe='')} {key[:8]}")

    with caplog.at_level(logging.DEBUG):
        result, server = asked(echo, headers={"Authorization": "Bearer ${KEY}"}, environ={"KEY": CANARY})
    assert server.requests[0].headers["authorization"] == f"Bearer {CANARY}"
    assert result.is_error
    assert "canary" not in result.output
    assert "canary" not in caplog.text


def test_a_variable_is_read_at_each_call() -> None:
    environ: dict[str, str] = {}
    with FakeServer(respond(200, "ok")) as server:
        tool = made(f"{server.url}/{{city}}", headers={"X-Key": "${KEY}"}, environ=environ)
        first = asyncio.run(tool.run({"city": "Oslo"}, ToolContext()))
        environ["KEY"] = "now"
        second = asyncio.run(tool.run({"city": "Oslo"}, ToolContext()))
    assert (first.is_error, first.output) == (True, "the request was not sent: the environment variable KEY is not set")
    assert second.output == "ok"
    assert [request.headers["x-key"] for request in server.requests] == ["now"]


def test_a_tool_that_sends_says_so() -> None:
    assert made("https://example.com/{city}").effects == {Effect.NETWORK}
    assert made("https://example.com/{city}", method="delete").effects == {Effect.NETWORK, Effect.WRITE}
    assert made("https://example.com/{city}", effects=frozenset()).effects == frozenset()
    assert made("https://example.com/{city}").source == "http"
    assert not made("https://example.com/{city}").trusted_output


def test_who_is_asked_sees_where_a_request_goes() -> None:
    tool = made("https://example.com/{city}", method="post", query=["day"], headers={"X-Key": "${KEY}"}, environ={})
    assert tool.preview is not None
    assert tool.preview({"city": "a b", "day": 1, "note": "x"}) == {"request": "POST https://example.com/a%20b?day=1"}
    with pytest.raises(ValueError, match="city"):
        tool.preview({"city": ".."})


def test_an_address_that_asks_for_what_the_schema_lacks_is_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="country"):
        made("https://example.com/{city}/{country}")


def test_calls_run_beside_each_other() -> None:
    gate = threading.Event()

    def meeting(exchange: Any) -> None:
        exchange.wait(gate)
        exchange.respond(200, exchange.request.path)

    async def main(server: FakeServer) -> list[str]:
        tool = made(f"{server.url}/{{city}}")
        calls = [asyncio.create_task(tool.run({"city": f"c{n}"}, ToolContext())) for n in range(8)]
        await asyncio.to_thread(server.wait_requests, 8)
        gate.set()
        return [result.output for result in await asyncio.gather(*calls)]

    with FakeServer(meeting) as server:
        assert asyncio.run(main(server)) == [f"/c{n}" for n in range(8)]
