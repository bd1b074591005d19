"""MCP over the HTTP transport of 2024: one long stream of events to hear, and an address to post to that it names.

Above: ``door``, ``link``, ``messages``, ``wire/sse``. Below: ``server`` falls back to it
(https://modelcontextprotocol.io/specification/2024-11-05/basic/transports). Guarantee: what is posted goes to the
origin that the user entered, whatever address the stream names.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from mcp_types import JSONRPCRequest

from rillet.core.errors import LlmError
from rillet.core.tools.mcp.door import media_type, origin
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.tools.mcp.lines import LONGEST
from rillet.core.tools.mcp.link import Link
from rillet.core.tools.mcp.messages import decode, encode
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

    from rillet.core.net.transport import Answer
    from rillet.core.tools.mcp.door import Door
    from rillet.core.tools.mcp.log_ring import LogRing

POST_PATIENCE: Final = 30.0
"""Seconds for a server to take a message: the answer comes by the stream."""


class SseLink(Link):
    """A server that is heard at one address and spoken to at another."""

    def __init__(self, door: Door, log: LogRing) -> None:
        super().__init__(log)
        self._door = door
        self._stream: Answer | None = None
        self._address: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def _open(self) -> None:
        self._stream = await self._door.open("GET", self._door.url, {"Accept": "text/event-stream"})
        if self._stream.status != 200 or media_type(self._stream) != "text/event-stream":
            raise ServerFailure(f"it answered with HTTP {self._stream.status}: this is no MCP server")
        self._spawn(partial(self._hear, self._stream))
        await self._address

    async def _close(self) -> None:
        self._address.cancel()
        if self._stream is not None:
            await self._stream.aclose()
        await self._door.aclose()

    async def _send(self, message: SessionMessage) -> None:
        if isinstance(message.message, JSONRPCRequest):
            self._spawn(partial(self._post, message))
        else:
            await self._post(message)

    async def _post(self, message: SessionMessage) -> None:
        body = message.message
        try:
            async with asyncio.timeout(POST_PATIENCE):
                headers = {"Content-Type": "application/json"}
                async with await self._door.open("POST", self._address.result(), headers, encode(body)) as answer:
                    if not 200 <= answer.status < 300:
                        raise ServerFailure(f"it answered with HTTP {answer.status}")
        except (ServerFailure, TimeoutError) as error:
            if isinstance(body, JSONRPCRequest):
                await self._refuse(body.id, str(error) or "it did not take the message in time")
            else:
                self.log.note(f"a message was not taken: {error}")

    async def _hear(self, stream: Answer) -> None:
        decoder = SseDecoder(limit=LONGEST)
        try:
            while data := await stream.read():
                for event in decoder.feed(data):
                    if event.event == "endpoint" and not self._address.done():
                        self._address.set_result(self._checked(urljoin(self._door.url, event.data.strip())))
                    elif event.event == "message":
                        for message in decode(event.data.encode()):
                            await self._deliver(message)
            raise ServerFailure("it ended the connection")
        except (LlmError, ServerFailure) as error:
            failure = error if isinstance(error, ServerFailure) else ServerFailure(str(error))
            if not self._address.done():
                self._address.set_exception(failure)
            raise failure from error

    def _checked(self, address: str) -> str:
        if origin(address) != origin(self._door.url):
            raise ServerFailure("it wants to be spoken to at another server")
        return address
