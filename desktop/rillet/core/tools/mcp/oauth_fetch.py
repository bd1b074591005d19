"""The requests of a sign-in: small JSON documents, from addresses that strangers name.

Above: ``net/transport``, ``net/public_routes``. Below: ``oauth``. Guarantees: no redirect, no cookie, no header of
ours, 64 kB, a few seconds; no private address, unless the MCP server that named it is a private one itself.
"""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec

from rillet.core.errors import LlmError
from rillet.core.net.probe import look_up
from rillet.core.net.public import why_not_public
from rillet.core.net.public_routes import Guard, PublicRoutes
from rillet.core.net.transport import Transport
from rillet.core.net.web_address import PORTS
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.wire import lenient_json
from rillet.version import __version__

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
        self._network = network
        self._own = Transport(network)
        self._public: dict[int, Transport] = {}
        self._is_private: bool | None = None

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for transport in (self._own, *self._public.values()):
            await transport.aclose()

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
                transport = await self._way_to(url)
                async with await transport.open(method, url, sent, content) as answer:
                    body = await answer.read_all(LARGEST)
        except TimeoutError:
            raise ServerFailure(f"{host} did not answer within {PATIENCE:g} s") from None
        except LlmError as error:
            raise ServerFailure(str(error)) from error
        try:
            return answer.status, lenient_json.decode(body)
        except ValueError:
            return answer.status, None

    async def _way_to(self, url: str) -> Transport:
        """To the server's own host as the user allowed it; from a public server to the public internet only."""
        parts = urlsplit(url)
        if self._is_private is None:
            home = await look_up(self._home, 443)
            self._is_private = any(why_not_public(address) is not None for address in home)
        if self._is_private or parts.hostname == self._home:
            return self._own
        port = parts.port or PORTS[parts.scheme]
        if port not in self._public:
            routes = PublicRoutes(self._network, Guard(ports=frozenset((port,))))
            self._public[port] = Transport(self._network, transport=routes)
        return self._public[port]


_AGENT: Final = f"rillet/{__version__}"
