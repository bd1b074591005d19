"""One small stream per rule of the wire, written by us: whole, and cut at every boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.types import ToolCallDelta
from rillet.core.wire.gemini import GeminiDecoder
from support.cassettes import cassettes, each_of, read, rules_of
from support.replay import replay

if TYPE_CHECKING:
    from pathlib import Path

PATHS = cassettes("gemini")
TestCassettes = rules_of(GeminiDecoder, PATHS)


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 52
    assert {f"g{number:02d}" for number in range(1, 13)} - {path.stem[:3] for path in PATHS} == {"g11"}


@each_of(PATHS)
def test_a_tool_call_is_one_delta(path: Path) -> None:
    body, _ = read(path)
    outcome = replay(GeminiDecoder(), [body])
    calls = [delta for delta in outcome.deltas if isinstance(delta, ToolCallDelta)]
    assert [call.arguments for call in calls] == [call.arguments for call in outcome.response.tool_calls]
