from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.wire.surrogates import SurrogateJoiner, mend, mend_all


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("plain", "plain"),
        ("Grüße 😀", "Grüße 😀"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83d", "a\ufffd"),
        ("\ude00a", "\ufffda"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
    ],
)
def test_halves_join_and_lone_ones_are_replaced_however_they_are_cut(broken: str, mended: str) -> None:
    assert mend(broken) == mended
    for pieces in ([broken], list(broken), ["", *broken, ""]):
        joiner = SurrogateJoiner()
        assert "".join(map(joiner.feed, pieces)) + joiner.flush() == mended


def test_text_is_not_held_back_without_need() -> None:
    joiner = SurrogateJoiner()
    assert joiner.feed("a") == "a"
    assert joiner.feed("b\ud83d") == "b"
    assert joiner.feed("c") == "\ufffdc"
    assert joiner.flush() == ""


def test_every_string_of_a_value_is_mended() -> None:
    assert mend_all({"\ud83d": ["\ude00", ("a", 1), None]}) == {"\ufffd": ["\ufffd", ["a", 1], None]}


@given(st.text(alphabet=st.characters(categories=["Cs", "Ll", "So"])))
def test_whatever_comes_out_can_be_encoded(text: str) -> None:
    mend(text).encode()
