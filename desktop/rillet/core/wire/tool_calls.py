"""Fragments of tool calls → calls, for wires that identify a fragment by an index, an id, both, or neither.

Pure. Knows the fragment's four fields, not the JSON they came in. Above: ``surrogates``. Below: the codecs. Servers
disagree on everything here; the rules, from recorded answers of a dozen of them:

1. A known id names its call, whatever the index. An unknown id belongs to the call at its index if that has no id yet,
   or if the fragment brings no name and that has one (poolsideai/pool#9: a new id with every fragment), else it starts
   a new one; from then on the index means the call that used it last.
2. Without an id the index decides; without either it is the latest call, unless the fragment brings a name and the
   arguments of the latest call are complete: then it is a new one.
3. A name may be repeated with every fragment, or come in pieces before the arguments, or after them.
4. A call that never got a name is malformed and is dropped.

Guarantee: deltas count calls from 0 without gaps, in the order in which the calls appeared; a call is announced, with
its whole name, before anything else of it; the arguments are exactly the fragments, joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.types import ToolCallDelta, parse_arguments
from rillet.core.wire.surrogates import SurrogateJoiner

if TYPE_CHECKING:
    from collections.abc import Hashable


class _Call:
    __slots__ = ("arguments", "id", "index", "joiner", "metadata", "name")

    def __init__(self) -> None:
        self.index: int | None = None
        """Set when it is announced."""
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.metadata: dict[str, Any] = {}
        """Not yet sent on."""
        self.joiner = SurrogateJoiner()

    @property
    def complete(self) -> bool:
        """Whether the arguments are an object already; the cheap test of the last character keeps this linear."""
        if not self.arguments or self.arguments[-1].rstrip()[-1:] not in ("}", '"'):
            return False
        return parse_arguments("".join(self.arguments)) is not None


class ToolCallAssembler:
    """Assembles the calls of one answer."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._announced = 0
        """Calls before this position are announced: a call waits for those that appeared before it."""
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[Hashable, _Call] = {}
        self._last: _Call | None = None
        self.malformed = False
        """A call without a name was dropped."""

    @property
    def begun(self) -> bool:
        """Whether anything of a call came."""
        return bool(self._calls)

    @property
    def announced(self) -> int:
        """How many calls were announced."""
        return self._announced

    def add(
        self,
        *,
        index: Hashable | None = None,
        id: str = "",
        name: str = "",
        arguments: str = "",
        metadata: dict[str, Any] | None = None,
    ) -> list[ToolCallDelta]:
        """Take one fragment; an empty string is an absent field."""
        call = self._find(index, id, name)
        self._last = call
        late_id = id if id and not call.id and call.index is not None else None
        if id:
            call.id = call.id or id
            self._by_id[id] = call
        if index is not None:
            self._by_index[index] = call
        if name and call.index is None and name != call.name and not (call.name and call.arguments):
            call.name += name
        if metadata:
            call.metadata.update(metadata)
        arguments = call.joiner.feed(arguments)
        if arguments:
            call.arguments.append(arguments)
        deltas = []
        if call.index is not None and (arguments or late_id or call.metadata):
            deltas.append(ToolCallDelta(call.index, late_id, None, arguments, call.metadata or None))
            call.metadata = {}
        return deltas + self._announce()

    def finish(self) -> list[ToolCallDelta]:
        """The answer is over: announce the calls whose name was still open, drop those without one."""
        named = [call for call in self._calls if call.name]
        self.malformed = len(named) < len(self._calls)
        self._calls = named
        deltas = []
        for call in named:
            if half := call.joiner.flush():
                call.arguments.append(half)
                if call.index is not None:
                    deltas.append(ToolCallDelta(call.index, None, None, half))
        return deltas + self._announce(finished=True)

    def _find(self, index: Hashable | None, id: str, name: str) -> _Call:
        if id:
            found = self._by_id.get(id)
            if found is None and index is not None:
                found = self._by_index.get(index)
                if found is not None and found.id and (name or not found.name):
                    found = None
        elif index is not None:
            found = self._by_index.get(index)
        else:
            found = self._last
            if found is not None and name and found.complete:
                found = None
        if found is None:
            found = _Call()
            self._calls.append(found)
        return found

    def _announce(self, *, finished: bool = False) -> list[ToolCallDelta]:
        """Announce, in order, each call whose name is whole: arguments began, a later call began, or all is over."""
        deltas = []
        while self._announced < len(self._calls):
            call = self._calls[self._announced]
            whole = finished or call.arguments or call is not self._calls[-1]
            if not call.name or not whole:
                break
            call.index = self._announced
            self._announced += 1
            deltas.append(
                ToolCallDelta(call.index, call.id or None, call.name, "".join(call.arguments), call.metadata or None)
            )
            call.metadata = {}
        return deltas
