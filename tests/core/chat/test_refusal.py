"""What is made of a provider's words when a request was too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.chat.refusal import window_after_refusal


@pytest.mark.parametrize(
    ("said", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 10240 tokens.", 7200),
        ("prompt is too long: 12000 tokens > 10000 maximum", 7500),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("The input token count (12,000) exceeds the maximum number of tokens allowed (8,000).", 6000),
        ("Prompt contains 18000 tokens, too large for model with 9000 maximum context length", 4500),
        ("Please reduce the length of the messages or completion.", 9000),
    ],
)
def test_the_window_that_a_provider_names_is_put_into_the_measure_of_our_estimates(said: str, window: int) -> None:
    assert window_after_refusal(9000, said) == window


@given(used=st.integers(1, 10**6), said=st.text(alphabet="0123456789, >maximumcontextlength", max_size=80))
def test_whatever_it_says_the_window_is_not_larger_than_what_was_refused(used: int, said: str) -> None:
    assert 0 <= window_after_refusal(used, said) <= used
