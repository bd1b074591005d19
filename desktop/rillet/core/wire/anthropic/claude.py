"""What a model accepts, read from its name.

Pure facts, of Anthropic's own documentation as of November 2026: models refuse what earlier ones demanded. A server of
this style that serves other models (DeepSeek, Z.ai, llama.cpp, vLLM) reads the first form of everything. Above:
nothing. Below: ``encode``.

- https://platform.claude.com/docs/en/about-claude/models/overview: how long an answer may be
- https://platform.claude.com/docs/en/build-with-claude/extended-thinking and .../adaptive-thinking: how to think
- https://platform.claude.com/docs/en/about-claude/models/migration-guide: which options were taken away
- https://platform.claude.com/docs/en/build-with-claude/structured-outputs: who obeys a schema
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
"""Of ``claude-opus-4-1-20250805``, ``claude-3-5-haiku-latest``, ``anthropic/claude-sonnet-4.5``; a date is none."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What one model accepts."""

    max_tokens: int
    """Sent when the request names no limit, because the API demands one: no more than any model of the kind allows."""
    thinks: bool = True
    adaptive: bool = False
    """It is told an effort and decides itself; a budget in tokens is refused."""
    sampling: bool = True
    """Temperature and top_p are accepted."""
    hottest: float | None = None
    """The highest temperature; None: not known."""
    both: bool = True
    """Temperature and top_p are accepted together."""
    schema: bool = False
    """Answers can be held to a JSON schema."""


@cache
def traits_of(model: str) -> Traits:
    """The traits of a model by its name, whatever a gateway put around it."""
    if "claude" not in model:
        return Traits(max_tokens=8192)
    found = _VERSION.search(model)
    # A name without a number is newer than this table: what it says of the latest is the best guess.
    version = (int(found[1]), int(found[2] or 0)) if found else (99, 0)
    return Traits(
        max_tokens=4096 if version < (3, 5) else 8192 if version < (3, 7) else 32_000,
        thinks=version >= (3, 7),
        adaptive=version >= (4, 6),
        sampling=version < (4, 7),
        hottest=1.0,
        both=version < (4, 1),
        schema=version >= (4, 1),
    )
