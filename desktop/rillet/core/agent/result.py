"""What a run comes to: its answer, its transcript, and what it is waiting for.

Pure values. Above: ``types``. Below: ``events``, the loop, and hosts; ``result_json`` writes a result down for another
process. Guarantee: ``messages`` is a conversation that every provider accepts as it stands or with a new prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, TypeAlias

from rillet.core.types import ChatMessage, FinishReason, ToolCallPart, ToolResultPart, Usage
from rillet.core.types.suspension import Answer, Request

Status: TypeAlias = Literal["done", "pending", "incomplete"]


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One tool call of a run, as it ran and what it gave."""

    id: str
    name: str
    args: Mapping[str, Any] | None
    """As the tool got them; None when what the model wrote was no object, so that nothing ran."""
    output: str
    _: KW_ONLY
    is_error: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    ms: float = 0.0
    """How long it took, from TOOL_CALL to TOOL_RESULT, waiting for answers included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The turn that could not be finished, because a call waits for an answer and nobody was there to give it."""

    request: Request
    """What is asked."""
    call: ToolCallPart
    """The call that asks."""
    args: Mapping[str, Any]
    """With what it runs: a hook may have changed what the model wrote."""
    answer: ChatMessage
    """The model's answer with all its calls; it is not in ``RunResult.messages`` yet."""
    results: tuple[ToolResultPart, ...] = ()
    """Of the calls of this answer that have ended: they are never run again."""
    approval: Answer | None = None
    """What was answered when the call asked whether it may run, if this is its second question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run, ended in one of three ways: ``done``, ``pending`` (see there), or ``incomplete`` for the ``limit``."""

    text: str
    """The final answer; what the model said last when there is none."""
    messages: tuple[ChatMessage, ...]
    """The conversation, the given history included, without the agent's own system prompt. Of a pending run it ends
    before the open turn."""
    status: Status
    tool_calls: tuple[ToolCallRecord, ...] = ()
    """Every call that has ended, in call order."""
    turns: int = 0
    """How often the model was called."""
    usage: Usage | None = None
    """All turns together; None when no turn reported any."""
    model: str | None = None
    """The model that answered, as the provider names it."""
    finish_reason: FinishReason | None = None
    """Why the model stopped, the last time."""
    refusal: str | None = None
    """What the model said instead of answering, when it refused."""
    limit: Literal["max_turns"] | None = None
    pending: Pending | None = None
    repairs: tuple[str, ...] = ()
    """What had to be changed in the given history so that a provider accepts it."""
    id: str | None = None
    """The conversation that it was saved to."""

    @property
    def tool_call_count(self) -> int:
        """How many calls have ended."""
        return len(self.tool_calls)
