"""What is told of an answer beside the events of the agent: where in the tree its messages stand.

Pure values. Above: ``agent/events``, ``store/messages``. Below: ``recorder`` makes them, views follow them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from rillet.core.agent.events import StreamEvent
from rillet.core.store.messages import Status


class Placed(msgspec.Struct, frozen=True):
    """A message of the answer got its place in the tree: what comes next belongs to it."""

    message_id: int
    parent_id: int | None
    role: Literal["assistant", "tool"]


class Settled(msgspec.Struct, frozen=True):
    """A message of the answer stands in the store as it will stay."""

    message_id: int
    status: Status


class Summarizing(msgspec.Struct, frozen=True):
    """The oldest turns, so many, are being summarized: before the question is asked, or while tools are at work."""

    turns: int
    model: str | None


class Summarized(msgspec.Struct, frozen=True):
    """The summary stands in the store."""

    summary_id: int


ChatEvent: TypeAlias = StreamEvent | Placed | Settled | Summarizing | Summarized
