"""Bytes to and from a provider, over HTTP: the only place where a request leaves the program.

Knows addresses, headers and bytes; no providers, no JSON, no events. Above: ``profile``, ``proxy``, ``tls``,
``inflate``, ``translate``, ``passage``. Below: ``client`` sends a request and feeds what arrives to a codec. From here
a piece of text travels on as bytes to ``wire``.

Guarantees: creating a ``Transport`` opens and reads nothing, so nothing in the environment can break the start.
Redirects are never followed: the key goes to the address that the user entered and nowhere else. Whatever goes wrong is
an ``LlmError``. A cancelled task closes its socket at once, in every phase, even when it is cancelled twice. No
message, and no line that httpx logs, holds a header or a path.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from contextvars import Context, ContextVar, copy_context
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import httpx

from rillet.core.errors import InvalidRequestError, LlmError, NetworkError
from rillet.core.net.inflate import Inflater
from rillet.core.net.passage import Passage
from rillet.core.net.proxy import Proxy, proxy_for
from rillet.core.net.sockets import Sockets
from rillet.core.net.tls import tls_context
from rillet.core.net.translate import translated

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping
    from types import TracebackType

    import httpcore

    from rillet.core.net.exchange_log import Recording
    from rillet.core.net.passage import Observer
    from rillet.core.net.profile import NetworkProfile

KEEP_ALIVE: Final = 30.0
"""Seconds an unused connection is kept: long enough for the next message of a chat."""
KEPT_SECURE: Final = 20
KEPT_PLAIN: Final = 0
"""Unused connections kept, with TLS and without. Plain ones lead to servers on this machine or next door, where a new
one costs nothing, while llama.cpp closes its connection right behind a streamed answer without having said so: a
request that meets such an end is lost, and must not be repeated."""


class Transport:
    """Sends requests as one network profile says. Belongs to one event loop.

    ``transport`` takes the place of the network: a test double, or a host's own httpx transport.
    """

    def __init__(self, profile: NetworkProfile, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._profile = profile
        self._routes = transport or Routes(profile)
        self._client: httpx.AsyncClient | None = None
        self._teardowns: set[asyncio.Task[None]] = set()

    async def open(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None = None,
        *,
        observer: Observer | None = None,
        may_redirect: bool = False,
    ) -> Answer:
        """Send a request and wait for the head of the answer, whatever its status. ``Answer.aclose`` must follow.

        ``observer`` is told every step of connecting and sending, in the words of httpcore. With ``may_redirect`` an
        answer that redirects is given to the caller like any other.

        Raises:
            InvalidRequestError: the address is none, or it redirects elsewhere.
            ConnectError, ConnectTimedOut: no connection; nothing was sent.
            NetworkError, TimedOutError: it broke, or stayed silent, after that.
        """
        _check_headers(headers)
        where = translated(_where(url))
        with where:
            extensions = None if observer is None else {"trace": observer}
            request = self._http().build_request(method, url, headers=headers, content=content, extensions=extensions)
            response = await self._send(request)
        answer = Answer(response, where, self._teardowns)
        if response.next_request is not None and not may_redirect:
            await answer.aclose()
            raise _redirected(response.next_request.url)
        return answer

    async def aclose(self) -> None:
        """Close all connections. The transport cannot be used again."""
        await (self._client or self._routes).aclose()
        await asyncio.gather(*self._teardowns)

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            limits = (self._profile.first_event_timeout, self._profile.idle_timeout)
            patience = None if None in limits else max(limit for limit in limits if limit is not None)
            # The byte clock: no byte is no event, so silence beyond both of the event clock's limits ends the wait.
            timeout = httpx.Timeout(patience, connect=self._profile.connect_timeout, pool=None)
            no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
            self._client = httpx.AsyncClient(
                transport=self._routes, timeout=timeout, cookies=no_cookies, trust_env=False, follow_redirects=False
            )
            self._client.headers.clear()
        return self._client

    async def _send(self, request: httpx.Request) -> httpx.Response:
        """Send in a task of its own, so that the teardown in httpcore is cancelled once, however often the caller is.

        (encode/httpx#3782: a second cancellation interrupts httpcore's teardown and leaves the socket open.)
        """
        sending = asyncio.create_task(self._http().send(request, stream=True), context=_unlogged())
        try:
            await asyncio.wait([sending])
        except asyncio.CancelledError:
            await _uninterrupted(_abandon(sending), self._teardowns)
            raise
        return sending.result()


class Answer:
    """The head of an answer, and its body as it arrives.

    Attributes:
        status: HTTP status.
        headers: By name in lower case; a repeated header is joined with ", ".
    """

    def __init__(self, response: httpx.Response, where: translated, teardowns: set[asyncio.Task[None]]) -> None:
        self.status = response.status_code
        self.headers = {name.lower(): value for name, value in response.headers.items()}
        self._response = response
        self._where = where
        self._teardowns = teardowns
        # What a test double answers may have been read already, and is decoded then.
        self._raw = response.aiter_bytes() if response.is_stream_consumed else response.aiter_raw()
        self._inflater: Inflater | None = None
        self._pieces: Iterator[bytes] = iter(())
        self._begun = False
        self._complete = False
        self._recording: Recording | None = None

    async def __aenter__(self) -> Answer:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def show_to(self, recording: Recording) -> None:
        """Tell everything that is read to somebody who keeps it."""
        recording.answered(self.status, self.headers)
        self._recording = recording

    async def read(self) -> bytes:
        """The next bytes of the body, as soon as there are any; empty at the end.

        Raises:
            NetworkError, TimedOutError: the connection broke, or nothing came for too long.
        """
        if self._recording is None:
            return await self._read()
        try:
            data = await self._read()
        except LlmError as error:
            self._recording.failed(str(error))
            raise
        self._recording.receive(data)
        return data

    async def _read(self) -> bytes:
        if not self._begun:
            self._begun = True
            if not self._response.is_stream_consumed:
                self._inflater = Inflater.for_encoding(self.headers.get("content-encoding", ""))
        while not (piece := next(self._pieces, b"")) and not self._complete:
            with self._where:
                data = await anext(self._raw, None)
            if data is None:
                self._complete = True
            elif self._inflater is not None:
                self._pieces = self._inflater.feed(data)
            elif data:
                return data
        return piece

    @property
    def is_whole(self) -> bool:
        """Whether the body was read to its end, and a compressed one had its own end in it: HTTP does not check."""
        return self._complete and (self._inflater is None or self._inflater.is_whole)

    async def read_all(self, limit: int) -> bytes:
        """The whole rest of the body.

        Raises:
            NetworkError: it is larger than ``limit`` bytes, or as for ``read``.
        """
        body = bytearray()
        while data := await self.read():
            body += data
            if len(body) > limit:
                raise NetworkError(f"the answer of {self._where.where} is larger than allowed", retryable=False)
        return bytes(body)

    async def aclose(self) -> None:
        """Give the connection back when the body was read to its end, close it otherwise. Cannot be interrupted."""
        await _uninterrupted(self._close(), self._teardowns)

    async def _close(self) -> None:
        with self._where:
            await self._response.aclose()
        stream = self._response.extensions.get("network_stream")
        if not self._complete and stream is not None:  # what an interrupted teardown in httpcore left open
            await stream.aclose()


class Routes(httpx.AsyncBaseTransport):
    """One connection pool per way out: direct or through a proxy, plain or with TLS. ``sockets`` are what they open."""

    def __init__(self, profile: NetworkProfile, sockets: httpcore.AsyncNetworkBackend | None = None) -> None:
        self._profile = profile
        self._sockets = sockets or Sockets()
        self._pools: dict[tuple[Proxy | None, bool], httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See httpx."""
        secure = request.url.scheme == "https"
        proxy = proxy_for(urlsplit(str(request.url)), self._profile)
        pool = self._pools.get((proxy, secure)) or self._open_pool(proxy, secure)
        if proxy is None:
            return await pool.handle_async_request(request)
        with (through := translated(_where(str(request.url)), proxy.label)):
            async with Passage(request, self._profile.connect_timeout, through.where):
                return await pool.handle_async_request(request)

    async def aclose(self) -> None:
        """See httpx."""
        for pool in self._pools.values():
            await pool.aclose()

    def _open_pool(self, proxy: Proxy | None, secure: bool) -> httpx.AsyncHTTPTransport:
        """Unlimited in size, because a stream holds its connection for minutes; certificates are read only for TLS."""
        trusting_nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        pool = httpx.AsyncHTTPTransport(
            verify=tls_context(self._profile) if secure else trusting_nobody,
            http2=False,
            limits=httpx.Limits(
                max_connections=None,
                max_keepalive_connections=KEPT_SECURE if secure else KEPT_PLAIN,
                keepalive_expiry=KEEP_ALIVE,
            ),
            proxy=None if proxy is None else httpx_proxy(proxy, self._profile),
            socket_options=_socket_options(),
        )
        # httpx has no parameter for what httpcore documents (https://www.encode.io/httpcore/network-backends/).
        pool._pool._network_backend = self._sockets
        self._pools[proxy, secure] = pool
        return pool


def httpx_proxy(proxy: Proxy, profile: NetworkProfile) -> httpx.Proxy:
    """The proxy as httpx wants it."""
    via_tls = proxy.url.lower().startswith("https:")
    return httpx.Proxy(proxy.url, ssl_context=tls_context(profile) if via_tls else None)


def _socket_options() -> list[tuple[int, int, int]]:
    """TCP's own keep-alive: minutes of silence are normal, but a peer that vanished is noticed within a minute."""
    wanted = {
        "TCP_KEEPIDLE": 30,
        "TCP_KEEPALIVE": 30,
        "TCP_KEEPINTVL": 10,
        "TCP_KEEPCNT": 3,
        "TCP_USER_TIMEOUT": 60_000,
    }
    known = [(getattr(socket, name), value) for name, value in wanted.items() if hasattr(socket, name)]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *((socket.IPPROTO_TCP, name, value) for name, value in known)]


async def _abandon(sending: asyncio.Task[httpx.Response]) -> None:
    """End a request that nobody waits for any more, also when its answer came just now."""
    sending.cancel()
    await asyncio.wait([sending])
    if not sending.cancelled() and sending.exception() is None:
        await sending.result().aclose()


async def _uninterrupted(teardown: Coroutine[None, None, None], teardowns: set[asyncio.Task[None]]) -> None:
    """Run ``teardown`` to its end, even if the caller is cancelled meanwhile and goes on without it."""
    task = asyncio.create_task(teardown)
    teardowns.add(task)  # the event loop holds tasks only weakly
    task.add_done_callback(teardowns.discard)
    await asyncio.wait([task])
    task.result()


def _check_headers(headers: Mapping[str, str]) -> None:
    """Find what h11 would refuse: its message would quote the value, which may be a key."""
    for name, value in headers.items():
        if not (name.isascii() and value.isascii() and f"{name}{value}".isprintable()):
            shown = name if name.isascii() and name.isprintable() else "a header"
            raise InvalidRequestError(
                f"{shown} holds a character that cannot be sent",
                advice="Enter the key and the headers of the provider again, letters and digits only.",
            )


def _where(url: str) -> str:
    """Host and port of an address, the only part of it that is ever shown."""
    try:
        parts = urlsplit(url)
        return f"{parts.hostname or 'the address'}:{parts.port}" if parts.port else parts.hostname or "the address"
    except ValueError:
        return "the address"


def _redirected(target: httpx.URL) -> InvalidRequestError:
    port = f":{target.port}" if target.port else ""
    return InvalidRequestError(
        f"the address redirects to {target.scheme}://{target.host}{port}",
        advice="Redirects are not followed, so that the key goes nowhere else: enter that address instead.",
    )


_ours: ContextVar[bool] = ContextVar("_ours", default=False)


def _unlogged() -> Context:
    """A context whose requests are not logged by httpx, which writes whole addresses, nor by httpcore (headers)."""
    context = copy_context()
    context.run(_ours.set, True)
    return context


for _name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy", "httpcore.socks"):
    logging.getLogger(_name).addFilter(lambda _record: not _ours.get())
