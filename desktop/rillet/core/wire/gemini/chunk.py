"""What a chunk looks like: the common one as a type, the others as predicates.

Pure. Above: ``usage``. Below: ``decode``. A chunk that adds nothing but one piece of text or thought, as nearly every
chunk does, is recognised by its type alone: what fits ``Plain`` needs no second look, and what does not is read as a
dict with all tolerance (``tests/bench/gemini_decode.py``).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rillet.core.wire.gemini.usage import Counts

_KNOWN = frozenset(("candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"))


class Empty(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """An object that tells nothing."""


class PlainPart(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A piece of text or thought, without a signature."""

    text: str
    thought: bool = False


class PlainContent(msgspec.Struct, gc=False):
    """Exactly one part."""

    parts: tuple[PlainPart]


class PlainCandidate(msgspec.Struct, gc=False, rename="camel"):
    """The first candidate, going on."""

    content: PlainContent
    index: Literal[0] = 0
    finish_reason: None = None
    grounding_metadata: Empty | None = None
    citation_metadata: Empty | None = None
    url_context_metadata: Empty | None = None


class Plain(msgspec.Struct, gc=False, rename="camel"):
    """A chunk of text. Every other field of interest is declared empty; fields that do not matter are ignored."""

    candidates: tuple[PlainCandidate]
    usage_metadata: Counts | None = None
    model_version: str | None = None
    prompt_feedback: None = None
    error: None = None


decode_plain = msgspec.json.Decoder(Plain).decode
"""Raises ``msgspec.MsgspecError`` or ``RecursionError`` for everything that is not plain."""


def answer_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """The chunk, possibly inside the ``response`` of Google's Code Assist; None when the object is something else."""
    if not _KNOWN.isdisjoint(value):
        return value
    inner = value.get("response")
    return inner if isinstance(inner, dict) and not _KNOWN.isdisjoint(inner) else None
