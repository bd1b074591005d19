"""The whole answer: what ``fold`` makes of a stream and what a non-streaming call returns.

Pure values. Above: ``messages``, ``usage``, ``deltas``.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from rillet.core.types.deltas import FinishReason
from rillet.core.types.messages import ChatMessage
from rillet.core.types.parts import ToolCallPart
from rillet.core.types.usage import Usage

ToolCall: TypeAlias = ToolCallPart
"""In an answer a tool call is the part that goes back into the conversation: id, name, arguments, parsed."""


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """An answer, or as much of it as arrived (``incomplete``)."""

    message: ChatMessage
    _: KW_ONLY
    finish_reason: FinishReason | None = None
    """None when the answer is incomplete."""
    usage: Usage | None = None
    model: str | None = None
    refusal: str | None = None
    incomplete: bool = False

    @property
    def text(self) -> str:
        """The visible text."""
        return self.message.text

    @property
    def reasoning(self) -> str:
        """What the model thought before."""
        return self.message.reasoning

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tools the model wants run; those with ``parsed is None`` must never run."""
        return self.message.tool_calls
