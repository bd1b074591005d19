"""Tool calls of one answer: which run, together or not, in which order they are told, and what goes back."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.calls import BREATH
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, FinishReason, ToolCallPart, ToolResultPart
from support.scripted import Kind, ScriptedModel, Shelf, calls, of_kind, shelf, tool, until

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent
    from rillet.core.agent.result import RunResult
    from rillet.core.tools.tool import Tool, ToolContext


async def run(toolkit: Shelf, *wanted: tuple[str, str, str], **options: Any) -> tuple[RunResult, list[StreamEvent]]:
    """One turn of calls, then an answer."""
    events: list[StreamEvent] = []
    agent = Agent(ScriptedModel(calls(*wanted), "done"), **options)
    return await agent.run("go", toolkit, on_event=events.append), events


def results(result: RunResult) -> list[ToolResultPart]:
    return [part for message in result.messages for part in message.parts if isinstance(part, ToolResultPart)]


def names(events: list[StreamEvent], kind: Kind) -> list[str | None]:
    return [event.id for event in of_kind(events, kind)]


class Gated:
    """A tool whose calls wait until the test lets them end."""

    def __init__(self, name: str = "wait") -> None:
        self.running: list[str] = []
        self.most = 0
        self.ended: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}
        self.tool: Tool = tool(name, self._run)

    def let(self, id: str) -> None:
        self._gates.setdefault(id, asyncio.Event()).set()

    async def _run(self, args: dict[str, Any], ctx: ToolContext) -> Any:
        self.running.append(ctx.call_id)
        self.most = max(self.most, len(self.running))
        try:
            await self._gates.setdefault(ctx.call_id, asyncio.Event()).wait()
        finally:
            self.running.remove(ctx.call_id)
        self.ended.append(ctx.call_id)
        return ToolResult(f"{ctx.call_id} ended")


# Together


async def test_calls_of_one_answer_run_together_and_results_keep_call_order() -> None:
    gated = Gated()
    wanted = [(f"c{n}", "wait", "{}") for n in range(3)]
    task = asyncio.create_task(run(shelf(gated.tool), *wanted))
    await until(lambda: len(gated.running) == 3)
    for id in ("c2", "c0", "c1"):
        gated.let(id)
        await until(lambda id=id: id in gated.ended)  # type: ignore[misc]
    result, events = await task
    assert [part.call_id for part in results(result)] == ["c0", "c1", "c2"]
    assert [record.id for record in result.tool_calls] == ["c0", "c1", "c2"]
    assert names(events, Kind.TOOL_CALL) == ["c0", "c1", "c2"]
    assert names(events, Kind.TOOL_RESULT) == ["c2", "c0", "c1"], "told as each ends"


async def test_no_more_calls_run_at_a_time_than_allowed_and_none_is_told_before_it_runs() -> None:
    gated = Gated()
    wanted = [(f"c{n}", "wait", "{}") for n in range(5)]
    events: list[StreamEvent] = []
    agent = Agent(ScriptedModel(calls(*wanted), "done"), max_parallel_tools=2)
    task = asyncio.create_task(agent.run("go", shelf(gated.tool), on_event=events.append))
    await until(lambda: len(gated.running) == 2)
    assert names(events, Kind.TOOL_CALL) == ["c0", "c1"]
    gated.let("c1")
    await until(lambda: "c2" in gated.running)
    assert names(events, Kind.TOOL_CALL) == ["c0", "c1", "c2"]
    for id, _, _ in wanted:
        gated.let(id)
    result = await task
    assert gated.most == 2
    assert result.tool_call_count == 5


async def test_stopping_a_run_stops_every_call_and_leaves_no_task() -> None:
    gated = Gated()
    before = asyncio.all_tasks()
    task = asyncio.create_task(run(shelf(gated.tool), *[(f"c{n}", "wait", "{}") for n in range(4)]))
    await until(lambda: len(gated.running) == 4)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gated.running == []
    assert asyncio.all_tasks() == before


async def test_calls_that_never_wait_let_others_have_the_loop() -> None:
    loop = asyncio.get_running_loop()
    seen: list[str] = []

    def busy(_: dict[str, Any], ctx: ToolContext) -> str:
        seen.append(ctx.call_id)
        loop.call_soon(seen.append, f"after {ctx.call_id}")
        end = time.perf_counter() + 2 * BREATH
        while time.perf_counter() < end:
            pass
        return "ok"

    await run(shelf(tool("busy", busy)), *[(f"c{n}", "busy", "{}") for n in range(3)])
    assert seen.index("after c0") < seen.index("c2")


@pytest.mark.parametrize("many", [1, 2])
async def test_a_tool_that_cancels_the_task_it_runs_in_stops_the_run(many: int) -> None:
    async def cancel(_: dict[str, Any], ctx: ToolContext) -> Any:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(asyncio.CancelledError):
        await run(shelf(tool("cancel", cancel)), *[(f"c{n}", "cancel", "{}") for n in range(many)])


# What must not run


@pytest.mark.parametrize(
    "arguments", ['{"city": "Che', '["a"]', "nonsense", '{"a": 1}}', '"text"', "null", "[" * 100_000]
)
async def test_arguments_that_are_no_object_never_run(arguments: str) -> None:
    toolkit = shelf(tool("weather"))
    result, events = await run(toolkit, ("c1", "weather", arguments))
    assert toolkit.called == []
    [part] = results(result)
    assert part.is_error
    assert "truncated" in part.output
    assert arguments[:100] in part.output, "the model sees what it wrote"
    assert len(part.output) < 1000
    assert of_kind(events, Kind.TOOL_CALL)[0].args is None
    assert of_kind(events, Kind.TOOL_RESULT)[0].is_error
    assert result.messages[1].tool_calls[0].arguments == "{}", "what goes back is an object"
    assert result.text == "done", "the model goes on"


@pytest.mark.parametrize("finish", ["length", "content_filter", "error"])
async def test_no_call_of_an_answer_that_was_cut_runs(finish: FinishReason) -> None:
    toolkit = shelf(tool("weather"))
    wanted = [("c1", "weather", '{"city": "X"}'), ("c2", "weather", '{"city": "Y"}'), ("c3", "weather", "")]
    model = ScriptedModel(calls(*wanted, finish=finish), "done")
    result = await Agent(model).run("go", toolkit)
    assert toolkit.called == []
    assert [part.call_id for part in results(result)] == ["c1", "c2", "c3"]
    assert all(part.is_error and "cut off" in part.output for part in results(result))


async def test_a_call_without_arguments_runs_with_none() -> None:
    toolkit = shelf(tool("now"))
    result, _ = await run(toolkit, ("c1", "now", ""))
    assert [(name, args) for name, args, _ in toolkit.called] == [("now", {})]
    assert result.messages[1].tool_calls[0].arguments == "{}"


async def test_arguments_encoded_twice_run_and_go_back_as_an_object() -> None:
    toolkit = shelf(tool("weather"))
    result, _ = await run(toolkit, ("c1", "weather", '"{\\"city\\": \\"X\\"}"'))
    assert [args for _, args, _ in toolkit.called] == [{"city": "X"}]
    assert result.messages[1].tool_calls[0].parsed == {"city": "X"}
    assert result.messages[1].tool_calls[0].arguments.startswith("{")


async def test_an_unknown_tool_is_an_error_that_names_the_known_ones() -> None:
    toolkit = shelf(tool("weather"), tool("now"))
    result, _ = await run(toolkit, ("c1", "whether", "{}"))
    assert toolkit.called == []
    [part] = results(result)
    assert part.is_error
    assert part.output == "There is no tool 'whether'. There are: weather, now."


@pytest.mark.parametrize("name", ["get weather", "functions.weather", "wetter°", "x" * 65])
async def test_a_name_that_no_tool_can_have_is_answered_and_goes_back_as_a_legal_one(name: str) -> None:
    toolkit = shelf(tool("get_weather"), tool("functions_weather"))
    result, _ = await run(toolkit, ("c1", name, "{}"))
    assert toolkit.called == []
    assert results(result)[0].is_error
    sent = result.messages[1].tool_calls[0].name
    assert sent.replace("_", "").replace("-", "").isascii()
    assert 1 <= len(sent) <= 64


async def test_two_calls_with_one_id_both_run_under_ids_of_their_own() -> None:
    toolkit = shelf(tool("weather", lambda args, _: args["city"]))
    result, _ = await run(toolkit, ("c", "weather", '{"city": "X"}'), ("c", "weather", '{"city": "Y"}'))
    ids = [call.id for call in result.messages[1].tool_calls]
    assert len(set(ids)) == 2
    assert [(part.call_id, part.output) for part in results(result)] == [(ids[0], "X"), (ids[1], "Y")]


async def test_an_id_used_in_an_earlier_turn_is_not_used_again() -> None:
    model = ScriptedModel(calls(("call_0", "now", "{}")), calls(("call_0", "now", "{}")), "done")
    result = await Agent(model).run("go", shelf(tool("now")))
    ids = [call.id for message in result.messages for call in message.tool_calls]
    assert ids[0] == "call_0"
    assert len(set(ids)) == 2
    assert [part.call_id for part in results(result)] == ids


# What a tool does


async def test_a_tool_that_raises_is_an_error_result() -> None:
    def broken(*_: object) -> str:
        raise KeyError("city")

    result, _ = await run(shelf(tool("weather", broken)), ("c1", "weather", "{}"))
    assert results(result)[0] == ToolResultPart("c1", "KeyError: 'city'", is_error=True)
    assert result.tool_calls[0].is_error


class Careless(Shelf):
    """Lets through what it must not: a tool that cancels itself."""

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        if name == "bad":
            raise asyncio.CancelledError
        return await super().call(name, args, ctx)


async def test_a_tool_that_cancels_itself_fails_alone() -> None:
    toolkit = Careless([tool("bad"), tool("good")])
    result, _ = await run(toolkit, ("c1", "bad", "{}"), ("c2", "good", "{}"), timeout=60.0)
    assert [(part.output, part.is_error) for part in results(result)] == [
        ("bad was cancelled from within", True),
        ("ok", False),
    ]


async def test_a_tool_knows_its_call_its_chat_and_that_it_was_stopped() -> None:
    seen: list[ToolContext] = []

    async def look(_: dict[str, Any], ctx: ToolContext) -> Any:
        seen.append(ctx)
        assert not ctx.cancelled()
        await asyncio.Event().wait()

    agent = Agent(ScriptedModel(calls(("c1", "look", "{}"))))
    task = asyncio.create_task(agent.ask("go", shelf(tool("look", look)), id="chat-1"))
    await until(lambda: bool(seen))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (seen[0].call_id, seen[0].chat) == ("c1", "chat-1")
    assert seen[0].cancelled()


async def test_progress_is_told_while_the_call_runs_and_not_after() -> None:
    kept: list[ToolContext] = []

    def work(_: dict[str, Any], ctx: ToolContext) -> str:
        kept.append(ctx)
        ctx.progress(1, 4, "a quarter")
        return "ok"

    events: list[StreamEvent] = []
    agent = Agent(ScriptedModel(calls(("c1", "work", "{}")), "done"))
    await agent.run("go", shelf(tool("work", work)), on_event=events.append)
    kept[0].progress(2, 4, "too late")
    [told] = of_kind(events, Kind.PROGRESS)
    assert (told.id, told.name, told.done, told.total, told.output) == ("c1", "work", 1, 4, "a quarter")
    assert events[events.index(told) - 1].type is Kind.TOOL_CALL


async def test_progress_from_a_thread_is_told_on_the_loop() -> None:
    threads: list[int] = []
    told = asyncio.Event()

    def note(event: StreamEvent) -> None:
        if event.type is Kind.PROGRESS:
            threads.append(threading.get_ident())
            told.set()

    async def work(_: dict[str, Any], ctx: ToolContext) -> Any:
        await asyncio.to_thread(ctx.progress, 1, None, "under way")
        await told.wait()
        return ToolResult("ok")

    agent = Agent(ScriptedModel(calls(("c1", "work", "{}")), "done"))
    await agent.run("go", shelf(tool("work", work)), on_event=note)
    assert threads == [threading.get_ident()]


async def test_a_function_for_the_gui_thread_reaches_the_tool() -> None:
    async def on_gui(function: Any) -> Any:
        return function()

    def work(_: dict[str, Any], ctx: ToolContext) -> str:
        assert ctx.on_gui is on_gui
        return "ok"

    result, _ = await run(shelf(tool("work", work)), ("c1", "work", "{}"), on_gui=on_gui)
    assert not result.tool_calls[0].is_error


async def test_the_arguments_a_tool_changes_are_its_own_copy() -> None:
    def spoil(args: dict[str, Any], _: object) -> str:
        args["city"] = "elsewhere"
        return "ok"

    result, _ = await run(shelf(tool("spoil", spoil)), ("c1", "spoil", '{"city": "X"}'))
    assert result.tool_calls[0].args == {"city": "X"}
    assert result.messages[1] == ChatMessage.assistant("", ToolCallPart("c1", "spoil", '{"city": "X"}'))


async def test_a_thousand_calls_of_one_answer_are_all_answered() -> None:
    toolkit = shelf(tool("echo", lambda args, _: str(args["n"])))
    wanted = [(f"c{n}", "echo", f'{{"n": {n}}}') for n in range(1000)]
    result, events = await run(toolkit, *wanted)
    assert [part.output for part in results(result)] == [str(n) for n in range(1000)]
    assert len(of_kind(events, Kind.TOOL_RESULT)) == 1000
