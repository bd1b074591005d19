"""Makes a conversation that has become too long shorter: what is old is summarized, what is recent stays as it is.

A ``before_llm`` hook. Above: ``hooks``, ``token_estimate``. Below: hosts put ``compactor(…)`` into their ``Hooks``; the
chats of the program, which show and keep their summaries, count and place them with what is here. Knows no model: the
host says how to summarize. Guarantees: below the limit nothing changes; the system prompt is kept verbatim; what is
kept begins with a word of the user, so that no call is parted from its result; a summary that fails fails the run
instead of losing what it should have summed up.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from rillet.core.agent.hooks import Compaction, Replacement, settled
from rillet.core.agent.trust import KEY
from rillet.core.token_estimate import estimate_tokens
from rillet.core.types import (
    ChatMessage,
    FilePart,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from rillet.core.agent.hooks import BeforeLlm
    from rillet.core.types import Part, ToolSpec

HEADING: Final = "Summary of the conversation so far:"
_PER_MESSAGE: Final = 4
"""What roles and separators take in the templates of most models."""
_PER_IMAGE: Final = 1000
"""Providers count 85 to 1,600 for one, by its size."""


def compactor(
    *,
    max_tokens: int,
    summarize: Callable[[Sequence[ChatMessage]], str | Awaitable[str]],
    keep_tail: int | None = None,
    count_tokens: Callable[[Sequence[ChatMessage]], int] | None = None,
    flush_to_memory: Callable[[Sequence[ChatMessage]], Awaitable[None] | None] | None = None,
) -> BeforeLlm:
    """A ``before_llm`` hook that keeps a conversation below ``max_tokens``, as far as its last turn allows.

    Args:
        max_tokens: Up to here nothing happens.
        summarize: Says in words what the messages it is given say; usually with a call of a model.
        keep_tail: How many tokens at the end stay as they are, the last turn always. None: half of ``max_tokens``.
        count_tokens: Counts a conversation. None: ``estimate``.
        flush_to_memory: Gets what is about to be summarized, to keep what should not be lost.
    """
    count = count_tokens or estimate
    budget = max_tokens // 2 if keep_tail is None else keep_tail

    async def before_llm(
        messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], model: str | None, turn: int
    ) -> Replacement | None:
        before = count(messages)
        if before <= max_tokens:
            return None
        head = 1 if messages and messages[0].role == "system" else 0
        cut = _cut(messages, head, budget, count)
        if cut is None:
            return None
        old = messages[head:cut]
        if flush_to_memory is not None:
            await settled(flush_to_memory(old))
        summary = await settled(summarize(old))
        if not summary.strip():
            raise ValueError("the summary of the conversation is empty")
        shorter = [*messages[:head], led_by(summary, messages[cut]), *messages[cut + 1 :]]
        return Replacement(shorter, compaction=Compaction(summary, before, count(shorter)))

    return before_llm


def estimate(messages: Sequence[ChatMessage]) -> int:
    """About how many tokens a conversation takes."""
    return sum(_PER_MESSAGE + sum(map(part_tokens, message.parts)) for message in messages)


def part_tokens(part: Part) -> int:
    """About how many tokens a part takes."""
    match part:
        case TextPart() | ReasoningPart():
            return estimate_tokens(part.text)
        case ToolCallPart():
            return estimate_tokens(part.name) + estimate_tokens(part.arguments)
        case ToolResultPart():
            return estimate_tokens(part.output) + _PER_IMAGE * len(part.images)
        case ImagePart():
            return _PER_IMAGE
        case FilePart():
            return _file_tokens(part)
        case _:
            return estimate_tokens(str(part.data))


def _file_tokens(file: FilePart) -> int:
    """About how many tokens a file takes.

    A document that is sent as it is costs its text and a picture of each page: about three times the text.
    """
    if file.text is not None:
        return estimate_tokens(file.text) * (1 if file.as_text else 3)
    return -(-len(file.data) // 4) if file.media_type.startswith("text/") else _PER_IMAGE


def led_by(summary: str, message: ChatMessage) -> ChatMessage:
    """The first message that is kept, the summary before it: users and assistants still speak by turns."""
    part = TextPart(f"{HEADING}\n\n{summary}", provider_metadata={KEY: {"summary": True}})
    return ChatMessage(message.role, (part, *message.parts))


def begins_a_turn(message: ChatMessage) -> bool:
    """Whether it is a word of the user, before which a conversation may be cut."""
    return message.role == "user" and not any(isinstance(part, ToolResultPart) for part in message.parts)


def _cut(
    messages: Sequence[ChatMessage], head: int, budget: int, count: Callable[[Sequence[ChatMessage]], int]
) -> int | None:
    """Where the kept tail begins: the earliest word of the user from which the rest fits, else the last one.

    None when nothing stands before it.
    """
    starts = [at for at in range(head, len(messages)) if begins_a_turn(messages[at])]
    if not starts:
        return None
    fitting = bisect_left(starts, True, key=lambda at: count(messages[at:]) <= budget)
    cut = starts[min(fitting, len(starts) - 1)]
    return cut if cut > head else None
