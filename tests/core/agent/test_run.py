"""A run that is awaited and watched: in any order, without loss, and stopped only by those who mean it."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref
from typing import TYPE_CHECKING

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.agent.events import StreamEvent
from rillet.core.errors import Cancelled, ServerError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, Finished, TextDelta
from support.scripted import Kind, ScriptedModel, calls, of_kind, says, shelf, tool, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from rillet.core.agent.run import AgentRun
    from rillet.core.types import ChatRequest, Delta

CALL = ("c1", "work", "{}")


async def held() -> tuple[ScriptedModel, asyncio.Event]:
    """A model that says one word and waits."""
    gate = asyncio.Event()
    return ScriptedModel([TextDelta("Hel"), gate, TextDelta("lo"), Finished("stop")]), gate


class NoticingStore(MemoryConversationStore):
    """Says when it has saved."""

    def __init__(self) -> None:
        super().__init__()
        self.saved = asyncio.Event()

    async def save(self, id: str, messages: Sequence[ChatMessage]) -> None:
        await super().save(id, messages)
        self.saved.set()


# Awaiting and iterating


async def test_it_starts_at_the_first_iteration() -> None:
    model = ScriptedModel("Hello there.")
    run = Agent(model).stream("hi")
    await asyncio.sleep(0)
    assert model.requests == []
    async for event in run:
        assert event.type is Kind.TURN
        break
    assert len(model.requests) == 1
    await run


async def test_it_starts_at_the_first_await() -> None:
    model = ScriptedModel("Hello there.")
    run = Agent(model).stream("hi")
    assert (await run).text == "Hello there."
    assert len(model.requests) == 1


async def test_done_comes_once_and_last_with_the_object_that_awaiting_gives() -> None:
    run = Agent(ScriptedModel(calls(CALL), "Hello there.")).stream("hi", shelf(tool("work")))
    events = [event async for event in run]
    assert [event.type for event in events].count(Kind.DONE) == 1
    assert events[-1].result is await run
    assert await run is await run


async def test_awaiting_first_and_iterating_later_loses_nothing() -> None:
    run = Agent(ScriptedModel("Hello there.")).stream("hi")
    result = await run
    assert run.waiting == 4
    events = [event async for event in run]
    assert "".join(event.delta for event in of_kind(events, Kind.TEXT)) == "Hello there."
    assert events[-1].result is result
    assert run.waiting == 0
    assert [event async for event in run] == [], "each event once"


async def test_a_loop_that_was_left_is_taken_up_where_it_was() -> None:
    run = Agent(ScriptedModel("one two three")).stream("hi")
    first = []
    async for event in run:
        first.append(event)
        if event.delta == "one ":
            break
    rest = [event async for event in run]
    assert [event.delta for event in first + rest if event.type is Kind.TEXT] == ["one ", "two ", "three"]


async def test_awaiting_inside_the_loop_works() -> None:
    run = Agent(ScriptedModel("one two")).stream("hi")
    seen = []
    async for event in run:
        seen.append(event)
        result = await run
        assert result.text == "one two"
    assert len(seen) == 4


async def test_two_tasks_can_share_the_events() -> None:
    model, gate = await held()
    run = Agent(model).stream("hi")
    seen: list[StreamEvent] = []

    async def read() -> None:
        async for event in run:
            seen.append(event)  # noqa: PERF401 (two tasks fill it)

    tasks = [asyncio.create_task(read()) for _ in range(2)]
    await until(lambda: len(seen) == 2)
    gate.set()
    await asyncio.gather(*tasks)
    assert sorted(event.type for event in seen) == sorted([Kind.TURN, Kind.TEXT, Kind.TEXT, Kind.DONE])


# Slow consumers


async def test_a_burst_is_delivered_whole_to_a_consumer_that_begins_late() -> None:
    deltas = [TextDelta(f"{n} ") for n in range(20_000)]
    run = Agent(ScriptedModel([*deltas, Finished("stop")])).stream("hi")
    await run
    events = [event async for event in run]
    assert [event.delta for event in events if event.type is Kind.TEXT] == [delta.text for delta in deltas]


async def test_a_consumer_that_pauses_loses_nothing_and_the_run_does_not_wait() -> None:
    gates = [asyncio.Event() for _ in range(3)]
    script = [piece for n, gate in enumerate(gates) for piece in (TextDelta(str(n)), gate)]
    run = Agent(ScriptedModel([*script, Finished("stop")])).stream("hi")
    iterator = aiter(run)
    assert (await anext(iterator)).type is Kind.TURN
    for gate in gates:
        gate.set()
    await run
    rest = [event async for event in iterator]
    assert [event.delta for event in rest if event.type is Kind.TEXT] == ["0", "1", "2"]


# Listeners


async def test_a_listener_gets_every_event_as_it_happens() -> None:
    model, gate = await held()
    seen: list[StreamEvent] = []
    task = asyncio.ensure_future(Agent(model).run("hi", on_event=seen.append))
    await until(lambda: len(seen) == 2)
    assert [event.type for event in seen] == [Kind.TURN, Kind.TEXT]
    gate.set()
    result = await task
    assert seen[-1].result is result


async def test_with_a_listener_nothing_is_kept_unless_somebody_iterates() -> None:
    seen: list[StreamEvent] = []
    run = Agent(ScriptedModel("one two")).stream("hi", on_event=seen.append)
    await run
    assert (len(seen), run.waiting) == (4, 0)
    both: list[StreamEvent] = []
    other = Agent(ScriptedModel("one two")).stream("hi", on_event=both.append)
    assert [event async for event in other] == both


async def test_a_listener_that_raises_is_reported_and_the_run_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[StreamEvent] = []

    def on_event(event: StreamEvent) -> None:
        seen.append(event)
        raise RuntimeError("the view is gone")

    with caplog.at_level(logging.WARNING, "rillet.agent"):
        result = await Agent(ScriptedModel("one two")).stream("hi", on_event=on_event)
    assert result.text == "one two"
    assert len(seen) == 4
    reports = [record for record in caplog.records if "listener" in record.message]
    assert [record.exc_info is not None for record in reports] == [True, False, False, False], "one traceback is enough"


async def test_a_listener_that_is_awaited_holds_the_model_back() -> None:
    model, gate = await held()
    gate.set()
    taking = asyncio.Event()
    order: list[str] = []

    async def on_event(event: StreamEvent) -> None:
        if event.delta == "Hel":
            await taking.wait()
        order.append(event.delta or event.type.value)

    task = asyncio.ensure_future(Agent(model).run("hi", on_event=on_event))
    await until(lambda: order == ["turn"])
    for _ in range(20):
        await asyncio.sleep(0)
    assert order == ["turn"]
    assert model.open == 1, "the model has not been asked for more"
    taking.set()
    await task
    assert order == ["turn", "Hel", "lo", "done"]


async def test_a_listener_that_fails_later_is_reported_too(caplog: pytest.LogCaptureFixture) -> None:
    async def on_event(_: StreamEvent) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("the view is gone")

    result = await Agent(ScriptedModel("one two")).run("hi", on_event=on_event)
    assert result.text == "one two"
    assert "the view is gone" in caplog.text


async def test_text_alone_can_be_had() -> None:
    seen: list[str] = []
    await Agent(ScriptedModel("one two")).ask("hi", on_text=seen.append)
    assert seen == ["one ", "two"]


async def test_text_can_be_awaited() -> None:
    seen: list[str] = []

    async def on_text(text: str) -> None:
        await asyncio.sleep(0)
        seen.append(text)

    await Agent(ScriptedModel("one two")).ask("hi", on_text=on_text)
    assert seen == ["one ", "two"]


# Failures


async def test_an_error_comes_after_everything_that_came_before_it() -> None:
    error = ServerError("boom")
    store = MemoryConversationStore()
    agent = Agent(ScriptedModel(calls(CALL), [TextDelta("Hel"), error]), conversation_store=store)
    run = agent.stream("hi", shelf(tool("work")), id="s")
    seen: list[StreamEvent] = []
    with pytest.raises(ServerError) as caught:
        async for event in run:
            seen.append(event)  # noqa: PERF401 (an error must not lose what came before it)
    assert caught.value is error
    assert seen[-1] == StreamEvent(Kind.TEXT, "Hel")
    assert Kind.DONE not in [event.type for event in seen]
    with pytest.raises(ServerError):
        await run
    with pytest.raises(ServerError):
        await anext(aiter(run))
    assert await store.get("s") is None
    assert [message.role for message in run.messages] == ["user", "assistant", "tool"], "whole turns are told"
    assert error.__notes__ == ["Of this run nothing was saved: the conversation 's' is as it was before."]


async def test_a_listener_that_is_awaited_has_taken_everything_before_the_error() -> None:
    seen: list[str] = []

    async def on_event(event: StreamEvent) -> None:
        await asyncio.sleep(0)
        seen.append(event.delta)

    with pytest.raises(ServerError):
        await Agent(ScriptedModel([TextDelta("Hel"), ServerError("boom")])).run("hi", on_event=on_event)
    assert seen[-1] == "Hel"


# Stopping


async def test_a_bare_break_stops_nothing() -> None:
    model, gate = await held()
    store = NoticingStore()
    agent = Agent(model, conversation_store=store)
    async for event in agent.stream("hi", id="s"):
        if event.type is Kind.TEXT:
            break
    gc.collect()
    assert model.open == 1
    gate.set()
    await store.saved.wait()
    assert await store.get("s") == (ChatMessage.user("hi"), ChatMessage.assistant("Hello"))


class Lonely(ScriptedModel):
    """Waits for something that nothing but its own task knows of."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        news = asyncio.get_running_loop().create_future()
        self.news = weakref.ref(news)
        yield TextDelta("Hello")
        await news
        yield Finished("stop")


async def test_a_run_that_nobody_holds_goes_on() -> None:
    model = Lonely()
    store = NoticingStore()
    async for event in Agent(model, conversation_store=store).stream("hi", id="s"):
        if event.type is Kind.TEXT:
            break
    for _ in range(5):  # the loop that was left is closed
        await asyncio.sleep(0)
    gc.collect()
    news = model.news()
    assert news is not None, "the task was collected with it"
    news.set_result(None)
    await store.saved.wait()


async def test_leaving_the_context_stops_the_run() -> None:
    model, _ = await held()
    before = asyncio.all_tasks()
    async with Agent(model).stream("hi") as run:
        async for event in run:
            if event.type is Kind.TEXT:
                break
    assert model.open == 0
    assert asyncio.all_tasks() == before
    with pytest.raises(Cancelled):
        await run


async def test_leaving_the_context_of_a_run_that_has_ended_keeps_its_result() -> None:
    async with Agent(ScriptedModel("ok")).stream("hi") as run:
        result = await run
    assert await run is result


async def test_closing_delivers_what_came_and_then_says_that_it_was_stopped() -> None:
    model, _ = await held()
    run = Agent(model).stream("hi")
    events = aiter(run)
    assert (await anext(events)).type is Kind.TURN
    await until(lambda: run.waiting == 1)
    await run.aclose()
    await run.aclose()
    assert (await anext(events)).delta == "Hel"
    with pytest.raises(Cancelled):
        await anext(events)


async def test_a_run_that_was_closed_before_it_began_never_begins() -> None:
    model = ScriptedModel()
    run = Agent(model).stream("hi")
    await run.aclose()
    with pytest.raises(Cancelled):
        await run
    with pytest.raises(Cancelled):
        await anext(aiter(run))
    assert model.requests == []


async def test_cancelling_whoever_awaits_stops_the_run() -> None:
    model, _ = await held()
    run = Agent(model).stream("hi")
    task = asyncio.ensure_future(run)
    await until(lambda: model.open == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.open == 0


async def test_cancelling_whoever_iterates_stops_the_run() -> None:
    model, _ = await held()

    async def read() -> None:
        async for _ in Agent(model).stream("hi"):
            pass

    task = asyncio.create_task(read())
    await until(lambda: model.open == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.open == 0


async def test_a_tool_may_stop_its_own_run() -> None:
    runs: list[AgentRun] = []

    async def stop(*_: object) -> ToolResult:
        await runs[0].aclose()
        raise AssertionError

    runs.append(Agent(ScriptedModel(calls(CALL))).stream("hi", shelf(tool("work", stop))))
    with pytest.raises(Cancelled):
        await runs[0]


async def test_nothing_is_told_after_a_stop() -> None:
    seen: list[StreamEvent] = []
    gate = asyncio.Event()

    async def work(*_: object) -> ToolResult:
        await gate.wait()
        return ToolResult("ok")

    run = Agent(ScriptedModel(says("x", finish="pause"), calls(CALL))).stream(
        "hi",
        shelf(tool("work", work)),
        on_event=seen.append,
    )
    task = asyncio.ensure_future(run)
    await until(lambda: Kind.TOOL_CALL in [event.type for event in seen])
    await run.aclose()
    told = len(seen)
    gate.set()
    with pytest.raises(Cancelled):
        await task
    assert len(seen) == told
