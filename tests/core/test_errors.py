"""The sentences of the error tree."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rillet.core import errors
from rillet.core.errors import LlmError, OverloadedError, RateLimitError, ServerError

KINDS = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, LlmError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_says_what_happened_and_what_to_do(kind: type[LlmError]) -> None:
    bare, full = kind().user_message, kind("the reason.", provider="Fake").user_message
    assert bare.endswith(".") and bare.count(".") >= 2
    assert "the reason. " in full, "one full stop, and something behind it"
    assert len({kind.kind for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 second"), (8.4, "8 seconds"), (60, "1 minute"), (420, "7 minutes"), (86400, "24 hours")],
)
@pytest.mark.parametrize("kind", [RateLimitError, OverloadedError, ServerError])
def test_the_time_that_the_provider_asks_for_is_named(kind: type[LlmError], seconds: float, words: str) -> None:
    message = kind(retry_after=seconds, advice="Try again in a moment.").user_message
    assert message.endswith(f"Try again in {words}.")
    assert "moment" not in message


def test_where_waiting_will_not_help_no_time_is_named() -> None:
    message = RateLimitError("no credit", retryable=False, retry_after=60.0).user_message
    assert message.endswith("Waiting will not help: check the quota and billing of the account.")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("fields", [{}, {"retryable": False}, {"retryable": True, "retry_after": 90.0}])
def test_every_fixed_sentence_can_be_said_in_another_language(kind: type[LlmError], fields: dict[str, Any]) -> None:
    error = kind("Its own words", provider="Fake", **fields)
    seen: list[str] = []

    def note(text: str) -> str:
        seen.append(text)
        return text

    assert error.told(note) == error.user_message
    assert seen[0] == kind.summary
    left = error.user_message.replace("Its own words", "").replace("Fake", "")
    for text in seen:
        for piece in re.split(r"\{\w+\}", text):
            left = left.replace(piece, "", 1)
    assert re.fullmatch(r"[ :.\d]*", left), "nothing but names, numbers and points is said past the translator"


def test_a_sentence_can_be_read_twice() -> None:
    error = RateLimitError(retry_after=5.0)
    assert error.user_message == error.user_message
    error.retryable = False
    assert "Waiting will not help" in error.user_message
