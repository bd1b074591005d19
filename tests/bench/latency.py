"""How late a delta is on the GUI thread, and what share of that thread it costs, beside a raw httpx client.

    python tests/bench/latency.py [--streams 50] [--rate 100] [--seconds 5] [--rounds 3]

A server in a process of its own streams to all clients at once, at an even pace; the text of a delta is the moment it
was sent. The raw client reads the same streams on an event loop of its own, one after the other in the same run, and
decodes each chunk with msgspec: what reaches it late was late on the wire. Ours are delivered to listeners through
``rillet.qt``. Best of some rounds: other programs only ever add.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
import msgspec
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest
from rillet.qt import AsyncResource, LlmClient, StreamingListener
from support.fake_server import sse_end, sse_text

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


# The server


async def serve(pipe: Connection, rate: float, count: int) -> None:
    """Stream to everybody who asks, until the process is ended."""
    server = await asyncio.start_server(lambda reader, writer: _stream(reader, writer, rate, count), "127.0.0.1", 0)
    pipe.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    await server.serve_forever()


async def _stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rate: float, count: int) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.lower().split(b"content-length:")[1].split()[0]))
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    started = time.monotonic()
    for number in range(count):
        await asyncio.sleep(started + number / rate - time.monotonic())
        _chunk(writer, sse_text(str(time.monotonic_ns())))
    _chunk(writer, sse_end())
    writer.write(b"0\r\n\r\n")
    writer.close()


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


def _process(pipe: Connection, rate: float, count: int) -> None:
    asyncio.run(serve(pipe, rate, count))


# The clients


class Delta(msgspec.Struct):
    content: str | None = None


class Choice(msgspec.Struct):
    delta: Delta


class Chunk(msgspec.Struct):
    choices: list[Choice]


async def raw(url: str, streams: int) -> list[int]:
    """Latencies in nanoseconds of httpx, a split at blank lines and msgspec."""
    decode = msgspec.json.Decoder(Chunk).decode
    seen: list[int] = []

    async def one(client: httpx.AsyncClient) -> None:
        rest = b""
        async with client.stream("POST", f"{url}/v1/chat/completions", json={"model": "m"}) as response:
            async for data in response.aiter_raw():
                *events, rest = (rest + data).split(b"\n\n")
                texts = (decode(event[6:]).choices[0].delta.content for event in events if event != b"data: [DONE]")
                seen.extend(time.monotonic_ns() - int(text) for text in texts if text)

    async with httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_connections=None), timeout=60) as client:
        await asyncio.gather(*(one(client) for _ in range(streams)))
    return seen


class Stopwatch(StreamingListener):
    """Notes how late each delta is."""

    def __init__(self, seen: list[int]) -> None:
        self._seen = seen

    def onContentDelta(self, textDelta: str) -> None:
        self._seen.append(time.monotonic_ns() - int(textDelta))


def ours(url: str, streams: int) -> tuple[list[int], float]:
    """Latencies in nanoseconds on the GUI thread, and the share of that thread that all of it took."""
    client = LlmClient.forProvider(
        Provider("bench", "openai", f"{url}/v1", "k", "m", network=NetworkProfile(proxy=None))
    )
    request = ChatRequest([ChatMessage.user("Hello")])
    seen: list[int] = []
    loop = QEventLoop()
    started, cpu = time.monotonic(), time.thread_time()
    resources = [client.chatStream(request, Stopwatch(seen)) for _ in range(streams)]
    AsyncResource.all(*resources).onResult(lambda _value, _error: loop.quit())
    loop.exec()
    share = (time.thread_time() - cpu) / (time.monotonic() - started)
    client.close()
    return seen, share


def percentile(seen: list[int], share: float) -> float:
    """In milliseconds."""
    return sorted(seen)[min(len(seen) - 1, int(len(seen) * share))] / 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    count = int(options.rate * options.seconds)
    app = QApplication([])
    here, there = multiprocessing.Pipe()
    arguments = (there, options.rate, count)
    process = multiprocessing.get_context("spawn").Process(target=_process, args=arguments, daemon=True)
    process.start()
    url = here.recv()
    print(f"{options.streams} streams of {options.rate:g} deltas/s, {options.seconds:g} s: latency in ms")
    print(f"{'':16}{'p50':>8}{'p99':>8}{'worst':>8}{'GUI thread':>12}")
    worst_of = []
    for _ in range(options.rounds):
        bare = asyncio.run(raw(url, options.streams))
        seen, share = ours(url, options.streams)
        assert len(bare) == len(seen) == options.streams * count
        for name, latencies, shown in (("httpx + msgspec", bare, ""), ("rillet.qt", seen, f"{share:.1%}")):
            columns = "".join(f"{percentile(latencies, at):>8.2f}" for at in (0.5, 0.99, 1.0))
            print(f"{name:16}{columns}{shown:>12}")
        worst_of.append((percentile(seen, 0.99) / percentile(bare, 0.99), share))
    print(
        f"p99 beside httpx: × {min(ratio for ratio, _ in worst_of):.2f}; GUI thread: {min(s for _, s in worst_of):.1%}"
    )
    process.terminate()
    process.join()
    app.quit()


if __name__ == "__main__":
    main()
