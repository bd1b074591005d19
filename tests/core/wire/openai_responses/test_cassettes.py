"""One small stream per rule of the wire, written by us: whole, cut at every boundary, with think tags split off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.wire.openai_responses import ResponsesDecoder
from support.cassettes import cassettes, check, check_announcements, check_summary, read
from support.corpus import byte_by_byte, cuts
from support.replay import replay

if TYPE_CHECKING:
    from pathlib import Path

PATHS = cassettes("openai_responses")

every = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def test_every_rule_has_its_cassette() -> None:
    rules = {path.stem.partition("_")[0] for path in PATHS}
    assert {f"r{number:02d}" for number in range(1, 14)} <= rules
    assert len(PATHS) >= 65


@every
def test_a_cassette_means_what_it_says(path: Path) -> None:
    body, expect = read(path)
    outcome = replay(ResponsesDecoder(), [body])
    check(outcome, expect)
    check_announcements(outcome)


@every
def test_a_cassette_means_the_same_however_it_is_cut(path: Path) -> None:
    body, _ = read(path)
    whole = replay(ResponsesDecoder(), [body])
    for reads in cuts(body):
        outcome = replay(ResponsesDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@every
def test_think_tags_change_only_what_has_them(path: Path) -> None:
    body, expect = read(path)
    expect |= expect.get("split", {})
    for reads in ([body], byte_by_byte(body)):
        check_summary(replay(ResponsesDecoder(think_tags=True), reads), expect)
