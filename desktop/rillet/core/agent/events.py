"""What a run tells while it goes on.

Pure values. Above: ``types``, ``result``. Below: the loop makes events, ``outlet`` delivers them, views show them. One
frozen class for every kind, so that a consumer that ignores kinds it does not know works unchanged when one is added.
A msgspec struct, because an answer makes tens of thousands of them.

Within a turn they come in this order:

    TURN                                     a model call begins
    RETRY*                                   it failed and is sent again
    (TEXT | REASONING | TOOL_CALL_DELTA | PART | RESTARTED)*
    USAGE                                    if the turn reports it: all turns together
    TOOL_CALL                                in call order, each just before the call runs
    PROGRESS*, PENDING*                      of a call that runs, that waits for an answer
    TOOL_RESULT                              as each call ends

REPAIRED comes at most once, before the first turn; COMPACTED before the TURN whose conversation is the shorter one;
DONE last, exactly once. A run that fails ends with its exception instead. One with nobody to ask tells PENDING once,
right before DONE, when the other calls of the answer have ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, assert_never, cast

import msgspec

from rillet.core.agent.result import RunResult
from rillet.core.errors import LlmError
from rillet.core.types import (
    Delta,
    Finished,
    ImagePart,
    Part,
    PartDelta,
    ReasoningDelta,
    Restarted,
    RetryNotice,
    TextDelta,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from rillet.core.types.suspension import Request


class StreamEvent(msgspec.Struct, frozen=True):
    """One thing that happened. Which fields say something depends on ``type``; the others keep their defaults."""

    class Kind(StrEnum):
        """What can happen, and which fields tell it.

        Attributes:
            TEXT: ``delta``: the next piece of visible text.
            REASONING: ``delta``: the next piece of the model's reasoning.
            TOOL_CALL_DELTA: ``delta``: the next slice of the arguments of call ``index``; ``id`` and ``name`` on its
                first.
            PART: ``part``: an image, or whatever else the model made in one piece.
            RESTARTED: The provider began this answer anew: what came since TURN does not count.
            TURN: ``turn``: the model is called for the so-manyth time, counted from 1.
            RETRY: ``attempt`` is the coming one, ``delay`` the seconds until then, ``error`` the reason.
            USAGE: ``usage``: accumulated so far, over all turns of the run.
            TOOL_CALL: ``id``, ``name``, ``args``: the call that runs now, as it runs.
            PROGRESS: ``id``, ``name``: a call is ``done`` of ``total`` (None: unknown) through, ``output`` says it in
                words.
            PENDING: ``request``, ``id``, ``name``: the call waits for an answer; told before anybody is asked.
            TOOL_RESULT: ``id``, ``name``, ``output``, ``is_error``, ``images``, ``metadata``: what the call gave.
            COMPACTED: ``before``, ``after``: the estimated tokens of the conversation; ``output`` is the summary.
            REPAIRED: ``repairs``: what had to be changed in the given conversation so that a provider accepts it.
            DONE: ``result``: the object that the call returns.
        """

        TEXT = "text"
        REASONING = "reasoning"
        TOOL_CALL_DELTA = "tool_call_delta"
        PART = "part"
        RESTARTED = "restarted"
        TURN = "turn"
        RETRY = "retry"
        USAGE = "usage"
        TOOL_CALL = "tool_call"
        PROGRESS = "progress"
        PENDING = "pending"
        TOOL_RESULT = "tool_result"
        COMPACTED = "compacted"
        REPAIRED = "repaired"
        DONE = "done"

    type: Kind
    delta: str = ""
    id: str | None = None
    name: str | None = None
    args: Mapping[str, Any] | None = None
    output: str = ""
    is_error: bool = False
    usage: Usage | None = None
    request: Request | None = None
    result: RunResult | None = None
    index: int = 0
    turn: int = 0
    attempt: int = 0
    delay: float = 0.0
    error: LlmError | None = None
    part: Part | None = None
    metadata: Mapping[str, Any] | None = None
    images: tuple[ImagePart, ...] = ()
    done: float = 0.0
    total: float | None = None
    before: int = 0
    after: int = 0
    repairs: tuple[str, ...] = ()


_TEXT = StreamEvent.Kind.TEXT
_CALL = StreamEvent.Kind.TOOL_CALL_DELTA
_TEXT_ONLY = {TextDelta}


def told(deltas: Sequence[Delta]) -> list[StreamEvent]:
    """What a model sent, as events: each delta one. Counts and the end are for the loop to tell, for the whole run."""
    if set(map(type, deltas)) == _TEXT_ONLY:
        return [StreamEvent(_TEXT, delta.text) for delta in cast("Sequence[TextDelta]", deltas) if delta.text]
    events: list[StreamEvent] = []
    for delta in deltas:
        match delta:
            case TextDelta():
                if text := delta.text:
                    events.append(StreamEvent(_TEXT, text))
            case ReasoningDelta():
                if text := delta.text:
                    events.append(StreamEvent(StreamEvent.Kind.REASONING, text))
            case ToolCallDelta():
                events.append(StreamEvent(_CALL, delta.arguments, delta.id, delta.name, index=delta.index))
            case PartDelta():
                events.append(StreamEvent(StreamEvent.Kind.PART, part=delta.part))
            case RetryNotice(attempt=attempt, delay=delay, error=error):
                events.append(StreamEvent(StreamEvent.Kind.RETRY, attempt=attempt, delay=delay, error=error))
            case Restarted():
                events.append(StreamEvent(StreamEvent.Kind.RESTARTED))
            case UsageDelta() | Finished():
                pass
            case _:
                assert_never(delta)
    return events
