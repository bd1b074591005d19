"""Whatever a model, its tools and those who are asked do: the transcript is one that every provider accepts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from rillet.core.agent.agent import Agent
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.agent.history import repair
from rillet.core.agent.result import RunResult
from rillet.core.errors import LlmError, ServerError
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, Delta, Finished, ReasoningDelta, TextDelta, ToolCallDelta
from rillet.core.types.suspension import APPROVAL, Answer, Request
from support.scripted import Kind, ScriptedModel, of_kind, shelf, tool
from support.transcripts import assert_keeps_the_rules

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent
    from rillet.core.tools.tool import ToolContext
    from support.scripted import Piece


def _deltas(thought: str, text: str, wanted: list[tuple[str, str, str]], finish: Any, broken: bool) -> list[Piece]:
    deltas: list[Delta] = [ReasoningDelta(thought)] if thought else []
    deltas += [TextDelta(text)] if text else []
    deltas += [ToolCallDelta(index, id, name, arguments) for index, (id, name, arguments) in enumerate(wanted)]
    return [*deltas, ServerError("boom") if broken else Finished(finish)]


_calls = st.tuples(
    st.sampled_from(["a", "b", ""]),
    st.sampled_from(["works", "fails", "asks", "asks_twice", "nowhere", "no such name!"]),
    st.sampled_from(["{}", "", '{"a": 1}', '{"a', "[]", '"{}"']),
)
_answers = st.builds(
    _deltas,
    st.sampled_from(["", "hm"]),
    st.sampled_from(["", " ", "text"]),
    st.lists(_calls, max_size=3),
    st.sampled_from(["stop", "tool_calls", "length", "pause", "refusal", "content_filter", "unknown"]),
    st.sampled_from([False, False, False, False, True]),
)


def _toolkit() -> Any:
    def fails(*_: object) -> str:
        raise KeyError("no")

    def asks(_: object, ctx: ToolContext) -> ToolResult:
        if ctx.answer is None:
            return ToolResult.suspended(Request(id=f"q-{ctx.call_id}", kind="question", prompt="which?"))
        return ToolResult("answered")

    def asks_twice(_: object, ctx: ToolContext) -> ToolResult:
        if ctx.approval is None:
            return ToolResult.suspended(Request(id=f"a-{ctx.call_id}", kind=APPROVAL, prompt="may I?"))
        return asks(_, ctx)

    return shelf(tool("works"), tool("fails", fails), tool("asks", asks), tool("asks_twice", asks_twice))


async def _run(
    agent: Agent, replies: list[bool], events: list[StreamEvent]
) -> tuple[RunResult | None, tuple[ChatMessage, ...]]:
    """Run to the end, answering what waits through JSON, as another process would."""
    toolkit = _toolkit()
    run = agent.stream("go", toolkit, events.append, "s")
    try:
        result = await run
        while result.pending is not None and replies:
            answer = Answer(id=result.pending.request.id, ok=replies.pop())
            run = agent.resume(RunResult.from_json(result.to_json()), answer, toolkit, events.append)
            result = await run
    except LlmError:
        return None, run.messages
    return result, run.messages


@given(st.lists(_answers, max_size=4), st.lists(st.booleans(), max_size=6), st.sampled_from([None, True, False]))
def test_the_transcript_of_any_run_keeps_the_rules(
    answers: list[list[Piece]], replies: list[bool], wait: bool | None
) -> None:
    def wait_for(asked: Request) -> Answer:
        return Answer(id=asked.id, ok=bool(wait))

    store = MemoryConversationStore()
    agent = Agent(
        ScriptedModel(*answers, "done"),
        conversation_store=store,
        wait_for=None if wait is None else wait_for,
        max_turns=len(answers) + 1,
    )
    events: list[StreamEvent] = []
    result, messages = asyncio.run(_run(agent, replies, events))
    assert_keeps_the_rules(messages)
    stored = asyncio.run(store.get("s"))
    assert_keeps_the_rules(stored or ())
    assert_keeps_the_rules(repair([*(stored or ()), ChatMessage.user("go on")]).messages)
    told = [event.id for event in of_kind(events, Kind.TOOL_RESULT)]
    assert len(set(told)) == len(told), "each call ends once"
    if result is not None:
        assert stored == result.messages == messages
        assert [record.id for record in result.tool_calls] == [id for id in _in_call_order(events) if id in told]
        assert set(told) == {record.id for record in result.tool_calls}


def _in_call_order(events: list[StreamEvent]) -> list[str | None]:
    """The ids of the calls; one that waited for a later run was told once more there."""
    return list(dict.fromkeys(event.id for event in of_kind(events, Kind.TOOL_CALL)))
