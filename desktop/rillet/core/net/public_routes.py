"""Ways out that lead to the public internet only: names are looked up by us, judged, and connected to as looked up.

Above: ``public`` (the judgement), ``probe`` (names → addresses), ``transport`` (the pools). Below: ``fetch``. It
guarantees that every connection passes ``Guard`` and goes to an address that it returned, so neither a spelling of a
number nor a name that answers differently the second time gets past. Where one address of a name is not public, none
is connected to. The server still hears the name, in TLS and in ``Host``.

A proxy is told the address, not the name, because it would look the name up again, in its own network. It has to make a
tunnel for that; plain http through an http proxy has none and is refused, as is a proxy that wants names (socks5h).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

import httpcore
import httpx

from rillet.core.errors import NetworkError
from rillet.core.net.probe import look_up
from rillet.core.net.proxy import proxy_for
from rillet.core.net.public import why_not_public
from rillet.core.net.sockets import Sockets
from rillet.core.net.transport import Routes
from rillet.core.net.web_address import PORTS

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable

    from httpcore import SOCKET_OPTION

    from rillet.core.net.profile import NetworkProfile

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host, or an ``LlmError``."""

NEXT_ADDRESS: Final = 4.0
"""Seconds after which the next address of a host is tried."""


class NotPublic(NetworkError):
    """An address that is not of the public internet."""

    retryable_by_default = False
    advice = "Only pages of the public internet are fetched."


class Guard:
    """Says where a host may be connected to.

    Args:
        resolve: Looks names up.
        ports: What may be connected to.
    """

    def __init__(self, resolve: Resolve = look_up, ports: frozenset[int] = frozenset(PORTS.values())) -> None:
        self._resolve = resolve
        self.ports: Final = ports

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of ``host``, all of them public.

        Raises:
            NotPublic: one of them is not, or the port is none of the web.
            ConnectError, ConnectTimedOut: there are none.
        """
        if port not in self.ports:
            raise NotPublic(f"port {port} of {host} is none of the web")
        found = await self._resolve(host, port)
        for address in found:
            if (whose := why_not_public(address)) is not None:
                name = "" if address == host else f" ({address})"
                raise NotPublic(f"{host}{name} is not public: it belongs to {whose}")
        return found


class PublicRoutes(httpx.AsyncBaseTransport):
    """Takes the place of ``Routes`` where the address was chosen by a stranger. ``sockets`` are what it opens."""

    def __init__(
        self, profile: NetworkProfile, guard: Guard | None = None, sockets: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        self._profile = profile
        self._guard = guard or Guard()
        opened = sockets or Sockets()
        self._names: dict[str, str] = {}
        self._direct = Routes(replace(profile, proxy=None), _GuardedSockets(self._guard, opened))
        self._proxied = Routes(profile, _NamedSockets(self._names, opened))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See httpx."""
        proxy = proxy_for(urlsplit(str(request.url)), self._profile)
        if proxy is None:
            return await self._direct.handle_async_request(request)
        kind = urlsplit(proxy.url).scheme.lower()
        if kind == "socks5h" or (kind.startswith("http") and request.url.scheme == "http"):
            raise NotPublic(
                f"the proxy {proxy.label} would look up {request.url.host} itself, so nobody could tell where it leads",
                advice="Addresses with https:// can be fetched through http and socks5 proxies.",
            )
        host = request.url.host
        port = request.url.port or PORTS[request.url.scheme]
        address = (await self._guard.addresses(host, port))[0]
        self._names[address] = host
        pinned = httpx.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )
        return await self._proxied.handle_async_request(pinned)

    async def aclose(self) -> None:
        """See httpx."""
        await self._direct.aclose()
        await self._proxied.aclose()


class _GuardedSockets(httpcore.AsyncNetworkBackend):
    """Connects to what the guard returned, in that order."""

    def __init__(self, guard: Guard, sockets: httpcore.AsyncNetworkBackend) -> None:
        self._guard = guard
        self._sockets = sockets

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        *others, last = await self._guard.addresses(host, port)
        short = NEXT_ADDRESS if timeout is None else min(NEXT_ADDRESS, timeout)
        for address in others:
            try:
                return await self._sockets.connect_tcp(address, port, short, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._sockets.connect_tcp(last, port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        await self._sockets.sleep(seconds)


class _NamedSockets(httpcore.AsyncNetworkBackend):
    """Sockets to a proxy: inside its tunnel, TLS is for the name and not for the address that the proxy was told."""

    def __init__(self, names: dict[str, str], sockets: httpcore.AsyncNetworkBackend) -> None:
        self._names = names
        self._sockets = sockets

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._sockets.connect_tcp(host, port, timeout, local_address, socket_options)
        return _NamedStream(stream, self._names)

    async def sleep(self, seconds: float) -> None:
        await self._sockets.sleep(seconds)


class _NamedStream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: httpcore.AsyncNetworkStream, names: dict[str, str]) -> None:
        self._stream = stream
        self._names = names

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        name = self._names.get(server_hostname or "", server_hostname)
        return _NamedStream(await self._stream.start_tls(ssl_context, name, timeout), self._names)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
