"""Small streams that we wrote, one per rule of a wire, with what each should come to.

A cassette begins with two SSE comments, which decoders skip: what it is about, and ``expect`` with everything that
differs from an empty answer that finished with "stop". A wire without comments has a file with both beside the stream.
Fields of ``expect`` are those of ``replay.summary``, and: ``refusal``, ``model``, ``indexes`` (of tool calls, as deltas
count them), ``parts`` (some facts of each part), ``split`` (what differs where think tags are split off).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.types import ToolCallDelta
from support.corpus import byte_by_byte, cuts
from support.replay import replay, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.types import Part
    from rillet.core.wire.codec import StreamDecoder
    from support.replay import Outcome

FOLDER = Path(__file__).parents[1] / "core" / "wire" / "cassettes"
PLAIN: dict[str, Any] = {
    "text": "",
    "reasoning": "",
    "tool_calls": [],
    "finish": "stop",
    "usage_norm": None,
    "kind": None,
    "incomplete": False,
}


def cassettes(folder: str, pattern: str = "*.sse") -> list[Path]:
    """The cassettes of one wire, sorted by name."""
    return sorted((FOLDER / folder).glob(pattern))


def each_of(paths: list[Path]) -> pytest.MarkDecorator:
    """A test that gets every one of these cassettes as ``path``."""
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


def read(path: Path) -> tuple[bytes, dict[str, Any]]:
    """The body to serve, and ``expect``."""
    body = path.read_bytes()
    beside = path.with_suffix(".json")
    said = beside.read_bytes() if beside.exists() else body.split(b"\n")[1].removeprefix(b": expect ")
    expect: dict[str, Any] = json.loads(said)
    return body, expect


def rules_of(decoder: Callable[..., StreamDecoder], paths: list[Path]) -> type:
    """The tests that every wire has, over its cassettes: give the class a name that pytest collects."""
    every = each_of(paths)

    class Rules:
        @every
        def test_a_cassette_means_what_it_says(self, path: Path) -> None:
            body, expect = read(path)
            check(replay(decoder(), [body]), expect)

        @every
        def test_a_cassette_means_the_same_however_it_is_cut(self, path: Path) -> None:
            body, _ = read(path)
            whole = replay(decoder(), [body])
            for reads in cuts(body):
                outcome = replay(decoder(), reads)
                assert outcome.deltas == whole.deltas
                assert str(outcome.failure) == str(whole.failure)

        @every
        def test_think_tags_change_only_what_has_them(self, path: Path) -> None:
            body, expect = read(path)
            for reads in ([body], byte_by_byte(body)):
                check_summary(replay(decoder(think_tags=True), reads), expect | expect.get("split", {}))

        @every
        def test_tool_calls_are_announced_first_and_once(self, path: Path) -> None:
            body, _ = read(path)
            check_announcements(replay(decoder(), [body]))

    return Rules


def check_summary(outcome: Outcome, expect: dict[str, Any]) -> None:
    """The facts that every answer has."""
    assert summary(outcome) == PLAIN | {key: value for key, value in expect.items() if key in PLAIN}


def check(outcome: Outcome, expect: dict[str, Any]) -> None:
    """Everything that ``expect`` names."""
    check_summary(outcome, expect)
    assert outcome.response.refusal == expect.get("refusal")
    if "model" in expect:
        assert outcome.response.model == expect["model"]
    if "indexes" in expect:
        assert sorted({d.index for d in outcome.deltas if isinstance(d, ToolCallDelta)}) == expect["indexes"]
    if "parts" in expect:
        wanted = expect["parts"]
        assert [
            describe(part, like) for part, like in zip(outcome.response.message.parts, wanted, strict=True)
        ] == wanted


def check_announcements(outcome: Outcome) -> None:
    """Tool calls are announced first and once, and counted from 0 without gaps."""
    seen: dict[int, ToolCallDelta] = {}
    for delta in outcome.deltas:
        if isinstance(delta, ToolCallDelta):
            first = seen.setdefault(delta.index, delta)
            assert bool(delta.name) == (delta is first)
    assert list(seen) == list(range(len(seen)))


def describe(part: Part, like: dict[str, Any]) -> dict[str, Any]:
    """The same facts of a part that an expectation names."""
    data = getattr(part, "data", None)
    facts = {
        "kind": type(part).__name__,
        "text": getattr(part, "text", None),
        "data": data,
        "bytes": list(data) if isinstance(data, bytes) else [],
        "media_type": getattr(part, "media_type", None),
        "url": getattr(part, "url", None),
        "metadata": part.provider_metadata,
    }
    return {key: facts[key] for key in like}
