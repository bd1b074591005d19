"""Where events go: in order, each once, to those who take them at once and to those who take their time."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.hooks import Hooks
from rillet.core.agent.outlet import Outlet
from rillet.core.types import TextDelta, Usage
from support.scripted import BatchModel, Kind, ScriptedModel, says, until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.types import Delta

A, B = StreamEvent(Kind.TEXT, "a"), StreamEvent(Kind.TEXT, "b")


def test_events_and_deltas_come_in_the_order_in_which_they_were_posted() -> None:
    seen: list[StreamEvent] = []
    kept: list[StreamEvent | Sequence[Delta]] = []
    out = Outlet(seen.append)
    out.keep = kept.append
    out.post(A)
    out.post_deltas([TextDelta("b"), TextDelta("")])
    out.post(A)
    assert seen == [A, B, A]
    assert kept == [A, [TextDelta("b"), TextDelta("")], A]


async def test_what_is_to_be_awaited_is_awaited_one_after_the_other() -> None:
    order: list[str] = []

    async def listen(event: StreamEvent) -> None:
        order.append(f"begin {event.delta}")
        await asyncio.sleep(0)
        order.append(f"end {event.delta}")

    out = Outlet(listen)
    out.post(A)
    out.post(B)
    assert out.owes
    await asyncio.gather(out.drain(), out.drain())
    assert order == ["begin a", "end a", "begin b", "end b"]
    assert not out.owes


async def test_what_a_listener_returns_otherwise_is_ignored() -> None:
    out = Outlet(lambda event: event.delta)
    out.post(A)
    assert not out.owes


async def test_after_the_end_nothing_is_delivered() -> None:
    seen: list[StreamEvent] = []
    out = Outlet(seen.append)
    out.keep = lambda _: seen.append(B)
    out.close()
    out.post(A)
    out.post_deltas([TextDelta("a")])
    assert seen == []


@pytest.mark.parametrize("is_last", [False, True])
async def test_a_run_that_is_stopped_asks_nothing_more_of_a_listener_that_is_behind(is_last: bool) -> None:
    begun: list[str] = []

    async def listen(event: StreamEvent) -> None:
        begun.append(event.delta)
        if event.delta == ("c" if is_last else "a "):
            await asyncio.Event().wait()

    task = asyncio.create_task(Agent(BatchModel(says("a b c"), size=4)).run("hi", on_event=listen))
    await until(lambda: begun[-1:] == ["c" if is_last else "a "])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gc.collect()  # a coroutine that was never awaited would be an error here
    assert begun == (["", "a ", "b ", "c"] if is_last else ["", "a "])


async def test_a_listener_has_taken_everything_when_a_hook_ends_the_run() -> None:
    seen: list[Kind] = []

    async def listen(event: StreamEvent) -> None:
        await asyncio.sleep(0)
        seen.append(event.type)

    def veto(*_: object) -> None:
        raise PermissionError("no")

    model = ScriptedModel(says("a", usage=Usage(prompt_tokens=1)))
    with pytest.raises(PermissionError):
        await Agent(model, hooks=Hooks(after_llm=veto)).run("hi", on_event=listen)
    assert seen == [Kind.TURN, Kind.TEXT, Kind.USAGE]
