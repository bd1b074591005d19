"""One small stream per rule of the wire, written by us: whole, and cut at every boundary.

A cassette begins with two SSE comments, which decoders skip: what it is about, and ``expect`` with everything that
differs from an empty answer that finished with "stop".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rillet.core.types import Part, ToolCallDelta
from rillet.core.wire.fold import fold
from rillet.core.wire.openai_chat import ChatDecoder
from support.corpus import cuts
from support.replay import replay, summary

PATHS = sorted((Path(__file__).parents[1] / "cassettes" / "chat").glob("*.sse"))
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
    assert len(PATHS) >= 59


@cassettes
def test_a_cassette_means_what_it_says(path: Path) -> None:
    body, expect = read(path)
    decoder = ChatDecoder()
    outcome = replay(decoder, [body])

    assert summary(outcome) == PLAIN | {key: value for key, value in expect.items() if key in PLAIN}
    assert outcome.response.refusal == expect.get("refusal")
    if "model" in expect:
        assert outcome.response.model == expect["model"]
    if "indexes" in expect:
        assert sorted({d.index for d in outcome.deltas if isinstance(d, ToolCallDelta)}) == expect["indexes"]
    if "alternatives" in expect:
        others = {str(index): fold(deltas).text for index, deltas in decoder.alternatives().items()}
        assert others == expect["alternatives"]
    if "parts" in expect:
        wanted = expect["parts"]
        assert [
            describe(part, like) for part, like in zip(outcome.response.message.parts, wanted, strict=True)
        ] == wanted


@cassettes
def test_a_cassette_means_the_same_however_it_is_cut(path: Path) -> None:
    body, _ = read(path)
    whole = replay(ChatDecoder(), [body])
    for reads in cuts(body):
        outcome = replay(ChatDecoder(), reads)
        assert outcome.deltas == whole.deltas
        assert str(outcome.failure) == str(whole.failure)


@cassettes
def test_think_tags_change_only_what_has_them(path: Path) -> None:
    body, expect = read(path)
    expect |= expect.get("split", {})
    for reads in ([body], [body[at : at + 1] for at in range(len(body))]):
        outcome = replay(ChatDecoder(think_tags=True), reads)
        assert summary(outcome) == PLAIN | {key: value for key, value in expect.items() if key in PLAIN}


@cassettes
def test_tool_calls_are_announced_first_and_once(path: Path) -> None:
    body, _ = read(path)
    seen: dict[int, ToolCallDelta] = {}
    for delta in replay(ChatDecoder(), [body]).deltas:
        if isinstance(delta, ToolCallDelta):
            first = seen.setdefault(delta.index, delta)
            assert bool(delta.name) == (delta is first)
    assert list(seen) == list(range(len(seen)))


def describe(part: Part, like: dict[str, Any]) -> dict[str, Any]:
    """The same facts of a part that an expectation names."""
    facts = {
        "kind": type(part).__name__,
        "bytes": list(getattr(part, "data", None) or b""),
        "media_type": getattr(part, "media_type", None),
        "url": getattr(part, "url", None),
        "metadata": part.provider_metadata,
    }
    return {key: facts[key] for key in like}
