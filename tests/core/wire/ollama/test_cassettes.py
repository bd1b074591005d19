"""One small stream per rule of the wire, written by us: whole, and cut at every boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.types import ToolCallDelta
from rillet.core.wire.ollama import OllamaDecoder
from support.cassettes import cassettes, each_of, read, rules_of
from support.replay import replay

if TYPE_CHECKING:
    from pathlib import Path

PATHS = cassettes("ollama", "*.ndjson")
TestCassettes = rules_of(OllamaDecoder, PATHS)


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 48


@each_of(PATHS)
def test_a_tool_call_is_one_delta(path: Path) -> None:
    body, expect = read(path)
    calls = [delta for delta in replay(OllamaDecoder(), [body]).deltas if isinstance(delta, ToolCallDelta)]
    assert len(calls) == len(expect.get("tool_calls", []))
