"""The connection doctor: every hop that can fail, and what is said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.errors import ServerError
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.doctor import STEPS, Step, examine
from rillet.core.providers.provider import Provider
from support.fake_server import (
    Exchange,
    FakeServer,
    Script,
    close,
    raw,
    redirect,
    refused_port,
    respond,
    unanswered_port,
)
from support.proxies import HttpProxy, SocksProxy
from support.tls import Authority, tls_server

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.providers.local_server import LocalServer

KEY = "canary-0123456789"
LISTS: dict[str, Any] = {
    "openai": {"data": [{"id": "alpha"}, {"id": "beta"}]},
    "openai-responses": {"data": [{"id": "alpha"}, {"id": "beta"}]},
    "anthropic": {"data": [{"id": "alpha"}, {"id": "beta"}]},
    "gemini": {"models": [{"name": f"models/{id}", "supportedGenerationMethods": ["generateContent"]}
                          for id in ("alpha", "beta")]},
    "ollama": {"models": [{"name": "alpha", "model": "alpha"}, {"name": "beta", "model": "beta"}]},
}  # fmt: skip
REFUSED = {"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}}
EMPTY = {"error": {"message": "you must provide a model parameter", "type": "invalid_request_error"}}
STYLES = pytest.mark.parametrize("style", LISTS)


async def diagnosis(url: str, *, key: str | None = KEY, model: str | None = "alpha", **fields: Any) -> dict[str, Step]:
    """Every step by its name; proves on the way what holds for all of them."""
    style = fields.pop("style", "openai")
    provider = Provider(
        "p", style, url, key, network=NetworkProfile(**fields.pop("network", {})), name="Fake", **fields
    )
    steps = [step async for step in examine(provider, model)]
    assert tuple(step.name for step in steps) == STEPS, "every step is told once, in order"
    outcomes = [step.outcome for step in steps]
    assert outcomes.count("failed") <= 1
    if "failed" in outcomes:
        assert set(outcomes[outcomes.index("failed") + 1 :]) <= {"skipped"}
    for step in steps:
        assert step.sentence.endswith((".", "?")), step
        assert "canary" not in step.sentence
    return {step.name: step for step in steps}


def outcome(steps: dict[str, Step]) -> str:
    """The step that failed, or "works"."""
    return next((step.name for step in steps.values() if step.outcome == "failed"), "works")


def by_key(known: Any, unknown: Any) -> Script:
    """A server that asks for the key."""

    def script(exchange: Exchange) -> None:
        has_key = KEY in str(exchange.request.headers)
        exchange.respond(200 if has_key else 401, known if has_key else unknown)

    return script


def by_path(*, get: Script, post: Script) -> Script:
    return lambda exchange: (get if exchange.request.method == "GET" else post)(exchange)


@STYLES
async def test_a_provider_that_works_passes_in_every_style(style: str) -> None:
    with FakeServer(by_key(LISTS[style], REFUSED)) as server:
        steps = await diagnosis(server.url, style=style)
    assert outcome(steps) == "works"
    assert steps["connect"].sentence == f"127.0.0.1:{server.port} accepts connections."
    assert steps["http"].sentence == "127.0.0.1 answers (HTTP 200)."
    assert steps["endpoint"].sentence == "It lists 2 models."
    assert steps["key"].sentence == "The key was accepted."
    assert steps["model"].sentence == "alpha is in the list."
    assert [request.method for request in server.requests] == ["GET", "GET"], "nothing that would be paid for"


@STYLES
async def test_a_refused_key_is_told_from_a_wrong_address_in_every_style(style: str) -> None:
    with FakeServer(respond(401, REFUSED)) as server:
        steps = await diagnosis(server.url, style=style)
    assert outcome(steps) == "key"
    assert steps["endpoint"].outcome == "ok"
    assert "Fake refused the key" in steps["key"].sentence


@STYLES
async def test_a_web_page_is_no_model_server_in_any_style(style: str) -> None:
    for status in (200, 401, 404):
        with FakeServer(respond(status, "<html><title>Sign in</title></html>")) as server:
            steps = await diagnosis(server.url, style=style)
        assert outcome(steps) == "endpoint"
        assert "web page" in steps["endpoint"].sentence
        assert "<" not in steps["endpoint"].sentence


async def test_a_missing_key_is_asked_for() -> None:
    with FakeServer(respond(401, REFUSED)) as server:
        steps = await diagnosis(server.url, key=None)
    assert steps["key"].sentence == "Fake wants a key. Enter one, or set it in the environment."


async def test_a_server_that_needs_no_key_needs_none() -> None:
    with FakeServer(respond(200, LISTS["openai"])) as server:
        steps = await diagnosis(server.url, key=None)
        assert server.accepted == 1
    assert outcome(steps) == "works"
    assert steps["key"].sentence == "No key is needed to list the models."


async def test_where_everybody_may_see_the_list_the_key_is_tried_otherwise() -> None:
    for answer, expected in ((respond(401, REFUSED), "key"), (respond(400, EMPTY), "works")):
        with FakeServer(by_path(get=respond(200, LISTS["openai"]), post=answer)) as server:
            steps = await diagnosis(server.url)
        assert outcome(steps) == expected
        assert server.requests[-1].json == {}, "nothing that would be paid for"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (respond(400, EMPTY), "works"),
        (respond(422, {"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}), "works"),
        (respond(401, REFUSED), "key"),
        (respond(404, "<html><title>404</title></html>"), "endpoint"),
        (respond(404, {"error": "no such path"}), "endpoint"),
        (close, "endpoint"),
    ],
)
async def test_a_server_without_a_list_is_recognized_by_how_it_refuses_an_empty_request(
    answer: Script, expected: str
) -> None:
    with FakeServer(by_path(get=respond(404, {"error": "Not Found"}), post=answer)) as server:
        steps = await diagnosis(server.url)
    assert outcome(steps) == expected
    if expected == "works":
        assert "no list of models" in steps["endpoint"].sentence
        assert steps["model"].outcome == "skipped"


async def test_a_key_without_credit_is_no_use() -> None:
    with FakeServer(respond(429, {"error": {"message": "no credit", "code": "insufficient_quota"}})) as server:
        steps = await diagnosis(server.url)
    assert outcome(steps) == "key"
    assert "billing" in steps["key"].sentence


async def test_a_key_that_cannot_be_sent_is_found_after_the_rest() -> None:
    with FakeServer(respond(200, LISTS["openai"])) as server:
        steps = await diagnosis(server.url, key="canary\u200b")
    assert outcome(steps) == "key"
    assert "Copy the key again" in steps["key"].sentence


async def test_a_model_that_is_not_there_is_met_with_those_that_are_like_it() -> None:
    with FakeServer(respond(200, LISTS["openai"])) as server:
        steps = await diagnosis(server.url, key=None, model="alpa")
        assert steps["model"].sentence == "alpa is not in the list. Choose another model, perhaps alpha."
        steps = await diagnosis(server.url, key=None, model="zzz")
        assert steps["model"].sentence.endswith("perhaps alpha or beta.")
        steps = await diagnosis(server.url, key=None, model=None)
        assert steps["model"].outcome == "skipped"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (respond(500, {"error": "boom"}), "Fake had an internal error: boom"),
        (respond(503, {"error": {"message": "Loading model"}}), "still being loaded"),
        (raw(b"SSH-2.0-OpenSSH\r\n\r\n"), "is not a web server"),
        (close, "closed the connection without an answer"),
        (redirect("https://elsewhere.example/v1?key=canary"), "redirects to https://elsewhere.example"),
    ],
)
async def test_a_server_that_does_not_answer_as_it_should_fails_at_http(script: Script, sentence: str) -> None:
    with FakeServer(script) as server:
        steps = await diagnosis(server.url)
    assert outcome(steps) == "http"
    assert sentence in steps["http"].sentence


async def test_nobody_listens_or_nobody_answers() -> None:
    steps = await diagnosis(f"http://127.0.0.1:{refused_port()}/v1")
    assert outcome(steps) == "connect"
    assert "nothing answers at" in steps["connect"].sentence
    with unanswered_port() as port:
        steps = await diagnosis(f"http://127.0.0.1:{port}/v1", network={"connect_timeout": 0.05})
    assert outcome(steps) == "connect"


async def test_names_are_looked_up() -> None:
    steps = await diagnosis("https://nowhere.invalid/v1")
    assert outcome(steps) == "lookup"
    assert "no such host: nowhere.invalid" in steps["lookup"].sentence
    with FakeServer(respond(200, LISTS["openai"])) as server:
        steps = await diagnosis(f"http://localhost:{server.port}/v1", key=None)
    assert steps["lookup"].sentence.startswith("localhost is ")
    assert outcome(steps) == "works"


async def test_encryption_says_who_signed(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "Root of All")
    answer = b'HTTP/1.1 200 OK\r\nContent-Length: 23\r\n\r\n{"data":[{"id":"alpha"}]}'.replace(b"23", b"25")
    with tls_server(*authority.issue("127.0.0.1"), answer) as port:
        url = f"https://127.0.0.1:{port}/v1"
        steps = await diagnosis(url, key=None, network={"ca_file": str(authority.certificate)})
        assert outcome(steps) == "works"
        assert "is valid, signed by Root of All (Company) (TLSv1.3)" in steps["tls"].sentence
        steps = await diagnosis(url)
        assert outcome(steps) == "tls"
        assert "is not trusted" in steps["tls"].sentence
        assert steps["tls"].sentence.endswith("Its certificate was signed by Root of All (Company).")


@pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
async def test_a_proxy_is_a_step_of_its_own(kind: type[HttpProxy] | type[SocksProxy]) -> None:
    with FakeServer(respond(200, LISTS["openai"])) as server, kind({"api.example:80": server.port}) as proxy:
        network = {"proxy": proxy.url}
        steps = await diagnosis("http://api.example/v1", key=None, network=network)
        assert outcome(steps) == "works"
        assert steps["connect"].sentence == f"127.0.0.1:{proxy.port} accepts connections."
        assert steps["proxy"].sentence == f"The proxy 127.0.0.1:{proxy.port} leads to api.example."
        steps = await diagnosis("https://nowhere.example/v1", network=network)
        assert outcome(steps) == "proxy"
    steps = await diagnosis("https://api.example/v1", network=network)
    assert outcome(steps) == "connect"
    assert f"the proxy 127.0.0.1:{proxy.port}" in steps["connect"].sentence


async def test_a_proxy_that_wants_a_password_is_found_out_with_and_without_a_tunnel() -> None:
    with HttpProxy({}, user="canary-user", password="canary-password") as proxy:
        for scheme in ("http", "https"):
            steps = await diagnosis(f"{scheme}://api.example/v1", network={"proxy": proxy.anonymous_url})
            assert outcome(steps) == "proxy"


async def test_a_variable_that_names_no_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://canary@proxy")
    steps = await diagnosis("https://api.example/v1")
    assert outcome(steps) == "proxy"
    assert "the environment variable HTTPS_PROXY" in steps["proxy"].sentence


async def test_a_local_server_that_cannot_start_is_where_it_ends() -> None:
    class Broken:
        async def endpoint(self) -> LocalServer:
            raise ServerError("it crashed twice", retryable=False)

    broken: Any = Broken()
    steps = await diagnosis("", server=broken)
    assert outcome(steps) == "lookup"
    assert "it crashed twice" in steps["lookup"].sentence
