"""Two proxies on 127.0.0.1, HTTP and SOCKS5, that lead every name to the ports a test gives them.

They write down whom they were asked for, and refuse who does not name the right user and password. A target that is not
in ``routes`` is refused.
"""

from __future__ import annotations

import base64
import contextlib
import socket
import struct
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

PATIENCE = 30.0


class _Proxy(ABC):
    """Accepts connections until the ``with`` block ends.

    Attributes:
        targets: "host:port" of everybody who was asked for, in order.
    """

    scheme: str

    def __init__(self, routes: Mapping[str, int], *, user: str = "", password: str = "") -> None:
        self.targets: list[str] = []
        self._routes = dict(routes)
        self._user, self._password = user, password
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        """With user and password, if it asks for them."""
        login = f"{self._user}:{self._password}@" if self._user else ""
        return f"{self.scheme}://{login}127.0.0.1:{self.port}"

    @property
    def anonymous_url(self) -> str:
        """Without user and password."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            connections, self._open = self._open, []
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    @abstractmethod
    def serve(self, client: socket.socket) -> None:
        """Talk to one client."""

    def connect(self, target: str) -> socket.socket | None:
        """A connection to where ``target`` leads; None when that is nowhere."""
        self.targets.append(target)
        port = self._routes.get(target)
        return None if port is None else socket.create_connection(("127.0.0.1", port))

    def join(self, client: socket.socket, server: socket.socket) -> None:
        """Carry bytes both ways until both ends are closed."""
        with self._lock:
            self._open.append(server)
        self._start(_carry, server, client)
        _carry(client, server)

    def _start(self, target: object, *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.append(client)
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            self.serve(client)


class HttpProxy(_Proxy):
    """CONNECT for https, whole addresses for http."""

    scheme = "http"

    def serve(self, client: socket.socket) -> None:
        """One request or tunnel."""
        data = b""
        while b"\r\n\r\n" not in data:
            if not (piece := client.recv(65536)):
                return
            data += piece
        head, _, rest = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, where, _ = lines[0].split(" ")
        if self._user and self._expected not in lines:
            client.sendall(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
            return
        tunnel = method == "CONNECT"
        target = where if tunnel else f"{where.removeprefix('http://').partition('/')[0]}:80"
        server = self.connect(target)
        if server is None:
            client.sendall(b"HTTP/1.1 502 No such host\r\nContent-Length: 0\r\n\r\n")
            return
        with server:
            if tunnel:
                client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            else:
                path = "/" + where.removeprefix("http://").partition("/")[2]
                kept = [line for line in lines[1:] if not line.lower().startswith("proxy-")]
                server.sendall("\r\n".join((f"{method} {path} HTTP/1.1", *kept, "", "")).encode() + rest)
            self.join(client, server)

    @property
    def _expected(self) -> str:
        return "Proxy-Authorization: Basic " + base64.b64encode(f"{self._user}:{self._password}".encode()).decode()


class SocksProxy(_Proxy):
    """SOCKS5 (RFC 1928), with user and password if wanted (RFC 1929)."""

    scheme = "socks5"

    def serve(self, client: socket.socket) -> None:
        """One connection."""
        _version, count = _exactly(client, 2)
        offered = _exactly(client, count)
        method = 2 if self._user else 0
        if method not in offered:
            client.sendall(b"\x05\xff")
            return
        client.sendall(bytes((5, method)))
        if self._user and not self._knows(client):
            return
        _version, _command, _reserved, kind = _exactly(client, 4)
        host = _exactly(client, _exactly(client, 1)[0]).decode() if kind == 3 else socket.inet_ntoa(_exactly(client, 4))
        (port,) = struct.unpack(">H", _exactly(client, 2))
        server = self.connect(f"{host}:{port}")
        client.sendall(bytes((5, 0 if server else 5, 0, 1, 0, 0, 0, 0, 0, 0)))
        if server is not None:
            with server:
                self.join(client, server)

    def _knows(self, client: socket.socket) -> bool:
        _version, length = _exactly(client, 2)
        user = _exactly(client, length).decode()
        password = _exactly(client, _exactly(client, 1)[0]).decode()
        right = (user, password) == (self._user, self._password)
        client.sendall(bytes((1, 0 if right else 1)))
        return right


def _carry(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def _exactly(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        if not (piece := client.recv(count - len(data))):
            raise ConnectionAbortedError
        data += piece
    return data
