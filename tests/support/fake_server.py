"""An HTTP/1.1 server on 127.0.0.1 that does exactly what a test tells it, byte by byte.

It knows nothing of httpx and next to nothing of HTTP: a *script* (a function of one ``Exchange``) runs on a thread of
its own per connection and writes whatever it likes to the raw socket, so that a test can hold, cut, reset or delay an
answer at any byte. Pauses wait for a ``threading.Event`` of the test, never for time. The server records the requests
and sees when a client closes its socket::

    gate = threading.Event()
    with FakeServer(stream(sse_text("Hello"), gate, sse_text(" world"), sse_end())) as server:
        ...                     # talk to server.url + "/v1"
        gate.set()
        assert server.requests[0].json["model"] == "m"
        assert server.wait_closed()

The first request is answered by the first script, the second by the second, …, all further ones by the last.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

POLL = 0.005
"""Seconds between two looks at a test's event while also watching the client's socket."""
PATIENCE = 30.0
"""Seconds a test waits at most for something the server should see."""


@dataclass(frozen=True)
class Request:
    """What a client sent. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)


class ClientGone(Exception):
    """The client closed its socket, or the server is being stopped: the script ends here."""


class Exchange:
    """One request and the raw socket to answer it on. Every method that waits raises ``ClientGone``."""

    def __init__(self, request: Request, connection: socket.socket, stopping: threading.Event) -> None:
        self.request = request
        self.reusable = False
        self._socket = connection
        self._stopping = stopping

    def send(self, data: bytes) -> None:
        """Write raw bytes."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise ClientGone from error

    def head(self, status: int = 200, headers: Mapping[str, str] | None = None, *, chunked: bool = True) -> None:
        """Write the status line and the headers; ``chunk`` and ``end`` follow when ``chunked``."""
        fields = {"Content-Type": "text/event-stream"} | dict(headers or {})
        if chunked:
            fields["Transfer-Encoding"] = "chunked"
        phrase = http.client.responses.get(status, "Unknown")
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in fields.items() if value)]
        self.send("\r\n".join((*lines, "\r\n")).encode())

    def chunk(self, data: bytes) -> None:
        """Write one chunk of the body."""
        self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def end(self) -> None:
        """End the chunked body properly; the connection can be used again."""
        self.send(b"0\r\n\r\n")
        self.reusable = True

    def respond(self, status: int, body: bytes | str | Any = b"", headers: Mapping[str, str] | None = None) -> None:
        """Write a whole answer: bytes or text as they are, anything else as JSON."""
        raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        fields = {"Content-Type": "application/json", "Content-Length": str(len(raw))} | dict(headers or {})
        self.head(status, fields, chunked=False)
        self.send(raw)
        self.reusable = True

    def wait(self, event: threading.Event) -> None:
        """Pause until the test sets ``event``."""
        while not event.wait(POLL):
            if self._stopping.is_set() or _has_closed(self._socket):
                raise ClientGone

    def hold(self) -> None:
        """Do nothing until the client goes."""
        self.wait(threading.Event())

    def drip(self, data: bytes) -> None:
        """Send ``data`` as one chunk again and again until the client goes."""
        never = threading.Event()
        while True:
            self.chunk(data)
            if never.wait(POLL) or self._stopping.is_set() or _has_closed(self._socket):
                raise ClientGone

    def reset(self) -> None:
        """Abort the connection with a TCP RST."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise ClientGone

    def stop_reading(self) -> None:
        """Receive nothing more."""
        self._socket.shutdown(socket.SHUT_RD)

    def stop_writing(self) -> None:
        """Let the client see the end, and stay connected."""
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the connection in an orderly way, wherever the answer is."""
        raise ClientGone


Script: TypeAlias = Callable[[Exchange], None]


class FakeServer:
    """Serves until the ``with`` block ends; then every connection is closed and every thread joined."""

    def __init__(self, *scripts: Script) -> None:
        self.requests: list[Request] = []
        self.accepted = 0
        self._scripts = scripts or (answer("Hello", " world"),)
        self._open = 0
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> FakeServer:
        self._start(self._accept)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):  # wakes accept()
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        for thread in self._threads:
            thread.join(PATIENCE)
        self._listener.close()
        stuck = [thread.name for thread in self._threads if thread.is_alive()]
        assert not stuck, f"scripts that do not end: {stuck}"

    def wait_requests(self, count: int = 1, timeout: float = PATIENCE) -> bool:
        """Whether ``count`` requests arrived in time."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= count, timeout)

    def wait_accepted(self, count: int = 1, timeout: float = PATIENCE) -> bool:
        """Whether ``count`` connections were opened in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self.accepted >= count, timeout)

    def wait_closed(self, timeout: float = PATIENCE) -> bool:
        """Whether there were connections and, in time, all are closed, by the client or by a script."""
        with self._changed:
            return self._changed.wait_for(lambda: self.accepted > 0 and self._open == 0, timeout)

    @property
    def open_connections(self) -> int:
        """How many connections are open now."""
        with self._changed:
            return self._open

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True, name=f"fake server {target.__name__}")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self._stopping.is_set():
                connection.close()
                return
            with self._changed:
                self.accepted += 1
                self._open += 1
                self._changed.notify_all()
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        try:
            with contextlib.suppress(ClientGone, OSError), contextlib.closing(connection):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for request in _read_requests(connection, self._stopping):
                    exchange = Exchange(request, connection, self._stopping)
                    self._next_script(request)(exchange)
                    if not exchange.reusable:
                        return
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def _next_script(self, request: Request) -> Script:
        with self._changed:
            script = self._scripts[min(len(self.requests), len(self._scripts) - 1)]
            self.requests.append(request)
            self._changed.notify_all()
        return script


# Scripts


def stream(
    *pieces: bytes | threading.Event | Script,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    end: bool = True,
) -> Script:
    """A chunked body: bytes are one chunk each, an event is a pause, a script (``hold``, ``reset``, …) runs.

    Without ``end`` the connection is closed in the middle of the chunked body (RFC 9112: an incomplete message).
    """

    def script(exchange: Exchange) -> None:
        exchange.head(status, headers)
        for piece in pieces:
            if isinstance(piece, bytes):
                exchange.chunk(piece)
            elif isinstance(piece, threading.Event):
                exchange.wait(piece)
            else:
                piece(exchange)
        if end:
            exchange.end()

    return script


def answer(*texts: str) -> Script:
    """A complete, correct streamed chat answer, one chunk per text."""
    return stream(*(sse_text(text) for text in texts), sse_end())


def respond(status: int, body: bytes | str | Any = b"", headers: Mapping[str, str] | None = None) -> Script:
    """A whole answer: bytes or text as they are, anything else as JSON."""
    return lambda exchange: exchange.respond(status, body, headers)


def redirect(location: str, status: int = 307) -> Script:
    """Sends the client elsewhere."""
    return respond(status, b"", {"Location": location})


def raw(data: bytes) -> Script:
    """These bytes and nothing else, then the connection is closed."""
    return lambda exchange: exchange.send(data)


def hold(exchange: Exchange) -> None:
    """Nothing until the client goes: as a whole script, it never answers; in a ``stream``, the body stalls."""
    exchange.hold()


def reset(exchange: Exchange) -> None:
    """A TCP RST."""
    exchange.reset()


def close(exchange: Exchange) -> None:
    """An orderly TCP close, whatever is missing."""
    exchange.close()


def drip(data: bytes) -> Script:
    """Chunks of ``data`` for ever."""
    return lambda exchange: exchange.drip(data)


@contextlib.contextmanager
def unanswered_port() -> Iterator[int]:
    """A port of 127.0.0.1 where a connection attempt neither succeeds nor fails: its queue of connections is full.

    The kernel drops further SYNs (Linux: one more than the backlog is accepted).
    """
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(8):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


class OneConnection:
    """A server without HTTP: it accepts one connection, and reads or writes only when the test says so."""

    def __init__(self, listener: socket.socket) -> None:
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._connection: socket.socket | None = None

    def accept(self) -> None:
        """Wait for the connection."""
        self._listener.settimeout(PATIENCE)
        self._connection = self._listener.accept()[0]

    def send(self, data: bytes) -> None:
        """Write raw bytes."""
        assert self._connection is not None
        self._connection.sendall(data)

    def read(self) -> bytes:
        """What the client sends next."""
        assert self._connection is not None
        self._connection.settimeout(PATIENCE)
        return self._connection.recv(65536)

    def close_writing(self) -> None:
        """Let the client see the end."""
        assert self._connection is not None
        self._connection.shutdown(socket.SHUT_WR)

    def wait_closed(self, timeout: float = PATIENCE) -> bool:
        """Read what is there, then see in time whether the client closed or reset the connection."""
        assert self._connection is not None
        with self._connection as connection:
            connection.settimeout(timeout)
            try:
                while connection.recv(65536):
                    pass
            except TimeoutError:
                return False
            except ConnectionError:
                pass
        return True


@contextlib.contextmanager
def one_connection() -> Iterator[OneConnection]:
    """A server that reads nothing by itself: a large upload stalls with bytes left in the client's buffers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield OneConnection(listener)


def refused_port() -> int:
    """A port of 127.0.0.1 where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


# Bodies of the Chat Completions API


def sse(value: Any, *, event: str | None = None) -> bytes:
    """One server-sent event: text as it is, anything else as JSON."""
    data = value if isinstance(value, str) else json.dumps(value)
    return (f"event: {event}\n" if event else "").encode() + f"data: {data}\n\n".encode()


def sse_chunk(delta: Mapping[str, Any], *, finish: str | None = None, **fields: Any) -> bytes:
    """One ``chat.completion.chunk``."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse({"id": "c1", "object": "chat.completion.chunk", "model": "fake-1", "choices": [choice], **fields})


def sse_text(*texts: str) -> bytes:
    """One event per text, without an end."""
    return b"".join(sse_chunk({"content": text}) for text in texts)


def sse_reasoning(*texts: str) -> bytes:
    """One event per piece of reasoning."""
    return b"".join(sse_chunk({"reasoning_content": text}) for text in texts)


def sse_tool_call(index: int, arguments: str, *, id: str | None = None, name: str | None = None) -> bytes:
    """One fragment of a tool call; ``id`` and ``name`` belong to the first."""
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    call = {"index": index, "function": function} | ({"id": id, "type": "function"} if id else {})
    return sse_chunk({"tool_calls": [call]})


def sse_usage(prompt: int, completion: int) -> bytes:
    """The counts, in a chunk of their own as OpenAI sends them."""
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return sse({"id": "c1", "object": "chat.completion.chunk", "model": "fake-1", "choices": [], "usage": usage})


def sse_end(finish: str = "stop") -> bytes:
    """The finish reason and the end marker."""
    return sse_chunk({}, finish=finish) + sse("[DONE]")


def completion(text: str) -> dict[str, Any]:
    """A whole answer as one JSON value, as it comes without ``stream``."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c1", "object": "chat.completion", "model": "fake-1", "choices": [choice], "usage": usage}


# Reading requests


def _read_requests(connection: socket.socket, stopping: threading.Event) -> Iterator[Request]:
    """Requests until the client closes: a head, then as many bytes as Content-Length says."""
    buffer = b""
    while True:
        while b"\r\n\r\n" not in buffer:
            buffer += _receive(connection, stopping)
        head, _, buffer = buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        while len(buffer) < length:
            buffer += _receive(connection, stopping)
        body, buffer = buffer[:length], buffer[length:]
        yield Request(method, path, headers, body)


def _receive(connection: socket.socket, stopping: threading.Event) -> bytes:
    while not select.select([connection], [], [], POLL)[0]:
        if stopping.is_set():
            raise ClientGone
    data = connection.recv(65536)
    if not data:
        raise ClientGone
    return data


def _has_closed(connection: socket.socket) -> bool:
    if not select.select([connection], [], [], 0)[0]:
        return False
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True
