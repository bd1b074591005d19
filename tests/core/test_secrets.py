"""Whatever goes wrong, in whatever style: no key and no password is in an error, a repr or a log.

Every secret that a request can carry is a canary: the key, the provider's headers, the network's headers, the query of
the address, the login at the proxy. The servers quote all that they were sent.
"""

from __future__ import annotations

import json
import logging
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.client import AsyncLlmClient
from rillet.core.errors import AuthError, LlmError
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.retry import RetryPolicy
from rillet.core.providers.doctor import examine
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, EmbeddingRequest, RetryNotice
from support.asking import HELLO
from support.fake_server import (
    Exchange,
    FakeServer,
    Script,
    close,
    hold,
    raw,
    reset,
)
from support.proxies import HttpProxy

if TYPE_CHECKING:
    from collections.abc import Iterator

STYLES = ("openai", "openai-responses", "anthropic", "gemini", "ollama")
CANARY = "canary"


def sent(exchange: Exchange) -> str:
    """Everything that the client sent, as gateways quote it."""
    return f"{exchange.request.path} {dict(exchange.request.headers)}"


def quoting(status: int, **fields: Any) -> Script:
    return lambda exchange: exchange.respond(status, {"error": {"message": f"you sent {sent(exchange)}", **fields}})


def page(exchange: Exchange) -> None:
    exchange.respond(502, f"<html><title>{sent(exchange)}</title></html>")


def words(exchange: Exchange) -> None:
    exchange.respond(400, f"upstream said no to {sent(exchange)}")


def names(exchange: Exchange) -> None:
    """The secret where a code is expected."""
    key = exchange.request.headers.get("authorization", exchange.request.headers.get("x-api-key", "none"))
    exchange.respond(400, {"error": {"message": "no", "code": key, "type": key}}, {"X-Request-Id": key})


def elsewhere(exchange: Exchange) -> None:
    exchange.respond(307, b"", {"Location": f"https://elsewhere.example/{exchange.request.path}?key=canary-moved"})


def in_the_stream(exchange: Exchange) -> None:
    """An error after HTTP said 200, in the words of every style at once."""
    said = f"you sent {sent(exchange)}"
    error = json.dumps({"type": "error", "message": said, "error": {"message": said, "type": "server_error"}})
    exchange.head(200)
    if exchange.request.path.startswith("/v1/api/"):
        exchange.chunk(json.dumps({"error": said}).encode() + b"\n")
    else:
        exchange.chunk(f"event: error\ndata: {error}\n\n".encode())
    exchange.end()


def nonsense(exchange: Exchange) -> None:
    exchange.head(200)
    exchange.chunk(sent(exchange).encode())
    exchange.end()


FAILURES: dict[str, Script] = {
    **{
        str(status): quoting(status)
        for status in (400, 401, 402, 403, 404, 407, 408, 413, 422, 429, 498, 499, 500, 503, 504, 529)
    },
    "unlisted model": quoting(404, code="model_not_found"),
    "too long": quoting(400, code="context_length_exceeded"),
    "filtered": quoting(400, code="content_filter"),
    "page": page,
    "words": words,
    "names": names,
    "redirect": elsewhere,
    "in the stream": in_the_stream,
    "nonsense": nonsense,
    "silence": hold,
    "close": close,
    "reset": reset,
    "not http": raw(b"SSH-2.0-OpenSSH\r\n\r\n"),
}


@pytest.fixture
def everything_logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Every logger at its loudest, also those of httpx, httpcore and asyncio."""
    with caplog.at_level(logging.NOTSET):
        yield caplog


def provider(style: str, proxy: HttpProxy, **changes: Any) -> Provider:
    network = NetworkProfile(
        proxy=proxy.url,
        headers={"X-Gateway": "canary-gateway"},
        client_key_password="canary-file",
        first_event_timeout=0.3,
        idle_timeout=0.3,
    )
    fields: dict[str, Any] = {
        "api_key": "canary-key",
        "default_model": "m",
        "headers": {"X-Team": "canary-team", "X-Token": "Bearer canary-token"},
        "network": network,
    }
    return Provider("p", style, "http://api.example/v1?key=canary-query", **(fields | changes))


def shown(error: BaseException) -> str:
    """All that a person, a log or a debugger could see of an error."""
    parts = [str(error), repr(error), repr(error.args), "".join(traceback.format_exception(error))]
    if isinstance(error, LlmError):
        parts += [error.user_message, error.message, repr(vars(error))]
    return "\n".join(parts)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("failure", FAILURES)
async def test_no_failure_in_any_style_tells_a_secret(
    failure: str, style: str, everything_logged: pytest.LogCaptureFixture
) -> None:
    seen: list[BaseException] = []
    with (
        FakeServer(FAILURES[failure]) as server,
        HttpProxy({"api.example:80": server.port}, user="canary-user", password="canary-password") as proxy,
    ):
        async with AsyncLlmClient(provider(style, proxy), retry=RetryPolicy(attempts=2, base=0.0)) as client:
            with pytest.raises(LlmError) as caught:
                async for delta in client.stream(HELLO):
                    seen += [delta.error] if isinstance(delta, RetryNotice) else []
            seen.append(caught.value)
            if failure != "silence":
                with pytest.raises(LlmError) as caught:
                    await client.chat(HELLO)
                seen.append(caught.value)
            assert CANARY not in repr([client, client.provider, client.provider.network])
        assert CANARY in str(server.requests), "the server did see them"
    for error in seen:
        assert CANARY not in shown(error)
    assert CANARY not in everything_logged.text


@pytest.mark.parametrize("style", STYLES)
async def test_lists_vectors_and_diagnoses_tell_none_either(
    style: str, everything_logged: pytest.LogCaptureFixture
) -> None:
    with (
        FakeServer(quoting(403)) as server,
        HttpProxy({"api.example:80": server.port}, user="canary-user", password="canary-password") as proxy,
    ):
        patient = provider(style, proxy)
        async with AsyncLlmClient(patient, retry=RetryPolicy.none()) as client:
            with pytest.raises(AuthError) as caught:
                await client.models()
            assert CANARY not in shown(caught.value)
            with pytest.raises(LlmError) as failed:
                await client.embed(EmbeddingRequest(["text"], model="m"))
            assert CANARY not in shown(failed.value)
        sentences = [step.sentence async for step in examine(patient)]
        assert CANARY not in "\n".join(sentences)
    assert CANARY not in everything_logged.text


@pytest.mark.parametrize("style", STYLES)
async def test_what_never_leaves_the_program_tells_none(
    style: str, everything_logged: pytest.LogCaptureFixture
) -> None:
    """A key, a header, a proxy, a certificate that cannot be used; a proxy that refuses or is not there."""
    with HttpProxy({}, user="canary-user", password="canary-password") as proxy:
        unusable: list[dict[str, Any]] = [
            {"api_key": "canary\u200bkey"},
            {"headers": {"X-Team": "canary\nteam"}},
            {"network": NetworkProfile(proxy="nonsense://canary-user:canary-password@proxy")},
            {"network": NetworkProfile(proxy="http://canary-user:canary password@proxy")},
            {"network": NetworkProfile(proxy=proxy.anonymous_url)},
            {"network": NetworkProfile(proxy=proxy.url)},
            {"network": NetworkProfile(proxy=proxy.url.replace("http:", "socks5:"), connect_timeout=1.0)},
        ]
        errors = [await _failure(provider(style, proxy, **changes)) for changes in unusable]
    errors.append(await _failure(provider(style, proxy)))
    for error in errors:
        assert CANARY not in shown(error)
    assert CANARY not in everything_logged.text


async def _failure(provider: Provider) -> LlmError:
    async with AsyncLlmClient(provider, retry=RetryPolicy.none()) as client:
        with pytest.raises(LlmError) as caught:
            await client.chat(ChatRequest([ChatMessage.user("Hello")]))
    return caught.value
