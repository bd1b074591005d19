"""What the agent loop costs: beside the bare stream, and beside toolnexus.

    python tests/bench/agent_compare.py [--rounds N]

First the loop alone: 20,000 deltas of one answer without tools, from a transport in memory, read from
``AsyncLlmClient.stream``, from ``Agent.stream`` and through ``Agent.run``, at once and waited for. Then the whole way
from a server in a process of its own, in one run beside toolnexus (PyPI, in an environment of its own under the
temporary folder, made when it is missing; its queue made unbounded, else it loses text): CPU microseconds per event
of a long answer, and the time of 1,000 tool calls: all in one answer, ten in each of a hundred, one in each of a
thousand; over the socket their arguments come in seventeen fragments, as providers send them. Each contender runs in
a fresh process, in turn; printed is the best of ``N`` rounds, because machines are noisy.

What toolnexus does not do and its time does not hold: check arguments against the schema, have each call judged.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from multiprocessing.connection import Connection

DELTAS = 20_000
CALLS = 1_000
IN_PROCESS = "in process"
SHAPES = ((IN_PROCESS, 1_000), (IN_PROCESS, 10), (IN_PROCESS, 1), ("over a socket", 1_000), ("over a socket", 10))
"""Where 1,000 calls come from, and how many stand in each answer."""
VERSION = "0.16.0"
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["n", "note"],
}
NOTE = ("src/module/file.py", "has", "nine", "words", "or", "so", "in", "its", "place")
"""Arguments come about a word at a time."""
CONTENDERS = ("rillet", "toolnexus")
GOALS = {"loop": 1.2, "per event": 0.9, "tool calls": 0.5}

# What is measured. This half runs in toolnexus' environment too, where nothing of ours is installed.


def clocks() -> tuple[float, float]:
    """Time of day, and CPU time of this process."""
    return time.perf_counter(), time.process_time()


def arguments(n: int) -> list[str]:
    """Those of call ``n``, in the fragments in which they are streamed."""
    return ['{"', "n", '":', f" {n}", ', "', "note", '": "', *(f"{word} " for word in NOTE), '"}']


async def rillet_run(url: str, prompt: str) -> int:
    """The number of events of one run."""
    from rillet import Agent, ChatMessage, Tool, ToolCallPart, Toolkit

    echo = Tool.native("echo", "Says it again", SCHEMA, lambda args: str(args["n"]), run_on="loop")
    calls = Script(prompt)

    async def generate(_: Any) -> Any:
        wanted = calls.next()
        parts = [ToolCallPart(f"call_{n}", "echo", "".join(arguments(n))) for n in wanted]
        return ChatMessage.assistant("" if wanted else "done", *parts)

    if url == IN_PROCESS:
        agent = Agent.in_process(generate, "m", max_turns=2 * CALLS)
    else:
        agent = Agent.create(base_url=url, model="m", api_key="k", max_turns=2 * CALLS)
    async with agent, Toolkit(builtins=False, extra_tools=[echo]) as toolkit:
        if url == IN_PROCESS:
            return (await agent.run(prompt, toolkit)).tool_call_count
        return sum([1 async for _ in agent.stream(prompt, toolkit)])


async def toolnexus_run(url: str, prompt: str) -> int:
    """The same."""
    toolnexus: Any = importlib.import_module("toolnexus")

    def echo(n: int, note: str) -> str:
        return str(n)

    def generate(_: Any) -> Any:
        wanted = calls.next()
        made = [{"id": f"call_{n}", "name": "echo", "arguments": "".join(arguments(n))} for n in wanted]
        return {"tool_calls": made} if made else {"content": "done"}

    calls = Script(prompt)
    tool = toolnexus.define_tool(echo, name="echo", description="Says it again", input_schema=SCHEMA)
    toolkit = await toolnexus.create_toolkit(extra_tools=[tool], builtins=False)
    if url == IN_PROCESS:
        client = toolnexus.create_in_process_client(model="m", generate=generate, max_turns=2 * CALLS)
        return len((await client.run(prompt, toolkit)).tool_calls)
    client = toolnexus.create_client(base_url=url, style="openai", model="m", api_key="k", max_turns=2 * CALLS)
    return sum([1 async for _ in client.stream(prompt, toolkit)])


class Script:
    """The calls that a model makes, answer by answer: "calls 10" are ten in each."""

    def __init__(self, prompt: str) -> None:
        kind, count = prompt.split()
        self._per_answer = int(count) if kind == "calls" else 0
        self._done = 0

    def next(self) -> range:
        """Those of the next answer; none in the last."""
        first = self._done
        self._done = min(CALLS, first + self._per_answer)
        return range(first, self._done)


def work(contender: str, url: str, prompt: str) -> None:
    """One run in this process; prints events, seconds and CPU seconds."""
    run = {"rillet": rillet_run, "toolnexus": toolnexus_run}[contender]
    queue = asyncio.Queue
    asyncio.Queue = lambda maxsize=0: queue()  # type: ignore[assignment,misc]

    async def measured() -> dict[str, float]:
        await run(url if url == IN_PROCESS else f"{url}/warm", prompt)
        gc.collect()
        started = clocks()
        events = await run(url, prompt)
        seconds, cpu = (now - before for now, before in zip(clocks(), started, strict=True))
        return {"events": events, "seconds": seconds, "cpu": cpu}

    print(json.dumps(asyncio.run(measured())))


# The server


def serve(pipe: Connection) -> None:
    """The process: what the first message says decides what is answered."""
    from support.fake_server import FakeServer

    with FakeServer(_reply) as server:
        pipe.send(server.url)
        pipe.recv()


def _reply(exchange: Any) -> None:
    from support.fake_server import sse_end, sse_text, stream

    messages = exchange.request.json["messages"]
    wanted = next(message["content"] for message in messages if message["role"] == "user")
    few = 10 if "/warm" in exchange.request.path else 1
    done = sum(message["role"] == "tool" for message in messages)
    if wanted.startswith("text"):
        per_chunk = int(wanted.split()[1])
        chunk = sse_text(*["token "] * per_chunk)
        stream(*[chunk] * (DELTAS // per_chunk // few), sse_end())(exchange)
    elif done >= CALLS // few:
        stream(sse_text("done"), sse_end())(exchange)
    else:
        count = min(int(wanted.split()[1]), CALLS // few)
        stream(_calls(done, count), sse_end("tool_calls"))(exchange)


def _calls(first: int, count: int) -> bytes:
    from support.fake_server import sse_tool_call

    events = []
    for index in range(count):
        events.append(sse_tool_call(index, "", id=f"call_{first + index}", name="echo"))
        events += [sse_tool_call(index, fragment) for fragment in arguments(first + index)]
    return b"".join(events)


# The loop alone


async def loop_alone(rounds: int, *, waits: bool) -> dict[str, float]:
    """Seconds of CPU for one answer, by the way it is read. ``waits``: the event loop comes by before every read."""
    import httpx

    from rillet import Agent, AsyncLlmClient, ChatMessage, ChatRequest
    from rillet.core.providers.compatible import compatible
    from support.fake_server import sse_end, sse_text

    class Chunks(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for _ in range(DELTAS // 10):
                if waits:
                    await asyncio.sleep(0)
                yield chunk
            yield sse_end()

    chunk = sse_text(*["token "] * 10)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Chunks()))
    client = AsyncLlmClient(compatible("localhost", None, "m"), transport=transport)
    agent = Agent(client)

    async def bare() -> None:
        async for _ in client.stream(ChatRequest([ChatMessage.user("hi")])):
            pass

    async def streamed() -> None:
        async for _ in agent.stream("hi"):
            pass

    async def run() -> None:
        await agent.run("hi")

    best: dict[str, float] = {}
    for _ in range(rounds + 10):  # short, so that it can be often
        for name, read in (("bare stream", bare), ("Agent.stream", streamed), ("Agent.run", run)):
            gc.collect()
            started = time.process_time()
            await read()
            best[name] = min(best.get(name, 1e9), time.process_time() - started)
    return best


# Beside toolnexus


def environment() -> Path:
    """The Python of an environment that has toolnexus."""
    folder = Path(tempfile.gettempdir()) / f"rillet-bench-toolnexus-{VERSION}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        print(f"making {folder} …", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"toolnexus=={VERSION}"], check=True)
    return python


def measure(python: Path, contender: str, url: str, prompt: str) -> dict[str, float]:
    command = [str(python), __file__, "--worker", contender, url, prompt]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def compare(rounds: int) -> dict[tuple[str, str, str], dict[str, float]]:
    """The best figures per contender, way and prompt."""
    pythons = {"rillet": Path(sys.executable), "toolnexus": environment()}
    shapes = [("over a socket", "text 1"), ("over a socket", "text 20"), *((way, f"calls {n}") for way, n in SHAPES)]
    best: dict[tuple[str, str, str], dict[str, float]] = {}
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
    server.start()
    try:
        address = ours.recv()
        for way, prompt in shapes:
            for _ in range(rounds):
                for contender, python in pythons.items():
                    found = measure(python, contender, IN_PROCESS if way == IN_PROCESS else address, prompt)
                    known = best.setdefault((contender, way, prompt), found)
                    best[contender, way, prompt] = {name: min(known[name], found[name]) for name in found}
    finally:
        ours.send(None)
        server.join()
    return best


def verdict(name: str, ratio: float, goal: float) -> None:
    print(f"  {name:28} {ratio:5.2f} ×   (goal: at most {goal})  {'ok' if ratio <= goal else 'MISSED'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worker", nargs=3, metavar=("CONTENDER", "URL", "PROMPT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(*options.worker)
        return
    for waits in (False, True):
        alone = asyncio.run(loop_alone(options.rounds, waits=waits))
        how = ", waited for" if waits else ""
        print(f"The loop alone, {DELTAS:,} deltas, ten per read{how}: CPU µs per delta")
        for name, seconds in alone.items():
            print(f"  {name:28} {seconds / DELTAS * 1e6:5.2f}")
        for name in ("Agent.stream", "Agent.run"):
            verdict(f"{name} / bare stream", alone[name] / alone["bare stream"], GOALS["loop"])
    best = compare(options.rounds)
    for per_chunk in (1, 20):
        print(f"\n{DELTAS:,} deltas over a socket, {per_chunk} per chunk: CPU µs per event")
        found = {who: best[who, "over a socket", f"text {per_chunk}"] for who in CONTENDERS}
        cost = {who: figures["cpu"] / figures["events"] * 1e6 for who, figures in found.items()}
        for who, figure in cost.items():
            print(f"  {who:28} {figure:5.2f}   {found[who]['events']:,.0f} events")
        verdict("rillet / toolnexus", cost["rillet"] / cost["toolnexus"], GOALS["per event"])
    for way, count in SHAPES:
        print(f"\n{CALLS:,} tool calls {way}, {count:,} per answer: seconds, CPU seconds")
        found = {who: best[who, way, f"calls {count}"] for who in CONTENDERS}
        for who, figures in found.items():
            print(f"  {who:28} {figures['seconds']:6.3f} {figures['cpu']:6.3f}")
        verdict("rillet / toolnexus, CPU", found["rillet"]["cpu"] / found["toolnexus"]["cpu"], GOALS["tool calls"])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
