"""The requests of a sign-in: small JSON documents, from addresses that strangers name.

Above: ``net/transport``. Below: ``oauth``. Guarantees: no redirect, no cookie, no header of ours, 64 kB, a few seconds;
no private address, unless the MCP server that named it is a private one itself.
"""

from __future__ import annotations

import asyncio
import base64
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

import rillet
from rillet.core.errors import LlmError
from rillet.core.net.transport import Transport
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.wire import lenient_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from rillet.core.net.profile import NetworkProfile

LARGEST: Final = 64 * 1024
PATIENCE: Final = 15.0


class Fetcher:
    """As an async context manager: the connections of one sign-in at the MCP server ``server``."""

    def __init__(self, server: str, network: NetworkProfile) -> None:
        self._home = urlsplit(server).hostname or ""
        self._transport = Transport(network)

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.aclose()

    async def get(self, url: str) -> Any:
        """A JSON document; None when there is none at that address.

        Raises:
            ServerFailure: it cannot be fetched.
        """
        status, document = await self._ask("GET", url, {}, None)
        return document if status == 200 else None

    async def post_json(self, url: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and JSON of an answer.

        Raises:
            ServerFailure: none came.
        """
        import msgspec

        return await self._ask("POST", url, {"Content-Type": "application/json"}, msgspec.json.encode(body))

    async def post_form(self, url: str, form: Mapping[str, str], basic: tuple[str, str] | None) -> tuple[int, Any]:
        """The same for a form, with a name and a password where the address wants them.

        Raises:
            ServerFailure: no answer came.
        """
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if basic is not None:
            pair = ":".join(urlencode({"": each})[1:] for each in basic)  # RFC 6749, section 2.3.1
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return await self._ask("POST", url, headers, urlencode(form).encode())

    async def _ask(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> tuple[int, Any]:
        host = urlsplit(url).hostname or ""
        sent = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": _AGENT, **headers}
        try:
            async with asyncio.timeout(PATIENCE):
                await self._check(host)
                async with await self._transport.open(method, url, sent, content) as answer:
                    body = await answer.read_all(LARGEST)
        except TimeoutError:
            raise ServerFailure(f"{host} did not answer within {PATIENCE:g} s") from None
        except LlmError as error:
            raise ServerFailure(str(error)) from error
        try:
            return answer.status, lenient_json.decode(body)
        except ValueError:
            return answer.status, None

    async def _check(self, host: str) -> None:
        """Refuse to be sent into the private network by a server that is not in it."""
        if host == self._home or await _is_public(host) or not await _is_public(self._home):
            return
        raise ServerFailure(f"it sends us to {host}, which is in the private network")


_AGENT: Final = f"rillet/{rillet.__version__}"


async def _is_public(host: str) -> bool:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return True  # connecting will say so
    return all(ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in found)
