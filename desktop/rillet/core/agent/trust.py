"""Whether something that nobody here wrote stands in a conversation.

Pure. A page, a file, the output of a tool may try to steer the model; once one is in a conversation, nothing that
writes or reaches the network runs there unasked. Above: ``types``, ``tools/tool``. Below: the loop asks at the start of
each turn. Guarantee: a conversation never becomes trusted again, not even when what made it so was summarized away: the
messages that took its place carry a mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rillet.core.types import FilePart, ImagePart, OpaquePart, TextPart, ToolCallPart, ToolResultPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rillet.core.tools.tool import Tool
    from rillet.core.types import ChatMessage, Part

KEY: Final = "rillet"
"""What we note on a text part stands under this key of its ``provider_metadata``; no codec sends it."""
UNTRUSTED: Final = {KEY: {"untrusted": True}}
"""The mark, as metadata of a text part that had none."""


def is_untrusted(messages: Iterable[ChatMessage], find: Callable[[str], Tool | None]) -> bool:
    """Whether the conversation holds anything that the user or the host did not write, or once did.

    That is: the result of a tool whose output is not trusted (or that nobody knows any more), what a user attached,
    what a provider's own tools brought, or a mark.
    """
    trusted: set[str] = set()
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                tool = find(part.name)
                if tool is not None and tool.trusted_output:
                    trusted.add(part.id)
                else:
                    trusted.discard(part.id)  # some servers use an id again
            elif _is_foreign(part, message.role, trusted):
                return True
    return False


def marked(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same conversation, untrusted for good."""
    result = list(messages)
    for place, message in enumerate(result):
        for at, part in enumerate(message.parts):
            if isinstance(part, TextPart):
                known = part.provider_metadata or {}
                note = {**known.get(KEY, {}), "untrusted": True}
                noted = replace(part, provider_metadata={**known, KEY: note})
                result[place] = replace(message, parts=(*message.parts[:at], noted, *message.parts[at + 1 :]))
                return result
    return result


def _is_foreign(part: Part, role: str, trusted: set[str]) -> bool:
    match part:
        case ToolResultPart():
            return part.call_id not in trusted
        case FilePart() | ImagePart():
            return role != "assistant"
        case OpaquePart():
            return True
        case TextPart(provider_metadata=metadata) if metadata and KEY in metadata:
            return bool(metadata[KEY].get("untrusted"))
        case _:
            return False
