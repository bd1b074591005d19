"""When a failed request is sent again: rules, pauses and limits, on a clock and dice of the test's own."""

from __future__ import annotations

import pytest

from rillet.core.errors import (
    AuthError,
    LlmError,
    NetworkError,
    OverloadedError,
    RateLimitError,
    ServerError,
    TimedOutError,
)
from rillet.core.net.errors import ConnectError, ConnectTimedOut
from rillet.core.net.retry import LOADING_PATIENCE, Retries, RetryPolicy
from rillet.core.wire.failures import classify_error, classify_response


class Clock:
    """A time that only the test moves."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def retries(policy: RetryPolicy | None = None, *, dice: float = 1.0, clock: Clock | None = None) -> Retries:
    return Retries(policy or RetryPolicy(), now=clock or Clock(), jitter=lambda: dice)


@pytest.mark.parametrize(
    "error",
    [
        ConnectError("refused"),
        ConnectTimedOut("slow"),
        RateLimitError("slow down", status=429),
        ServerError("oops", status=500),
        ServerError("oops", status=502),
        OverloadedError("busy", status=503),
        TimedOutError("upstream", status=504),
        OverloadedError("busy", status=529),
    ],
)
def test_what_may_pass_is_repeated_twice_and_then_final(error: LlmError) -> None:
    state = retries()
    assert state.pause(error) is not None
    assert state.pause(error) is not None
    assert state.pause(error) is None
    assert state.attempt == 3


@pytest.mark.parametrize(
    "error",
    [
        NetworkError("reset after the request was sent"),
        TimedOutError("silence after the request was sent"),
        TimedOutError("request timeout", status=408),
        AuthError("no", status=401),
        ServerError("a page", status=520),
        RateLimitError("no credit", status=429, retryable=False),
        ServerError("x-should-retry: false", status=500, retryable=False),
        ConnectError("untrusted certificate", retryable=False),
    ],
)
def test_what_may_have_been_paid_for_or_cannot_pass_is_final_at_once(error: LlmError) -> None:
    assert retries().pause(error) is None


@pytest.mark.parametrize("status", [400, 401, 408, 409, 520])
def test_what_the_provider_says_expressly_beats_the_status(status: int) -> None:
    headers = {"x-should-retry": "true"}
    told = [classify_response(status, headers, b"") for _ in range(3)]
    state = retries()
    assert [state.pause(error) is not None for error in told] == [True, True, False], "but not the limit"
    assert retries().pause(classify_response(503, {"x-should-retry": "false"}, b"")) is None


def test_what_came_inside_a_200_stream_is_never_repeated() -> None:
    value = {"error": {"message": "busy", "type": "overloaded_error", "code": 529}}
    assert retries().pause(classify_error(value)) is None


def test_pauses_double_and_the_dice_choose_within_them() -> None:
    policy = RetryPolicy(attempts=9, base=0.5, cap=3.0)
    error = ServerError(status=500)
    longest = retries(policy)
    assert [longest.pause(error) for _ in range(5)] == [0.5, 1.0, 2.0, 3.0, 3.0]
    lucky = retries(policy, dice=0.0)
    assert [lucky.pause(error) for _ in range(2)] == [0.0, 0.0]
    assert retries(policy, dice=0.25).pause(error) == 0.125


def test_retry_after_is_obeyed_up_to_the_cap_and_final_beyond() -> None:
    assert retries().pause(RateLimitError(status=429, retry_after=60.0)) == 60.0
    for status in (429, 500, 503, 529):
        error = classify_response(status, {"retry-after": "86400"}, b"")
        assert retries().pause(error) is None
        assert "Try again in 24 hours." in error.user_message


def test_a_loading_model_is_waited_for_without_counting_attempts() -> None:
    clock = Clock()
    state = retries(clock=clock)
    loading = OverloadedError("Loading model", status=503)
    pauses = [state.pause(loading) for _ in range(40)]
    assert all(pause is not None and pause <= 5.0 for pause in pauses)
    assert state.attempt == 41
    assert state.pause(ServerError(status=500)) is not None, "and those attempts were not used up"
    clock.time = LOADING_PATIENCE + 1
    assert state.pause(loading) is None


def test_none_repeats_nothing_not_even_a_loading_model() -> None:
    assert retries(RetryPolicy.none()).pause(ConnectError("refused")) is None
    assert retries(RetryPolicy.none()).pause(OverloadedError("Loading model", status=503)) is None


def test_the_host_decides_within_the_limits() -> None:
    asked: list[tuple[LlmError, int]] = []

    def always(error: LlmError, attempt: int) -> bool:
        asked.append((error, attempt))
        return True

    state = retries(RetryPolicy(on_error=always))
    error = AuthError(status=401)
    assert [state.pause(error) is not None for _ in range(3)] == [True, True, False]
    assert asked == [(error, 1), (error, 2), (error, 3)]
    assert retries(RetryPolicy(on_error=always)).pause(RateLimitError(status=429, retry_after=86400.0)) is None
    assert retries(RetryPolicy(on_error=lambda *_: False)).pause(ServerError(status=500)) is None
    assert retries(RetryPolicy(on_error=lambda *_: None)).pause(ServerError(status=500)) is not None
