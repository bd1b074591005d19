"""That pools really use these sockets, plain and inside TLS: httpx could rename the place where they are put in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rillet.core.net.profile import NetworkProfile
from rillet.core.net.transport import Transport
from support.fake_server import FakeServer, one_connection
from support.tls import make_certificate, tls_server

if TYPE_CHECKING:
    from pathlib import Path

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
