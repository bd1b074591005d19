"""Signing in at a server: the whole way, and every way in which somebody may be in between."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from rillet.core.net.profile import NetworkProfile
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.tools.mcp.oauth_fetch import Fetcher
from rillet.core.tools.mcp.server import State
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.mcp.tokens import MemoryTokenStore, SignIn
from rillet.core.types.suspension import Answer, Request
from support.fake_server import FakeServer
from support.mcp.running import QUICK, SOON, call, running
from support.mcp.sign_in import SignInServer
from support.mcp.web import remote

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[SignInServer]:
    with SignInServer() as server:
        yield server


async def reason(server: SignInServer, **settings: Any) -> str:
    """Why signing in fails."""
    async with running(remote(server.url, **settings), surroundings=Surroundings(ask=server.browse)) as servers:
        mcp = servers.servers["web"]
        assert mcp.state is State.FAILED
        assert not server.tokens
        return mcp.reason


async def test_the_user_signs_in_in_a_browser_and_the_server_is_ready(server: SignInServer) -> None:
    store = MemoryTokenStore()
    around = Surroundings(ask=server.browse, tokens=store)
    async with running(remote(server.url), surroundings=around) as servers:
        assert servers.servers["web"].state is State.READY
        assert (await call(servers, "web_echo", {"text": "hello"})).output == "hello"
    (page,) = server.pages
    assert page["response_type"] == "code"
    assert page["code_challenge_method"] == "S256"
    assert page["resource"] == f"{server.url}/mcp"
    assert page["redirect_uri"].startswith("http://127.0.0.1:")
    (form,) = server.asked
    assert form["resource"] == f"{server.url}/mcp"
    assert form["redirect_uri"] == page["redirect_uri"]
    assert server.registered[0]["redirect_uris"] == [page["redirect_uri"]]
    kept = await store.get(f"{server.url}/mcp")
    assert kept is not None
    assert (kept.issuer, kept.access_token) == (server.url, "token-1")


async def test_the_host_is_shown_an_address_and_opens_it_itself(server: SignInServer) -> None:
    requests: list[Request] = []

    async def refuse(request: Request) -> Answer:
        requests.append(request)
        return Answer(id=request.id, ok=False)

    async with running(remote(server.url), surroundings=Surroundings(ask=refuse)) as servers:
        assert servers.servers["web"].reason == "nobody signed in"
    (request,) = requests
    assert (request.kind, urlsplit(request.url or "").path) == ("authorization", "/authorize")
    assert request.data == {"server": "web", "issuer": server.url}
    assert server.pages == []


async def test_a_host_that_fails_to_ask_is_nobody_who_signs_in(server: SignInServer) -> None:
    async def ask(request: Request) -> Answer:
        raise OSError("canary")

    async with running(remote(server.url), surroundings=Surroundings(ask=ask)) as servers:
        assert servers.servers["web"].reason == "nobody signed in"


async def test_without_anybody_to_ask_the_server_waits_for_a_sign_in(server: SignInServer) -> None:
    async with running(remote(server.url)) as servers:
        mcp = servers.servers["web"]
        assert mcp.state == "needs sign-in"
        await mcp.sign_in(server.browse)
        assert mcp.state is State.READY


async def test_a_kept_sign_in_needs_no_browser(server: SignInServer) -> None:
    store = MemoryTokenStore()
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse, tokens=store)):
        pass
    async with running(remote(server.url), surroundings=Surroundings(tokens=store)) as servers:
        assert servers.servers["web"].state is State.READY
    assert len(server.pages) == 1


async def test_a_token_that_was_taken_back_is_renewed_without_a_browser(server: SignInServer) -> None:
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        server.tokens.clear()
        assert (await call(servers, "web_echo", {"text": "hello"})).output == "hello"
    assert [form["grant_type"] for form in server.asked] == ["authorization_code", "refresh_token"]
    assert server.asked[1]["refresh_token"] == "refresh-1"
    assert server.asked[1]["resource"] == f"{server.url}/mcp"


async def test_a_token_is_renewed_before_it_ends(server: SignInServer) -> None:
    server.token_answer = {"expires_in": 5}
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.READY
    assert server.asked[1]["grant_type"] == "refresh_token"
    refused = [request for request in server.requests if request.path == "/mcp"]
    assert "authorization" not in refused[0].headers


async def test_calls_at_once_renew_a_token_once(server: SignInServer) -> None:
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        server.tokens.clear()
        results = await asyncio.gather(*(call(servers, "web_echo", {"text": "hello"}) for _ in range(5)))
        assert {result.output for result in results} == {"hello"}
    assert [form["grant_type"] for form in server.asked].count("refresh_token") == 1


async def test_when_renewing_is_over_somebody_has_to_sign_in_again(server: SignInServer) -> None:
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        server.tokens.clear()
        server.token_status = 400
        result = await call(servers, "web_echo")
        assert result.is_error
        assert "it wants a sign-in" in result.output
        assert servers.servers["web"].state is State.NEEDS_SIGN_IN
        server.token_status = 200
        await servers.servers["web"].sign_in(server.browse)
        assert (await call(servers, "web_echo", {"text": "hello"})).output == "hello"
    assert len(server.pages) == 2


async def test_time_to_sign_in_is_not_the_servers(server: SignInServer) -> None:
    async def slowly(request: Request) -> Answer:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 4 * QUICK)
        return await server.browse(request)

    config = remote(server.url, limits={"start_timeout": 3 * QUICK})
    async with running(config, surroundings=Surroundings(ask=slowly)) as servers:
        assert servers.servers["web"].state is State.READY


async def test_the_oldest_servers_sign_in_at_their_own_address(server: SignInServer) -> None:
    server.has_resource_metadata = False
    server.metadata = {"issuer": f"{server.url}/oauth"}
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.READY


async def test_a_program_that_is_registered_says_who_it_is(server: SignInServer) -> None:
    server.registers = False
    settings: dict[str, Any] = {"client_id": "we", "client_secret": "s:3/cret", "scope": "read"}
    async with running(remote(server.url, **settings), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.READY
    assert server.pages[0]["client_id"] == "we"
    assert server.pages[0]["scope"] == "read"
    assert server.asked[0]["authorization"] == "Basic d2U6cyUzQTMlMkZjcmV0"
    assert "client_secret" not in server.asked[0]


async def test_where_nobody_can_register_the_entry_has_to_say(server: SignInServer) -> None:
    server.registers = False
    assert "oauth.clientId" in await reason(server)


async def test_a_header_of_the_entry_is_the_sign_in(server: SignInServer) -> None:
    server.tokens.add("by-hand")
    headers = (("Authorization", "Bearer by-hand"),)
    async with running(remote(server.url, headers=headers), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.READY
    assert server.pages == []


async def test_a_server_that_refuses_every_token_is_asked_no_third_time(server: SignInServer) -> None:
    server.token_answer = {"access_token": "never-accepted"}
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].reason == "it refuses this sign-in"
    assert len(server.pages) == 1


async def test_a_call_that_needs_more_rights_asks_for_them_at_the_next_sign_in(server: SignInServer) -> None:
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        mcp = servers.servers["web"]
        server.tokens.clear()
        server.challenge = 'Bearer error="insufficient_scope", scope="read write"'
        assert "it wants a sign-in" in (await call(servers, "web_echo")).output
        assert mcp.state is State.NEEDS_SIGN_IN
        await mcp.sign_in(server.browse)
        assert (await call(servers, "web_echo", {"text": "hello"})).output == "hello"
    assert [page.get("scope") for page in server.pages] == [None, "read write"]
    assert [form["grant_type"] for form in server.asked] == ["authorization_code"] * 2


# Somebody in between.


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ({"code_challenge_methods_supported": ["plain"]}, "PKCE"),
        ({"issuer": "https://elsewhere.example.com"}, "another name"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "not an address with https"),
        ({"authorization_endpoint": "file:///bin/sh"}, "not an address with https"),
        ({"authorization_endpoint": "http://example.com/"}, "not an address with https"),
        ({"token_endpoint": "http://example.com/"}, "not an address with https"),
    ],
)
async def test_signing_in_that_is_not_safe_is_not_begun(
    server: SignInServer, metadata: dict[str, Any], why: str
) -> None:
    server.metadata = metadata
    assert why in await reason(server)
    assert server.pages == []


async def test_a_secret_of_the_entry_goes_to_the_issuer_that_the_entry_names_only(server: SignInServer) -> None:
    settings: dict[str, Any] = {"client_id": "we", "client_secret": "canary", "issuer": "https://auth.example.com"}
    assert "not at https://auth.example.com" in await reason(server, **settings)
    assert server.pages == []
    settings["issuer"] = f"{server.url}/"
    async with running(remote(server.url, **settings), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.READY


async def test_metadata_of_another_server_are_not_followed(server: SignInServer) -> None:
    server.resource = {"resource": "https://bank.example.com/"}
    assert "another server" in await reason(server)
    assert server.pages == []


@pytest.mark.parametrize(
    ("callback", "metadata"),
    [
        ({"iss": "https://evil.example.com"}, {}),
        ({"iss": None}, {"authorization_response_iss_parameter_supported": True}),
        ({"iss": "https://evil.example.com"}, {"authorization_response_iss_parameter_supported": True}),
    ],
)
async def test_the_code_of_one_authorization_server_is_never_given_to_another(
    server: SignInServer, callback: dict[str, str | None], metadata: dict[str, Any]
) -> None:
    server.callback, server.metadata = callback, metadata
    assert "somebody else" in await reason(server)
    assert server.asked == []


async def test_an_answer_that_names_its_issuer_is_taken(server: SignInServer) -> None:
    server.callback = {"iss": server.url}
    server.metadata = {"authorization_response_iss_parameter_supported": True}
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.READY


async def test_a_refusal_at_the_page_is_told_in_its_word_only(server: SignInServer) -> None:
    server.callback = {"code": None, "error": "access_denied", "error_description": "<b>call us at…"}
    assert await reason(server) == "signing in failed: access_denied"


@pytest.mark.parametrize(
    "answer",
    [
        {"access_token": ""},
        {"access_token": None},
        {"access_token": "a\nb"},
        {"token_type": "mac"},
        {"token_type": None},
    ],
)
async def test_a_token_that_is_none_is_not_used(server: SignInServer, answer: dict[str, Any]) -> None:
    server.token_answer = answer
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        assert servers.servers["web"].state is State.FAILED
        assert "token was given" in servers.servers["web"].reason


async def test_a_sign_in_that_was_kept_for_another_server_is_not_sent(server: SignInServer) -> None:
    class Mixed(MemoryTokenStore):
        async def get(self, server: str) -> SignIn | None:
            return SIGN_IN

    async with running(remote(server.url), surroundings=Surroundings(tokens=Mixed())) as servers:
        assert servers.servers["web"].state is State.NEEDS_SIGN_IN
    assert all("authorization" not in request.headers for request in server.requests)


SIGN_IN = SignIn(
    server="https://other.example.com/mcp",
    issuer="https://auth.example.com",
    resource="https://other.example.com/mcp",
    client_id="c",
    client_secret="canary-secret",
    token_endpoint="https://auth.example.com/token",
    access_token="canary-token",
    refresh_token="canary-refresh",
    expires_at=time.time() + 3600,
)


def test_a_sign_in_survives_as_plain_data_and_shows_no_secret() -> None:
    assert SignIn.from_json(SIGN_IN.to_json()) == SIGN_IN
    assert "canary" not in repr(replace(SIGN_IN, auth_method="client_secret_post"))
    with pytest.raises(ValueError):
        SignIn.from_json(b"{}")


async def test_a_public_server_cannot_send_us_into_the_private_network(monkeypatch: pytest.MonkeyPatch) -> None:
    async def public(host: str, port: int) -> list[str]:
        return ["127.0.0.1"] if host in ("127.0.0.1", "rebound.example.com") else ["93.184.216.34"]

    monkeypatch.setattr("rillet.core.tools.mcp.oauth_fetch.look_up", public)
    with FakeServer() as inside:
        async with Fetcher("https://mcp.example.com/mcp", NetworkProfile(proxy=None)) as fetcher:
            for url in (inside.url, "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://10.0.0.1/"):
                with pytest.raises(ServerFailure, match="is not public"):
                    await fetcher.get(url)
        assert inside.requests == []
    with FakeServer() as inside:
        async with Fetcher(f"{inside.url}/mcp", NetworkProfile(proxy=None)) as fetcher:
            await fetcher.get(f"{inside.url}/x")  # a server that is inside itself may name its neighbours
        assert len(inside.requests) == 1


async def test_no_token_no_code_and_no_secret_is_logged(server: SignInServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with running(remote(server.url), surroundings=Surroundings(ask=server.browse)) as servers:
        await call(servers, "web_echo")
        said = "\n".join((caplog.text, *servers.servers["web"].log.lines))
    secrets = ("token-1", "refresh-1", "code-1", server.asked[0]["code_verifier"], server.pages[0]["state"])
    assert all(secret not in said for secret in secrets)


async def test_a_cancelled_start_ends_the_sign_in(server: SignInServer) -> None:
    asking = asyncio.Event()

    async def ask(request: Request) -> Answer:
        asking.set()
        await asyncio.Event().wait()
        raise AssertionError

    config = remote(server.url)
    async with running(config) as first:
        book = first.book
    servers = McpServers([config], book=book, surroundings=Surroundings(ask=ask))
    async with asyncio.timeout(SOON):
        starting = asyncio.create_task(servers.start())
        await asking.wait()
        await servers.aclose()
        await starting
    assert servers.servers["web"].state is State.STOPPED
