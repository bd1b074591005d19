"""An earlier answer → the items it was made of, as its server wants to see them again.

Pure. Above: ``types``, ``items`` (what it left in ``provider_metadata``), ``media``. Below: ``encode``.

OpenAI checks items against each other, and refuses the whole request where they do not fit:

- a thought without the item that followed it ("provided without its required following item");
- an item with an id whose thought is missing ("provided without its required 'reasoning' item");
- a thought that is nothing but an id, because nothing is stored ("Item with id 'rs_…' not found",
  earendil-works/pi#3369, langchain-ai/langchain#38372);
- a call of a server's own tool that nobody answered;
- a thought where the model does not think.

So a thought goes back whole and with its follower, or not at all; then its followers go without their ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rillet.core.types import ImagePart, OpaquePart, ReasoningPart, TextPart, ToolCallPart
from rillet.core.wire.attachments import encode_base64
from rillet.core.wire.openai_responses.items import KEY, STYLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rillet.core.types import Part

CUSTOM = "custom_tool_call"


def answer_items(parts: Iterable[Part], answered: Collection[str], *, thinks: bool = True) -> list[dict[str, Any]]:
    """The items of one answer. ``answered`` are the ids of calls whose output the conversation holds.

    ``thinks``: the model that is asked takes thoughts.
    """
    items = [item for item in _in_order(parts) if not _is_open_call(item, answered)]
    return _paired(items, thinks=thinks)


def is_custom(call: ToolCallPart) -> bool:
    """Whether this calls a custom tool, whose input is any text and whose output is an item of another kind."""
    return _kept(call).get("type") == CUSTOM


def _in_order(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The items in the order of the answer: what closes a thought may have come behind what followed it."""
    placed: list[tuple[int, dict[str, Any]]] = []
    place = -1
    for part in parts:
        index = _own(part).get("index")
        place = index if isinstance(index, int) else place
        if (item := _item(part)) is not None:
            placed.append((place, item))
    placed.sort(key=itemgetter(0))
    items: list[dict[str, Any]] = []
    last = None
    for place, item in placed:
        if items and _is_thought(item) and _is_thought(items[-1]) and place == last:
            items.pop()  # closed once more, with more
        items.append(item)
        last = place
    return items


def _paired(items: Sequence[dict[str, Any]], *, thinks: bool) -> list[dict[str, Any]]:
    """Thoughts with their followers, or neither as such."""
    whole: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    torn = False
    for item in items:
        if _is_thought(item):
            torn = not (thinks and _is_complete(item))
            if not torn:
                thoughts.append(item)
            continue
        if torn and item["type"] not in ("message", "function_call", CUSTOM):
            continue  # a server's block is nothing without its id
        whole += thoughts
        thoughts = []
        whole.append({key: value for key, value in item.items() if key not in ("id", "status")} if torn else item)
    return whole


def _item(part: Part) -> dict[str, Any] | None:
    kept = _kept(part)
    match part:
        case ReasoningPart() if kept:
            return {**kept, "type": "reasoning"}
        case TextPart() if part.text:
            return _message(part, kept)
        case ToolCallPart():
            if kept.get("type") == CUSTOM:
                return {**kept, "call_id": part.id, "name": part.name, "input": part.arguments}
            call = {"type": "function_call", "call_id": part.id, "name": part.name}
            return {**kept, **call, "arguments": part.object_text}
        case ImagePart(data=bytes() as data) if kept:
            return {**kept, "result": encode_base64(data)}
        case OpaquePart(style=style) if style == STYLE and isinstance(part.data.get("type"), str):
            return dict(part.data)
        case _:
            return None


def _message(part: TextPart, kept: Mapping[str, Any]) -> dict[str, Any]:
    """A message. Without a list of ``annotations`` a server that checks the body refuses it."""
    sources = (part.provider_metadata or {}).get("annotations") if kept else None
    content = {"type": "output_text", "text": part.text, "annotations": sources or []}
    status = {"status": "completed"} if "id" in kept else {}
    return {**kept, **status, "type": "message", "role": "assistant", "content": [content]}


def _is_thought(item: Mapping[str, Any]) -> bool:
    return item.get("type") == "reasoning"


def _is_complete(thought: Mapping[str, Any]) -> bool:
    """Whether it holds the thought itself, encrypted or in the clear; a summary alone means nothing to a server."""
    return bool(thought.get("encrypted_content") or thought.get("content"))


def _is_open_call(item: Mapping[str, Any], answered: Collection[str]) -> bool:
    """Whether the server's own tool was to be run by us, and was not. Calls of our tools are the agent's affair."""
    if item["type"] in ("function_call", CUSTOM) or not item["type"].endswith("_call"):
        return False
    return isinstance(item.get("call_id"), str) and item["call_id"] not in answered


def _own(part: Part) -> Mapping[str, Any]:
    """What this style keeps with a part."""
    own = (part.provider_metadata or {}).get(KEY)
    return own if isinstance(own, Mapping) else {}


def _kept(part: Part) -> Mapping[str, Any]:
    item = _own(part).get("item")
    return item if isinstance(item, Mapping) else {}
