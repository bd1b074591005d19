"""Every decoder recognises its common events by their type; what it makes of them is what the tolerant way makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rillet.core.wire.codecs import codec_for
from support.mutations import MUTATIONS, mutated, seeds
from support.replay import Outcome, replay

if TYPE_CHECKING:
    from support.mutations import Steps

FAST = {
    "openai": "rillet.core.wire.openai_chat.decode.decode_plain",
    "openai-responses": "rillet.core.wire.openai_responses.decode.decode_piece",
    "anthropic": "rillet.core.wire.anthropic.decode.decode_piece",
    "gemini": "rillet.core.wire.gemini.decode.decode_plain",
    "ollama": "rillet.core.wire.ollama.decode.decode_plain",
}
OF_JSON = sorted(name for name in MUTATIONS if "value" in name or "text" in name)
numbers = st.integers(0, 50_000)
steps = st.lists(st.tuples(st.sampled_from(OF_JSON), numbers, numbers), max_size=3)


def refuse(_data: str) -> Any:
    raise msgspec.DecodeError("not this way")


def told(outcome: Outcome) -> tuple[Any, ...]:
    failure = outcome.failure
    return outcome.deltas, failure and (failure.kind, failure.message)


def check(style: str, body: bytes) -> None:
    decoder = codec_for(style).decoder
    fast = replay(decoder(), [body])
    with mock.patch(FAST[style], refuse):
        slow = replay(decoder(), [body])
    assert told(fast) == told(slow)


@pytest.mark.parametrize("style", FAST)
def test_the_short_way_and_the_long_way_agree_on_good_bodies(style: str) -> None:
    for body in seeds(style):
        check(style, body)


@pytest.mark.parametrize("style", FAST)
@settings(max_examples=300)
@given(body=numbers, steps=steps)
def test_and_on_bad_ones(style: str, body: int, steps: Steps) -> None:
    good = seeds(style)
    check(style, mutated(good[body % len(good)], steps))
