"""Token counts of generateContent.

Pure. Above: ``types``. Below: ``chunk`` recognises the counts, ``decode`` collects them. They come with every chunk and
are cumulative, so they are replaced field by field, never added.

``promptTokenCount`` includes cached content but not what tools of the server fed back to the model;
``candidatesTokenCount`` leaves out the thoughts; ``totalTokenCount`` is the sum of all four
(https://ai.google.dev/api/generate-content#UsageMetadata).
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec

from rillet.core.types import Usage

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Counts(msgspec.Struct, gc=False, rename="camel"):
    """``usageMetadata``, as far as it matters."""

    prompt_token_count: Count | None = None
    candidates_token_count: Count | None = None
    thoughts_token_count: Count | None = None
    tool_use_prompt_token_count: Count | None = None
    cached_content_token_count: Count | None = None
    total_token_count: Count | None = None


_FIELDS = Counts.__struct_fields__
_WIRE_FIELDS = Counts.__struct_encode_fields__


def read_counts(value: Any) -> Counts | None:
    """A ``usageMetadata`` object, whose odd fields are left out; None for anything else."""
    if not isinstance(value, dict):
        return None
    return Counts(*(_count(value.get(field)) for field in _WIRE_FIELDS))


class UsageMeter:
    """Collects the counts of one answer."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._told: Usage | None = None

    def add(self, counts: Counts) -> None:
        """Take the counts of one chunk."""
        known = self._counts
        for field in _FIELDS:
            count = getattr(counts, field)
            if count is not None:
                setattr(known, field, count)

    def news(self, *, final: bool) -> Usage | None:
        """The counts as known now, or None when they are what the last call returned.

        A count of zero is left out on this wire. At the end (``final``) the total tells it from one that is not known:
        an answer of which nothing was counted cost nothing.
        """
        counts = self._counts
        prompt, answer, thoughts = counts.prompt_token_count, counts.candidates_token_count, counts.thoughts_token_count
        completion = None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0)
        if prompt is not None:
            prompt += counts.tool_use_prompt_token_count or 0
            if completion is None and final and counts.total_token_count is not None:
                completion = max(0, counts.total_token_count - prompt)
        usage = Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            total_tokens=counts.total_token_count,
            cached_tokens=counts.cached_content_token_count,
            reasoning_tokens=thoughts,
        )
        if usage == (self._told or _NOTHING):
            return None
        self._told = usage
        return usage


_NOTHING = Usage()


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
