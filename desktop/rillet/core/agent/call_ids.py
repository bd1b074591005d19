"""Ids of tool calls as they arrive: one that is missing or in use is replaced before anybody hears of the call.

Some servers number the calls of every answer from the beginning, others send no ids. What is told of a call, kept of it
and sent back must name the same one throughout. Pure. Above: ``types``. Below: ``turn`` passes every delta through;
``history`` gives other ids to what comes from elsewhere. Guarantee: within a conversation every call has an id, and no
two have the same; deltas that need no other id are the same objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rillet.core.types import Restarted, ToolCallDelta

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from rillet.core.types import Delta

_LONGEST: Final = 40
"""OpenAI refuses longer ones."""
_CONCERNED: Final = frozenset((ToolCallDelta, Restarted))


class CallIds:
    """The ids of one answer; ``taken`` are those of the conversation before it."""

    def __init__(self, taken: Set[str]) -> None:
        self._taken = taken
        self._known: set[int] = set()
        """The indices of the calls that have begun."""
        self._own: set[str] = set()

    def put_right(self, deltas: Sequence[Delta]) -> Sequence[Delta]:
        """The deltas; the first of each call has its id, and no other has one."""
        if _CONCERNED.isdisjoint(map(type, deltas)):
            return deltas
        return [self._put_right(delta) for delta in deltas]

    def _put_right(self, delta: Delta) -> Delta:
        if isinstance(delta, Restarted):
            self._known.clear()
            self._own.clear()
        if not isinstance(delta, ToolCallDelta):
            return delta
        if delta.index in self._known:  # (an id that comes late is none any more)
            return delta if delta.id is None else replace(delta, id=None)
        id = delta.id or ""
        if not id or id in self._taken or id in self._own:
            id = another_id(id, self._taken | self._own)
        self._known.add(delta.index)
        self._own.add(id)
        return delta if id == delta.id else replace(delta, id=id)


def another_id(id: str, used: Set[str]) -> str:
    """An id that is not in use, like ``id`` where that says something."""
    for number in range(2, len(used) + 3):
        suffix = f"_{number}"
        if (other := (id or "call")[: _LONGEST - len(suffix)] + suffix) not in used:
            return other
    raise AssertionError("more ids in use than there are")
