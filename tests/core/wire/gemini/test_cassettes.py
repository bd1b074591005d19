"""One small stream per rule of the wire, written by us: whole, and cut at every boundary.

A cassette begins with two SSE comments, which decoders skip: what it is about, and ``expect`` with everything that
differs from an empty answer that finished with "stop".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rillet.core.types import OpaquePart, Part, ToolCallDelta
from rillet.core.wire.gemini import GeminiDecoder
from support.corpus import cuts
from support.replay import replay, summary

PATHS = sorted((Path(__file__).parents[1] / "cassettes" / "gemini").glob("*.sse"))
PLAIN: dict[str, Any] = {
    "text": "",
    "reasoning": "",
    "tool_calls": [],
    "finish": "stop",
    "usage_norm": None,
    "kind": None,
    "incomplete": False,
}

cassettes = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def read(path: Path) -> tuple[bytes, dict[str, Any]]:
    body = path.read_bytes()
    line = body.split(b"\n")[1]
    expect: dict[str, Any] = json.loads(line.removeprefix(b": expect "))
    return body, expect


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 52
    assert {f"g{number:02d}" for number in range(1, 13)} - {path.stem[:3] for path in PATHS} == {"g11"}


@cassettes
def test_a_cassette_means_what_it_says(path: Path) -> None:
    body, expect = read(path)
    outcome = replay(GeminiDecoder(), [body])

    assert summary(outcome) == PLAIN | {key: value for key, value in expect.items() if key in PLAIN}
    assert outcome.response.refusal == expect.get("refusal")
    if "model" in expect:
        assert outcome.response.model == expect["model"]
    if "indexes" in expect:
        assert [d.index for d in outcome.deltas if isinstance(d, ToolCallDelta)] == expect["indexes"]
    if "parts" in expect:
        parts, wanted = outcome.response.message.parts, expect["parts"]
        assert [describe(part, like) for part, like in zip(parts, wanted, strict=True)] == wanted


@cassettes
def test_a_cassette_means_the_same_however_it_is_cut(path: Path) -> None:
    body, _ = read(path)
    whole = replay(GeminiDecoder(), [body])
    for reads in cuts(body):
        outcome = replay(GeminiDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@cassettes
def test_think_tags_change_only_what_has_them(path: Path) -> None:
    body, expect = read(path)
    expect |= expect.get("split", {})
    for reads in ([body], [body[at : at + 1] for at in range(len(body))]):
        outcome = replay(GeminiDecoder(think_tags=True), reads)
        assert summary(outcome) == PLAIN | {key: value for key, value in expect.items() if key in PLAIN}


@cassettes
def test_a_tool_call_is_one_delta(path: Path) -> None:
    body, _ = read(path)
    outcome = replay(GeminiDecoder(), [body])
    calls = [delta for delta in outcome.deltas if isinstance(delta, ToolCallDelta)]
    assert [call.index for call in calls] == list(range(len(calls)))
    assert all(call.name for call in calls)
    assert [call.arguments for call in calls] == [call.arguments for call in outcome.response.tool_calls]


def describe(part: Part, like: dict[str, Any]) -> dict[str, Any]:
    """The same facts of a part that an expectation names."""
    data = getattr(part, "data", None)
    facts = {
        "kind": type(part).__name__,
        "text": getattr(part, "text", None),
        "data": data if isinstance(part, OpaquePart) else None,
        "bytes": list(data or b"") if isinstance(data, bytes) else None,
        "media_type": getattr(part, "media_type", None),
        "url": getattr(part, "url", None),
        "metadata": part.provider_metadata,
    }
    return {key: facts[key] for key in like}
