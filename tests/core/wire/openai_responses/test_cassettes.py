"""One small stream per rule of the wire, written by us: whole, cut at every boundary, with think tags split off."""

from __future__ import annotations

from rillet.core.wire.openai_responses import ResponsesDecoder
from support.cassettes import cassettes, rules_of

PATHS = cassettes("openai_responses")
TestCassettes = rules_of(ResponsesDecoder, PATHS)


def test_every_rule_has_its_cassette() -> None:
    rules = {path.stem.partition("_")[0] for path in PATHS}
    assert {f"r{number:02d}" for number in range(1, 14)} <= rules
    assert len(PATHS) >= 65
