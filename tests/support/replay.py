"""Feeds recorded bytes to a codec's decoder the way the client does, and shows what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rillet.core.errors import LlmError
from rillet.core.types import ChatResponse, Delta, ToolCallDelta
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.wire.codec import StreamDecoder


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer, decoded to its end."""

    deltas: list[Delta]
    failure: LlmError | None
    response: ChatResponse


def replay(decoder: StreamDecoder, reads: Iterable[bytes]) -> Outcome:
    """Read until the decoder has enough or the body ends."""
    deltas: list[Delta] = []
    for read in reads:
        deltas += decoder.feed(read)
        if decoder.ended or decoder.failure is not None:
            break
    deltas += decoder.finish()
    return Outcome(deltas, decoder.failure, fold(deltas))


def summary(outcome: Outcome) -> dict[str, Any]:
    """What the expectations of the corpus speak of, in their words; ids that were invented are None."""
    response, failure = outcome.response, outcome.failure
    sent = {delta.id for delta in outcome.deltas if isinstance(delta, ToolCallDelta)}
    calls = [
        {
            "id": call.id if call.id in sent else None,
            "name": call.name,
            "arguments": call.parsed,
            "arguments_raw": call.arguments,
        }
        for call in response.tool_calls
    ]
    usage = response.usage
    return {
        "text": response.text,
        "reasoning": response.reasoning,
        "tool_calls": calls,
        "finish": "error" if failure is not None and failure.kind != "network" else response.finish_reason,
        "usage_norm": usage
        and {
            "input_total": usage.prompt_tokens,
            "output_total": usage.completion_tokens,
            "cached": usage.cached_tokens,
            "reasoning": usage.reasoning_tokens,
        },
        "kind": failure and failure.kind,
        "incomplete": response.incomplete and failure is not None and failure.kind == "network",
    }


def expected(expect: dict[str, Any]) -> dict[str, Any]:
    """The same from an expectation."""
    usage = expect.get("usage_norm")
    if usage is None and expect["usage"] is not None:  # where it is left out, the raw counts are the meaning
        raw = expect["usage"]
        usage = {"input_total": raw["prompt"], "output_total": raw["completion"], **raw}
    return {
        "text": expect["text"],
        "reasoning": expect["reasoning"],
        "tool_calls": expect["tool_calls"],
        "finish": expect["finish"]["norm"],
        "usage_norm": usage and {key: usage[key] for key in ("input_total", "output_total", "cached", "reasoning")},
        "kind": expect["error"] and expect["error"]["kind"],
        "incomplete": expect["incomplete"],
    }
