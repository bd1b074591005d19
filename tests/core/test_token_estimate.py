"""The estimate is near what tokenizers make of such texts, and never zero for something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 180, 260),  # cl100k: 200
        ("日本語の文章は漢字と仮名でできている。" * 20, 280, 460),
        ("Широкая электрификация южных губерний " * 20, 300, 460),
        ("🎉" * 100, 100, 300),
    ],
)
def test_it_is_near_what_tokenizers_count(text: str, low: int, high: int) -> None:
    assert low <= estimate_tokens(text) <= high


def test_nothing_is_no_token_and_a_letter_is_one() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") == estimate_tokens("é") == estimate_tokens("日") == 1


@given(st.text(alphabet="aé日😀", min_size=1))
def test_characters_are_told_apart_by_their_length_in_utf_8(text: str) -> None:
    weights = {"a": 0.25, "é": 0.5, "日": 0.9, "😀": 2.0}
    assert abs(estimate_tokens(text) - sum(weights[each] for each in text)) <= 1


@given(st.text())
def test_more_text_is_never_fewer_tokens(text: str) -> None:
    assert estimate_tokens(text + "word") >= estimate_tokens(text)


def test_a_long_text_is_estimated_from_samples_of_it() -> None:
    page = "größe и привет 日本 plain words\n" * 100
    exact = estimate_tokens(page)
    assert estimate_tokens(page * 1000) == pytest.approx(1000 * exact, rel=0.01)
    half = "plain words " * 100_000 + "привет " * 100_000  # the places are spread
    assert estimate_tokens(half) == pytest.approx(300_000 + 325_000, rel=0.25)
