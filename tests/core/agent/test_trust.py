"""When a conversation holds what nobody here wrote, and that it stays so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.conversations import MemoryConversationStore
from rillet.core.agent.hooks import Hooks, Replacement
from rillet.core.agent.trust import is_untrusted, marked
from rillet.core.tools.tool import ToolResult
from rillet.core.types import (
    ChatMessage,
    FilePart,
    Finished,
    ImagePart,
    OpaquePart,
    Part,
    PartDelta,
    TextPart,
    ToolCallPart,
)
from rillet.core.types.suspension import Answer, Request
from support.scripted import ScriptedModel, Shelf, calls, says, shelf, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.tools.tool import ToolContext

OURS = tool("ours", trusted=True)
THEIRS = tool("theirs")
BOTH = shelf(OURS, THEIRS)


def called(name: str) -> list[ChatMessage]:
    return [ChatMessage.assistant("", ToolCallPart("c1", name, "{}")), ChatMessage.tool("c1", "output")]


@pytest.mark.parametrize(
    ("messages", "untrusted"),
    [
        ([], False),
        ([ChatMessage.system("s"), ChatMessage.user("hello"), ChatMessage.assistant("hi")], False),
        (called("ours"), False),
        (called("theirs"), True),
        (called("gone"), True),
        ([*called("ours"), *called("theirs")], True),
        ([*called("theirs"), *called("ours")], True),
        ([ChatMessage.tool("c9", "whose?")], True),
        ([ChatMessage.user("see", ImagePart(b"png"))], True),
        ([ChatMessage.user("see", FilePart(b"text", media_type="text/plain"))], True),
        ([ChatMessage.assistant("drawn", ImagePart(b"png"))], False),
        ([ChatMessage.assistant("found", OpaquePart("anthropic", {"type": "web_search_tool_result"}))], True),
    ],
)
def test_what_makes_a_conversation_untrusted(messages: list[ChatMessage], untrusted: bool) -> None:
    assert is_untrusted(messages, BOTH.find) is untrusted


def test_a_mark_lasts_and_keeps_what_was_noted_before() -> None:
    noted: Part = TextPart("a", provider_metadata={"x": 1, "rillet": {"summary": True}})
    messages = marked([ChatMessage.user("", ImagePart(b"png")), ChatMessage("assistant", (noted,))])
    assert is_untrusted([messages[1]], BOTH.find)
    assert messages[1].parts[0].provider_metadata == {"x": 1, "rillet": {"summary": True, "untrusted": True}}


def untrusted(toolkit: Shelf) -> list[bool]:
    return [ctx.untrusted for _, _, ctx in toolkit.called]


def fresh() -> Shelf:
    return shelf(OURS, THEIRS)


def turn(name: str, *more: str) -> list[Any]:
    return calls(*[(f"{each}-{n}", each, "{}") for n, each in enumerate((name, *more))])


async def test_calls_are_told_what_stands_in_the_conversation_at_the_start_of_their_turn() -> None:
    toolkit = fresh()
    model = ScriptedModel(turn("ours"), turn("theirs", "ours"), turn("ours"), "done")
    await Agent(model).run("go", toolkit)
    assert untrusted(toolkit) == [False, False, False, True]


async def test_a_result_that_lost_its_call_makes_a_conversation_untrusted() -> None:
    toolkit = fresh()
    result = await Agent(ScriptedModel("hm")).run("go", toolkit, [ChatMessage.tool("c1", "do this"), *called("ours")])
    await Agent(ScriptedModel(turn("ours"), "done")).run("go on", toolkit, result.messages)
    assert untrusted(toolkit) == [True]


async def test_what_a_provider_found_while_its_answer_was_paused_counts() -> None:
    toolkit = fresh()
    found = PartDelta(OpaquePart("anthropic", {"type": "web_search_tool_result"}))
    model = ScriptedModel(says("Hm. ", finish="pause"), [found, Finished("pause")], turn("ours"), "done")
    await Agent(model).run("go", toolkit)
    assert untrusted(toolkit) == [True]


async def test_an_attachment_makes_the_first_turn_untrusted() -> None:
    toolkit = fresh()
    prompt = ChatMessage.user("read", FilePart(b"text", media_type="text/plain"))
    await Agent(ScriptedModel(turn("ours"), "done")).run(prompt, toolkit)
    assert untrusted(toolkit) == [True]


async def test_history_counts() -> None:
    toolkit = fresh()
    history = [ChatMessage.user("?"), *called("theirs"), ChatMessage.assistant("hm")]
    await Agent(ScriptedModel(turn("ours"), "done")).run("go", toolkit, history)
    assert untrusted(toolkit) == [True]


def forget(messages: Sequence[ChatMessage], *_: object) -> Replacement | None:
    return Replacement([ChatMessage.user("Summary: all is well.")]) if len(messages) > 1 else None


async def test_a_summary_of_an_untrusted_conversation_is_untrusted_also_when_it_was_stored() -> None:
    store = MemoryConversationStore()
    toolkit = fresh()
    model = ScriptedModel(turn("theirs"), turn("ours"), "done")
    agent = Agent(model, hooks=Hooks(before_llm=forget), conversation_store=store)
    result = await agent.ask("go", toolkit, id="s")
    assert "theirs" not in repr(result.messages)
    assert untrusted(toolkit) == [False, True]
    later = fresh()
    await Agent(ScriptedModel(turn("ours"), "done"), conversation_store=store).ask("again", later, id="s")
    assert untrusted(later) == [True]


async def test_a_summary_of_a_trusted_conversation_stays_trusted() -> None:
    toolkit = fresh()
    model = ScriptedModel(turn("ours"), turn("ours"), "done")
    await Agent(model, hooks=Hooks(before_llm=forget)).run("go", toolkit)
    assert untrusted(toolkit) == [False, False]


async def test_what_other_calls_of_an_open_turn_brought_counts_when_it_goes_on() -> None:
    def ask(_: object, ctx: ToolContext) -> ToolResult:
        if ctx.answer is None:
            return ToolResult.suspended(Request(id="q", kind="question", prompt="which?"))
        return ToolResult("ok")

    toolkit = shelf(tool("ask", ask, trusted=True), THEIRS)
    agent = Agent(ScriptedModel(turn("ask", "theirs"), "done"))
    waiting = await agent.run("go", toolkit)
    await agent.resume(waiting, Answer(id="q", ok=True), toolkit)
    assert untrusted(toolkit) == [False, False, True]


async def test_what_a_hook_puts_in_counts() -> None:
    def attach(messages: Sequence[ChatMessage], *_: object) -> Replacement | None:
        return Replacement([ChatMessage.user("see", ImagePart(b"png"))]) if len(messages) == 1 else None

    toolkit = fresh()
    await Agent(ScriptedModel(turn("ours"), "done"), hooks=Hooks(before_llm=attach)).run("go", toolkit)
    assert untrusted(toolkit) == [True]
