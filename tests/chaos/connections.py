"""Servers that are not what their address says: nobody there, another protocol, certificates, TLS cut short."""

from __future__ import annotations

import atexit
import contextlib
import shutil
import socket
import tempfile
import threading
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from chaos.behaviour import Body, Plan, behaviour, joined, register
from support.fake_server import FakeServer, refused_port, unanswered_port
from support.tls import Authority, Certificate, make_certificate, tls_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from support.answers import Frame


@cache
def _directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="rillet-chaos-"))
    atexit.register(shutil.rmtree, directory)
    return directory


@cache
def trusted() -> Authority:
    """The authority that the tests' profiles trust."""
    return Authority(_directory(), "Trusted Authority")


@cache
def _good() -> Certificate:
    return trusted().issue("127.0.0.1")


def _fails(open_server: Callable[[], contextlib.AbstractContextManager[str]], *kinds: str) -> Plan:
    return Plan([], frozenset(kinds or ("network",)), at=open_server, requests=None)


@behaviour("B92")
def nobody_listens(body: Body) -> Plan:
    return _fails(lambda: contextlib.nullcontext(f"http://127.0.0.1:{refused_port()}"))


@behaviour("N03 (connect timeout)")
def nobody_accepts(body: Body) -> Plan:
    @contextmanager
    def server() -> Iterator[str]:
        with unanswered_port() as port:
            yield f"http://127.0.0.1:{port}"

    return Plan([], frozenset({"timeout"}), at=server, requests=None, silent=True)


@behaviour("V8")
def a_name_that_does_not_exist(body: Body) -> Plan:
    return _fails(lambda: contextlib.nullcontext("http://no-such-host.invalid"))


@behaviour("G8 bad TLS")
def no_tls_where_the_address_says_so(body: Body) -> Plan:
    @contextmanager
    def server() -> Iterator[str]:
        with FakeServer(body.stream(body.data)) as plain:
            yield plain.url.replace("http:", "https:")

    return Plan([], frozenset({"timeout", "network"}), at=server, requests=None, silent=True)


@contextmanager
def _tls(
    certificate: Certificate, answer: bytes, *, scheme: str = "https", clients: Path | None = None
) -> Iterator[str]:
    with tls_server(certificate.certificate, certificate.key, answer, clients=clients) as port:
        yield f"{scheme}://127.0.0.1:{port}"


@behaviour("G8 bad TLS")
def tls_where_the_address_says_none(body: Body) -> Plan:
    return _fails(lambda: _tls(_good(), b"", scheme="http"), "network", "invalid_request")


@behaviour("B79")
def a_certificate_that_nobody_signed(body: Body) -> Plan:
    return _fails(lambda: _tls(make_certificate(_directory()), body.data))


@behaviour("B79")
def a_certificate_of_another_authority(body: Body) -> Plan:
    @contextmanager
    def server() -> Iterator[str]:
        with tempfile.TemporaryDirectory() as directory:
            certificate = Authority(Path(directory), "Unknown Authority").issue("127.0.0.1")
            with _tls(certificate, body.data) as url:
                yield url

    return _fails(server)


@behaviour("B79")
def a_certificate_of_another_host(body: Body) -> Plan:
    return _fails(lambda: _tls(trusted().issue("elsewhere.example"), body.data))


@behaviour("RFC 8446 4.4.2")
def a_server_that_wants_a_certificate(body: Body) -> Plan:
    return _fails(lambda: _tls(_good(), body.data, clients=trusted().certificate))


def _handshake(behave: Callable[[socket.socket], None]) -> contextlib.AbstractContextManager[str]:
    """A server that accepts connections and does something else than TLS with them."""

    @contextmanager
    def server() -> Iterator[str]:
        stopping = threading.Event()

        def serve() -> None:
            while True:
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):
                    if stopping.is_set():
                        return
                    behave(connection)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, name="no tls")
            thread.start()
            try:
                yield f"https://127.0.0.1:{listener.getsockname()[1]}"
            finally:
                stopping.set()
                socket.create_connection(listener.getsockname()).close()
                thread.join()

    return server()


def _garbage(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(b"\x16\x03\x03\x00\x05hello" * 9)


def _leave(connection: socket.socket) -> None:
    connection.recv(4096)


def _say_nothing(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


@behaviour("G8 bad TLS")
def garbage_in_the_handshake(body: Body) -> Plan:
    return _fails(lambda: _handshake(_garbage))


@behaviour("G8 bad TLS")
def closed_in_the_handshake(body: Body) -> Plan:
    return _fails(lambda: _handshake(_leave))


@behaviour("G8 bad TLS, N03")
def silent_in_the_handshake(body: Body) -> Plan:
    return Plan([], frozenset({"timeout"}), at=lambda: _handshake(_say_nothing), requests=None, silent=True)


def _through_tls(frames: Callable[[Body], Sequence[Frame]], head: Callable[[Body, bytes], bytes], body: Body) -> Plan:
    arrives = frames(body)
    data = joined(arrives)
    kinds = frozenset[str]() if arrives[-1] is body.frames[-1] else frozenset({"network"})
    return Plan(arrives, kinds, at=lambda: _tls(_good(), head(body, data) + data), requests=None)


def _length(body: Body, data: bytes) -> bytes:
    return body.head(f"Content-Length: {len(data)}")


def _until_it_closes(body: Body, _data: bytes) -> bytes:
    return body.head()


for _name, _frames, _head in (
    ("a good answer through TLS", lambda body: body.frames, _length),
    ("a good answer through TLS without its farewell", lambda body: body.frames, _until_it_closes),
    ("TLS cut between arguments", lambda body: body.before("call", 4), _until_it_closes),
    ("TLS cut behind a text", lambda body: body.through("text", 3), _until_it_closes),
):
    register(_name, __name__, "G8 bad TLS, B08 (truncation: RFC 8446 6.1)", partial(_through_tls, _frames, _head))
