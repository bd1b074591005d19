"""Streamable HTTP, and the older transport behind it, as servers that behave speak them."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.mcp.server import State
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.tool import ToolContext
from rillet.core.types.suspension import Answer, Request
from support.fake_server import FakeServer, redirect, stream
from support.mcp.running import SOON, call, running
from support.mcp.server import OBJECT, text_result
from support.mcp.web import SESSION, answered, events, remote, reply, web
from support.scripted import until

if TYPE_CHECKING:
    from support.fake_server import Exchange


async def test_a_server_is_greeted_listed_called_and_told_goodbye() -> None:
    with FakeServer(web()) as server:
        async with running(remote(server.url, headers=(("X-Key", "${KEY}"),)), surroundings=KEYED) as servers:
            assert (await call(servers, "web_echo", {"text": "hello"})).output == "hello"
        methods = [(r.method, r.json.get("method") if r.body else None) for r in server.requests]
        assert methods[:2] == [("POST", "initialize"), ("POST", "notifications/initialized")]
        assert set(methods[2:]) == {("GET", None), ("POST", "tools/list"), ("POST", "tools/call"), ("DELETE", None)}
        assert methods[-1] == ("DELETE", None)
        assert all(request.headers["x-key"] == "canary" for request in server.requests)
        first, *others = server.requests
        assert "mcp-session-id" not in first.headers
        assert {request.headers["mcp-session-id"] for request in others} == {SESSION}
        assert {request.headers["mcp-protocol-version"] for request in others} == {
            first.json["params"]["protocolVersion"]
        }
        assert server.wait_closed()


KEYED = Surroundings(environ={"KEY": "canary"})


async def test_no_header_and_no_word_goes_where_a_server_points() -> None:
    with FakeServer(web()) as other, FakeServer(redirect(f"{other.url}/mcp")) as server:
        async with running(remote(server.url, headers=(("X-Key", "${KEY}"),)), surroundings=KEYED) as servers:
            assert servers.servers["web"].state is State.FAILED
            assert "canary" not in "".join((servers.servers["web"].reason, *servers.servers["web"].log.lines))
        assert other.requests == []


async def test_progress_and_questions_come_by_the_stream_of_their_call() -> None:
    answered_by_user: list[Any] = []
    asked = threading.Event()

    def calling(exchange: Exchange, message: Any) -> None:
        token = message["params"]["_meta"]["progressToken"]
        progress = {"progressToken": token, "progress": 1, "total": 2, "message": "half"}
        schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
        question = {"message": "Which colour?", "requestedSchema": schema}
        exchange.head()
        exchange.chunk(events({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}))
        exchange.chunk(events({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": question}))
        exchange.wait(asked)
        exchange.chunk(events(answered(message, text_result("done"))))
        exchange.end()

    def notice(exchange: Exchange, message: Any) -> None:
        if message.get("id") == "q1":
            answered_by_user.append(message["result"])
            asked.set()
        exchange.respond(202)

    async def blue(request: Request) -> Answer:
        return Answer(id=request.id, ok=True, data={"colour": "blue"})

    told: list[tuple[float, float | None, str]] = []
    with FakeServer(web(call=calling, notice=notice)) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            ctx = ToolContext(ask=blue, progress=lambda done, total, said: told.append((done, total, said)))
            assert (await call(servers, "web_echo", ctx=ctx)).output == "done"
    assert told == [(1.0, 2.0, "half")]
    assert answered_by_user == [{"action": "accept", "content": {"colour": "blue"}}]


async def test_a_cancelled_call_closes_its_stream_and_is_told_to_the_server() -> None:
    cancelled = threading.Event()

    def notice(exchange: Exchange, message: Any) -> None:
        if message.get("method") == "notifications/cancelled":
            cancelled.set()
        exchange.respond(202)

    def calling(exchange: Exchange, message: Any) -> None:
        exchange.head()
        exchange.hold()

    with FakeServer(web(call=calling, notice=notice)) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            running_call = asyncio.create_task(call(servers, "web_echo"))
            await asyncio.to_thread(server.wait_requests, 5)
            running_call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running_call
            assert await asyncio.to_thread(cancelled.wait, SOON)
            await until(lambda: server.open_connections == 0)


async def test_a_session_that_was_forgotten_is_begun_anew_and_the_call_repeated() -> None:
    forgotten = threading.Event()

    def calling(exchange: Exchange, message: Any) -> None:
        if not forgotten.is_set():
            forgotten.set()
            exchange.respond(404)
        else:
            reply(exchange, message, text_result("hello"))

    with FakeServer(web(call=calling)) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            assert (await call(servers, "web_echo")).output == "hello"
            assert [r.json["method"] for r in server.requests if r.body].count("initialize") == 2


async def test_changes_are_heard_by_the_stream_that_is_only_listened_to() -> None:
    change = threading.Event()
    tools = [{"name": "echo", "inputSchema": OBJECT}]

    def listen(exchange: Exchange, message: Any) -> None:
        exchange.head()
        exchange.wait(change)
        exchange.chunk(events({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))
        exchange.hold()

    def listing(exchange: Exchange, message: Any) -> None:
        reply(exchange, message, {"tools": tools})

    with FakeServer(web(listen=listen, list=listing)) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            tools.append({"name": "second", "inputSchema": OBJECT})
            change.set()
            await until(lambda: bool(servers.asked))
            assert [consent.subject for consent in servers.asked] == ["tool second"]


async def test_a_stream_that_ends_early_is_asked_for_again_from_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rillet.core.tools.mcp.http.RESUME_PAUSE", 0.0)
    waiting: list[Any] = []

    def calling(exchange: Exchange, message: Any) -> None:
        waiting.append(message)
        stream(b"id: 7\ndata:\n\n", end=len(waiting) == 1)(exchange)  # once in good order, once cut

    def listen(exchange: Exchange, message: Any) -> None:
        resumed = exchange.request.headers.get("last-event-id")
        if resumed is None:
            exchange.respond(405)
        elif resumed == "7":
            stream(b"id: 8\ndata:\n\n")(exchange)
        else:
            stream(events(answered(waiting[-1], text_result(f"after {resumed}"))))(exchange)

    with FakeServer(web(call=calling, listen=listen)) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            for _ in range(2):
                assert (await call(servers, "web_echo")).output == "after 8"


async def test_a_stream_is_not_asked_for_again_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rillet.core.tools.mcp.http.RESUME_PAUSE", 0.0)

    def calling(exchange: Exchange, message: Any) -> None:
        stream(b"id: 7\ndata:\n\n")(exchange)

    def listen(exchange: Exchange, message: Any) -> None:
        stream(b"id: 7\ndata:\n\n")(exchange)

    with FakeServer(web(call=calling, listen=listen)) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            assert "without an answer" in (await call(servers, "web_echo")).output


def sse_server(endpoint: str) -> Any:
    """A server of 2024: POSTs to its address are refused, a stream names another."""
    queue: list[bytes] = []
    arrived = threading.Condition()

    def script(exchange: Exchange) -> None:
        request = exchange.request
        if request.method == "POST" and request.path == "/mcp":
            exchange.respond(405)
        elif request.method == "POST":
            message = request.json
            result = {
                "initialize": {
                    "protocolVersion": "2024-11-05",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "old", "version": "1"},
                },
                "tools/list": {"tools": [{"name": "echo", "inputSchema": OBJECT}]},
                "tools/call": text_result("hello from 2024"),
            }.get(message["method"])
            if result is not None:
                with arrived:
                    queue.append(events(answered(message, result)))
                    arrived.notify_all()
            exchange.respond(202)
        else:
            exchange.head()
            exchange.chunk(f"event: endpoint\ndata: {endpoint}\n\n".encode())
            while True:
                with arrived:
                    arrived.wait_for(lambda: bool(queue), 0.01)
                    waiting, queue[:] = list(queue), []
                for each in waiting:
                    exchange.chunk(each)
                exchange.chunk(b": still here\n\n")  # which also tells whether anybody listens

    return script


async def test_a_server_of_2024_is_found_behind_its_refusal() -> None:
    with FakeServer(sse_server("/messages?session=1")) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            assert servers.servers["web"].state is State.READY
            assert (await call(servers, "web_echo")).output == "hello from 2024"
        assert server.wait_closed()


async def test_a_server_of_2024_can_be_named_as_one() -> None:
    with FakeServer(sse_server("/messages")) as server:
        async with running(remote(server.url, sse=True)) as servers, asyncio.timeout(SOON):
            assert (await call(servers, "web_echo")).output == "hello from 2024"
        assert ("POST", "/mcp") not in [(request.method, request.path) for request in server.requests]


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:1/messages", "https://example.com/", "//example.com/x", "file:///x"]
)
async def test_a_stream_cannot_send_us_to_another_server(endpoint: str) -> None:
    with FakeServer(sse_server(endpoint)) as server:
        async with running(remote(server.url, sse=True)) as servers:
            assert "at another server" in servers.servers["web"].reason
        assert [request.method for request in server.requests] == ["GET"]


async def test_a_stream_of_2024_that_ends_fails_what_waits_for_it() -> None:
    with FakeServer(stream(b"event: endpoint\ndata: /m\n\n")) as server:
        async with running(remote(server.url, sse=True)) as servers:
            assert servers.servers["web"].state is State.FAILED
            assert "ended the connection" in servers.servers["web"].reason


async def test_of_a_server_of_today_requests_are_told_in_headers_and_cancelled_by_closing() -> None:
    about = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
    rest = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    calls = threading.Event()

    def script(exchange: Exchange) -> None:
        message = exchange.request.json
        match message["method"]:
            case "initialize":
                error = {"code": -32601, "message": "there is no initialize"}
                exchange.respond(400, {"jsonrpc": "2.0", "id": message["id"], "error": error})
            case "server/discover":
                reply(exchange, message, about | rest)
            case "tools/list":
                reply(exchange, message, {"tools": [{"name": "echo", "inputSchema": OBJECT}]} | rest)
            case "tools/call" if calls.is_set():
                exchange.head()
                exchange.hold()
            case _:
                calls.set()
                reply(exchange, message, text_result("hello") | {"resultType": "complete"})

    with FakeServer(script) as server:
        async with running(remote(server.url)) as servers, asyncio.timeout(SOON):
            assert (await call(servers, "web_echo")).output == "hello"
            headers = server.requests[-1].headers
            assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "echo")
            assert headers["mcp-protocol-version"] == "2026-07-28"
            hanging = asyncio.create_task(call(servers, "web_echo"))
            await asyncio.to_thread(server.wait_requests, 5)
            hanging.cancel()
            await asyncio.wait([hanging])
            await until(lambda: server.open_connections == 0)
        assert "notifications/cancelled" not in [json.loads(r.body)["method"] for r in server.requests]
