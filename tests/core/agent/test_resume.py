"""Runs that end with an open question, and go on with the answer: here, later, or in another process."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.agent.hooks import Hooks
from rillet.core.agent.result import RunResult
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, ToolResultPart, Usage
from rillet.core.types.suspension import APPROVAL, Answer, Request
from support.scripted import Kind, ScriptedModel, calls, kinds, of_kind, says, shelf, tool

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent
    from rillet.core.tools.tool import Tool, ToolContext

SEND = ("c1", "send", '{"to": "ann"}')
NOW = ("c2", "now", "{}")


def asks(kind: str = "input", name: str = "send", **more: Any) -> Tool:
    def run(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        given = ctx.approval if kind == APPROVAL else ctx.answer
        if given is None:
            return ToolResult.suspended(Request(id=f"q-{ctx.call_id}", kind=kind, prompt="may I?", **more))
        return ToolResult(f"sent to {args.get('to')}")

    return tool(name, run)


def ok(result: RunResult) -> Answer:
    assert result.pending is not None
    return Answer(id=result.pending.request.id, ok=True)


def outputs(result: RunResult) -> list[tuple[str, str]]:
    return [
        (part.call_id, part.output)
        for message in result.messages
        for part in message.parts
        if isinstance(part, ToolResultPart)
    ]


async def test_without_anybody_to_ask_the_run_returns_pending() -> None:
    events: list[StreamEvent] = []
    toolkit = shelf(asks())
    result = await Agent(ScriptedModel(calls(SEND, text="I will."))).run("go", toolkit, on_event=events.append)
    assert (result.status, result.turns, result.tool_calls) == ("pending", 1, ())
    assert result.messages == (ChatMessage.user("go"),), "the transcript ends before the open turn"
    pending = result.pending
    assert pending is not None
    assert (pending.request.id, pending.call.id, pending.args) == ("q-c1", "c1", {"to": "ann"})
    assert pending.answer.text == "I will."
    assert kinds(events) == [
        Kind.TURN,
        Kind.TEXT,
        Kind.TOOL_CALL_DELTA,
        Kind.TOOL_CALL,
        Kind.PENDING,
        Kind.DONE,
    ]
    assert events[-1].result is result
    assert of_kind(events, Kind.PENDING)[0].request is pending.request


async def test_the_answer_lets_the_same_call_run_once_more_and_the_run_go_on() -> None:
    toolkit = shelf(asks())
    usage = Usage(prompt_tokens=1)
    agent = Agent(ScriptedModel(calls(SEND, usage=usage), says("Sent.", usage=usage)))
    waiting = await agent.run("go", toolkit)
    events: list[StreamEvent] = []
    result = await agent.resume(waiting, ok(waiting), toolkit, events.append)
    assert (result.status, result.text, result.turns) == ("done", "Sent.", 2)
    assert result.usage == Usage(prompt_tokens=2)
    assert outputs(result) == [("c1", "sent to ann")]
    assert result.tool_call_count == 1
    assert [args for _, args, _ in toolkit.called] == [{"to": "ann"}] * 2
    assert kinds(events) == [
        Kind.TOOL_CALL,
        Kind.TOOL_RESULT,
        Kind.TURN,
        Kind.TEXT,
        Kind.USAGE,
        Kind.DONE,
    ]


async def test_calls_that_have_ended_are_never_run_again() -> None:
    toolkit = shelf(asks(), tool("now", lambda *_: "noon"))
    agent = Agent(ScriptedModel(calls(SEND, NOW), "Sent."))
    waiting = await agent.run("go", toolkit)
    assert waiting.pending is not None
    assert waiting.pending.results == (ToolResultPart("c2", "noon"),)
    assert [record.name for record in waiting.tool_calls] == ["now"]
    result = await agent.resume(waiting, ok(waiting), toolkit)
    assert [name for name, _, _ in toolkit.called] == ["send", "now", "send"]
    assert outputs(result) == [("c1", "sent to ann"), ("c2", "noon")], "in call order all the same"
    assert [record.name for record in result.tool_calls] == ["send", "now"]


async def test_of_several_that_wait_the_first_in_call_order_halts_and_the_others_wait_again() -> None:
    toolkit = shelf(asks())
    wanted = [(f"c{n}", "send", f'{{"to": "{n}"}}') for n in range(3)]
    agent = Agent(ScriptedModel(calls(*wanted), "Sent."))
    result = await agent.run("go", toolkit)
    for n in range(3):
        assert result.pending is not None
        assert result.pending.request.id == f"q-c{n}"
        result = await agent.resume(result, ok(result), toolkit)
    assert result.status == "done"
    assert outputs(result) == [(f"c{n}", f"sent to {n}") for n in range(3)]


async def test_a_refusal_goes_to_the_model_without_running_anything() -> None:
    toolkit = shelf(asks(APPROVAL))
    agent = Agent(ScriptedModel(calls(SEND), "Then not."))
    waiting = await agent.run("go", toolkit)
    assert waiting.pending is not None
    result = await agent.resume(waiting, Answer(id="q-c1", ok=False, reason="never"), toolkit)
    assert outputs(result) == [("c1", "Not run: the call was not allowed: never")]
    assert len(toolkit.called) == 1


async def test_the_answer_may_come_in_another_process() -> None:
    toolkit = shelf(asks(APPROVAL), tool("now", lambda *_: "noon"))
    waiting = await Agent(ScriptedModel(calls(SEND, NOW, text="I will."))).run("go", toolkit)
    written = waiting.to_json()
    assert RunResult.from_json(written).to_json() == written
    model = ScriptedModel("Sent.")
    other = shelf(asks(APPROVAL), tool("now", lambda *_: "midnight"))
    read = RunResult.from_json(written)
    assert read == waiting
    result = await Agent(model).resume(read, ok(read), other)
    assert outputs(result) == [("c1", "sent to ann"), ("c2", "noon")]
    assert [name for name, _, _ in other.called] == ["send"]
    assert model.requests[0].messages[1].text == "I will."


async def test_an_approval_given_before_the_restart_still_holds_after_it() -> None:
    def both(_: dict[str, Any], ctx: ToolContext) -> ToolResult:
        if ctx.approval is None:
            return ToolResult.suspended(Request(id="a1", kind=APPROVAL, prompt="may I?"))
        if ctx.answer is None:
            return ToolResult.suspended(Request(id="q1", kind="question", prompt="which?"))
        return ToolResult(f"{ctx.approval.id} {ctx.answer.id}")

    toolkit = shelf(tool("send", both))
    first = await Agent(ScriptedModel(calls(SEND))).run("go", toolkit)
    second = await Agent(ScriptedModel()).resume(RunResult.from_json(first.to_json()), ok(first), toolkit)
    assert second.pending is not None
    assert second.pending.request.id == "q1"
    assert second.pending.approval == Answer(id="a1", ok=True)
    third = await Agent(ScriptedModel("done")).resume(RunResult.from_json(second.to_json()), ok(second), toolkit)
    assert outputs(third) == [("c1", "a1 q1")]


async def test_a_call_that_could_not_be_parsed_does_not_run_after_a_pause_either() -> None:
    toolkit = shelf(asks(), tool("now"), tool("no_w"))
    agent = Agent(ScriptedModel(calls(SEND, ("c2", "now", '{"zo'), ("c3", "no w", "{}")), "ok"), max_parallel_tools=1)
    waiting = await agent.run("go", toolkit)
    result = await agent.resume(RunResult.from_json(waiting.to_json()), ok(waiting), toolkit)
    assert [name for name, _, _ in toolkit.called] == ["send", "send"]
    assert [record.is_error for record in result.tool_calls] == [False, True, True]


async def test_calls_that_were_not_begun_run_after_the_answer() -> None:
    toolkit = shelf(asks(), tool("now", lambda *_: "noon"))
    agent = Agent(ScriptedModel(calls(SEND, NOW), "ok"), max_parallel_tools=1)
    waiting = await agent.run("go", toolkit)
    assert [name for name, _, _ in toolkit.called] == ["send"]
    result = await agent.resume(waiting, ok(waiting), toolkit)
    assert outputs(result) == [("c1", "sent to ann"), ("c2", "noon")]


async def test_what_a_hook_made_of_the_arguments_holds_after_the_answer() -> None:
    hooked: list[str] = []

    def before_tool(name: str, args: Any, id: str, turn: int) -> dict[str, Any]:
        hooked.append(id)
        return {"to": "bob"}

    toolkit = shelf(asks(APPROVAL))
    agent = Agent(ScriptedModel(calls(SEND), "ok"), hooks=Hooks(before_tool=before_tool))
    waiting = await agent.run("go", toolkit)
    result = await agent.resume(RunResult.from_json(waiting.to_json()), ok(waiting), toolkit)
    assert outputs(result) == [("c1", "sent to bob")]
    assert hooked == ["c1"], "what was approved is what runs"


async def test_turns_are_counted_on() -> None:
    toolkit = shelf(asks())
    agent = Agent(ScriptedModel(calls(SEND), calls(("c2", "send", "{}"))), max_turns=2)
    first = await agent.run("go", toolkit)
    second = await agent.resume(first, ok(first), toolkit)
    third = await agent.resume(second, ok(second), toolkit)
    assert (third.status, third.limit, third.turns) == ("incomplete", "max_turns", 2)


async def test_an_answer_after_the_expiry_is_a_refusal() -> None:
    toolkit = shelf(asks(expires_at=time.time() - 1))
    agent = Agent(ScriptedModel(calls(SEND), "ok"))
    waiting = await agent.run("go", toolkit)
    result = await agent.resume(waiting, ok(waiting), toolkit)
    assert outputs(result) == [("c1", "Not carried out: the request was declined: nobody answered in time")]


async def test_a_resumed_run_can_be_watched() -> None:
    toolkit = shelf(asks())
    agent = Agent(ScriptedModel(calls(SEND), "Sent."))
    waiting = await agent.run("go", toolkit)
    run = agent.resume(waiting, ok(waiting), toolkit)
    events = [event async for event in run]
    assert events[-1].result is await run


async def test_a_result_that_waits_for_nothing_cannot_be_resumed() -> None:
    agent = Agent(ScriptedModel("hi"))
    result = await agent.run("go")
    with pytest.raises(ValueError, match="waits for nothing"):
        agent.resume(result, Answer(id="q", ok=True))


async def test_another_answer_does_not_resume() -> None:
    agent = Agent(ScriptedModel(calls(SEND)))
    waiting = await agent.run("go", shelf(asks()))
    with pytest.raises(ValueError, match="the answer to 'q-c1', not to 'q2'"):
        agent.resume(waiting, Answer(id="q2", ok=True))


# With a store


async def test_a_pending_transcript_is_saved_and_completed_by_resuming() -> None:
    store = MemoryConversationStore()
    toolkit = shelf(asks())
    agent = Agent(ScriptedModel(calls(SEND), "Sent."), conversation_store=store)
    waiting = await agent.ask("go", toolkit, id="s")
    assert await store.get("s") == waiting.messages
    result = await agent.resume(waiting, ok(waiting), toolkit)
    assert await store.get("s") == result.messages
    assert result.id == "s"


async def test_a_conversation_that_has_gone_on_takes_no_late_answer() -> None:
    store = MemoryConversationStore()
    toolkit = shelf(asks())
    agent = Agent(ScriptedModel(calls(SEND), "Never mind."), conversation_store=store)
    waiting = await agent.ask("go", toolkit, id="s")
    later = await agent.ask("forget it", toolkit, id="s")
    with pytest.raises(ValueError, match="has gone on"):
        await agent.resume(waiting, ok(waiting), toolkit)
    assert await store.get("s") == later.messages


# As JSON


async def test_half_a_character_survives_in_a_readable_form() -> None:
    result = await Agent(ScriptedModel("ok")).run(ChatMessage.user("a\ud83d"))
    read = RunResult.from_json(result.to_json())
    assert read.messages[0].text == "a\N{REPLACEMENT CHARACTER}"


async def test_of_metadata_only_what_json_can_say_is_kept() -> None:
    metadata = {"exit": 0, "handle": object(), "tail": ("a", "b")}
    toolkit = shelf(tool("run", lambda *_: ToolResult("ok", metadata=metadata)))
    result = await Agent(ScriptedModel(calls(("c1", "run", "{}")), "ok")).run("go", toolkit)
    assert result.tool_calls[0].metadata == metadata
    assert RunResult.from_json(result.to_json()).tool_calls[0].metadata == {"exit": 0, "tail": ["a", "b"]}


@pytest.mark.parametrize(
    "damage",
    [
        lambda saved: None,
        lambda saved: [],
        lambda saved: saved | {"version": 2},
        lambda saved: saved | {"status": "lost"},
        lambda saved: saved | {"messages": 3},
        lambda saved: {name: value for name, value in saved.items() if name != "turns"},
        lambda saved: saved | {"pending": saved["pending"] | {"call_id": "other"}},
        lambda saved: saved | {"pending": saved["pending"] | {"answer": [{"type": "text"}]}},
        lambda saved: saved | {"pending": saved["pending"] | {"request": {}}},
    ],
)
async def test_what_is_no_result_is_refused(damage: Any) -> None:
    waiting = await Agent(ScriptedModel(calls(SEND))).run("go", shelf(asks()))
    saved = json.loads(waiting.to_json())
    with pytest.raises(ValueError):
        RunResult.from_json(json.dumps(damage(saved)).encode())


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000])
def test_junk_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        RunResult.from_json(data)
