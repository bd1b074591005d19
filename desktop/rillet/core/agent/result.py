"""What a run comes to: its answer, its transcript, and what it is waiting for.

Pure values. Above: ``types``. Below: ``events``, the loop, and hosts. Guarantees: ``messages`` is a conversation that
every provider accepts with a new prompt; a result that was written down and read again, here or in another process, is
the same result, and the run that it left open goes on with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import msgspec

from rillet.core.types import ChatMessage, FinishReason, ToolCallPart, ToolResultPart, Usage
from rillet.core.types.saved import dump_messages, dump_parts, encode, load_messages, load_parts
from rillet.core.types.suspension import Answer, Request

Status: TypeAlias = Literal["done", "pending", "incomplete"]

Limit: TypeAlias = Literal["max_turns", "max_tokens"]

VERSION: Final = 1


class ToolCallRecord(msgspec.Struct, frozen=True):
    """One tool call of a run, as it ran and what it gave."""

    id: str
    name: str
    args: Mapping[str, Any] | None
    """As the tool got them; None when what the model wrote was no object, so that nothing ran."""
    output: str
    is_error: bool = False
    metadata: Mapping[str, Any] = msgspec.field(default_factory=dict)
    ms: float = 0.0
    """How long it took, from TOOL_CALL to TOOL_RESULT, waiting for answers included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The turn that could not be finished, because a call waits for an answer and nobody was there to give it.

    Attributes:
        request: What is asked.
        call: The call that asks.
        args: With what it runs: a hook may have changed what the model wrote.
        answer: The model's answer with all its calls; it is not in ``RunResult.messages`` yet.
        results: Of the calls of this answer that have ended: they are never run again.
        approval: What was answered when the call asked whether it may run, if this is its second question.
    """

    request: Request
    call: ToolCallPart
    args: Mapping[str, Any]
    answer: ChatMessage
    results: tuple[ToolResultPart, ...] = ()
    approval: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run, ended in one of three ways: ``done``, ``pending`` (see there), or ``incomplete`` for the ``limit``.

    Attributes:
        text: The final answer; what the model said last when there is none.
        messages: The conversation, the given history included, without the agent's own system prompt. Of a pending run
            it ends before the open turn.
        status: "done", "pending" or "incomplete".
        tool_calls: Every call that has ended, in call order.
        turns: How often the model was called.
        usage: All turns together; None when no turn reported any.
        model: The model that answered, as the provider names it.
        finish_reason: Why the model stopped, the last time.
        refusal: What the model said instead of answering, when it refused.
        limit: What it ran into: calls of the model (``max_turns``), or tokens of its answer.
        pending: What it waits for; there if the status says so.
        repairs: What had to be changed in the given history so that a provider accepts it.
        id: The conversation that it was saved to.
    """

    text: str
    messages: tuple[ChatMessage, ...]
    status: Status
    tool_calls: tuple[ToolCallRecord, ...] = ()
    turns: int = 0
    usage: Usage | None = None
    model: str | None = None
    finish_reason: FinishReason | None = None
    refusal: str | None = None
    limit: Limit | None = None
    pending: Pending | None = None
    repairs: tuple[str, ...] = ()
    id: str | None = None

    @property
    def tool_call_count(self) -> int:
        """How many calls have ended."""
        return len(self.tool_calls)

    def to_json(self) -> bytes:
        """Write it down. Of ``metadata`` and ``args`` only what JSON can say is kept."""
        data = {
            "version": VERSION,
            **{name: getattr(self, name) for name in _PLAIN},
            "messages": msgspec.Raw(dump_messages(self.messages)),
            "tool_calls": [_record_to_data(record) for record in self.tool_calls],
            "usage": msgspec.to_builtins(self.usage),
            "pending": None if self.pending is None else _pending_to_data(self.pending),
        }
        return encode(data)

    @classmethod
    def from_json(cls, data: bytes) -> RunResult:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: it is something else, or of a later version.
        """
        saved = msgspec.json.decode(data, type=_Saved)
        return cls(
            **{name: getattr(saved, name) for name in _PLAIN},
            messages=load_messages(bytes(saved.messages)),
            tool_calls=saved.tool_calls,
            usage=saved.usage,
            pending=None if saved.pending is None else _pending_from_data(saved.pending),
        )


_PLAIN: Final = ("text", "status", "turns", "model", "finish_reason", "refusal", "limit", "repairs", "id")
"""The fields that are JSON values as they are."""


class _Saved(msgspec.Struct):
    """A result as it is written down."""

    version: Literal[1]
    text: str
    status: Status
    turns: int
    model: str | None
    finish_reason: FinishReason | None
    refusal: str | None
    limit: Limit | None
    repairs: tuple[str, ...]
    id: str | None
    messages: msgspec.Raw
    tool_calls: tuple[ToolCallRecord, ...]
    usage: Usage | None
    pending: _SavedPending | None


class _SavedPending(msgspec.Struct):
    """What it waits for."""

    request: Request
    call_id: str
    args: dict[str, Any]
    answer: msgspec.Raw
    """The parts of the model's answer."""
    results: msgspec.Raw
    approval: Answer | None


def _pending_to_data(pending: Pending) -> dict[str, Any]:
    return {
        "request": msgspec.to_builtins(pending.request),
        "call_id": pending.call.id,
        "args": _sayable(pending.args),
        "answer": msgspec.Raw(dump_parts(pending.answer.parts)),
        "results": msgspec.Raw(dump_parts(pending.results)),
        "approval": msgspec.to_builtins(pending.approval),
    }


def _pending_from_data(saved: _SavedPending) -> Pending:
    answer = ChatMessage("assistant", load_parts(bytes(saved.answer)))
    call = next((call for call in answer.tool_calls if call.id == saved.call_id), None)
    if call is None:
        raise ValueError("the call that waits is not in the answer")
    return Pending(
        request=saved.request,
        call=call,
        args=saved.args,
        answer=answer,
        results=tuple(part for part in load_parts(bytes(saved.results)) if isinstance(part, ToolResultPart)),
        approval=saved.approval,
    )


def _record_to_data(record: ToolCallRecord) -> dict[str, Any]:
    args = None if record.args is None else _sayable(record.args)
    plain = {name: getattr(record, name) for name in ("id", "name", "output", "is_error", "ms")}
    return plain | {"args": args, "metadata": _sayable(record.metadata)}


def _sayable(values: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON can say of ``values``: hosts put into metadata what they like."""
    said = {}
    for name, value in values.items():
        try:
            said[name] = msgspec.json.decode(encode(value))
        except (TypeError, ValueError, OverflowError, RecursionError):
            continue
    return said
