"""Calls that wait for somebody: told before asked, one question to the policy, one of the tool, and what is refused."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.calls import DENIED
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ToolResultPart
from rillet.core.types.suspension import APPROVAL, Answer, Request
from support.scripted import Kind, ScriptedModel, calls, kinds, of_kind, shelf, tool, until

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent
    from rillet.core.agent.result import RunResult
    from rillet.core.agent.seams import WaitFor
    from rillet.core.tools.tool import Tool, ToolContext
    from support.scripted import Shelf

ONE = ("c1", "send", '{"to": "ann"}')


def request(kind: str = "input", id: str = "q1", **more: Any) -> Request:
    return Request(id=id, kind=kind, prompt=f"may I ({kind})?", **more)


def yes(asked: Request) -> Answer:
    return Answer(id=asked.id, ok=True, data={"said": "yes"})


def no(asked: Request) -> Answer:
    return Answer(id=asked.id, ok=False, reason="not now")


def asks_once(kind: str = "input", name: str = "send") -> Tool:
    """A tool that wants one answer of its own."""

    def run(_: dict[str, Any], ctx: ToolContext) -> ToolResult:
        if ctx.answer is None:
            return ToolResult.suspended(request(kind, id=f"q-{ctx.call_id}"))
        assert ctx.answer.data is not None
        return ToolResult(f"sent, {ctx.answer.data['said']}")

    return tool(name, run)


async def run(
    toolkit: Shelf, *wanted: tuple[str, str, str], wait_for: WaitFor | None = yes, **options: Any
) -> tuple[RunResult, list[StreamEvent]]:
    events: list[StreamEvent] = []
    agent = Agent(ScriptedModel(calls(*wanted), "done"), wait_for=wait_for, **options)
    return await agent.run("go", toolkit, on_event=events.append), events


def outputs(result: RunResult) -> list[str]:
    return [part.output for message in result.messages for part in message.parts if isinstance(part, ToolResultPart)]


async def test_the_request_is_told_before_anybody_is_asked() -> None:
    order: list[str] = []

    def wait_for(asked: Request) -> Answer:
        order.append("asked")
        return yes(asked)

    agent = Agent(ScriptedModel(calls(ONE), "done"), wait_for=wait_for)
    await agent.run("go", shelf(asks_once()), on_event=lambda event: order.append(event.type.value))
    assert order[order.index("pending") + 1] == "asked"


async def test_a_listener_that_is_awaited_has_taken_the_request_before_anybody_is_asked() -> None:
    order: list[str] = []

    async def on_event(event: StreamEvent) -> None:
        await asyncio.sleep(0)
        order.append(event.type.value)

    def wait_for(asked: Request) -> Answer:
        order.append("asked")
        return yes(asked)

    agent = Agent(ScriptedModel(calls(ONE), "done"), wait_for=wait_for)
    await agent.run("go", shelf(asks_once()), on_event=on_event)
    assert order[order.index("pending") + 1] == "asked"


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_answered_call_runs_once_more_with_the_answer(is_async: bool) -> None:
    async def later(asked: Request) -> Answer:
        await asyncio.sleep(0)
        return yes(asked)

    toolkit = shelf(asks_once())
    result, events = await run(toolkit, ONE, wait_for=later if is_async else yes)
    assert outputs(result) == ["sent, yes"]
    assert len(toolkit.called) == 2
    assert [args for _, args, _ in toolkit.called] == [{"to": "ann"}] * 2
    assert kinds(events)[2:5] == [Kind.TOOL_CALL, Kind.PENDING, Kind.TOOL_RESULT]
    [pending] = of_kind(events, Kind.PENDING)
    assert pending.request == request(id="q-c1")
    assert (pending.id, pending.name) == ("c1", "send")
    assert result.tool_call_count == 1
    assert not result.tool_calls[0].is_error, "a suspension is no error"


async def test_a_denied_call_is_a_call_a_request_and_an_error_result() -> None:
    toolkit = shelf(asks_once(APPROVAL))
    result, events = await run(toolkit, ONE, wait_for=no)
    assert len(toolkit.called) == 1, "it does not run again"
    assert kinds(events)[2:5] == [Kind.TOOL_CALL, Kind.PENDING, Kind.TOOL_RESULT]
    [ended] = of_kind(events, Kind.TOOL_RESULT)
    assert ended.is_error
    assert ended.output == "Not run: the call was not allowed: not now"
    assert ended.metadata == {DENIED: True}
    assert result.text == "done"


async def test_a_declined_question_says_so() -> None:
    result, _ = await run(shelf(asks_once()), ONE, wait_for=lambda asked: Answer(id=asked.id, ok=False))
    assert outputs(result) == ["Not carried out: the request was declined."]


async def test_a_call_may_be_approved_and_then_ask_once_itself() -> None:
    seen: list[tuple[bool, bool]] = []

    def both(_: dict[str, Any], ctx: ToolContext) -> ToolResult:
        seen.append((ctx.approval is not None, ctx.answer is not None))
        if ctx.approval is None:
            return ToolResult.suspended(request(APPROVAL, id="a1"))
        if ctx.answer is None:
            return ToolResult.suspended(request("question", id="q1"))
        return ToolResult(f"{ctx.approval.id} {ctx.answer.id}")

    result, events = await run(shelf(tool("send", both)), ONE)
    assert outputs(result) == ["a1 q1"]
    assert seen == [(False, False), (True, False), (True, True)]
    assert [event.request and event.request.kind for event in of_kind(events, Kind.PENDING)] == [APPROVAL, "question"]


@pytest.mark.parametrize("kinds_asked", [["input", "input"], ["input", APPROVAL], [APPROVAL, "input", "input"]])
async def test_a_call_that_asks_again_after_its_answer_fails(kinds_asked: list[str]) -> None:
    left = [*kinds_asked]
    toolkit = shelf(tool("send", lambda *_: ToolResult.suspended(request(left.pop(0)))))
    result, events = await run(toolkit, ONE)
    assert outputs(result) == ["Failed: the tool asked again after it was answered."]
    assert result.tool_calls[0].is_error
    assert len(of_kind(events, Kind.PENDING)) == len(kinds_asked) - 1
    assert left == []


async def test_calls_that_ask_together_are_asked_one_at_a_time_in_call_order() -> None:
    open_requests: list[str] = []
    seen: list[str] = []

    async def wait_for(asked: Request) -> Answer:
        open_requests.append(asked.id)
        assert len(open_requests) == 1
        await asyncio.sleep(0)
        open_requests.remove(asked.id)
        seen.append(asked.id)
        return yes(asked)

    wanted = [(f"c{n}", "send", "{}") for n in range(4)]
    result, events = await run(shelf(asks_once()), *wanted, wait_for=wait_for)
    assert seen == [f"q-c{n}" for n in range(4)]
    assert [event.request and event.request.id for event in of_kind(events, Kind.PENDING)] == seen
    assert outputs(result) == ["sent, yes"] * 4


async def test_other_calls_go_on_while_one_is_asked_about() -> None:
    gate = asyncio.Event()

    async def wait_for(asked: Request) -> Answer:
        await gate.wait()
        return yes(asked)

    def other(*_: object) -> str:
        gate.set()
        return "ok"

    result, _ = await run(shelf(asks_once(), tool("other", other)), ONE, ("c2", "other", "{}"), wait_for=wait_for)
    assert outputs(result) == ["sent, yes", "ok"]


async def test_an_answer_to_another_request_is_no_answer() -> None:
    toolkit = shelf(asks_once(APPROVAL))
    with pytest.raises(ValueError, match="was asked 'q-c1' and answered 'q7'"):
        await run(toolkit, ONE, wait_for=lambda _: Answer(id="q7", ok=True))
    assert len(toolkit.called) == 1


async def test_a_request_that_expires_is_declined() -> None:
    async def never(_: Request) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError

    asked = request("authorization", expires_at=time.time() - 1)
    result, _ = await run(shelf(tool("send", lambda *_: ToolResult.suspended(asked))), ONE, wait_for=never)
    assert outputs(result) == ["Not carried out: the request was declined: nobody answered in time"]


async def test_whoever_fails_to_answer_ends_the_run() -> None:
    def wait_for(_: Request) -> Answer:
        raise RuntimeError("the window is gone")

    with pytest.raises(RuntimeError, match="the window is gone"):
        await run(shelf(asks_once()), ONE, wait_for=wait_for)


async def test_stopping_while_somebody_is_asked_stops_the_asking() -> None:
    asking: list[bool] = []

    async def wait_for(_: Request) -> Answer:
        asking.append(True)
        try:
            await asyncio.Event().wait()
        finally:
            asking.clear()
        raise AssertionError

    task = asyncio.create_task(run(shelf(asks_once()), ONE, wait_for=wait_for))
    await until(lambda: bool(asking))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asking == []


async def test_a_tool_can_ask_in_the_middle_of_a_call() -> None:
    async def elicit(_: dict[str, Any], ctx: ToolContext) -> ToolResult:
        assert ctx.ask is not None
        answer = await ctx.ask(request("input", id="mid"))
        return ToolResult(f"heard {answer.ok}")

    toolkit = shelf(tool("send", elicit))
    result, events = await run(toolkit, ONE)
    assert outputs(result) == ["heard True"]
    assert len(toolkit.called) == 1
    assert [event.request and event.request.id for event in of_kind(events, Kind.PENDING)] == ["mid"]


async def test_without_anybody_to_ask_a_tool_cannot_ask_in_the_middle() -> None:
    seen: list[Any] = []

    def look(_: dict[str, Any], ctx: ToolContext) -> str:
        seen.append(ctx.ask)
        return "ok"

    await run(shelf(tool("send", look)), ONE, wait_for=None)
    assert seen == [None]
