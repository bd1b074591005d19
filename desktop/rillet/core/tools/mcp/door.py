"""Every request to one remote server: its headers, its token, and nothing of either to anybody else.

Knows HTTP, not MCP. Above: ``net/transport`` (which follows no redirect), ``config``, ``failure``. Below: ``http`` and
``sse``. Guarantees: headers and token go to the origin that the user entered only; a server that keeps refusing is
asked twice at most; whatever goes wrong is a ``ServerFailure`` that quotes no secret.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from rillet.core.errors import LlmError
from rillet.core.net.transport import Transport
from rillet.core.tools.mcp.failure import ServerFailure, SignInNeeded
from rillet.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.net.profile import NetworkProfile
    from rillet.core.net.transport import Answer

ERROR_BODY: Final = 64 * 1024
ERROR_PATIENCE: Final = 5.0
"""Seconds for the body of an error."""


class Authorizer(Protocol):
    """Who has the token for a server (``oauth``)."""

    async def token(self) -> str | None:
        """The token to send, renewed where it is too old; None: there is none yet."""

    async def renew(self, challenge: str, refused: str | None) -> str:
        """A token in the place of ``refused``, which the server did not take. May ask the user to sign in.

        Raises:
            ServerFailure: there is none to be had.
        """


class Door:
    """The way to one server."""

    def __init__(
        self, url: str, headers: Mapping[str, str], network: NetworkProfile, authorizer: Authorizer | None
    ) -> None:
        self.url = url
        self._headers = dict(headers)
        self._transport = Transport(network)
        is_signed_in = any(name.lower() == "authorization" for name in headers)
        self._authorizer = None if is_signed_in else authorizer

    async def open(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None = None,
        *,
        may_renew: bool = True,
    ) -> Answer:
        """Send a request to the server and wait for the head of the answer, which has to be closed.

        ``may_renew``: whether the request is worth a new token; else the refusal is the answer.

        Raises:
            SignInNeeded: the server wants one, and nobody here can.
            ServerFailure: no connection, a redirect, or an address elsewhere.
        """
        if origin(url) != origin(self.url):
            raise ServerFailure(f"it wants to be asked at {_host(url)}, which is another server")
        token = None if self._authorizer is None else await self._authorizer.token()
        answer = await self._send(method, url, headers, content, token)
        if not (may_renew and _wants_sign_in(answer)):
            return answer
        challenge = answer.headers.get("www-authenticate", "")
        await answer.aclose()
        if self._authorizer is None:
            raise SignInNeeded(challenge)
        token = await self._authorizer.renew(challenge, token)
        answer = await self._send(method, url, headers, content, token)
        if _wants_sign_in(answer):
            await answer.aclose()
            raise ServerFailure("it refuses this sign-in")
        return answer

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None, token: str | None
    ) -> Answer:
        sent = {"User-Agent": f"rillet/{__version__}", "Accept-Encoding": "identity", **self._headers, **headers}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        try:
            return await self._transport.open(method, url, sent, content)
        except LlmError as error:
            raise ServerFailure(str(error)) from error


async def body_of(answer: Answer, limit: int) -> bytes:
    """The whole body.

    Raises:
        ServerFailure: it is larger than ``limit``, or broke off.
    """
    try:
        return await answer.read_all(limit)
    except LlmError as error:
        raise ServerFailure(str(error)) from error


async def error_body(answer: Answer) -> bytes:
    """What an error says beyond its status, if it says it soon and in short."""
    try:
        async with asyncio.timeout(ERROR_PATIENCE):
            return await answer.read_all(ERROR_BODY)
    except (LlmError, TimeoutError):
        return b""


def media_type(answer: Answer) -> str:
    """What the body is said to be, without parameters."""
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, (parts.hostname or "").rstrip(".").lower(), port
    except ValueError:
        return "", "", None


def _wants_sign_in(answer: Answer) -> bool:
    challenge = answer.headers.get("www-authenticate", "")
    return answer.status == 401 or (answer.status == 403 and "insufficient_scope" in challenge)


def _host(url: str) -> str:
    return origin(url)[1] or "something that is no address"
