"""Token counts of Messages.

Pure. Above: ``types``. Below: ``decode``. The counts are cumulative and come in parts: the input with
``message_start``, or (gateways) only with ``message_delta``; so they are replaced field by field, never added.
``input_tokens`` leaves out what was read from the cache and what was written to it; ``output_tokens`` includes thinking
(https://platform.claude.com/docs/en/build-with-claude/prompt-caching, .../streaming).
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import Usage

_FIELDS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")


class UsageMeter:
    """Collects the counts of one answer."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._told: Usage | None = None

    def add(self, usage: Any) -> Usage | None:
        """Take a ``usage`` object: the counts as known now, or None when it says nothing new."""
        if not isinstance(usage, dict):
            return None
        details = usage.get("output_tokens_details")
        thinking = details.get("thinking_tokens") if isinstance(details, dict) else None
        for field, value in (*((field, usage.get(field)) for field in _FIELDS), ("thinking", thinking)):
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                self._counts[field] = value
        news = self._usage() if self._counts else None
        if news == self._told:
            return None
        self._told = news
        return news

    def _usage(self) -> Usage:
        fresh, read, written, completion = (self._counts.get(field) for field in _FIELDS)
        prompt = None if fresh is None else fresh + (read or 0) + (written or 0)
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            total_tokens=None if prompt is None or completion is None else prompt + completion,
            cached_tokens=read,
            reasoning_tokens=self._counts.get("thinking"),
        )
