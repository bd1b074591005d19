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
import importlib.util
import multiprocessing
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from multiprocessing.connection import Connection

    from support.fake_server import Exchange

TEXTS = 20_000
FRAGMENTS = 5_000
LOADS = [(per_chunk, streams) for streams in (1, 50) for per_chunk in (1, 20)]
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}}


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


# The clients: each reads one answer and returns the number of its deltas


async def floor(url: str) -> int:
    """Bytes, blank lines, JSON."""
    decode = msgspec.json.Decoder(Chunk).decode
    count, rest = 0, b""
    async with httpx.AsyncClient(trust_env=False) as client:
        request = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
        async with client.stream("POST", f"{url}/v1/chat/completions", json=request) as response:
            async for data in response.aiter_raw():
                *events, rest = (rest + data).split(b"\n\n")
                for event in events:
                    if event != b"data: [DONE]":
                        chunk = decode(event[6:])
                        if chunk.choices and chunk.choices[0].delta.brings_something:
                            count += 1
    return count


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


def ours(style: str) -> Callable[[str], Awaitable[int]]:
    """This library."""

    async def run(url: str) -> int:
        provider = Provider("bench", style, f"{url}/v1", "k", "m", network=NetworkProfile(proxy=None))
        request = ChatRequest([ChatMessage.user("Hello")], max_tokens=100)
        async with AsyncLlmClient(provider) as client:
            return sum([isinstance(delta, TextDelta | ToolCallDelta) async for delta in client.stream(request)])

    return run


async def openai_sdk(url: str) -> int:
    count = 0
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as client:
        chunks = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Hello"}], stream=True
        )
        async for chunk in chunks:
            if chunk.choices and (chunk.choices[0].delta.content or chunk.choices[0].delta.tool_calls):
                count += 1
    return count


async def anthropic_sdk(url: str) -> int:
    count = 0
    async with anthropic.AsyncAnthropic(base_url=url, api_key="k") as client:
        events = await client.messages.create(
            model="m", max_tokens=100, messages=[{"role": "user", "content": "Hello"}], stream=True
        )
        async for event in events:
            count += event.type == "content_block_delta"
    return count


async def toolnexus_agent(url: str) -> int:
    toolnexus: Any = __import__("toolnexus")
    client = toolnexus.create_client(base_url=f"{url}/v1", style="openai", model="m", api_key="k")
    count = 0
    async for event in client.stream("Hello"):
        count += event.type == "text"
    return count


CLIENTS: dict[str, Callable[[str], Awaitable[int]]] = {
    "httpx + msgspec": floor,
    "rillet, chat completions": ours("openai"),
    "rillet, messages": ours("anthropic"),
    "openai SDK": openai_sdk,
    "anthropic SDK": anthropic_sdk,
}
if importlib.util.find_spec("toolnexus"):
    CLIENTS["toolnexus"] = toolnexus_agent


# Measuring


def cpu(client: Callable[[str], Awaitable[int]], url: str, streams: int, expected: int) -> float:
    """CPU seconds of this process while ``streams`` answers are read, each of ``expected`` deltas."""

    async def run() -> float:
        gc.collect()
        started = time.process_time()
        counts = await asyncio.gather(*(client(url) for _ in range(streams)))
        spent = time.process_time() - started
        assert all(expected <= count <= expected + 1 for count in counts), (counts, expected)
        return spent

    return asyncio.run(run())


def table(kind: str, url: str, rounds: int, loads: list[tuple[int, int]]) -> None:
    """Every client under every load."""
    total = TEXTS if kind == "text" else FRAGMENTS
    print(f"\n{kind}, {total:,} deltas: CPU µs per delta")
    print(f"{'':28}" + "".join(f"{streams:>5} × {per_chunk:>2}/chunk" for per_chunk, streams in loads))
    best: dict[tuple[str, tuple[int, int]], float] = {}
    for load in loads:
        per_chunk, streams = load
        address = f"{url}/{kind}/{total // streams}/{per_chunk}"
        for _ in range(rounds):
            for name, client in CLIENTS.items():
                if name != "toolnexus" or kind == "text":
                    spent = cpu(client, address, streams, total // streams) / total * 1e6
                    best[name, load] = min(spent, best.get((name, load), spent))
    for name in CLIENTS:
        if (name, loads[0]) in best:
            print(f"{name:28}" + "".join(f"{best[name, load]:>16.1f}" for load in loads))
    reference = {load: best["httpx + msgspec", load] for load in loads}
    for name in list(CLIENTS)[1:3]:
        print(f"{name + ' / floor':28}" + "".join(f"{best[name, load] / reference[load]:>16.2f}" for load in loads))
    for name, sdk in (("rillet, chat completions", "openai SDK"), ("rillet, messages", "anthropic SDK")):
        ratios = (best[sdk, load] / best[name, load] for load in loads)
        print(f"{sdk + ' / ours':28}" + "".join(f"{ratio:>16.1f}" for ratio in ratios))


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
