"""A tool that cannot go on without somebody outside: what it asks, and what it is told.

Pure values, plain data throughout, so that a question can wait in a file and be answered by another process. Below:
``tools`` suspend with a ``Request`` in ``ToolResult.metadata["pending"]``; ``agent`` takes it to whoever answers.
Guarantee: ``to_json`` and ``from_json`` give the same bytes and the same value wherever they run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

APPROVAL: Final = "approval"
"""The kind of request with which the policy asks whether a call may run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a suspended call waits for.

    Args:
        id: What the answer names.
        kind: "authorization", "input", "question" or whatever a tool and its host agreed on; "approval" is the
            policy's.
        prompt: What to ask, plain text, written for people.
        url: Where to do what is asked for, http or https; shown before it is opened.
        data: What the kind needs beyond that, JSON values; ``schema`` describes the answer that is expected.
        expires_at: Seconds since the epoch after which an answer comes too late.
    """

    id: str
    kind: str
    prompt: str
    url: str | None = None
    data: Mapping[str, Any] | None = None
    expires_at: float | None = None

    def to_json(self) -> bytes:
        """Canonical: fields in the order above, absent ones left out, keys of ``data`` sorted."""
        return _encode(self)

    @classmethod
    def from_json(cls, data: bytes) -> Request:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: it is something else.
        """
        return msgspec.json.decode(data, type=cls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What somebody said to the request ``id``.

    Args:
        id: That of the request.
        ok: Whether the call goes on.
        data: The answer itself, as ``Request.data["schema"]`` asks for it; for an approval the ``scope`` it holds for.
        reason: Why not, in words for the model.
    """

    id: str
    ok: bool
    data: Mapping[str, Any] | None = None
    reason: str | None = None

    def to_json(self) -> bytes:
        """Canonical, as ``Request.to_json``."""
        return _encode(self)

    @classmethod
    def from_json(cls, data: bytes) -> Answer:
        """Read what ``to_json`` wrote.

        Raises:
            ValueError: it is something else.
        """
        return msgspec.json.decode(data, type=cls)


def _encode(value: Request | Answer) -> bytes:
    fields = {name: getattr(value, name) for name in value.__slots__}
    present = {name: field for name, field in fields.items() if field is not None}
    if (data := present.get("data")) is not None:
        present["data"] = msgspec.json.decode(msgspec.json.encode(data, order="sorted"))
    return msgspec.json.encode(present)
