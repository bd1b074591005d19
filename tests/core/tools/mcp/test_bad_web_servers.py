"""Servers over HTTP that do everything wrong: nobody hangs, no connection is left, no other suffers."""

from __future__ import annotations

import asyncio
import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.mcp.server import State
from support.fake_server import FakeServer, Script, raw, redirect, respond, stream
from support.mcp.running import QUICK, SOON, call, running
from support.mcp.server import text_result
from support.mcp.web import answered, events, remote, web

if TYPE_CHECKING:
    from support.fake_server import Exchange

LARGE = 11 * 1024 * 1024


@dataclass(frozen=True)
class Outcome:
    """What becomes of a server, and of a call of its tool ``echo`` with "hello"."""

    script: Script
    fails: str | None = None
    says: str = "hello"
    is_error: bool = False
    limits: tuple[str, ...] = ()
    state: State = State.FAILED


def fails(reason: str, script: Script, *limits: str, state: State = State.FAILED) -> Outcome:
    return Outcome(script, fails=reason, limits=limits, state=state)


def errs(says: str, script: Script, *limits: str) -> Outcome:
    return Outcome(script, says=says, is_error=True, limits=limits)


def works(script: Script) -> Outcome:
    return Outcome(script)


def streaming(*pieces: Any, end: bool = True) -> Any:
    """A phase that answers with a stream; a function among the pieces is given the message."""

    def phase(exchange: Exchange, message: Any) -> None:
        made = [piece(message) if callable(piece) else piece for piece in pieces]
        stream(*made, end=end)(exchange)

    return phase


def hello(message: Any) -> bytes:
    return events(answered(message, text_result("hello")))


def holding(exchange: Exchange, message: Any) -> None:
    exchange.hold()


def resetting(exchange: Exchange, message: Any) -> None:
    exchange.head()
    exchange.chunk(b"data: {")
    exchange.reset()


def answering(status: int, body: Any = b"", headers: Any = None) -> Any:
    return lambda exchange, message: exchange.respond(status, body, headers)


def half(exchange: Exchange, message: Any) -> None:
    body = json.dumps(answered(message, text_result("hello"))).encode()
    exchange.respond(200, body[: len(body) // 2])


def dripping(exchange: Exchange, message: Any) -> None:
    exchange.head()
    exchange.drip(b": still thinking\n\n")


def large_event(message: Any) -> bytes:
    return events(answered(message, text_result("x" * LARGE)))


def bomb(exchange: Exchange, message: Any) -> None:
    exchange.respond(200, gzip.compress(b" " * (64 * 1024 * 1024)), {"Content-Encoding": "gzip"})


OUTCOMES = {
    "html": fails("this is no MCP server", respond(200, "<html>", {"Content-Type": "text/html"})),
    "no-type": fails("of no kind", respond(200, b"{}", {"Content-Type": ""})),
    "no-http": fails("is not a web server", raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")),
    "closes": fails("closed the connection", raw(b"")),
    "redirects": fails("redirects to", redirect("https://example.com/mcp")),
    "wants-a-key": fails("sign-in", respond(401), state=State.NEEDS_SIGN_IN),
    "forbids": fails("HTTP 403", respond(403)),
    "fails": fails("HTTP 500", respond(500, b"oh no")),
    "is-not-there": fails("HTTP 404", respond(404)),
    "wants-nothing": fails("HTTP 405", respond(405)),
    "never-answers": fails("not ready within", lambda exchange: exchange.hold(), "start_timeout"),
    "says-why": fails(
        "unsupported client",
        web(
            initialize=answering(
                400, {"jsonrpc": "2.0", "id": None, "error": {"code": -1, "message": "unsupported client"}}
            )
        ),
    ),
    "accepts-the-handshake-only": fails("of no kind", web(initialize=answering(202, b"", {"Content-Type": ""}))),
    "odd-session": fails(
        "cannot be sent back",
        web(initialize=answering(200, {}, {"Mcp-Session-Id": "a b"})),
    ),
    "list-hangs": fails("did not answer within", web(list=holding), "list_timeout"),
    "call-hangs": errs("did not answer within", web(call=holding), "call_timeout"),
    "stream-hangs": errs(
        "did not answer within", web(call=streaming(lambda message: lambda e: e.hold())), "call_timeout"
    ),
    "stream-of-comments": errs("did not answer within", web(call=dripping), "call_timeout"),
    "stream-without-answer": errs("without an answer", web(call=streaming(b": nothing\n\n"))),
    "stream-cut": errs("broke off", web(call=streaming(b"data: {", end=False))),
    "stream-reset": errs("broke off", web(call=resetting)),
    "half-json": errs("without an answer", web(call=half)),
    "no-json": errs("without an answer", web(call=answering(200, b"ok"))),
    "other-id": errs("without an answer", web(call=answering(200, answered({"id": 99}, {})))),
    "result-is-text": errs("without an answer", web(call=lambda e, m: e.respond(200, answered(m, "text")))),
    "no-content": errs("not what the protocol says", web(call=lambda e, m: e.respond(200, answered(m, {})))),
    "accepted-only": errs("of no kind", web(call=answering(202, b"", {"Content-Type": ""}))),
    "call-fails": errs("HTTP 502", web(call=answering(502))),
    "call-redirects": errs("redirects to", web(call=lambda e, m: redirect("https://example.com/mcp")(e))),
    "large-body": errs(
        "larger than allowed", web(call=lambda e, m: e.respond(200, answered(m, text_result("x" * LARGE))))
    ),
    "large-event": errs("larger than 10 MB", web(call=streaming(large_event))),
    "gzip-bomb": errs("larger than allowed", web(call=bomb)),
    "events-after-answer": works(web(call=streaming(hello, hello, hello))),
    "noise-before-answer": works(
        web(call=streaming(b"event: advert\ndata: buy\n\n", b"data: not json\n\n", b"data: 5\n\n", b": x\n\n", hello))
    ),
    "notices-hang": works(web(notice=holding)),
    "notices-fail": works(web(notice=answering(500))),
    "listening-hangs": works(web(listen=holding)),
    "listening-fails": works(web(listen=answering(500))),
    "listening-ends-at-once": works(web(listen=streaming())),
    "goodbye-hangs": works(web(goodbye=holding)),
    "goodbye-redirects": works(web(goodbye=lambda e, m: redirect("https://example.com/")(e))),
}


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may take its time takes less."""
    monkeypatch.setattr("rillet.core.tools.mcp.http.NOTICE_PATIENCE", QUICK)
    monkeypatch.setattr("rillet.core.tools.mcp.http.GOODBYE_PATIENCE", QUICK)


@pytest.mark.parametrize("behaviour", OUTCOMES)
async def test_a_bad_server_is_a_sentence_and_no_connection_is_left(behaviour: str) -> None:
    outcome = OUTCOMES[behaviour]
    with FakeServer(outcome.script) as server:
        config = remote(server.url, limits=dict.fromkeys(outcome.limits, QUICK))
        async with running(config) as servers, asyncio.timeout(SOON):
            mcp = servers.servers["web"]
            if outcome.fails is not None:
                assert mcp.state is outcome.state
                assert outcome.fails in mcp.reason
                assert not servers.tools
            else:
                assert (mcp.state, mcp.reason) == (State.READY, "")
                result = await call(servers, "web_echo", {"text": "hello"})
                assert outcome.says in result.output
                assert result.is_error == outcome.is_error
        assert server.wait_closed()


async def test_a_good_server_does_not_notice_the_bad_ones_beside_it() -> None:
    limits = dict.fromkeys(("start_timeout", "list_timeout", "call_timeout"), QUICK)
    bad = [FakeServer(outcome.script) for outcome in list(OUTCOMES.values())[::3]]
    with FakeServer(web()) as good:
        for server in bad:
            server.__enter__()
        try:
            configs = [remote(server.url, name=f"bad {at}", limits=limits) for at, server in enumerate(bad)]
            async with running(remote(good.url, name="good"), *configs) as servers, asyncio.timeout(SOON):
                for _ in range(20):
                    assert (await call(servers, "good_echo", {"text": "hello"})).output == "hello"
        finally:
            for server in bad:
                server.__exit__(None, None, None)


async def test_where_nothing_listens_the_server_says_so() -> None:
    with FakeServer() as server:
        url = server.url
    async with running(remote(url)) as servers:
        assert "nothing answers at" in servers.servers["web"].reason
