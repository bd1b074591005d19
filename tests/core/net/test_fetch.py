"""Pages of strangers over real sockets: nothing inside is ever connected to, and nothing of ours is sent along."""

from __future__ import annotations

import asyncio
import gzip
import socket
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import InvalidRequestError, LlmError, NetworkError, TimedOutError
from rillet.core.net import public_routes
from rillet.core.net.errors import ConnectError
from rillet.core.net.fetch import LIMIT, REDIRECTS, Page, fetch
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.public_routes import Guard, NotPublic
from support.fake_server import FakeServer, drip, hold, raw, redirect, respond, stream
from support.internet import Internet
from support.proxies import HttpProxy, SocksProxy
from support.tls import Authority, tls_server
from support.web_addresses import INSIDE, NAMES, ORDINARY, PUBLIC, REFUSED

if TYPE_CHECKING:
    from pathlib import Path

    from support.fake_server import Exchange, Script

PAGE = respond(200, "<p>hello</p>", {"Content-Type": "text/html; charset=UTF-8"})


async def get(internet: Internet, url: str, **options: float) -> Page:
    return await fetch(url, internet.profile, guard=internet.guard, transport=internet.routes(), **options)  # type: ignore[arg-type]


async def read(script: Script, **options: float) -> Page:
    with FakeServer(script) as server:
        return await get(Internet(server.port), "http://example.com/page", **options)


async def test_a_page_is_read() -> None:
    page = await read(PAGE)
    assert (page.status, page.content_type, page.charset, page.body) == (200, "text/html", "utf-8", b"<p>hello</p>")
    assert (str(page.address), page.passed, page.is_text, page.is_cut) == ("http://example.com/page", (), True, False)


async def test_nothing_is_sent_that_says_who_asks() -> None:
    with FakeServer(respond(302, "", {"Location": "/b", "Set-Cookie": "id=1"}), PAGE) as server:
        await get(Internet(server.port), "http://example.com/a?x=1#part")
        first, second = server.requests
    assert (first.method, first.path, first.body) == ("GET", "/a?x=1", b"")
    assert second.path == "/b"
    for request in (first, second):
        assert set(request.headers) == {"host", "user-agent", "accept", "accept-encoding"}
        assert request.headers["host"] == "example.com"
        assert request.headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("url", REFUSED)
async def test_nobody_inside_is_connected_to(url: str) -> None:
    with FakeServer(PAGE) as server:
        internet = Internet(server.port)
        with pytest.raises((NotPublic, InvalidRequestError)):
            await get(internet, url)
        assert internet.connected == []
        assert server.accepted == 0


@pytest.mark.parametrize("url", ORDINARY)
async def test_everybody_outside_is(url: str) -> None:
    internet = Internet(None)
    with pytest.raises(ConnectError):
        await get(internet, url)
    assert len(internet.connected) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "127.1", "0x7f.1", "2130706433"]
)
async def test_our_own_servers_are_not_reached_with_the_real_name_server_and_real_sockets(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(PAGE) as server:
        url = f"http://{host}:{server.port}/"
        guard = Guard(ports=frozenset({server.port}))
        with pytest.raises((NotPublic, InvalidRequestError)):
            await fetch(url, NetworkProfile(proxy=None), guard=guard)
        assert server.accepted == 0
        if host == "127.0.0.1":  # it was the judgement alone that kept us from it
            monkeypatch.setattr(public_routes, "why_not_public", lambda address: None)
            assert (await fetch(url, NetworkProfile(proxy=None), guard=guard)).body == b"<p>hello</p>"


async def test_a_name_is_looked_up_once_per_connection_and_the_answer_is_what_is_connected_to() -> None:
    with FakeServer(PAGE) as server:
        internet = Internet(server.port, {"rebind.example.org": [["93.184.216.34"], ["127.0.0.1"]]})
        await get(internet, "http://rebind.example.org/")
        assert internet.asked == ["rebind.example.org"]
        assert internet.connected == [("93.184.216.34", 80)]
        with pytest.raises(NotPublic):
            await get(internet, "http://rebind.example.org/")
        assert len(internet.connected) == 1


async def test_a_redirect_to_the_same_name_is_judged_again() -> None:
    with FakeServer(redirect("/again"), PAGE) as server:
        internet = Internet(server.port, {"rebind.example.org": [["93.184.216.34"], ["169.254.169.254"]]})
        with pytest.raises(NotPublic, match=r"169\.254\.169\.254"):
            await get(internet, "http://rebind.example.org/")
        assert internet.connected == [("93.184.216.34", 80)]


@pytest.mark.parametrize(
    "answers", [["127.0.0.1", "93.184.216.34"], ["93.184.216.34", "::1"], ["93.184.216.34", "10.0.0.1"]]
)
async def test_one_address_inside_is_enough_to_refuse_a_name(answers: list[str]) -> None:
    with FakeServer(PAGE) as server:
        internet = Internet(server.port, {"mixed.example.org": [answers]})
        with pytest.raises(NotPublic):
            await get(internet, "http://mixed.example.org/")
        assert internet.connected == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", [*INSIDE[:12], *NAMES[2:12], "[::1]", "[::ffff:169.254.169.254]", "other.org"])
async def test_a_redirect_to_another_host_is_told_and_not_followed(status: int, target: str) -> None:
    with FakeServer(redirect(f"http://{target}/latest/meta-data/", status)) as server:
        internet = Internet(server.port)
        page = await get(internet, "http://example.com/")
        assert internet.connected == [(PUBLIC[0], 80)]
        assert (page.status, page.body, str(page.address)) == (status, b"", "http://example.com/")
        assert page.leads_to is not None
        assert page.leads_to != page.address


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "http://example.com:6379/",
        "http://u:p@example.com/",
        "javascript:x",
        "http://0x7f.1/",
        "\x7f",
    ],
)
async def test_a_redirect_to_what_is_not_fetched_is_an_error(location: str) -> None:
    with FakeServer(redirect(location)) as server, pytest.raises(InvalidRequestError):
        await get(Internet(server.port), "http://example.com/")


async def test_redirects_are_followed_and_told() -> None:
    steps = [redirect(f"http://example.com/{number}") for number in range(REDIRECTS - 1)]
    with FakeServer(*steps, redirect("//www.example.com/end"), PAGE) as server:
        page = await get(Internet(server.port), "http://example.com/start")
    assert str(page.address) == "http://www.example.com/end"
    assert page.leads_to is None
    assert [each.path for each in page.passed] == ["/start", "/0", "/1", "/2", "/3"]


async def test_there_is_an_end_to_redirects() -> None:
    with FakeServer(redirect("/again")) as server:
        with pytest.raises(NetworkError, match="more than 5 times"):
            await get(Internet(server.port), "http://example.com/")
        assert len(server.requests) == REDIRECTS + 1


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    with FakeServer(PAGE) as server:
        internet = Internet(
            server.port,
            {"two.example.org": [["2606:2800:220:1::1", "93.184.216.34"]]},
            unreachable=["2606:2800:220:1::1"],
        )
        assert (await get(internet, "http://two.example.org/")).status == 200
        assert [address for address, _ in internet.connected] == ["2606:2800:220:1::1", "93.184.216.34"]


async def test_a_name_that_is_nobodys_is_an_error() -> None:
    with FakeServer(PAGE) as server, pytest.raises(ConnectError, match="no such host"):
        await get(Internet(server.port), "http://unknown.example.com/")


async def test_a_status_is_no_error_here() -> None:
    page = await read(respond(404, "gone", {"Content-Type": "text/plain"}))
    assert (page.status, page.body) == (404, b"gone")


@pytest.mark.parametrize("limit", [10, 11, 12])
async def test_no_more_is_kept_than_the_limit(limit: int) -> None:
    page = await read(respond(200, "hello world", {"Content-Type": "text/plain"}), limit=limit)
    assert page.body == b"hello world"[:limit]
    assert page.is_cut is (limit < 11)


async def test_a_bomb_is_cut_when_it_has_been_unpacked_that_far() -> None:
    bomb = gzip.compress(bytes(60 * 1024 * 1024), 9)
    headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
    with FakeServer(respond(200, bomb, headers)) as server:
        page = await get(Internet(server.port), "http://example.com/")
        assert (len(page.body), page.is_cut) == (LIMIT, True)
        assert server.wait_closed()


async def test_a_page_without_end_is_cut_too() -> None:
    with FakeServer(stream(drip(b"x" * 65536))) as server:
        page = await get(Internet(server.port), "http://example.com/", limit=1_000_000)
        assert (len(page.body), page.is_cut) == (1_000_000, True)
        assert server.wait_closed()


@pytest.mark.parametrize(
    "script", [hold, stream(b"x", hold), stream(drip(b"x"))], ids=["silent", "stalled", "dripping"]
)
async def test_the_whole_ends_in_time_and_leaves_no_socket(script: Script) -> None:
    with FakeServer(script) as server:
        with pytest.raises(TimedOutError, match=r"1\.5 seconds"):
            await get(Internet(server.port), "http://example.com/", patience=1.5)
        assert server.wait_closed()


async def test_a_fetch_that_is_cancelled_leaves_no_socket() -> None:
    with FakeServer(stream(b"x", hold)) as server:
        fetching = asyncio.create_task(get(Internet(server.port), "http://example.com/"))
        await asyncio.to_thread(server.wait_requests, 1)
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        assert server.wait_closed()


@pytest.mark.parametrize(
    "content_type",
    ["application/pdf", "image/png", "image/svg+xml", "application/zip", "video/mp4", "application/octet-stream"],
)
async def test_what_is_no_text_is_not_read(content_type: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: 99999999\r\n\r\n"

    def begin(exchange: Exchange) -> None:
        exchange.send(head.encode())
        exchange.hold()

    page = await read(begin)
    assert (page.is_text, page.body, page.content_type) == (False, b"", content_type)


@pytest.mark.parametrize(
    "content_type",
    [
        *(
            "text/plain",
            "TEXT/HTML",
            "application/json",
            "application/ld+json",
            "application/xhtml+xml",
            "text/markdown",
        ),
        *("application/atom+xml", "application/javascript", "application/x-ndjson", "application/yaml"),
    ],
)
async def test_what_is_text_is(content_type: str) -> None:
    page = await read(respond(200, "x", {"Content-Type": content_type}))
    assert (page.is_text, page.body, page.content_type) == (True, b"x", content_type.lower())


async def test_what_has_no_type_is_taken_for_text() -> None:
    page = await read(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"))
    assert (page.is_text, page.content_type, page.charset) == (True, "", None)


@pytest.mark.parametrize(
    ("parameters", "charset"),
    [("; charset=ISO-8859-1", "iso-8859-1"), (';x=y; Charset="utf-8"', "utf-8"), ("; charset=", None), ("", None)],
)
async def test_the_charset_is_told(parameters: str, charset: str | None) -> None:
    assert (await read(respond(200, "x", {"Content-Type": f"text/plain{parameters}"}))).charset == charset


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    ],
)
async def test_what_is_no_answer_is_an_error_of_ours(answer: bytes) -> None:
    with pytest.raises(LlmError):
        await read(raw(answer))


async def test_the_server_hears_the_name_in_tls_and_the_address_is_what_was_looked_up(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("example.com")
    with tls_server(certificate, key) as port:
        internet = Internet(port, profile=NetworkProfile(proxy=None, ca_file=str(authority.certificate)))
        assert (await get(internet, "https://example.com/")).status == 200
        assert internet.connected == [("93.184.216.34", 443)]
        with pytest.raises(ConnectError, match="not trusted"):
            await get(internet, "https://other.org/")


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
async def test_a_proxy_is_told_the_address_and_the_server_the_name(
    kind: type[HttpProxy] | type[SocksProxy], tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("example.com")
    with tls_server(certificate, key) as port, kind({"93.184.216.34:443": port}) as proxy:
        profile = NetworkProfile(proxy=proxy.url, ca_file=str(authority.certificate))
        internet = Internet(proxy.port, profile=profile)
        assert (await get(internet, "https://example.com/")).status == 200
        assert proxy.targets == ["93.184.216.34:443"]
        assert internet.asked == ["example.com"]
        with pytest.raises(ConnectError, match="not trusted"):
            await get(internet, "https://other.org/")


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
@pytest.mark.parametrize(
    "url", ["https://metadata/", "https://127.0.0.1.nip.io/", "https://10.0.0.1/", "https://mixed.example.com/"]
)
async def test_a_proxy_is_not_asked_for_what_is_inside(kind: type[HttpProxy] | type[SocksProxy], url: str) -> None:
    with kind({}) as proxy:
        with pytest.raises(NotPublic):
            await get(Internet(proxy.port, profile=NetworkProfile(proxy=proxy.url)), url)
        assert proxy.targets == []


async def test_plain_http_goes_through_a_socks_proxy_to_the_address() -> None:
    with FakeServer(PAGE) as server, SocksProxy({"93.184.216.34:80": server.port}) as proxy:
        internet = Internet(proxy.port, profile=NetworkProfile(proxy=proxy.url))
        assert (await get(internet, "http://example.com/")).status == 200
        assert server.requests[0].headers["host"] == "example.com"
        assert proxy.targets == ["93.184.216.34:80"]


@pytest.mark.parametrize(("scheme", "url"), [("http", "http://example.com/"), ("socks5h", "https://example.com/")])
async def test_a_proxy_that_would_look_up_the_name_itself_is_not_asked(scheme: str, url: str) -> None:
    with HttpProxy({"example.com:80": 1}) as proxy:
        profile = NetworkProfile(proxy=f"{scheme}://127.0.0.1:{proxy.port}")
        with pytest.raises(NotPublic, match=r"would look up example\.com itself"):
            await get(Internet(proxy.port, profile=profile), url)
        assert proxy.targets == []


async def test_where_no_proxy_is_meant_for_a_name_it_is_reached_directly() -> None:
    with FakeServer(PAGE) as server:
        profile = NetworkProfile(proxy="http://127.0.0.1:1", no_proxy=["example.com"])
        internet = Internet(server.port, profile=profile)
        assert (await get(internet, "http://example.com/")).status == 200
        assert internet.connected == [("93.184.216.34", 80)]


async def test_a_socket_of_the_file_system_is_never_opened() -> None:
    with FakeServer(PAGE) as server, socket.socket(socket.AF_UNIX):
        routes = Internet(server.port).routes()
        with pytest.raises(NotImplementedError):
            await routes._direct._sockets.connect_unix_socket("/run/docker.sock")
        await routes.aclose()
