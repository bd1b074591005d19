"""One small stream per rule of the wire, written by us: whole, and cut at every boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.wire.anthropic import MessagesDecoder
from support.cassettes import cassettes, check, check_announcements, check_summary, read
from support.corpus import byte_by_byte, cuts
from support.replay import replay

if TYPE_CHECKING:
    from pathlib import Path

PATHS = cassettes("anthropic")

every = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 61


@every
def test_a_cassette_means_what_it_says(path: Path) -> None:
    body, expect = read(path)
    check(replay(MessagesDecoder(), [body]), expect)


@every
def test_a_cassette_means_the_same_however_it_is_cut(path: Path) -> None:
    body, _ = read(path)
    whole = replay(MessagesDecoder(), [body])
    for reads in cuts(body):
        outcome = replay(MessagesDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@every
def test_think_tags_change_only_what_has_them(path: Path) -> None:
    body, expect = read(path)
    expect |= expect.get("split", {})
    for reads in ([body], byte_by_byte(body)):
        check_summary(replay(MessagesDecoder(think_tags=True), reads), expect)


@every
def test_tool_calls_are_announced_first_and_once(path: Path) -> None:
    body, _ = read(path)
    check_announcements(replay(MessagesDecoder(), [body]))
