"""Making a conversation shorter: when, where it is cut, and what is never lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.agent.agent import Agent
from rillet.core.agent.compaction import HEADING, compactor, estimate
from rillet.core.agent.hooks import Hooks, settled
from rillet.core.agent.trust import is_untrusted
from rillet.core.types import (
    ChatMessage,
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    ToolCallPart,
    ToolResultPart,
)
from support.scripted import Kind, ScriptedModel, calls, conversation, of_kind, shelf, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.agent.events import StreamEvent
    from rillet.core.agent.hooks import Replacement

SYSTEM = ChatMessage.system("Be brief.")
LONG = conversation(*[(f"question {n} {'x' * 40}", f"answer {n} {'y' * 40}") for n in range(10)])


def by_messages(messages: Sequence[ChatMessage]) -> int:
    """Ten tokens each: cuts are easy to tell."""
    return 10 * len(messages)


async def compact(messages: Sequence[ChatMessage], **options: Any) -> Replacement | None:
    settings: dict[str, Any] = {"summarize": lambda old: f"{len(old)} messages", "count_tokens": by_messages}
    hook = compactor(**(settings | options))
    return await settled(hook(messages, (), "m", 1))


async def test_up_to_the_limit_nothing_changes() -> None:
    assert await compact(LONG, max_tokens=200) is None
    assert await compact(LONG, max_tokens=199) is not None


async def test_the_system_prompt_is_kept_and_the_tail_begins_with_a_word_of_the_user() -> None:
    replacement = await compact([SYSTEM, *LONG], max_tokens=100, keep_tail=60)
    assert replacement is not None
    assert replacement.messages is not None
    assert replacement.messages[0] is SYSTEM
    first = replacement.messages[1]
    assert first.role == "user"
    assert first.text == f"{HEADING}\n\n14 messages" + LONG[14].text
    assert tuple(replacement.messages[2:]) == LONG[15:]
    assert replacement.compaction is not None
    assert (replacement.compaction.before, replacement.compaction.after) == (210, 70)
    assert replacement.compaction.summary == "14 messages"


async def test_half_of_the_limit_is_kept_when_nothing_else_is_said() -> None:
    replacement = await compact(LONG, max_tokens=100)
    assert replacement is not None
    assert replacement.messages is not None
    assert len(replacement.messages) == 4, "50 tokens, and a word of the user first"


async def test_a_call_is_never_parted_from_its_result() -> None:
    turn = [
        ChatMessage.user("look"),
        ChatMessage.assistant("", ToolCallPart("c1", "look", "{}")),
        ChatMessage.tool("c1", "x"),
        ChatMessage.assistant("", ToolCallPart("c2", "look", "{}")),
        ChatMessage.tool("c2", "y"),
        ChatMessage.assistant("so"),
    ]
    for keep in range(0, 100, 5):
        replacement = await compact([*LONG, *turn], max_tokens=50, keep_tail=keep)
        assert replacement is not None
        assert replacement.messages is not None
        assert tuple(replacement.messages[-5:]) == tuple(turn[1:]), "the last turn stays whole"


async def test_a_user_message_with_a_result_is_no_beginning() -> None:
    messages = [
        *LONG,
        ChatMessage.assistant("", ToolCallPart("c1", "look", "{}")),
        ChatMessage("user", (ToolResultPart("c1", "x"),)),
    ]
    replacement = await compact(messages, max_tokens=50, keep_tail=10)
    assert replacement is not None
    assert replacement.messages is not None
    assert replacement.messages[0].text.endswith(LONG[-2].text)


@pytest.mark.parametrize("messages", [[SYSTEM], [SYSTEM, LONG[0]], [LONG[0], LONG[1]], [LONG[1]], []])
async def test_what_has_nothing_old_stays_as_it_is(messages: list[ChatMessage]) -> None:
    assert await compact(messages, max_tokens=0) is None


async def test_what_is_about_to_go_can_be_kept_elsewhere_first() -> None:
    order: list[str] = []

    async def flush(old: Sequence[ChatMessage]) -> None:
        order.append(f"flush {len(old)}")

    async def summarize(old: Sequence[ChatMessage]) -> str:
        order.append(f"summarize {len(old)}")
        return "short"

    await compact(LONG, max_tokens=100, keep_tail=40, summarize=summarize, flush_to_memory=flush)
    assert order == ["flush 16", "summarize 16"]


async def test_an_empty_summary_is_no_summary() -> None:
    with pytest.raises(ValueError, match="empty"):
        await compact(LONG, max_tokens=100, summarize=lambda _: "  ")


async def test_a_summary_that_fails_fails_the_run_and_changes_nothing() -> None:
    def summarize(_: object) -> str:
        raise RuntimeError("no model for it")

    agent = Agent(ScriptedModel(), hooks=Hooks(before_llm=compactor(max_tokens=10, summarize=summarize)))
    with pytest.raises(RuntimeError, match="no model for it"):
        await agent.run("go", history=LONG)


async def test_a_run_goes_on_with_the_shorter_conversation_and_tells_of_it() -> None:
    events: list[StreamEvent] = []
    model = ScriptedModel(calls(("c1", "look", "{}")), "done")
    hook = compactor(max_tokens=200, summarize=lambda old: "they talked")
    agent = Agent(model, hooks=Hooks(before_llm=hook), system_prompt="Be brief.")
    result = await agent.run("go on", shelf(tool("look")), history=LONG, on_event=events.append)
    [compacted] = of_kind(events, Kind.COMPACTED)
    assert compacted.before > 200 > compacted.after > 0
    assert compacted.output == "they talked"
    assert events[events.index(compacted) + 1].type is Kind.TURN
    sent = model.requests[0].messages
    assert sent[0] == SYSTEM
    assert sent[1].text.startswith(HEADING)
    assert result.messages[0] == sent[1], "the transcript is the shorter one too"
    assert result.repairs == ()
    assert len(model.requests[1].messages) == len(sent) + 2, "once is enough"
    assert not is_untrusted([sent[1]], lambda _: None), "a summary of words of the user and the model"


async def test_a_conversation_can_be_shortened_again_and_again() -> None:
    hook = compactor(max_tokens=100, summarize=lambda old: f"summary of {old[0].text[:20]!r}", keep_tail=40)
    history: tuple[ChatMessage, ...] = ()
    for n in range(12):
        agent = Agent(ScriptedModel(f"answer {'y' * 40}"), hooks=Hooks(before_llm=hook))
        history = (await agent.run(f"question {n} {'x' * 40}", history=history)).messages
    assert estimate(history) < 150
    assert sum(message.text.count(HEADING) for message in history) == 1


def test_every_kind_of_part_counts() -> None:
    def counted(message: ChatMessage) -> int:
        return estimate([message])

    empty = counted(ChatMessage("assistant", ()))
    for part in (
        ReasoningPart("thinking of it"),
        ToolCallPart("c", "weather", '{"city": "X"}'),
        ToolResultPart("c", "sunny and warm"),
        ImagePart(b"png"),
        FilePart(b"%PDF", media_type="application/pdf"),
        FilePart(b"text" * 8000, media_type="text/plain"),
        OpaquePart("anthropic", {"type": "x"}),
    ):
        assert counted(ChatMessage("assistant", (part,))) > empty
    document = FilePart(b"%PDF", media_type="application/pdf", text="word " * 4000)
    as_file, as_text = (ChatMessage("user", (replace(document, as_text=flag),)) for flag in (False, True))
    assert counted(as_file) > counted(as_text) > 4000
    with_image = ToolResultPart("c", "", images=(ImagePart(b"png"),))
    assert counted(ChatMessage("tool", (with_image,))) > counted(ChatMessage("tool", (ToolResultPart("c", ""),)))
