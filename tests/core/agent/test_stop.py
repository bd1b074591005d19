"""Stopping at any moment: nothing is saved or told afterwards, no task, socket or process is left.

``RILLET_STOPS`` says how many random moments are tried; the default is what every run of the tests can afford.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from rillet import Agent, RetryPolicy
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.errors import OverloadedError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, Finished, RetryNotice, TextDelta
from rillet.core.types.suspension import APPROVAL, Answer, Request
from support.fake_server import FakeServer, hold, respond, sse_text, stream
from support.scripted import Kind, ScriptedModel, calls, shelf, tool, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from rillet.core.agent.events import StreamEvent
    from rillet.core.tools.tool import ToolContext
    from rillet.core.types import ChatRequest, Delta

STOPS = int(os.environ.get("RILLET_STOPS", "500"))
BEFORE = (ChatMessage.user("earlier"), ChatMessage.assistant("yes"))


@dataclass
class World:
    """Everything that a run may touch, each step of it a moment at which it can be stopped.

    Attributes:
        busy: What is going on just now.
        late: What happened after the stop.
    """

    store: MemoryConversationStore = field(default_factory=MemoryConversationStore)
    busy: set[str] = field(default_factory=set)
    late: list[str] = field(default_factory=list)
    stopped: bool = False

    async def step(self, what: str) -> None:
        if self.stopped:
            self.late.append(what)
        self.busy.add(what)
        try:
            await asyncio.sleep(0)
        finally:
            self.busy.discard(what)

    def heard(self, event: StreamEvent) -> None:
        if self.stopped:
            self.late.append(event.type.value)


class Model(ScriptedModel):
    """Takes a moment for each delta, as a network does."""

    def __init__(self, world: World, *scripts: Any) -> None:
        super().__init__(*scripts)
        self._world = world

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        async for delta in super().stream(request):
            await self._world.step("backoff" if isinstance(delta, RetryNotice) else "stream")
            yield delta


class Store(MemoryConversationStore):
    """Takes a moment before it saves."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    async def get(self, id: str) -> tuple[ChatMessage, ...] | None:
        await self._world.step("load")
        return await super().get(id)

    async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
        await self._world.step("save")
        await super().save(id, messages)


def build(world: World) -> tuple[Agent, Any]:
    """A run of three turns: text, two calls of which one has to be approved, more text."""

    async def work(_: dict[str, Any], ctx: ToolContext) -> ToolResult:
        for _step in range(4):
            await world.step(f"tool {ctx.call_id}")
        return ToolResult("ok")

    async def risky(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        if ctx.approval is None:
            return ToolResult.suspended(Request(id=f"a-{ctx.call_id}", kind=APPROVAL, prompt="may I?"))
        return await work(args, ctx)

    async def wait_for(asked: Request) -> Answer:
        for _step in range(3):
            await world.step("approval")
        return Answer(id=asked.id, ok=True)

    scripts = [
        [
            RetryNotice(2, 0.0, OverloadedError("busy")),
            TextDelta("Let "),
            TextDelta("me "),
            *calls(("c1", "work", "{}"), ("c2", "risky", "{}")),
        ],
        calls(("c3", "risky", "{}")),
        [TextDelta("It "), TextDelta("is "), TextDelta("done."), Finished("stop")],
    ]
    toolkit = shelf(tool("work", work), tool("risky", risky))
    world.store = Store(world)
    world.store._conversations["s"] = BEFORE
    return Agent(Model(world, *scripts), conversation_store=world.store, wait_for=wait_for), toolkit


async def moments() -> int:
    """How many turns of the event loop a whole run takes."""
    world = World()
    agent, toolkit = build(world)
    task = asyncio.ensure_future(agent.stream("go", toolkit, id="s", on_event=world.heard))
    count = 0
    while not task.done():
        await asyncio.sleep(0)
        count += 1
    assert (await task).text == "It is done."
    return count


async def test_a_run_can_be_stopped_at_any_moment() -> None:
    count = await moments()
    assert count > 20
    rng = random.Random(7)
    reached: set[str] = set()
    unsaved = 0
    for stop in range(STOPS):
        world = World()
        agent, toolkit = build(world)
        tasks = asyncio.all_tasks()
        run = agent.stream("go", toolkit, id="s", on_event=world.heard)
        task = asyncio.ensure_future(run)
        for _ in range(stop if stop < count else rng.randrange(count)):
            await asyncio.sleep(0)
        reached |= world.busy
        if rng.random() < 0.5:
            task.cancel()
            await asyncio.wait((task,))
        else:
            await run.aclose()
            await asyncio.wait((task,))
        world.stopped = True
        after = await MemoryConversationStore.get(world.store, "s")
        assert world.busy == set()
        assert asyncio.all_tasks() == tasks
        for _ in range(5):
            await asyncio.sleep(0)
        assert world.late == []
        assert await MemoryConversationStore.get(world.store, "s") == after
        assert after is not None
        assert len(after) in (len(BEFORE), len(BEFORE) + 7), "as it was, or the whole run"
        unsaved += after == BEFORE
    assert reached == {"load", "backoff", "stream", "tool c1", "tool c2", "tool c3", "approval", "save"}
    assert unsaved > STOPS / 2


# The real things


async def test_stopping_closes_the_socket() -> None:
    with FakeServer(stream(sse_text("Hello"), hold)) as server:
        async with Agent.create(base_url=f"{server.url}/v1", model="m") as agent:
            async with agent.stream("hi") as run:
                async for event in run:
                    if event.type is Kind.TEXT:
                        break
            assert await asyncio.to_thread(server.wait_closed)


async def test_stopping_during_the_backoff_sends_nothing_more() -> None:
    busy = respond(503, {"error": {"message": "busy"}}, {"Retry-After": "30"})
    with FakeServer(busy) as server:
        async with Agent.create(base_url=f"{server.url}/v1", model="m", retry=RetryPolicy()) as agent:
            async with agent.stream("hi") as run:
                async for event in run:
                    if event.type is Kind.RETRY:
                        assert event.delay == 30
                        break
            assert len(server.requests) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the tool of this test is a shell")
async def test_stopping_reaches_the_process_of_a_tool() -> None:
    started: list[asyncio.subprocess.Process] = []

    async def sleep(*_: object) -> ToolResult:
        process = await asyncio.create_subprocess_exec("sleep", "300")
        started.append(process)
        try:
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return ToolResult("slept")

    task = asyncio.create_task(
        Agent(ScriptedModel(calls(("c1", "sleep", "{}")))).run("go", shelf(tool("sleep", sleep)))
    )
    await until(lambda: bool(started))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert started[0].returncode is not None, "the run ends when its tool has ended"
