"""Through a proxy: every kind, with and without a password, and what stands in the way."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import LlmError
from rillet.core.net.errors import ConnectError, ConnectTimedOut
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.transport import Transport
from support.fake_server import FakeServer, hold, one_connection, respond
from support.proxies import HttpProxy, SocksProxy
from support.tls import Authority, tls_server

if TYPE_CHECKING:
    from pathlib import Path

KINDS = pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])


async def get(url: str, profile: NetworkProfile) -> bytes:
    transport = Transport(profile)
    try:
        async with await transport.open("GET", url, {}) as answer:
            return await answer.read_all(100)
    finally:
        await transport.aclose()


async def failure(url: str, profile: NetworkProfile) -> LlmError:
    with pytest.raises(LlmError) as caught:
        await get(url, profile)
    return caught.value


@KINDS
@pytest.mark.parametrize("user", ["", "user"])
async def test_plain_and_encrypted_requests_go_through(
    kind: type[HttpProxy] | type[SocksProxy], user: str, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    with (
        FakeServer(respond(200, b"plain")) as plain,
        tls_server(*authority.issue("secure.example")) as secure,
        kind({"plain.example:80": plain.port, "secure.example:443": secure}, user=user, password="p%40ss") as proxy,
    ):
        password = "p%2540ss" if user else ""
        url = f"{kind.scheme}://{user}:{password}@127.0.0.1:{proxy.port}" if user else proxy.url
        profile = NetworkProfile(proxy=url, ca_file=str(authority.certificate))
        assert await get("http://plain.example/", profile) == b"plain"
        assert await get("https://secure.example/", profile) == b"ok"
        assert proxy.targets == ["plain.example:80", "secure.example:443"]
        assert "proxy-authorization" not in plain.requests[0].headers


async def test_the_way_to_the_proxy_may_be_encrypted_itself(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with tls_server(*authority.issue("127.0.0.1")) as port:
        url = f"https://127.0.0.1:{port}"
        assert (
            await get("http://plain.example/", NetworkProfile(proxy=url, ca_file=str(authority.certificate))) == b"ok"
        )
        error = await failure("http://plain.example/", NetworkProfile(proxy=url))
    assert isinstance(error, ConnectError)
    assert "is not trusted" in error.message


@KINDS
async def test_a_proxy_that_does_not_know_us_says_what_to_do(kind: type[HttpProxy] | type[SocksProxy]) -> None:
    with kind({}, user="user", password="canary-right") as proxy:
        for url in (proxy.anonymous_url, proxy.url.replace("canary-right", "canary-wrong")):
            error = await failure("https://api.example/", NetworkProfile(proxy=url))
            assert isinstance(error, ConnectError)
            assert not error.retryable
            assert error.message == (
                f"the proxy wants to know who connects to api.example through the proxy 127.0.0.1:{proxy.port}"
            )
            assert "Add a user name and a password to its address" in error.user_message
            assert "canary" not in f"{error!r}{error.user_message}"


@KINDS
async def test_a_target_that_the_proxy_does_not_reach_is_not_the_proxys_password(
    kind: type[HttpProxy] | type[SocksProxy],
) -> None:
    with kind({}) as proxy:
        error = await failure("https://api.example/", NetworkProfile(proxy=proxy.url))
    assert isinstance(error, ConnectError)
    assert "the proxy refused to connect to api.example" in error.message
    assert error.retryable


@pytest.mark.parametrize("scheme", ["http", "https", "socks5"])
async def test_a_proxy_whose_name_does_not_exist_is_not_taken_for_the_provider(scheme: str) -> None:
    error = await failure("https://api.example/", NetworkProfile(proxy=f"{scheme}://proxy.invalid:3128"))
    assert isinstance(error, ConnectError)
    assert error.message == "there is no such proxy: proxy.invalid:3128"


@pytest.mark.parametrize("scheme", ["http", "socks5"])
async def test_a_proxy_that_says_nothing_is_given_up_as_a_connection_is(scheme: str) -> None:
    with one_connection() as server:
        profile = NetworkProfile(proxy=f"{scheme}://127.0.0.1:{server.port}", connect_timeout=0.1)
        error = await failure("https://api.example/", profile)
        assert isinstance(error, ConnectTimedOut)
        assert f"through the proxy 127.0.0.1:{server.port} in time" in error.message
        server.accept()
        assert server.wait_closed()


@pytest.mark.parametrize(
    "answers",
    [[b"HTTP/1.1 400 Bad\r\n\r\n"], [b"\x05"], [b"\x05\x00", b"xx"], [b"\x05\x00", b"\x05\x00\x00\x09"], [b""]],
    ids=["http", "cut greeting", "nonsense", "cut reply", "silence"],
)
async def test_what_is_no_socks_proxy_is_said_to_be_none(answers: list[bytes]) -> None:
    """httpcore lets the exception of its SOCKS library through."""
    with one_connection() as server:
        profile = NetworkProfile(proxy=f"socks5://127.0.0.1:{server.port}", connect_timeout=5.0)
        task = asyncio.create_task(failure("https://api.example/", profile))
        await asyncio.to_thread(server.accept)
        for answer in answers:
            await asyncio.to_thread(server.read)
            server.send(answer)
        server.close_writing()
        error = await task
        assert isinstance(error, ConnectError)
        assert "is no SOCKS5 proxy" in error.message
        assert await asyncio.to_thread(server.wait_closed)


@KINDS
async def test_an_answer_may_take_longer_than_connecting(kind: type[HttpProxy] | type[SocksProxy]) -> None:
    with FakeServer(hold) as server, kind({"api.example:80": server.port}) as proxy:
        profile = NetworkProfile(proxy=proxy.url, connect_timeout=2, first_event_timeout=2.5, idle_timeout=2.5)
        error = await failure("http://api.example/", profile)
        assert not isinstance(error, ConnectTimedOut)
        assert server.wait_closed()


@KINDS
async def test_hosts_of_the_exceptions_are_reached_directly(kind: type[HttpProxy] | type[SocksProxy]) -> None:
    with kind({}) as proxy:
        profile = NetworkProfile(proxy=proxy.url, no_proxy=["nowhere.invalid"])
        error = await failure("http://nowhere.invalid/", profile)
        assert error.message == "no such host: nowhere.invalid"
        assert proxy.targets == []


@KINDS
async def test_no_log_tells_the_proxys_password(
    kind: type[HttpProxy] | type[SocksProxy], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    authority = Authority(tmp_path)
    with (
        tls_server(*authority.issue("secure.example")) as secure,
        kind({"secure.example:443": secure}, user="canary-user", password="canary-password") as proxy,
    ):
        profile = NetworkProfile(proxy=proxy.url, ca_file=str(authority.certificate))
        assert await get("https://secure.example/", profile) == b"ok"
    assert "canary" not in caplog.text
    assert "canary" not in repr(profile)
