"""Servers that send more than any memory holds: what the process grows by meanwhile, and what becomes of the text."""

from __future__ import annotations

import gc
import multiprocessing
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chaos.behaviour import SSE_STYLES, Body, body, joined
from chaos.run import LONG, ask
from support.answers import STYLES, Frame
from support.fake_server import FakeServer, Script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from support.fake_server import Exchange

MEGABYTE = 1024 * 1024
GIGABYTE = 1024 * MEGABYTE
BOMB = 300 * MEGABYTE
GROWTH = 150 * MEGABYTE
STATUS = Path("/proc/self/status")
PEAK = Path("/proc/self/clear_refs")

pytestmark = pytest.mark.skipif(not PEAK.exists(), reason="NOT MEASURED: only Linux tells the peak of a process")


def _flood(body: Body, arrives: Sequence[Frame], before: bytes, unit: bytes, size: int) -> Script:
    """These frames, then one unit again and again until there are ``size`` bytes."""

    def script(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": body.content_type})
        exchange.chunk(joined(arrives) + before)
        for _ in range(size // len(unit)):
            exchange.chunk(unit)
        exchange.end()

    return script


def _bomb(body: Body, arrives: Sequence[Frame], before: bytes, unit: bytes, size: int) -> Script:
    """The same inside a few hundred kB of gzip."""

    def script(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": body.content_type, "Content-Encoding": "gzip"})
        compressor = zlib.compressobj(wbits=31)
        exchange.chunk(compressor.compress(joined(arrives) + before) + compressor.flush(zlib.Z_SYNC_FLUSH))
        for _ in range(size // len(unit)):
            if data := compressor.compress(unit):
                exchange.chunk(data)
        exchange.chunk(compressor.flush())
        exchange.end()

    return script


def _text_begun(body: Body) -> bytes:
    """A frame of text that has begun and does not end."""
    data = body.frame("text").data
    return data[: data.index(b"It ") + 3]


@dataclass(frozen=True, slots=True)
class Flood:
    """Some good texts, then ``before`` and the same bytes again and again."""

    script: Callable[[Body, Sequence[Frame], bytes, bytes, int], Script]
    size: int
    unit: bytes
    """Nothing: good texts."""
    before: Callable[[Body], bytes] = lambda _: b""
    styles: Sequence[str] = STYLES


FLOODS: dict[str, Flood] = {
    "a line of 1 GB": Flood(_flood, GIGABYTE, b"x" * MEGABYTE, lambda _: b"data: "),
    "a text of 1 GB": Flood(_flood, GIGABYTE, b"x" * MEGABYTE, _text_begun),
    "a bomb of one line": Flood(_bomb, BOMB, b"x" * MEGABYTE, lambda _: b"data: "),
    "a bomb of one text": Flood(_bomb, BOMB, b"x" * MEGABYTE, _text_begun),
    "a bomb of zeros": Flood(_bomb, BOMB, bytes(MEGABYTE)),
    "a bomb of good texts": Flood(_bomb, BOMB, b""),
    "a bomb of long lines": Flood(_bomb, BOMB, b"no event" * 9999 + b"\n"),
    "a bomb of short lines": Flood(_bomb, BOMB, b"no event at all\n" * 9999, styles=SSE_STYLES[:1]),
    "a bomb of small JSON": Flood(_bomb, BOMB, b'{"a":1}\n' * 9999, styles=SSE_STYLES[:1]),
    "a bomb of bytes that are no text": Flood(_bomb, BOMB, b"\xff" * 9999 + b"\n"),
}
RUNS = [pytest.param(name, style, id=f"{name}, {style}") for name, flood in FLOODS.items() for style in flood.styles]


def _serve(pipe: Connection) -> None:
    """In a process of its own, whose memory does not count: a path begins with the number of a flood and a style."""

    def script(exchange: Exchange) -> None:
        _, number, style, *_ = exchange.request.path.split("/")
        flood = list(FLOODS.values())[int(number)]
        good = body(style)
        unit = flood.unit or good.frame("text").data * 1000
        flood.script(good, good.through("text", 3), flood.before(good), unit, flood.size)(exchange)

    with FakeServer(script) as server:
        pipe.send(server.url)
        pipe.recv()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Its address."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,))
    process.start()
    there.close()  # so that one that could not begin is an EOFError here, not silence
    yield here.recv()
    here.send(None)
    process.join()


def _memory_now() -> int:
    """Bytes; the peak begins here."""
    gc.collect()
    PEAK.write_text("5")
    return _memory("VmRSS")


def _memory(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize(("name", "style"), RUNS)
async def test_no_flood_takes_more_than_150_mb(name: str, style: str, server: str) -> None:
    before = _memory_now()
    result = await ask(f"{server}/{list(FLOODS).index(name)}/{style}", style, first=LONG, idle=LONG)
    growth = _memory("VmHWM") - before
    assert result.error is not None
    assert result.response is not None
    assert result.response.text.startswith("It rains in “Tromsø”")
    assert growth <= GROWTH, f"{growth / MEGABYTE:.0f} MB"
