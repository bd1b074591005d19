"""The four places where a host looks in, changes what goes through, or says no."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.agent.hooks import Hooks, Replacement
from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, ChatResponse, ImagePart, ToolSpec
from rillet.core.types.suspension import Request
from support.scripted import Kind, ScriptedModel, calls, of_kind, shelf, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.agent.events import StreamEvent

ADD = ("c1", "add", '{"a": 1, "b": 2}')


def add(args: dict[str, Any], _: object) -> str:
    return str(args["a"] + args["b"])


class Veto(Exception):
    """What a hook says no with."""


async def test_hooks_may_be_plain_functions_or_coroutines_and_are_told_everything() -> None:
    log: list[Any] = []

    def before_llm(messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], model: str | None, turn: int) -> None:
        log.append(("before_llm", len(messages), [tool.name for tool in tools], model, turn))

    async def after_llm(response: ChatResponse, model: str | None, turn: int) -> None:
        await asyncio.sleep(0)
        log.append(("after_llm", response.text, model, turn))

    async def before_tool(name: str, args: Any, id: str, turn: int) -> None:
        await asyncio.sleep(0)
        log.append(("before_tool", name, dict(args), id, turn))

    def after_tool(name: str, args: Any, result: ToolResult, id: str, turn: int) -> None:
        log.append(("after_tool", name, dict(args), result.output, id, turn))

    hooks = Hooks(before_llm=before_llm, after_llm=after_llm, before_tool=before_tool, after_tool=after_tool)
    agent = Agent(ScriptedModel(calls(ADD), "3"), hooks=hooks, system_prompt="Count.")
    await agent.run("1 + 2?", shelf(tool("add", add)))
    assert log == [
        ("before_llm", 2, ["add"], "scripted", 1),
        ("after_llm", "", "scripted", 1),
        ("before_tool", "add", {"a": 1, "b": 2}, "c1", 1),
        ("after_tool", "add", {"a": 1, "b": 2}, "3", "c1", 1),
        ("before_llm", 4, ["add"], "scripted", 2),
        ("after_llm", "3", "scripted", 2),
    ]


async def test_before_llm_may_replace_messages_for_good_and_tools_for_the_turn() -> None:
    def before_llm(messages: Sequence[ChatMessage], *_: object) -> Replacement:
        return Replacement([*messages[:-1], ChatMessage.user("[redacted]")] if len(messages) == 2 else None, tools=())

    model = ScriptedModel("ok")
    agent = Agent(model, hooks=Hooks(before_llm=before_llm), system_prompt="Be brief.")
    result = await agent.run("my password is 1234", shelf(tool("add")))
    assert model.requests[0].messages == (ChatMessage.system("Be brief."), ChatMessage.user("[redacted]"))
    assert model.requests[0].tools == ()
    assert result.messages == (ChatMessage.user("[redacted]"), ChatMessage.assistant("ok"))


async def test_what_before_llm_tears_apart_is_repaired_before_it_goes_out() -> None:
    def before_llm(messages: Sequence[ChatMessage], *_: object) -> Replacement | None:
        return Replacement(messages[2:]) if len(messages) > 2 else None

    model = ScriptedModel(calls(ADD), "3")
    result = await Agent(model, hooks=Hooks(before_llm=before_llm)).run("?", shelf(tool("add", add)))
    assert [message.role for message in model.requests[1].messages] == ["user"]
    assert "Result of the tool call c1:\n3" in result.messages[0].text


async def test_before_llm_may_change_the_system_prompt_of_one_turn() -> None:
    def before_llm(messages: Sequence[ChatMessage], tools: object, model: object, turn: int) -> Replacement | None:
        return Replacement([ChatMessage.system("Louder!"), *messages[1:]]) if turn == 1 else None

    model = ScriptedModel(calls(ADD), "3")
    agent = Agent(model, hooks=Hooks(before_llm=before_llm), system_prompt="Be brief.")
    result = await agent.run("?", shelf(tool("add", add)))
    assert [request.messages[0].text for request in model.requests] == ["Louder!", "Be brief."]
    assert result.messages[0] == ChatMessage.user("?")


async def test_before_tool_may_rewrite_the_arguments_and_what_is_told_is_what_runs() -> None:
    toolkit = shelf(tool("add", add))
    events: list[StreamEvent] = []
    hooks = Hooks(before_tool=lambda name, args, id, turn: {"a": 5, "b": args["b"]})
    result = await Agent(ScriptedModel(calls(ADD), "7"), hooks=hooks).run("?", toolkit, on_event=events.append)
    assert toolkit.called[0][1] == {"a": 5, "b": 2}
    assert of_kind(events, Kind.TOOL_CALL)[0].args == {"a": 5, "b": 2}
    assert result.tool_calls[0].args == {"a": 5, "b": 2}
    assert result.tool_calls[0].output == "7"


async def test_before_tool_may_answer_instead_of_the_tool() -> None:
    toolkit = shelf(tool("add", add))
    hooks = Hooks(before_tool=lambda *_: ToolResult("cached"))
    result = await Agent(ScriptedModel(calls(ADD), "ok"), hooks=hooks).run("?", toolkit)
    assert toolkit.called == []
    assert result.tool_calls[0].output == "cached"


async def test_before_tool_may_answer_for_a_tool_that_does_not_exist() -> None:
    hooks = Hooks(before_tool=lambda *_: ToolResult("I am it"))
    result = await Agent(ScriptedModel(calls(ADD), "ok"), hooks=hooks).run("?")
    assert result.tool_calls[0].output == "I am it"


async def test_a_hook_cannot_suspend_a_call() -> None:
    suspended = ToolResult.suspended(Request(id="q", kind="approval", prompt="?"))
    hooks = Hooks(before_tool=lambda *_: suspended)
    with pytest.raises(ValueError, match="only a tool can be suspended"):
        await Agent(ScriptedModel(calls(ADD)), hooks=hooks).run("?", shelf(tool("add")))


async def test_hooks_do_not_see_calls_that_cannot_run() -> None:
    seen: list[str] = []
    hooks = Hooks(before_tool=lambda name, *_: seen.append(name), after_tool=lambda name, *_: seen.append(name))
    await Agent(ScriptedModel(calls(("c1", "add", '{"a"')), "ok"), hooks=hooks).run("?", shelf(tool("add")))
    assert seen == []


async def test_after_tool_may_replace_the_result() -> None:
    image = ImagePart(b"png")
    hooks = Hooks(after_tool=lambda name, args, result, id, turn: ToolResult("[hidden]", images=(image,)))
    model = ScriptedModel(calls(ADD), "ok")
    events: list[StreamEvent] = []
    result = await Agent(model, hooks=hooks).run("?", shelf(tool("add", add)), on_event=events.append)
    assert result.tool_calls[0].output == "[hidden]"
    assert of_kind(events, Kind.TOOL_RESULT)[0].output == "[hidden]"
    [sent] = model.requests[1].messages[-1].parts
    assert (sent.output, sent.images) == ("[hidden]", (image,))  # type: ignore[union-attr]


@pytest.mark.parametrize("place", ["before_llm", "after_llm", "before_tool", "after_tool"])
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_hook_that_raises_ends_the_run_with_that_error(place: str, is_async: bool) -> None:
    veto = Veto("no")

    def raises(*_: object) -> Any:
        raise veto

    async def raises_later(*_: object) -> Any:
        await asyncio.sleep(0)
        raise veto

    hooks: dict[str, Any] = {place: raises_later if is_async else raises}
    store = MemoryConversationStore()
    agent = Agent(ScriptedModel(calls(ADD), "3"), hooks=Hooks(**hooks), conversation_store=store)
    before = asyncio.all_tasks()
    with pytest.raises(Veto) as caught:
        await agent.ask("?", shelf(tool("add", add)), id="s")
    assert caught.value is veto
    assert await store.get("s") is None
    assert asyncio.all_tasks() == before


async def test_a_hook_that_raises_stops_the_other_calls_of_the_answer() -> None:
    ended: list[str] = []

    async def wait(_: dict[str, Any], __: object) -> ToolResult:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("wait")
        raise AssertionError

    def before_tool(name: str, *_: object) -> None:
        if name == "add":
            raise Veto

    agent = Agent(ScriptedModel(calls(("c0", "wait", "{}"), ADD)), hooks=Hooks(before_tool=before_tool))
    with pytest.raises(Veto):
        await agent.run("?", shelf(tool("wait", wait), tool("add")))
    assert ended in ([], ["wait"]), "it was stopped, or never began"


async def test_after_llm_sees_the_answer_before_any_of_its_tools_runs() -> None:
    order: list[str] = []

    def note(*_: object) -> str:
        order.append("tool")
        return "3"

    toolkit = shelf(tool("add", note))
    hooks = Hooks(after_llm=lambda response, model, turn: order.append(f"answer {turn}"))
    await Agent(ScriptedModel(calls(ADD), "3"), hooks=hooks).run("?", toolkit)
    assert order == ["answer 1", "tool", "answer 2"]
