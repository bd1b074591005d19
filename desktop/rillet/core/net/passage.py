"""The way through a proxy: limited in time like any connecting, and closed when it fails.

httpcore waits for a proxy's consent with the patience that it has for an answer (ten minutes), and forgets the socket
of a SOCKS proxy that refuses. Both can be mended by watching the steps that it tells its observers. Above: ``errors``.
Below: ``transport`` sends every request through a proxy inside a ``Passage``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from rillet.core.net.errors import ConnectTimedOut

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

Observer: TypeAlias = Callable[[str, Mapping[str, Any]], Coroutine[Any, Any, None]]
"""Gets the name of each step ("connection.connect_tcp.complete") and what belongs to it.

See https://www.encode.io/httpcore/extensions/#trace.
"""


class Passage:
    """Async context manager around one request through a proxy."""

    def __init__(self, request: httpx.Request, limit: float | None, where: str) -> None:
        self._where = where
        self._deadline = asyncio.timeout(limit)
        self._sockets: list[Any] = []
        self._next: Observer | None = request.extensions.get("trace")
        request.extensions = {**request.extensions, "trace": self._observe}

    async def __aenter__(self) -> None:
        await self._deadline.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            for opened in self._sockets:
                await opened.aclose()
        try:
            await self._deadline.__aexit__(kind, error, trace)
        except TimeoutError:
            raise ConnectTimedOut(f"no connection to {self._where} in time") from error

    async def _observe(self, step: str, details: Mapping[str, Any]) -> None:
        if step.endswith("connect_tcp.complete"):
            self._sockets.append(details["return_value"])
        elif step == "http11.send_request_headers.started" and details["request"].method != b"CONNECT":
            self._deadline.reschedule(None)
        if self._next is not None:
            await self._next(step, details)
