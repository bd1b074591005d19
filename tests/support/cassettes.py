"""Small streams that we wrote, one per rule of a wire, with what each should come to.

A cassette begins with two SSE comments, which decoders skip: what it is about, and ``expect`` with everything that
differs from an empty answer that finished with "stop". Fields of ``expect`` are those of ``replay.summary``, and:
``refusal``, ``model``, ``indexes`` (of tool calls, as deltas count them), ``parts`` (some facts of each part).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rillet.core.types import ToolCallDelta
from support.replay import summary

if TYPE_CHECKING:
    from rillet.core.types import Part
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


def cassettes(folder: str) -> list[Path]:
    """The cassettes of one wire, sorted by name."""
    return sorted((FOLDER / folder).glob("*.sse"))


def read(path: Path) -> tuple[bytes, dict[str, Any]]:
    """The body to serve, and ``expect``."""
    body = path.read_bytes()
    line = body.split(b"\n")[1]
    expect: dict[str, Any] = json.loads(line.removeprefix(b": expect "))
    return body, expect


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
        "block": data,
        "bytes": list(data) if isinstance(data, bytes) else [],
        "media_type": getattr(part, "media_type", None),
        "url": getattr(part, "url", None),
        "metadata": part.provider_metadata,
    }
    return {key: facts[key] for key in like}
