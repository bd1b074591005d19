"""One request, watched hop by hop: how far it came, and what stopped it.

It takes the same way through the same transport as every request of the program, so that what it finds is what the
program meets. Above: ``transport``, ``certificate``. Below: ``providers/doctor`` puts it into words.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit

import httpx

from rillet.core.errors import LlmError
from rillet.core.net.certificate import issuer
from rillet.core.net.errors import ConnectError, ConnectTimedOut
from rillet.core.net.proxy import proxy_for
from rillet.core.net.transport import Transport, httpx_proxy

if TYPE_CHECKING:
    from rillet.core.net.profile import NetworkProfile

Hop: TypeAlias = Literal["connect", "proxy", "tls", "http"]

BODY_LIMIT: Final = 16 * 1024 * 1024
PATIENCE: Final = 30.0
"""Seconds for the whole of one request: nobody waits for a model here."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way that a request to one address takes."""

    host: str
    """Whose name this machine has to look up: the proxy's where there is one."""
    port: int
    proxy: str | None
    """Host and port of the proxy, for people."""
    secure: bool


@dataclass(frozen=True, slots=True)
class Trip:
    """How far a request came."""

    reached: frozenset[Hop]
    status: int | None = None
    headers: Mapping[str, str] | None = None
    body: bytes = b""
    signer: str | None = None
    """Who signed the server's certificate, also when it is not trusted."""
    tls_version: str | None = None
    error: LlmError | None = None
    """What stopped it; None when the whole answer was read, whatever its status."""


def route(profile: NetworkProfile, url: str) -> Route:
    """The way to ``url``.

    Raises:
        NetworkError: the profile or the environment names no usable proxy.
    """
    target = urlsplit(url)
    proxy = proxy_for(target, profile)
    first = target if proxy is None else urlsplit(proxy.url)
    label = None if proxy is None else proxy.label
    return Route(first.hostname or "", _port(first), label, target.scheme == "https")


async def look_up(host: str, port: int) -> list[str]:
    """The addresses of a host.

    Raises:
        ConnectError, ConnectTimedOut: there are none, or nobody answers the question.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError:
        raise ConnectTimedOut(f"the name {host} was not found in time", advice="Check the network.") from None
    except (OSError, UnicodeError) as error:
        advice = "Check the spelling of the address, and the network."
        raise ConnectError(f"no such host: {host}", advice=advice) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def travel(
    profile: NetworkProfile, method: str, url: str, headers: Mapping[str, str], content: bytes | None = None
) -> Trip:
    """Send one request and read its answer. What goes wrong is in the result.

    Raises:
        NetworkError: the profile or the environment names no usable proxy.
    """
    log = _Log(is_proxied=route(profile, url).proxy is not None)
    transport = Transport(profile)
    status, answer_headers, body, failure = None, None, b"", None
    try:
        async with (
            asyncio.timeout(PATIENCE),
            await transport.open(method, url, headers, content, observer=log) as answer,
        ):
            log.reached.add("http")
            status, answer_headers = answer.status, answer.headers
            body = await answer.read_all(BODY_LIMIT)
    except LlmError as error:
        failure = error
    except TimeoutError:
        failure = ConnectTimedOut(f"nothing came within {PATIENCE:g} seconds")
    finally:
        await transport.aclose()
    if failure is not None and _is_mistrust(failure):
        log.signer = await _signer(profile, url)
    return Trip(frozenset(log.reached), status, answer_headers, body, log.signer, log.tls_version, failure)


class _Log:
    """What httpcore says on the way (see ``passage.Observer``)."""

    def __init__(self, *, is_proxied: bool) -> None:
        self.reached: set[Hop] = set()
        self.signer: str | None = None
        self.tls_version: str | None = None
        self._ends_of_handshake: tuple[str, ...] = ("proxy.start_tls.complete", "socks.start_tls.complete")
        if not is_proxied:  # else that is the proxy's own certificate
            self._ends_of_handshake += ("connection.start_tls.complete",)

    async def __call__(self, step: str, details: Mapping[str, Any]) -> None:
        if step.endswith("connect_tcp.complete"):
            self.reached.add("connect")
        elif step in ("socks.setup_socks5_connection.complete", "proxy.start_tls.started"):
            self.reached.add("proxy")
        elif step in self._ends_of_handshake:
            self.reached.add("tls")
            secure = details["return_value"].get_extra_info("ssl_object")
            self.signer = issuer(secure.getpeercert(binary_form=True) or b"")
            self.tls_version = secure.version()


async def _signer(profile: NetworkProfile, url: str) -> str | None:
    """Who signed the certificate of a server that is not trusted: shake hands, look, and send nothing."""
    proxy = proxy_for(urlsplit(url), profile)
    log = _Log(is_proxied=proxy is not None)

    async def look(step: str, details: Mapping[str, Any]) -> None:
        await log(step, details)
        if log.signer is not None:
            await details["return_value"].aclose()
            raise _Seen

    blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    blind.check_hostname = False
    blind.verify_mode = ssl.CERT_NONE
    through = None if proxy is None else httpx_proxy(proxy, profile)
    transport = httpx.AsyncHTTPTransport(verify=blind, proxy=through)
    request = httpx.Request("GET", url, extensions={"trace": look, "timeout": {"connect": PATIENCE, "read": PATIENCE}})
    try:
        response = await transport.handle_async_request(request)
        await response.aclose()
    except (_Seen, httpx.HTTPError):
        pass
    finally:
        await transport.aclose()
    return log.signer


class _Seen(Exception):
    """The certificate was seen: go no further."""


def _is_mistrust(error: LlmError) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _port(url: SplitResult) -> int:
    return url.port or {"https": 443, "http": 80}.get(url.scheme, 1080)
