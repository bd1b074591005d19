"""The whole way of an approval: loop, toolkit and policy together, here and after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet import Agent, Answer, Request, RunResult, Tool, Toolkit
from rillet.core.agent.calls import DENIED
from rillet.core.tools.tool import Effect
from rillet.core.types.suspension import APPROVAL
from support.scripted import Kind, ScriptedModel, calls, of_kind

if TYPE_CHECKING:
    from rillet.core.agent.events import StreamEvent

SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
SEND = ("c1", "send", '{"to": "ann"}')


class Post:
    """A tool that acts on the world, and what it did."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def toolkit(self) -> Toolkit:
        tool = Tool.native("send", "Sends a letter", SCHEMA, self._send, effects=frozenset({Effect.WRITE}))
        return Toolkit(builtins=False, extra_tools=[tool])

    def _send(self, args: dict[str, str]) -> str:
        self.sent.append(args["to"])
        return f"sent to {args['to']}"


@pytest.mark.parametrize("ok", [True, False])
async def test_a_call_that_acts_runs_only_once_it_was_allowed(ok: bool) -> None:
    post = Post()
    asked: list[Request] = []

    async def wait_for(request: Request) -> Answer:
        assert post.sent == []
        asked.append(request)
        return Answer(id=request.id, ok=ok)

    events: list[StreamEvent] = []
    async with post.toolkit() as toolkit:
        agent = Agent(ScriptedModel(calls(SEND), "done"), wait_for=wait_for)
        await agent.run("go", toolkit, on_event=events.append)
    assert post.sent == (["ann"] if ok else [])
    assert [request.kind for request in asked] == [APPROVAL]
    assert of_kind(events, Kind.PENDING)[0].request is asked[0]
    [ended] = of_kind(events, Kind.TOOL_RESULT)
    assert ended.is_error is not ok
    assert ended.metadata == ({} if ok else {DENIED: True})


async def test_each_of_several_calls_is_asked_about() -> None:
    post = Post()
    asked: list[str] = []

    def wait_for(request: Request) -> Answer:
        asked.append(request.id)
        return Answer(id=request.id, ok=len(asked) == 2)

    wanted = [(f"c{n}", "send", f'{{"to": "{name}"}}') for n, name in enumerate(("ann", "bob", "eve"))]
    async with post.toolkit() as toolkit:
        await Agent(ScriptedModel(calls(*wanted), "done"), wait_for=wait_for).run("go", toolkit)
    assert len(set(asked)) == 3
    assert post.sent == ["bob"]


async def test_an_approval_can_be_given_after_a_restart() -> None:
    before, after = Post(), Post()
    async with before.toolkit() as toolkit:
        waiting = await Agent(ScriptedModel(calls(SEND))).run("go", toolkit)
    written = waiting.to_json()
    assert before.sent == []
    read = RunResult.from_json(written)
    assert read.pending is not None
    async with after.toolkit() as toolkit:
        answer = Answer.from_json(Answer(id=read.pending.request.id, ok=True).to_json())
        result = await Agent(ScriptedModel("done")).resume(read, answer, toolkit)
    assert after.sent == ["ann"]
    assert result.status == "done"


async def test_what_was_allowed_is_exactly_what_was_asked() -> None:
    post = Post()
    async with post.toolkit() as toolkit:
        waiting = await Agent(ScriptedModel(calls(SEND))).run("go", toolkit)
    changed = RunResult.from_json(waiting.to_json().replace(b'"to":"ann"', b'"to":"eve"'))
    assert changed.pending is not None
    assert changed.pending.args == {"to": "eve"}
    async with post.toolkit() as toolkit:
        answer = Answer(id=changed.pending.request.id, ok=True)
        result = await Agent(ScriptedModel("done")).resume(changed, answer, toolkit)
    assert post.sent == []
    assert result.tool_calls[0].is_error
