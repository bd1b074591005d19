"""What MCP costs: ``python tests/bench/mcp_servers.py``. Prints figures, asserts nothing.

Of a scripted server over standard input and output: the time of its start, with the SDK loaded and before; calls per
second; results of 1 to 16 MB, and for how long at most each held up the event loop (the reader of the SDK's 1.30 took
18 s for 16 MB); the time until everything was gone.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.mcp.running import call, running, scripted

CALLS = 1000
say = sys.stdout.write


class LoopWatch:
    """The longest pause between two turns of the event loop, as an async context manager."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def __aenter__(self) -> LoopWatch:
        self._task = asyncio.create_task(self._watch())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _watch(self) -> None:
        last = perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = perf_counter()
            self.longest = max(self.longest, now - last)
            last = now


async def starts() -> None:
    """A start that loads the SDK, and one that need not."""
    for label in ("with the SDK to be loaded", "with the SDK there"):
        start = perf_counter()
        async with LoopWatch() as watch, running(scripted("good", name="s")):
            say(f"start {label:30} {(perf_counter() - start) * 1e3:7.0f} ms  loop held {watch.longest * 1e3:5.0f} ms\n")
            start = perf_counter()
        say(f"end   {(perf_counter() - start) * 1e3:43.0f} ms\n")


async def calls() -> None:
    """Small calls, one after another and eight at a time."""
    async with running(scripted("good", name="s")) as servers:
        for at_once in (1, 8):
            start = perf_counter()
            for _ in range(CALLS // at_once):
                await asyncio.gather(*(call(servers, "s_echo", {"text": "hello"}) for _ in range(at_once)))
            say(f"calls {at_once} at once {CALLS / (perf_counter() - start):33.0f} /s\n")


async def results() -> None:
    """Large results."""
    for size in (1, 2, 4, 8, 16):
        async with running(scripted(f"answer-of-{size}-mb", name="s")) as servers:
            start = perf_counter()
            async with LoopWatch() as watch:
                result = await call(servers, "s_echo")
            took = perf_counter() - start
            said = "refused" if result.is_error else "told"
            say(f"result of {size:2} MB {took * 1e3:34.0f} ms  loop held {watch.longest * 1e3:5.0f} ms  {said}\n")


async def main() -> None:
    """Print the figures."""
    await starts()
    await calls()
    await results()


asyncio.run(main())
