"""One small stream per rule of the wire, written by us: whole, and cut at every boundary.

Beside each stream stands a file that says what it is about, and everything that differs from an empty answer which
finished with "stop".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rillet.core.types import Part, ToolCallDelta
from rillet.core.wire.ollama import OllamaDecoder
from support.corpus import cuts
from support.replay import replay, summary

PATHS = sorted((Path(__file__).parents[1] / "cassettes" / "ollama").glob("*.ndjson"))
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
    expect: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return path.read_bytes(), expect


def plain(expect: dict[str, Any]) -> dict[str, Any]:
    return PLAIN | {key: value for key, value in expect.items() if key in PLAIN}


def test_every_rule_has_its_cassette() -> None:
    assert len(PATHS) >= 48


@cassettes
def test_a_cassette_means_what_it_says(path: Path) -> None:
    body, expect = read(path)
    outcome = replay(OllamaDecoder(), [body])

    assert summary(outcome) == plain(expect)
    if "model" in expect:
        assert outcome.response.model == expect["model"]
    if "parts" in expect:
        parts = outcome.response.message.parts
        assert [describe(part, like) for part, like in zip(parts, expect["parts"], strict=True)] == expect["parts"]


@cassettes
def test_a_cassette_means_the_same_however_it_is_cut(path: Path) -> None:
    body, _ = read(path)
    whole = replay(OllamaDecoder(), [body])
    for reads in cuts(body):
        outcome = replay(OllamaDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@cassettes
def test_think_tags_change_only_what_has_them(path: Path) -> None:
    body, expect = read(path)
    for reads in ([body], [body[at : at + 1] for at in range(len(body))]):
        outcome = replay(OllamaDecoder(think_tags=True), reads)
        assert summary(outcome) == plain(expect | expect.get("split", {}))


@cassettes
def test_a_tool_call_is_one_delta(path: Path) -> None:
    body, expect = read(path)
    calls = [delta for delta in replay(OllamaDecoder(), [body]).deltas if isinstance(delta, ToolCallDelta)]
    assert [call.index for call in calls] == list(range(len(expect.get("tool_calls", []))))
    assert all(call.name for call in calls)


def describe(part: Part, like: dict[str, Any]) -> dict[str, Any]:
    """The same facts of a part that an expectation names."""
    facts = {
        "kind": type(part).__name__,
        "bytes": list(getattr(part, "data", None) or b""),
        "media_type": getattr(part, "media_type", None),
        "metadata": part.provider_metadata,
    }
    return {key: facts[key] for key in like}
