from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rillet.core.tools.tool import Effect, Tool, ToolContext, ToolResult
from rillet.core.tools.toolkit import Toolkit
from rillet.core.types.suspension import APPROVAL, Answer

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from rillet.core.tools.judge import Verdict

NO_CONTEXT = ToolContext()
WRITE = frozenset({Effect.WRITE})


class Recorder:
    """A tool that writes down every call that reached it."""

    def __init__(self, name: str = "note", effects: frozenset[Effect] = frozenset()) -> None:
        self.calls: list[tuple[dict[str, Any], ToolContext]] = []
        self.tool = Tool(name, "Notes.", {"type": "object"}, self._execute, effects=effects)

    async def _execute(self, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        self.calls.append((args, ctx))
        return ToolResult("noted")


def run(work: Awaitable[ToolResult]) -> ToolResult:
    async def main() -> ToolResult:
        return await work

    return asyncio.run(main())


def test_a_tool_without_effects_runs() -> None:
    note = Recorder()
    assert run(Toolkit(extra_tools=[note.tool]).call("note", {"a": 1}, NO_CONTEXT)) == ToolResult("noted")
    assert note.calls == [({"a": 1}, NO_CONTEXT)]


def test_an_unknown_name_is_an_error_that_names_what_there_is() -> None:
    result = run(Toolkit(extra_tools=[Recorder().tool]).call("nota", {}, NO_CONTEXT))
    assert result.is_error
    assert "nota" in result.output
    assert "note" in result.output


def test_what_writes_is_asked_about_and_does_not_run() -> None:
    note = Recorder(effects=WRITE)
    result = run(Toolkit(extra_tools=[note.tool]).call("note", {"a": 1}, NO_CONTEXT))
    assert result.pending is not None
    assert result.pending.kind == APPROVAL
    assert result.pending.data is not None
    assert result.pending.data["arguments"] == {"a": 1}
    assert note.calls == []


def test_an_approved_call_runs() -> None:
    note = Recorder(effects=WRITE)
    toolkit = Toolkit(extra_tools=[note.tool])
    request = run(toolkit.call("note", {"a": 1}, NO_CONTEXT)).pending
    assert request is not None
    approved = ToolContext(approval=Answer(id=request.id, ok=True))
    assert run(toolkit.call("note", {"a": 1}, approved)).output == "noted"


def test_the_approval_of_another_call_runs_nothing() -> None:
    note = Recorder(effects=WRITE)
    toolkit = Toolkit(extra_tools=[note.tool])
    request = run(toolkit.call("note", {"a": 1}, NO_CONTEXT)).pending
    assert request is not None
    approved = ToolContext(approval=Answer(id=request.id, ok=True))
    assert run(toolkit.call("note", {"a": 2}, approved)).is_error
    assert note.calls == []


def test_a_denied_call_does_not_run_and_says_why() -> None:
    note = Recorder(effects=WRITE)
    toolkit = Toolkit(extra_tools=[note.tool])
    denied = ToolContext(approval=Answer(id="any", ok=False, reason="not on a Friday"))
    result = run(toolkit.call("note", {}, denied))
    assert result.is_error
    assert "not on a Friday" in result.output
    assert note.calls == []


def test_a_judge_that_fails_allows_nothing() -> None:
    class Broken:
        def judge(self, tool: Tool, args: dict[str, Any], ctx: ToolContext) -> Verdict:
            raise LookupError

        def settle(self, tool: Tool, args: dict[str, Any], ctx: ToolContext, answer: Answer) -> Verdict:
            raise LookupError

    note = Recorder()
    toolkit = Toolkit(extra_tools=[note.tool], policy=Broken())
    assert run(toolkit.call("note", {}, NO_CONTEXT)).is_error
    assert run(toolkit.call("note", {}, ToolContext(approval=Answer(id="", ok=True)))).is_error
    assert note.calls == []
