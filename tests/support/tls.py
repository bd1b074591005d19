"""A self-signed certificate for this machine, made by the openssl program, and a server that shows it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def make_certificate(directory: Path) -> tuple[Path, Path]:
    """Certificate and key of 127.0.0.1, trusted by nobody; skips the test where there is no openssl program."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("SKIPPED FOR WANT OF A PROGRAM: openssl, to make a certificate")
    certificate, key = directory / "company.pem", directory / "key.pem"
    options = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [openssl, "req", *options, *subject, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


@contextlib.contextmanager
def tls_server(certificate: Path, key: Path, answer: bytes) -> Iterator[int]:
    """The port of a server that shakes hands and answers every first line with ``answer``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
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
                    secure.recv(65536)
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
