"""Token counts in both styles of OpenAI, wherever and however a server tells them.

Pure. Above: ``types``. Below: the decoders of ``openai_chat`` and ``openai_responses``. The counts may come last in a
chunk of their own, twice, with every chunk (cumulative), inside a choice, in an extension, or only as llama.cpp's
timings; they are replaced field by field, never added. Guarantee: ``completion_tokens`` includes reasoning, as far as
the numbers themselves show how the server counts.
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import Usage

_PATHS: dict[str, tuple[tuple[str, ...], ...]] = {
    "prompt": (("prompt_tokens",), ("input_tokens",)),
    "completion": (("completion_tokens",), ("output_tokens",)),
    "total": (("total_tokens",),),
    "cached": (
        ("prompt_tokens_details", "cached_tokens"),
        ("input_tokens_details", "cached_tokens"),
        ("prompt_cache_hit_tokens",),  # DeepSeek
        ("cached_tokens",),  # Moonshot
    ),
    "reasoning": (
        ("completion_tokens_details", "reasoning_tokens"),
        ("output_tokens_details", "reasoning_tokens"),
        ("reasoning_tokens",),  # Perplexity
    ),
}


class UsageMeter:
    """Collects the counts of one answer."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._timings: dict[str, int] = {}
        self._told: Usage | None = None
        self._touched = False

    def add(self, usage: Any) -> None:
        """Take a ``usage`` object; anything else is ignored."""
        if not isinstance(usage, dict):
            return
        self._touched = True
        for field, paths in _PATHS.items():
            count = next((count for path in paths if (count := _count(usage, path)) is not None), None)
            if count is not None:
                self._counts[field] = count

    def add_timings(self, timings: Any) -> None:
        """Take llama.cpp's ``timings``, which count only as long as there is no ``usage``."""
        if not isinstance(timings, dict):
            return
        self._touched = True
        cached, prompt, predicted = (_count(timings, (key,)) for key in ("cache_n", "prompt_n", "predicted_n"))
        if prompt is not None:
            self._timings["prompt"] = prompt + (cached or 0)
        if cached is not None:
            self._timings["cached"] = cached
        if predicted is not None:
            self._timings["completion"] = predicted

    def news(self) -> Usage | None:
        """The counts as known now, or None when they are what the last call returned."""
        counts = self._counts or self._timings
        if not self._touched or not counts:
            return None
        self._touched = False
        usage = _normalize(counts)
        if usage == self._told:
            return None
        self._told = usage
        return usage


def _normalize(counts: dict[str, int]) -> Usage:
    """Include reasoning in the completion where the total shows that the server left it out.

    xAI counts 291 + 26, reasoning 196, total 513. Gemini's OpenAI endpoint does the same without naming the reasoning.
    """
    prompt, completion, total, reasoning = (counts.get(k) for k in ("prompt", "completion", "total", "reasoning"))
    if prompt is not None and completion is not None and total is not None:
        hidden = total - prompt - completion
        if hidden > 0 and reasoning in (None, hidden):
            completion += hidden
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=total,
        cached_tokens=counts.get("cached"),
        reasoning_tokens=reasoning,
    )


def _count(value: Any, path: tuple[str, ...]) -> int | None:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
