"""The output of one answer: which item an event speaks of, and their deltas in the order in which they came.

Pure. Knows how servers name items; what an item makes of an event is its own affair. Above: ``items``, ``prose``,
``tool_calls``. Below: ``decode``.

An event names its item by ``output_index``, by ``item_id``, by both, or by neither. Ids that change with every event
(GitHub Copilot), indexes that are missing (llama.cpp) and events for items that nobody announced are all understood.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from rillet.core.types import Delta, FinishReason, PartDelta, TextDelta
from rillet.core.wire.openai_responses.items import KINDS, Block, Item, Message
from rillet.core.wire.prose import Prose
from rillet.core.wire.surrogates import mend
from rillet.core.wire.tool_calls import ToolCallAssembler

if TYPE_CHECKING:
    from collections.abc import Hashable

    from rillet.core.types import Part

_INCOMPLETE: dict[Any, FinishReason] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
}


class Output:
    """Collects the items of one answer; ``deltas`` is drained by the owner."""

    def __init__(self, *, think_tags: bool = False) -> None:
        self.refusal: list[str] = []
        self._prose = Prose(think_tags=think_tags)
        self._calls = ToolCallAssembler()
        self._items: list[Item] = []
        self._named: dict[Hashable, Item] = {}
        self._last: Item | None = None
        """The item that the last delta belongs to, as long as more of it may be joined to that."""
        self._summarised = False

    @property
    def deltas(self) -> list[Delta]:
        """What came since the last drain."""
        return self._prose.deltas

    @property
    def began(self) -> bool:
        """Something of an answer arrived."""
        return bool(self._items)

    @property
    def closed(self) -> bool:
        """Everything that was announced is there."""
        return not any(item.open for item in self._items)

    def drain(self) -> list[Delta]:
        """The deltas since the last call."""
        deltas, self._prose.deltas = self._prose.deltas, []
        return deltas

    # Which item

    def find(self, kind: str, index: int | None, id: str | None) -> Item:
        """The item that an event speaks of; one that nobody announced is new."""
        item = self._named.get((kind, index, id)) or self._known(kind, index, id)
        if item is None and index is None:
            item = next((item for item in reversed(self._items) if item.kind == kind and not item.done), None)
        return item or self._new(kind, index, id)

    def begin(self, value: dict[str, Any], index: int | None) -> None:
        """An item is announced."""
        kind, id = _kind(value), _id(value)
        item = self._known(kind, index, id)
        if item is None or item.begun:
            item = self._new(kind, index, id)
        item.begin(value)

    def close(self, value: dict[str, Any], index: int | None) -> None:
        """An item is complete."""
        self.find(_kind(value), index, _id(value)).close(value)

    def settle(self, values: list[Any]) -> None:
        """The whole output again: it may be all there is, or repeat everything, or be empty after all.

        Ids may be new once more, and places may shift where something was left out; so without a known id, the first
        message is the first message.
        """
        seen: dict[str, list[Item]] = defaultdict(list)
        for item in self._items:
            seen[item.kind].append(item)
        counts: dict[str, int] = defaultdict(int)
        for index, value in enumerate(values):
            if not isinstance(value, dict):
                continue
            kind = _kind(value)
            nth = counts[kind]
            counts[kind] += 1
            known = self._known(kind, None, _id(value))
            if known is None:
                known = seen[kind][nth] if nth < len(seen[kind]) else self._new(kind, index, _id(value))
            known.close(value)

    def _known(self, kind: str, index: int | None, id: str | None) -> Item | None:
        for name in ((kind, index, id), (kind, index), (kind, id)):
            if name[1] is not None and (item := self._named.get(name)) is not None:
                return item
        return None

    def _new(self, kind: str, index: int | None, id: str | None) -> Item:
        item = KINDS.get(kind, Block)(self, kind, len(self._items), index)
        self._items.append(item)
        self._named[kind, index, id] = item
        if index is not None:
            self._named[kind, index] = item
        if id is not None:
            self._named[kind, id] = item
        return item

    # What items pass on

    def say(self, message: Message, text: str) -> None:
        """The next piece of text. Where another message comes at once, the part of the first is closed."""
        if self._last is not message:
            self._prose.release()
            if isinstance(self._last, Message):
                self.deltas.append(TextDelta("", self._last.metadata()))
            self._last = message
        if message.head is None:
            self._prose.add_text(text)
            return
        deltas = self.deltas
        count = len(deltas)
        self._prose.add_text(text)
        if len(deltas) > count and isinstance(last := deltas[-1], TextDelta):
            deltas[-1] = TextDelta(last.text, message.head)
            message.head = None

    def think(self, thought: Item, text: str, metadata: dict[str, Any] | None = None) -> None:
        """The next piece of reasoning; empty text with metadata closes it."""
        self._last = thought
        self._prose.add_reasoning(text, metadata)

    def next_summary(self) -> str:
        """What stands before the next summary."""
        first, self._summarised = not self._summarised, True
        return "" if first else "\n\n"

    def call(
        self,
        item: Item,
        *,
        id: str = "",
        name: str = "",
        arguments: str = "",
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """The next piece of a call."""
        if self._last is not item:
            self._interrupt()
            self._last = item
        self.deltas.extend(self._calls.add(index=item.serial, id=id, name=name, arguments=arguments, metadata=metadata))

    def keep(self, part: Part) -> None:
        """A part that came whole."""
        self._interrupt()
        self.deltas.append(PartDelta(part))

    def cite(self, annotations: list[Any]) -> None:
        """The sources of the text before."""
        self._interrupt()
        self.deltas.append(TextDelta("", {"annotations": annotations}))

    def _interrupt(self) -> None:
        self._prose.release()
        self._last = None

    # The end

    def finish(self) -> None:
        """The answer is over, complete or not."""
        for item in self._items:
            item.finish()
        self._prose.release()
        self.deltas.extend(self._calls.finish())

    def reason(self, status: str, why: Any) -> FinishReason:
        """Why it ended, from its status and what ``incomplete_details`` says. Valid after ``finish``."""
        if status == "incomplete":
            return _INCOMPLETE.get(why, "unknown") if isinstance(why, str) else "unknown"
        if self._calls.announced:
            return "tool_calls"
        if self._calls.malformed:
            return "error"
        return "refusal" if self.refusal else "stop"

    @property
    def refused(self) -> str | None:
        """What the model said instead of an answer."""
        return mend("".join(self.refusal)) or None


def _kind(value: dict[str, Any]) -> str:
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def _id(value: dict[str, Any]) -> str | None:
    id = value.get("id")
    return id if isinstance(id, str) and id else None
