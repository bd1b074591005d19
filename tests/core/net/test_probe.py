"""How far a request comes, and what it sees on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import InvalidRequestError, NetworkError, TimedOutError
from rillet.core.net import probe
from rillet.core.net.errors import ConnectError
from rillet.core.net.probe import look_up, route, travel
from rillet.core.net.profile import NetworkProfile
from support.fake_server import FakeServer, hold, redirect, refused_port, respond
from support.proxies import HttpProxy, SocksProxy
from support.tls import Authority, tls_server

if TYPE_CHECKING:
    from pathlib import Path

DIRECT = NetworkProfile(proxy=None)
KINDS = pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])


async def test_a_whole_answer_is_told_whatever_its_status() -> None:
    with FakeServer(respond(404, b"no", {"X-A": "b"})) as server:
        trip = await travel(DIRECT, "GET", server.url, {})
    assert trip.reached == {"connect", "http"}
    assert (trip.status, trip.body, trip.error) == (404, b"no", None)
    assert trip.headers is not None and trip.headers["x-a"] == "b"


async def test_every_hop_that_fails_leaves_those_before_it_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await travel(DIRECT, "GET", f"http://127.0.0.1:{refused_port()}/", {})).reached == frozenset()
    with FakeServer(redirect("https://elsewhere.example/")) as server:
        trip = await travel(DIRECT, "GET", server.url, {})
        assert trip.reached == {"connect"}
        assert isinstance(trip.error, InvalidRequestError)
    monkeypatch.setattr(probe, "PATIENCE", 0.05)
    with FakeServer(hold) as server:
        trip = await travel(DIRECT, "GET", server.url, {})
        assert trip.reached == {"connect"}
        assert isinstance(trip.error, TimedOutError)


async def test_the_signer_of_a_certificate_is_named_trusted_or_not(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "Root of All")
    with tls_server(*authority.issue("127.0.0.1")) as port:
        url = f"https://127.0.0.1:{port}/"
        trusted = await travel(NetworkProfile(proxy=None, ca_file=str(authority.certificate)), "GET", url, {})
        assert trusted.reached == {"connect", "tls", "http"}
        assert trusted.tls_version == "TLSv1.3"
        mistrusted = await travel(DIRECT, "GET", url, {"authorization": "canary"})
        assert mistrusted.reached == {"connect"}
        assert isinstance(mistrusted.error, ConnectError)
        assert trusted.signer == mistrusted.signer == "Root of All (Company)"


@KINDS
async def test_a_proxy_is_a_hop_of_its_own(kind: type[HttpProxy] | type[SocksProxy], tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with (
        tls_server(*authority.issue("api.example")) as port,
        kind({"api.example:443": port}) as proxy,
    ):
        profile = NetworkProfile(proxy=proxy.url, ca_file=str(authority.certificate))
        trip = await travel(profile, "GET", "https://api.example/", {})
        assert trip.reached == {"connect", "proxy", "tls", "http"}
        refused = await travel(profile, "GET", "https://other.example/", {})
        assert refused.reached == {"connect"}
        mistrusted = await travel(NetworkProfile(proxy=proxy.url), "GET", "https://api.example/", {})
        assert mistrusted.reached == {"connect", "proxy"}
        assert mistrusted.signer == "Test Authority (Company)"


def test_the_first_hop_of_a_route_is_the_proxy_where_there_is_one() -> None:
    assert route(DIRECT, "https://api.example/v1") == probe.Route("api.example", 443, None, True)
    proxied = NetworkProfile(proxy="http://user:canary@proxy.example:3128")
    assert route(proxied, "http://api.example:8000") == probe.Route("proxy.example", 3128, "proxy.example:3128", False)
    assert "canary" not in repr(route(proxied, "http://api.example"))
    with pytest.raises(NetworkError):
        route(NetworkProfile(proxy="nonsense://x"), "https://api.example")


async def test_a_name_is_looked_up_or_is_an_error() -> None:
    assert "127.0.0.1" in await look_up("localhost", 80)
    for name in ("nowhere.invalid", "a" * 70 + ".example"):
        with pytest.raises(ConnectError, match="no such host"):
            await look_up(name, 443)
