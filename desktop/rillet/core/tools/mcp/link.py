"""What every transport of MCP has in common: two streams for the SDK's session, and what happens when they end.

Knows no framing and no network. Above: ``messages``, ``log_ring``, ``failure``. Below: ``stdio``, ``http`` and ``sse``
fill it in, ``server`` enters it. Guarantees: sending never waits, so nobody who is cancelled waits for a server that
does not read; whatever is asked when the link is lost is answered with an error at once; what a link started is gone
when it was left.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from rillet.core.tools.mcp.failure import ServerFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType

    from anyio.streams.memory import MemoryObjectReceiveStream
    from mcp_types import JSONRPCMessage, RequestId

    from rillet.core.tools.mcp.log_ring import LogRing

MOST_WAITING: Final = 1000
"""Messages that a server may leave unread before it is given up."""
READ_AHEAD: Final = 8
"""Messages that wait for the session before the server has to; each may be large."""


class Outbox:
    """Where the session writes to (``mcp.client._transport.WriteStream``)."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[SessionMessage] = asyncio.Queue()
        self._closed = False

    async def send(self, item: SessionMessage, /) -> None:
        """Take a message; never waits.

        Raises:
            anyio.ClosedResourceError: nobody reads any more.
        """
        if self._closed or self._queue.qsize() >= MOST_WAITING:
            raise anyio.ClosedResourceError
        self._queue.put_nowait(item)

    async def take(self) -> SessionMessage:
        """The next message."""
        return await self._queue.get()

    async def aclose(self) -> None:
        """Take nothing more."""
        self._closed = True

    async def __aenter__(self) -> Outbox:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Link(ABC):
    """A connection to one server, as an async context manager that gives the session's two streams.

    Attributes:
        lost: Set once nothing more will come from the server.
        reason: Why, if that was not our doing.
    """

    def __init__(self, log: LogRing) -> None:
        self.log = log
        self.lost = asyncio.Event()
        self.reason: ServerFailure | None = None
        self._outbox = Outbox()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: dict[RequestId, JSONRPCRequest] = {}
        """Requests of ours without an answer."""
        self._to_session, self._from_server = anyio.create_memory_object_stream[SessionMessage | Exception](READ_AHEAD)

    async def __aenter__(self) -> tuple[MemoryObjectReceiveStream[SessionMessage | Exception], Outbox]:
        try:
            await self._open()
        except BaseException:
            await self._leave()
            raise
        self._spawn(self._send_all)
        return self._from_server, self._outbox

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._leave()

    @abstractmethod
    async def _open(self) -> None:
        """Connect.

        Raises:
            ServerFailure: that is not possible.
        """

    @abstractmethod
    async def _send(self, message: SessionMessage) -> None:
        """Put a message on the wire."""

    @abstractmethod
    async def _close(self) -> None:
        """End everything that ``_open`` began; also after it failed half-way."""

    async def _leave(self) -> None:
        await self._outbox.aclose()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        try:
            await self._close()
        finally:
            await asyncio.gather(*tasks, return_exceptions=True)
            self._to_session.close()
            self._from_server.close()
            self.lost.set()

    async def _send_all(self) -> None:
        while True:
            message = await self._outbox.take()
            body = message.message
            if isinstance(body, JSONRPCRequest):
                self._waiting[body.id] = body
            elif isinstance(body, JSONRPCNotification) and body.method == "notifications/cancelled":
                self._waiting.pop((body.params or {}).get("requestId", ""), None)
            await self._send(message)

    async def _deliver(self, message: JSONRPCMessage) -> None:
        """Hand a message of the server to the session."""
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._waiting.pop(coerce_request_id(message.id), None)
        await self._to_session.send(SessionMessage(message))

    async def _refuse(self, request: RequestId, why: str, code: int = INTERNAL_ERROR, data: Any = None) -> None:
        """Answer a request of ours in the server's place."""
        error = ErrorData(code=code, message=why, data=data)
        await self._deliver(JSONRPCError(jsonrpc="2.0", id=request, error=error))

    def _lose(self, reason: ServerFailure) -> None:
        """Nothing more will come: every request without an answer fails now."""
        if not self.lost.is_set():
            self.reason = reason
            self.lost.set()
            self._to_session.close()

    def _spawn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        # (No coroutine: a task that is cancelled before its first step would never await one.)
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """What fails in the background loses the link, with its reason; the session's own end is no failure."""
        try:
            await work()
        except ServerFailure as failure:
            self._lose(failure)
        except OSError as error:
            self._lose(ServerFailure(f"the connection broke: {error}"))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._lose(ServerFailure("the session was closed"))
        except Exception:  # a mistake of ours: nobody is to wait because of it
            self._lose(ServerFailure("something went wrong in this program"))
            raise
