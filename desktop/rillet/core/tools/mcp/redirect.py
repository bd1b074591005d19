"""The one address at which this program listens: where a browser comes back from signing in.

Knows a little HTTP, and nothing of OAuth but that ``state`` says whose answer it is. Above: nothing. Below: ``oauth``
opens it for one sign-in. Guarantees: it listens on this machine only, at a port chosen by the system, for as long as
one sign-in takes; an answer with another ``state`` changes nothing, so no web page can end or take over a sign-in; what
a visitor sends is never shown.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from types import TracebackType

PATH: Final = "/callback"
LONGEST: Final = 16 * 1024
"""Bytes of a request's head."""
PATIENCE: Final = 5.0
"""Seconds for a visitor to say what it wants."""
_PAGE: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Rillet</title>"
    "<body style='font-family:sans-serif;margin:4em'><p>{}</p></body></html>"
)


class Redirect:
    """As an async context manager: open for one sign-in."""

    def __init__(self) -> None:
        self.state = secrets.token_urlsafe(32)
        """What the answer must carry."""
        self._server: asyncio.Server | None = None
        self._answer: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Redirect:
        self._server = await asyncio.start_server(self._visit, "127.0.0.1", 0, limit=LONGEST)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self._answer.cancel()

    @property
    def address(self) -> str:
        """Where the browser is to come back to."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}{PATH}"

    async def answer(self) -> dict[str, str]:
        """What the authorization server sent the browser back with."""
        return await asyncio.shield(self._answer)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._reply(head))
                await writer.drain()
        except (TimeoutError, ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # somebody who did not want anything
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    def _reply(self, head: bytes) -> bytes:
        method, _, rest = head.decode("latin-1").partition(" ")
        parts = urlsplit(rest.partition(" ")[0])
        if method != "GET" or parts.path != PATH:
            return _page("404 Not Found", "There is nothing here.")
        fields = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if not secrets.compare_digest(fields.get("state", "").encode(), self.state.encode()):
            return _page("400 Bad Request", "This is not the answer to a sign-in that was begun here.")
        if not self._answer.done():
            self._answer.set_result(fields)
        return _page("200 OK", "Thank you. You can close this page and go back to Rillet.")


def _page(status: str, text: str) -> bytes:
    body = _PAGE.format(text).encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; "
        "style-src 'unsafe-inline'\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
