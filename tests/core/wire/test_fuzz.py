"""Ten thousand bodies that no server should send: decoders do not raise, whatever the bytes and however they are cut.

``tests/bench/fuzz.py`` does the same a million times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.answers import STYLES
from support.invariants import check_body
from support.mutations import MUTATIONS, mutated, seeds

if TYPE_CHECKING:
    from support.mutations import Steps

numbers = st.integers(0, 50_000)
steps = st.lists(st.tuples(st.sampled_from(sorted(MUTATIONS)), numbers, numbers), max_size=5)
cuts = st.lists(numbers, max_size=6)
tokens = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [b"data: ", b"event: error", b"\n", b"\r", b"\n\n", b"{", b"}", b'{"', b'":', b"[DONE]", b"[", b"]"]
    ),
)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=1800)
@given(body=st.integers(0, 10_000), steps=steps, cuts=cuts, think_tags=st.booleans())
def test_a_good_body_gone_bad(style: str, body: int, steps: Steps, cuts: list[int], think_tags: bool) -> None:
    good = seeds(style)
    check_body(style, mutated(good[body % len(good)], steps), cuts, think_tags=think_tags)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=200)
@given(pieces=st.lists(tokens, max_size=40), cuts=cuts)
def test_bytes_of_any_kind(style: str, pieces: list[bytes], cuts: list[int]) -> None:
    check_body(style, b"".join(pieces), cuts)
