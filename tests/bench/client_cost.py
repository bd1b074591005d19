"""What a delta costs on its way through the client, beyond decoding it. Run: python tests/bench/client_cost.py

Three paths over the same bytes, in microseconds per delta (best of three): the decoder alone, the client on a transport
without sockets, and the client on a loopback socket, where httpx and h11 take most of it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from rillet.core.client import AsyncLlmClient
from rillet.core.providers.compatible import compatible
from rillet.core.types import ChatMessage, ChatRequest
from rillet.core.wire.codecs import codec_for
from support.fake_server import FakeServer, sse_end, sse_text, stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DELTAS = 20_000
REQUEST = ChatRequest([ChatMessage.user("Hello")])


class Chunks(httpx.AsyncByteStream):
    """A body in memory."""

    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


def decoder_alone(chunks: list[bytes]) -> float:
    decoder = codec_for("openai").decoder()
    started = time.perf_counter()
    for chunk in chunks:
        decoder.feed(chunk)
    decoder.finish()
    return time.perf_counter() - started


async def client_alone(chunks: list[bytes]) -> float:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Chunks(chunks)))
    return await drain(AsyncLlmClient(compatible("localhost", None, "m"), transport=transport))


async def client_on_a_socket(chunks: list[bytes]) -> float:
    with FakeServer(stream(*chunks)) as server:
        return await drain(AsyncLlmClient(compatible(server.url, None, "m")))


async def drain(client: AsyncLlmClient) -> float:
    async with client:
        started = time.perf_counter()
        async for _ in client.batches(REQUEST):
            pass
        return time.perf_counter() - started


def main() -> None:
    for size in (1, 10, 100):
        chunks = [sse_text(*["token "] * size)] * (DELTAS // size) + [sse_end()]
        figures = {
            "decoder": min(decoder_alone(chunks) for _ in range(3)),
            "client": min(asyncio.run(client_alone(chunks)) for _ in range(3)),
            "socket": min(asyncio.run(client_on_a_socket(chunks)) for _ in range(3)),
        }
        shown = "  ".join(f"{name} {seconds / DELTAS * 1e6:5.2f} µs" for name, seconds in figures.items())
        print(f"{size:3} deltas per read: {shown}")


if __name__ == "__main__":
    main()
