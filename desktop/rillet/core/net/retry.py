"""Whether, and when, a failed request is sent again.

Pure: values in, a number of seconds out; ``client`` does the waiting. Knows errors, not httpx. Above: ``errors``.
Below: ``client`` asks once per failure that came before any byte of a successful answer; nobody else repeats anything.

The rules: at most ``attempts`` times, only when no connection was made, or the provider said 429, 500, 502, 503, 504 or
529 and the error is one that may pass. What the provider says expressly (``x-should-retry``) beats the status, either
way: it knows whether it did anything. A silence or a reset after the request was sent is never repeated: it may have
been answered, and paid for. A local server that is still loading its model is waited for, without counting.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rillet.core.errors import LlmError, OverloadedError
from rillet.core.net.errors import UNSENT

STATUSES: Final = frozenset({429, 500, 502, 503, 504, 529})
LOADING_PATIENCE: Final = 300.0
"""Seconds to wait for a model that loads (ggml-org/llama.cpp answers 503 "Loading model" meanwhile)."""
LOADING_PAUSE: Final = 5.0
"""The longest pause between two looks at it."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a request is repeated. Times are in seconds.

    Args:
        attempts: How often a request is sent in all.
        base: The first pause is anything up to this, the next up to twice as much, and so on ("full jitter").
        cap: The longest pause. A provider that asks for more makes the request fail, and the error names the time.
        on_error: Called with the error and the number of the attempt that failed: True repeats, False does not, None
            leaves it to the rules. ``attempts`` and ``cap`` hold all the same.
    """

    attempts: int = 3
    base: float = 0.5
    cap: float = 60.0
    on_error: Callable[[LlmError, int], bool | None] | None = None

    @classmethod
    def none(cls) -> RetryPolicy:
        """Every failure is final."""
        return cls(attempts=1)


class Retries:
    """The repetitions of one request."""

    def __init__(
        self,
        policy: RetryPolicy,
        *,
        now: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.attempt = 1
        """The number of the attempt under way."""
        self._policy = policy
        self._now = now
        self._jitter = jitter
        self._counted = 1
        self._loading = 0
        self._loading_since: float | None = None

    def pause(self, error: LlmError) -> float | None:
        """Seconds to wait before the next attempt, which is counted by this call; None: the error is final."""
        decide = self._policy.on_error
        wanted = None if decide is None else decide(error, self.attempt)
        if self._policy.attempts <= 1 or wanted is False:
            return None
        if wanted is None and _is_loading(error):
            return self._loading_pause()
        if self._counted >= self._policy.attempts or not (wanted or may_pass(error)):
            return None
        if (error.retry_after or 0.0) > self._policy.cap:
            return None
        longest = min(self._policy.cap, self._policy.base * 2.0 ** (self._counted - 1))
        self._counted += 1
        self.attempt += 1
        return error.retry_after or longest * self._jitter()

    def _loading_pause(self) -> float | None:
        if self._loading_since is None:
            self._loading_since = self._now()
        if self._now() - self._loading_since > LOADING_PATIENCE:
            return None
        longest = min(LOADING_PAUSE, self._policy.base * 2.0**self._loading)
        self._loading += 1
        self.attempt += 1
        return longest * self._jitter()


def may_pass(error: LlmError) -> bool:
    """Whether the rules allow to send the request again after ``error``."""
    return error.retryable and (isinstance(error, UNSENT) or error.status in STATUSES or error.told_to_retry)


def _is_loading(error: LlmError) -> bool:
    return isinstance(error, OverloadedError) and error.status == 503 and "loading" in error.message.lower()
