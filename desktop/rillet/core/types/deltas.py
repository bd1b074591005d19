"""What a stream is made of, one small value per piece that arrived.

Made by ``wire`` decoders and by ``client`` (retries), delivered unchanged to listeners, folded to a ``ChatResponse`` by
``wire/fold``. These are msgspec structs rather than dataclasses: a stream makes tens of thousands of them, and a struct
costs a fifth to create and nothing to the cyclic garbage collector.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from rillet.core.errors import LlmError
from rillet.core.types.parts import Part
from rillet.core.types.usage import Usage

FinishReason: TypeAlias = Literal[
    "stop",
    "length",
    "tool_calls",
    "content_filter",
    "refusal",
    "stop_sequence",
    "pause",
    "error",
    "unknown",
]


class TextDelta(msgspec.Struct, frozen=True, gc=False):
    """The next piece of visible text."""

    text: str
    provider_metadata: dict[str, Any] | None = None


class ReasoningDelta(msgspec.Struct, frozen=True, gc=False):
    """The next piece of the model's reasoning; empty text with metadata closes or signs it."""

    text: str
    provider_metadata: dict[str, Any] | None = None


class ToolCallDelta(msgspec.Struct, frozen=True, gc=False):
    """The next piece of a tool call.

    ``index`` counts from 0 in order of appearance, whatever the wire says. ``name`` is on the first delta of an index
    and nowhere else; ``id`` too, or None there when the provider sends none. ``arguments`` is the next slice of the
    JSON text, possibly empty.
    """

    index: int
    id: str | None
    name: str | None
    arguments: str
    provider_metadata: dict[str, Any] | None = None


class UsageDelta(msgspec.Struct, frozen=True, gc=False):
    """The counts as known now; a later one replaces an earlier one."""

    usage: Usage


class PartDelta(msgspec.Struct, frozen=True):
    """A part that arrived whole: an image, audio, a block only its provider understands."""

    part: Part


class RetryNotice(msgspec.Struct, frozen=True):
    """The request failed before anything of the answer arrived and is sent again.

    ``attempt`` is the number of the coming attempt (2 for the first repetition), ``delay`` the seconds until then.
    """

    attempt: int
    delay: float
    error: LlmError


class Restarted(msgspec.Struct, frozen=True, gc=False):
    """The provider began the answer anew: nothing that it sent before counts any more.

    A gateway does so when the server behind it failed in the middle (vercel/ai, "spliced message start"). Whoever shows
    deltas has to set aside what it showed; tool calls go on being counted where they were, so that no index means two.
    """


class Finished(msgspec.Struct, frozen=True, kw_only=False):
    """The answer is complete; always the last delta of a stream that did not fail."""

    reason: FinishReason
    model: str | None = None
    """The model that answered, as the provider names it."""
    refusal: str | None = None
    """What the model said instead of answering, when it refused."""


Delta: TypeAlias = (
    TextDelta | ReasoningDelta | ToolCallDelta | UsageDelta | PartDelta | RetryNotice | Restarted | Finished
)
