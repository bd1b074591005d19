"""MCP over streamable HTTP: every message of ours is a POST, answered by JSON or by a stream of events.

Above: ``door``, ``link``, ``messages``, ``wire/sse``. Below: ``server``. Follows the revisions 2025-03-26 to 2026-07-28
(https://modelcontextprotocol.io/specification/2025-11-25/basic/transports): sessions belong to the older ones; the
newest has neither sessions nor messages that nobody asked for. Guarantees: no request waits for an answer that cannot
come any more; a stream is closed as soon as nobody waits for it; no event and no body is larger than ``LONGEST``.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from mcp.shared.message import ClientMessageMetadata
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from rillet.core.errors import LlmError
from rillet.core.tools.mcp.door import body_of, error_body, media_type
from rillet.core.tools.mcp.failure import ServerFailure, SessionLost, SignInNeeded
from rillet.core.tools.mcp.lines import LONGEST
from rillet.core.tools.mcp.link import Link
from rillet.core.tools.mcp.messages import decode, encode
from rillet.core.wire.sse import SseDecoder

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp_types import RequestId

    from rillet.core.net.transport import Answer
    from rillet.core.tools.mcp.door import Door
    from rillet.core.tools.mcp.log_ring import LogRing

VERSION_HEADER: Final = "mcp-protocol-version"
SESSION_HEADER: Final = "mcp-session-id"
BOTH: Final = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
NOTICE_PATIENCE: Final = 10.0
"""Seconds for a server to take a message that it need not answer."""
GOODBYE_PATIENCE: Final = 2.0
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds between attempts to listen to a server that keeps hanging up."""
MOST_RESUMES: Final = 5
RESUME_PAUSE: Final = 1.0
"""Seconds before a stream that ended without its answer is asked for again, where its server does not say."""
_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")
_OTHER_TRANSPORT: Final = (400, 404, 405, 406, 410, 415, 501)
"""How a server that knows only the older transport answers a POST to its address."""


class HttpLink(Link):
    """A server behind one address.

    Attributes:
        is_older: Whether the handshake was refused as by a server that only knows the transport of 2024 (``sse``).
    """

    def __init__(self, door: Door, log: LogRing) -> None:
        super().__init__(log)
        self.is_older = False
        self._door = door
        self._session_id: str | None = None
        self._version: str | None = None
        self._posts: dict[RequestId, asyncio.Task[None]] = {}

    async def _open(self) -> None:
        """Nothing to do before the first message."""

    async def _close(self) -> None:
        if self._session_id is not None and not isinstance(self.reason, SessionLost):
            with suppress(ServerFailure, TimeoutError):
                async with asyncio.timeout(GOODBYE_PATIENCE):
                    answer = await self._door.open("DELETE", self._door.url, self._headers(), may_renew=False)
                    await answer.aclose()
        await self._door.aclose()

    async def _send(self, message: SessionMessage) -> None:
        body = message.message
        headers = self._note_version(message)
        if isinstance(body, JSONRPCRequest):
            post = self._spawn(partial(self._ask, body, headers))
            self._posts[body.id] = post
            post.add_done_callback(lambda _: self._posts.pop(body.id, None))
            return
        if isinstance(body, JSONRPCNotification) and body.method == "notifications/cancelled":
            abandoned = self._posts.get((body.params or {}).get("requestId", ""))
            if abandoned is not None:
                abandoned.cancel()
            if self._version not in MODERN_PROTOCOL_VERSIONS:
                self._spawn(partial(self._tell, message, headers))
            return
        await self._tell(message, headers)
        if isinstance(body, JSONRPCNotification) and body.method == "notifications/initialized":
            self._spawn(self._listen)

    def _note_version(self, message: SessionMessage) -> dict[str, str]:
        """The headers that the session wants with this message; the version is kept for messages without any."""
        if isinstance(message.message, JSONRPCRequest) and message.message.method == "initialize":
            self._version = None
        metadata = message.metadata
        stamped = metadata.headers or {} if isinstance(metadata, ClientMessageMetadata) else {}
        headers = {name.lower(): value for name, value in stamped.items()}
        self._version = headers.get(VERSION_HEADER, self._version)
        return headers

    def _headers(self, stamped: dict[str, str] | None = None) -> dict[str, str]:
        headers = dict(BOTH)
        if self._session_id is not None:
            headers[SESSION_HEADER] = self._session_id
        if self._version is not None:
            headers[VERSION_HEADER] = self._version
        return headers | (stamped or {})

    async def _tell(self, message: SessionMessage, stamped: dict[str, str]) -> None:
        """Send what is not answered. That it did not arrive is noted; what matters of it shows elsewhere."""
        try:
            async with asyncio.timeout(NOTICE_PATIENCE):
                answer = await self._door.open("POST", self._door.url, self._headers(stamped), encode(message.message))
                await answer.aclose()
        except (ServerFailure, TimeoutError) as error:
            self.log.note(f"a message was not taken: {str(error) or 'no answer'}")

    async def _ask(self, request: JSONRPCRequest, stamped: dict[str, str]) -> None:
        """Send a request, and deliver what comes, its answer last."""
        try:
            answer = await self._door.open("POST", self._door.url, self._headers(stamped), encode(request))
            async with answer:
                await self._take(request, answer)
        except (SessionLost, SignInNeeded):
            raise  # nothing else will be answered either
        except ServerFailure as failure:
            if request.method == "initialize":
                raise
            await self._refuse(request.id, str(failure))

    async def _take(self, request: JSONRPCRequest, answer: Answer) -> None:
        if not 200 <= answer.status < 300:
            await self._take_error(request, answer)
            return
        if request.method == "initialize":
            self._begin_session(answer)
        match media_type(answer):
            case "application/json":
                for message in decode(await body_of(answer, LONGEST)):
                    await self._deliver(message)
            case "text/event-stream":
                await self._take_stream(request.id, answer)
            case other:
                raise ServerFailure(f"its answer is {other or 'of no kind'}: this is no MCP server")
        if request.id in self._waiting:
            raise ServerFailure("it ended without an answer")

    async def _take_error(self, request: JSONRPCRequest, answer: Answer) -> None:
        body = await error_body(answer)
        if answer.status == 404 and self._session_id is not None:
            raise SessionLost
        for message in decode(body):
            if isinstance(message, JSONRPCError):
                await self._refuse(request.id, message.error.message, message.error.code, message.error.data)
                return
        if request.method == "initialize":
            self.is_older = answer.status in _OTHER_TRANSPORT
        raise ServerFailure(f"it answered with HTTP {answer.status}")

    async def _take_stream(self, request: RequestId, answer: Answer) -> None:
        """Deliver what comes by the stream of a request; where it breaks and its server numbers events, by the next."""
        decoder = SseDecoder(limit=LONGEST)
        resumes = 0
        while True:
            try:
                async with answer:
                    await self._take_events(answer, decoder, until=request)
            except ServerFailure:
                if not decoder.last_id:
                    raise
            if request not in self._waiting or not decoder.last_id or resumes == MOST_RESUMES:
                return
            resumes += 1
            await asyncio.sleep(RESUME_PAUSE if decoder.retry is None else min(decoder.retry, LONGEST_PAUSE))
            last_id, decoder = decoder.last_id, SseDecoder(limit=LONGEST)
            headers = self._headers({"Accept": "text/event-stream", "last-event-id": last_id})
            answer = await self._door.open("GET", self._door.url, headers)
            if answer.status != 200 or media_type(answer) != "text/event-stream":
                await answer.aclose()
                return

    async def _take_events(self, answer: Answer, decoder: SseDecoder, *, until: RequestId | None = None) -> bool:
        """Deliver the messages of a stream, to the answer of ``until`` or to its end; whether there were any."""
        found = False
        try:
            while data := await answer.read():
                for event in decoder.feed(data):
                    for message in decode(event.data.encode()) if event.event == "message" else ():
                        found = True
                        await self._deliver(message)
                        if (
                            isinstance(message, JSONRPCResponse | JSONRPCError)
                            and until is not None
                            and message.id == until
                        ):
                            return True
        except LlmError as error:
            raise ServerFailure(str(error)) from error
        return found

    def _begin_session(self, answer: Answer) -> None:
        session_id = answer.headers.get(SESSION_HEADER)
        if session_id is not None and not _SESSION_ID.fullmatch(session_id):
            raise ServerFailure("it names the session in a way that cannot be sent back")
        self._session_id = session_id

    async def _listen(self) -> None:
        """Hear what the server says unasked, if it does: many do not."""
        pause, last_id = FIRST_PAUSE, ""
        while True:
            decoder = SseDecoder(limit=LONGEST)
            try:
                headers = self._headers() | {"Accept": "text/event-stream"}
                if last_id:
                    headers["last-event-id"] = last_id
                async with await self._door.open("GET", self._door.url, headers, may_renew=False) as answer:
                    if answer.status != 200 or media_type(answer) != "text/event-stream":
                        return
                    if await self._take_events(answer, decoder):
                        pause = FIRST_PAUSE
            except ServerFailure as failure:
                self.log.note(f"it does not let us listen: {failure}")
            last_id = decoder.last_id or last_id
            await asyncio.sleep(max(pause, min(decoder.retry or 0.0, LONGEST_PAUSE)))
            pause = min(2 * pause, LONGEST_PAUSE)
