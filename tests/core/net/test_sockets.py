"""That pools really use these sockets, plain and inside TLS (httpx could rename the place where they are put in), and
that a read takes everything that is there.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import TYPE_CHECKING, Any

import httpcore
import pytest

from rillet.core.net.profile import NetworkProfile
from rillet.core.net.sockets import _Stream
from rillet.core.net.transport import Transport
from support.fake_server import FakeServer, one_connection
from support.tls import make_certificate, tls_server

if TYPE_CHECKING:
    from pathlib import Path

    from support.tls import Certificate

CHUNKS = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n"


async def first_read(url: str, profile: NetworkProfile) -> bytes:
    transport = Transport(profile)
    try:
        async with await transport.open("GET", url, {}) as answer:
            return await answer.read()
    finally:
        await transport.aclose()


async def test_chunks_that_came_together_are_read_together() -> None:
    with FakeServer(lambda exchange: exchange.send(CHUNKS)) as server:
        assert await first_read(server.url, NetworkProfile()) == b"onetwothree"


async def test_inside_tls_as_well(tmp_path: Path) -> None:
    made = make_certificate(tmp_path)
    with tls_server(made.certificate, made.key, CHUNKS) as port:
        profile = NetworkProfile(ca_file=str(made.certificate))
        assert await first_read(f"https://127.0.0.1:{port}/", profile) == b"onetwothree"


class _Pair(httpcore.AsyncNetworkStream):
    """Both ends of a TLS connection in memory; ``read`` gives the client one record, as the sockets of httpcore do."""

    def __init__(self, certificate: Certificate) -> None:
        theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        theirs.load_cert_chain(certificate.certificate, certificate.key)
        ours = ssl.create_default_context(cafile=str(certificate.certificate))
        self.wire, back = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = ours.wrap_bio(self.wire, back, server_hostname="127.0.0.1")
        self.server = theirs.wrap_bio(back, self.wire, server_side=True)
        for end in (self.client, self.server, self.client, self.server):
            with contextlib.suppress(ssl.SSLWantReadError):
                end.do_handshake()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.client.read(max_bytes)

    def get_extra_info(self, info: str) -> Any:
        return self.client if info == "ssl_object" else None


@pytest.fixture
def pair(tmp_path: Path) -> _Pair:
    return _Pair(make_certificate(tmp_path))


async def test_records_of_tls_that_came_together_are_read_together(pair: _Pair) -> None:
    stream = _Stream(pair)
    for record in (b"one", b"two", b"three"):
        pair.server.write(record)
    assert await stream.read(100) == b"onetwothree"


async def test_no_more_is_read_than_was_asked_for(pair: _Pair) -> None:
    stream = _Stream(pair)
    pair.server.write(b"one")
    pair.server.write(b"two")
    assert await stream.read(4) == b"onet"
    assert await stream.read(4) == b"wo"


async def test_what_came_before_a_broken_record_is_read_first_and_the_error_stays_itself(pair: _Pair) -> None:
    stream = _Stream(pair)
    pair.server.write(b"one")
    pair.wire.write(b"\x17\x03\x03\x00\x20" + bytes(32))
    assert await stream.read(100) == b"one"
    with pytest.raises(ssl.SSLError, match=r"(?i)bad.record.mac"):
        await stream.read(100)


async def test_an_end_behind_a_record_is_found_by_the_next_read(pair: _Pair) -> None:
    stream = _Stream(pair)
    pair.server.write(b"one")
    with contextlib.suppress(ssl.SSLWantReadError):
        pair.server.unwrap()
    assert await stream.read(100) == b"one"
    assert await stream.read(100) == b""


async def test_a_handshake_that_is_abandoned_closes_its_socket() -> None:
    with one_connection() as server:
        transport = Transport(NetworkProfile())
        opening = asyncio.create_task(transport.open("GET", f"https://127.0.0.1:{server.port}/", {}))
        await asyncio.to_thread(server.accept)
        await asyncio.to_thread(server.read)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert await asyncio.to_thread(server.wait_closed)
        await transport.aclose()
