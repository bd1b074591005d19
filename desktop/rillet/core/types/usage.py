"""What an answer cost in tokens, counted one way for every provider."""

from __future__ import annotations

import msgspec


class Usage(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Token counts; None means that the provider did not tell, never zero.

    ``prompt_tokens`` includes cached input and ``completion_tokens`` includes reasoning, whatever the provider's own
    habit; ``cached_tokens`` and ``reasoning_tokens`` say how much of each that was.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
