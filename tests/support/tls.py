"""Certificates for tests, made by the openssl program, and a server that shows them."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


class Certificate(NamedTuple):
    """Two PEM files."""

    certificate: Path
    key: Path


def make_certificate(directory: Path) -> Certificate:
    """A self-signed certificate of 127.0.0.1, trusted by nobody."""
    made = Certificate(directory / "company.pem", directory / "key.pem")
    _openssl(
        ("req", "-x509", *_NEW_KEY, "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
        ("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(made.key), "-out", str(made.certificate)),
    )
    return made


class Authority:
    """A certificate authority of one's own.

    Attributes:
        certificate: Its certificate, as a PEM file: what to trust.
    """

    def __init__(self, directory: Path, name: str = "Test Authority") -> None:
        self._directory = directory / name.replace(" ", "-")
        self._directory.mkdir()
        self.certificate = self._directory / "authority.pem"
        self._key = self._directory / "authority.key"
        _openssl(
            ("req", "-x509", *_NEW_KEY, "-nodes", "-days", "2", "-subj", f"/O=Company/CN={name}"),
            ("-keyout", str(self._key), "-out", str(self.certificate)),
        )

    def issue(self, name: str, password: str | None = None) -> Certificate:
        """A certificate for a host name or an address; with ``password`` its key is encrypted."""
        made = Certificate(self._directory / f"{name}.pem", self._directory / f"{name}.key")
        request, extensions = self._directory / f"{name}.csr", self._directory / f"{name}.ext"
        kind = "IP" if name.replace(".", "").isdigit() else "DNS"
        extensions.write_text(f"subjectAltName={kind}:{name}\n")
        secrecy = ("-nodes",) if password is None else ("-passout", f"pass:{password}")
        _openssl(
            ("req", *_NEW_KEY, *secrecy, "-subj", f"/CN={name}", "-keyout", str(made.key), "-out", str(request)),
        )
        _openssl(
            ("x509", "-req", "-in", str(request), "-days", "2", "-extfile", str(extensions), "-CAcreateserial"),
            ("-CA", str(self.certificate), "-CAkey", str(self._key), "-out", str(made.certificate)),
        )
        return made


@contextlib.contextmanager
def tls_server(certificate: Path, key: Path, answer: bytes = OK, *, clients: Path | None = None) -> Iterator[int]:
    """The port of a server that shakes hands and answers every request with ``answer``.

    With ``clients`` it lets in only those with a certificate of that authority.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cafile=clients)
    listener = socket.create_server(("127.0.0.1", 0))
    stopping = threading.Event()

    def serve() -> None:
        while True:
            connection, _ = listener.accept()
            with contextlib.closing(connection), contextlib.suppress(OSError):  # a client may refuse the certificate
                if stopping.is_set():
                    return
                connection.settimeout(5)
                with context.wrap_socket(connection, server_side=True) as secure:
                    if _read_request(secure):
                        secure.sendall(answer)

    thread = threading.Thread(target=serve, name="tls server")
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        stopping.set()
        socket.create_connection(listener.getsockname()).close()
        thread.join()
        listener.close()


def _read_request(connection: ssl.SSLSocket) -> bool:
    """Whether a whole one came: an answer before its end would be lost in the reset that a close then is."""
    received = b""
    while (data := connection.recv(65536)) and b"\r\n\r\n" not in received + data:
        received += data
    head, _, body = (received + data).partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = int(lengths[0]) - len(body) if lengths else 0
    while data and missing > 0:
        data = connection.recv(65536)
        missing -= len(data)
    return bool(data)


def _openssl(*arguments: tuple[str, ...]) -> None:
    """Run it; skips the test where there is none."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("SKIPPED FOR WANT OF A PROGRAM: openssl, to make a certificate")
    subprocess.run([openssl, *(word for part in arguments for word in part)], check=True, capture_output=True)
