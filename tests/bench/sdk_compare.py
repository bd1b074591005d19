"""What a delta costs a client, beside the official SDKs and beside the least that Python needs.

    python tests/bench/sdk_compare.py [text|arguments …] [--rounds N]

One server in a process of its own, every client in the same run against the same bytes: 20,000 text deltas, or 5,000
fragments of a tool call's arguments, one or twenty per chunk, as one stream or as fifty at once (which share the same
number). Printed are CPU microseconds of this process per delta, user and system, best of ``N`` rounds in turn: machines
are noisy. The floor is httpx with a split at blank lines and msgspec; it survives none of what ``tests/chaos`` does.
The SDKs come with the development group; toolnexus is measured if it can be imported, and is no dependency.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import importlib.util
import math
import multiprocessing
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import anthropic
import httpx
import msgspec
import openai

sys.path.insert(0, str(Path(__file__).parents[1]))

from rillet.core.client import AsyncLlmClient
from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest, TextDelta, ToolCallDelta
from support.answers import Answer, Call, frames
from support.fake_server import FakeServer, Request, stream

toolnexus: Any = importlib.import_module("toolnexus") if importlib.util.find_spec("toolnexus") else None

if TYPE_CHECKING:
    from collections.abc import Iterable
    from multiprocessing.connection import Connection

    from support.fake_server import Exchange

TOTALS = {"text": 20_000, "arguments": 5_000}
Load: TypeAlias = tuple[int, int]
"""Deltas per chunk, and streams at once."""
LOADS: list[Load] = [(per_chunk, streams) for streams in (1, 50) for per_chunk in (1, 20)]
RATIOS = (
    ("rillet, chat", "httpx + msgspec"),
    ("rillet, messages", "httpx + msgspec"),
    ("rillet, chat", "openai SDK"),
    ("rillet, messages", "anthropic SDK"),
)
ASKED: Any = [{"role": "user", "content": "Hello"}]
PATIENCE = 60.0


def answer(kind: str, size: int) -> Answer:
    """``size`` deltas of one kind."""
    if kind == "text":
        return Answer(tuple(f"token{number:5} " for number in range(size)))
    fragments = ('{"city":"', *(f"part {number:4} " for number in range(size - 2)), '"}')
    return Answer((), Call("call_1", "weather", fragments))


# The server


def serve(pipe: Connection) -> None:
    """The process: a path says which answer, at what size, in what pieces."""
    with FakeServer(_reply) as server:
        pipe.send(server.url)
        pipe.recv()


def _reply(exchange: Exchange) -> None:
    stream(*_chunks(exchange.request))(exchange)


def _chunks(request: Request, made: dict[str, list[bytes]] = {}) -> list[bytes]:  # noqa: B006 (a cache)
    _, kind, size, per_chunk, *rest = request.path.split("/")
    key = request.path
    if key not in made:
        style = "anthropic" if rest[-1] == "messages" else "openai"
        pieces = [frame.data for frame in frames(style, answer(kind, int(size)))]
        step = int(per_chunk)
        made[key] = [b"".join(pieces[at : at + step]) for at in range(0, len(pieces), step)]
    return made[key]


# The clients: each reads so many answers at once, through one connection pool, and returns the numbers of their deltas

Read: TypeAlias = Callable[[str, int], Awaitable[list[int]]]


async def floor(url: str, streams: int) -> list[int]:
    """Bytes, blank lines, JSON."""
    decode = msgspec.json.Decoder(Chunk).decode
    request = {"model": "m", "stream": True, "messages": ASKED}

    async def one() -> int:
        count, rest = 0, b""
        async with client.stream("POST", f"{url}/v1/chat/completions", json=request) as response:
            async for data in response.aiter_raw():
                *events, rest = (rest + data).split(b"\n\n")
                for event in events:
                    if event != b"data: [DONE]":
                        chunk = decode(event[6:])
                        if chunk.choices and chunk.choices[0].delta.brings_something:
                            count += 1
        return count

    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=60) as client:
        return await asyncio.gather(*(one() for _ in range(streams)))


class Function(msgspec.Struct):
    arguments: str = ""


class ToolCall(msgspec.Struct):
    function: Function


class Delta(msgspec.Struct):
    content: str | None = None
    tool_calls: list[ToolCall] = []

    @property
    def brings_something(self) -> bool:
        return bool(self.content or self.tool_calls)


class Choice(msgspec.Struct):
    delta: Delta


class Chunk(msgspec.Struct):
    choices: list[Choice]


def ours(style: str) -> Read:
    """This library."""

    async def run(url: str, streams: int) -> list[int]:
        provider = Provider("bench", style, f"{url}/v1", "k", "m", network=NetworkProfile(proxy=None))
        request = ChatRequest([ChatMessage.user("Hello")], max_tokens=100)

        async def one() -> int:
            return sum([isinstance(delta, TextDelta | ToolCallDelta) async for delta in client.stream(request)])

        async with AsyncLlmClient(provider) as client:
            return await asyncio.gather(*(one() for _ in range(streams)))

    return run


async def openai_sdk(url: str, streams: int) -> list[int]:
    """Chat Completions."""

    async def one() -> int:
        count = 0
        async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True):
            if chunk.choices and (chunk.choices[0].delta.content or chunk.choices[0].delta.tool_calls):
                count += 1
        return count

    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as client:
        return await asyncio.gather(*(one() for _ in range(streams)))


async def anthropic_sdk(url: str, streams: int) -> list[int]:
    """Messages."""

    async def one() -> int:
        count = 0
        async for event in await client.messages.create(model="m", max_tokens=100, messages=ASKED, stream=True):
            count += event.type == "content_block_delta"
        return count

    async with anthropic.AsyncAnthropic(base_url=url, api_key="k") as client:
        return await asyncio.gather(*(one() for _ in range(streams)))


async def toolnexus_agent(url: str, streams: int) -> list[int]:
    """Chat Completions. It stops listening for good when deltas come faster than it takes them (queue of 256)."""
    client = toolnexus.create_client(base_url=f"{url}/v1", style="openai", model="m", api_key="k")

    async def one() -> int:
        count = 0
        async for event in client.stream("Hello"):
            count += event["type"] == "text"
        return count

    return await asyncio.gather(*(one() for _ in range(streams)))


CLIENTS: dict[str, Read] = {
    "httpx + msgspec": floor,
    "rillet, chat": ours("openai"),
    "rillet, messages": ours("anthropic"),
    "openai SDK": openai_sdk,
    "anthropic SDK": anthropic_sdk,
}
if toolnexus is not None:
    CLIENTS["toolnexus"] = toolnexus_agent


# Measuring


def cpu(client: Read, url: str, streams: int, expected: int) -> float | None:
    """CPU seconds of this process while ``streams`` answers are read, each of ``expected`` deltas; None: it hung."""

    async def run() -> float:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)  # a million lines of toolnexus'
        gc.collect()
        started = time.process_time()
        counts = await asyncio.wait_for(client(url, streams), PATIENCE)
        spent = time.process_time() - started
        assert all(expected <= count <= expected + 1 for count in counts), (counts, expected)
        return spent

    try:
        return asyncio.run(run())
    except TimeoutError:
        return None


def measure(kind: str, url: str, rounds: int, loads: list[Load]) -> dict[tuple[str, Load], float]:
    """The best of every client under every load, in µs per delta; who hangs once is left out from then on."""
    total = TOTALS[kind]
    best: dict[tuple[str, Load], float] = {}
    for load in loads:
        per_chunk, streams = load
        running = {name: client for name, client in CLIENTS.items() if name != "toolnexus" or kind == "text"}
        for _ in range(rounds):
            for name, client in list(running.items()):
                spent = cpu(client, f"{url}/{kind}/{total // streams}/{per_chunk}", streams, total // streams)
                if spent is None:
                    del running[name]
                else:
                    best[name, load] = min(spent / total * 1e6, best.get((name, load), math.inf))
    return best


def table(kind: str, url: str, rounds: int, loads: list[Load]) -> None:
    """Print it, and how ours compares."""
    best = measure(kind, url, rounds, loads)

    def row(name: str, figures: Iterable[float | None], digits: int = 1) -> None:
        columns = ("hung" if figure is None else f"{figure:.{digits}f}" for figure in figures)
        print(f"{name:32}" + "".join(f"{column:>16}" for column in columns))

    print(f"\n{kind}, {TOTALS[kind]:,} deltas: CPU µs per delta")
    print(f"{'':32}" + "".join(f"{streams:>5} × {per_chunk:>2}/chunk" for per_chunk, streams in loads))
    for name in CLIENTS:
        if name != "toolnexus" or kind == "text":
            row(name, (best.get((name, load)) for load in loads))
    for name, other in RATIOS:
        row(f"{name} / {other}", (best[name, load] / best[other, load] for load in loads), 2)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("kinds", nargs="*", default=["text", "arguments"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--single", action="store_true", help="only one stream")
    options = parser.parse_args()
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    process.start()
    url = here.recv()
    for kind in options.kinds:
        table(kind, url, options.rounds, [load for load in LOADS if load[1] == 1 or not options.single])
    here.send(None)
    process.join()


if __name__ == "__main__":
    main()
