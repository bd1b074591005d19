"""One small stream per rule of the wire, written by us: whole, and cut at every boundary."""

from __future__ import annotations

from rillet.core.wire.anthropic import MessagesDecoder
from support.cassettes import cassettes, rules_of

PATHS = cassettes("anthropic")
TestCassettes = rules_of(MessagesDecoder, PATHS)


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 61
