"""Messages ↔ JSON, for conversations that outlive the process.

Pure. Above: ``messages``, ``parts``. Below: stores, and results that another process continues. The form is our own and
versioned; a provider's JSON is the affair of ``wire``. Guarantees: every part comes back as it was, bytes and
``provider_metadata`` included; text with half a character (a lone surrogate) is written as well, escaped; anything that
is no such JSON is a ``ValueError``, whatever is wrong with it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

import msgspec

from rillet.core.types.messages import ChatMessage, Role
from rillet.core.types.parts import (
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Json: TypeAlias = dict[str, Any]

VERSION: Final = 1
_KINDS: Final[dict[str, type[Part]]] = {
    "text": TextPart,
    "reasoning": ReasoningPart,
    "image": ImagePart,
    "file": FilePart,
    "tool_call": ToolCallPart,
    "tool_result": ToolResultPart,
    "opaque": OpaquePart,
}
_NAMES: Final = {part: kind for kind, part in _KINDS.items()}
_ROLES: Final = get_args(Role)


def messages_to_json(messages: Sequence[ChatMessage]) -> bytes:
    """Write a conversation down, in UTF-8."""
    return dump({"version": VERSION, "messages": [message_to_data(message) for message in messages]})


def messages_from_json(data: bytes) -> tuple[ChatMessage, ...]:
    """Read what ``messages_to_json`` wrote.

    Raises:
        ValueError: it is something else, or of a later version.
    """
    value = load(data)
    if not isinstance(value, dict) or value.get("version") != VERSION:
        raise ValueError("this is no conversation, or one of a later version")
    return tuple(message_from_data(message) for message in listed(value.get("messages")))


def message_to_data(message: ChatMessage) -> Json:
    """A message as JSON values; bytes are Base64."""
    parts = [{"kind": _NAMES[type(part)], **msgspec.to_builtins(part)} for part in message.parts]
    return {"role": message.role, "parts": parts}


def message_from_data(data: Any) -> ChatMessage:
    """A message from JSON values. Fields that are not known here are ignored.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(data, dict) or data.get("role") not in _ROLES:
        raise ValueError("a message without a role")
    return ChatMessage(data["role"], tuple(_part(part) for part in listed(data.get("parts"))))


def listed(value: Any) -> list[Any]:
    """``value`` itself.

    Raises:
        ValueError: it is no list.
    """
    if not isinstance(value, list):
        raise ValueError(f"a list is missing: {type(value).__name__}")
    return value


def dump(value: Any) -> bytes:
    """JSON values → JSON. Half a character, which UTF-8 cannot say, is escaped."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def load(data: bytes) -> Any:
    """JSON → JSON values.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        try:
            return msgspec.json.decode(data)
        except msgspec.DecodeError:
            return json.loads(data)  # knows half a character when it is escaped
    except RecursionError:
        raise ValueError("JSON that is nested too deeply") from None


def _part(data: Any) -> Part:
    kind = _KINDS.get(str(data.get("kind"))) if isinstance(data, dict) else None
    if kind is None:
        raise ValueError("a part of no known kind")
    part: Part = msgspec.convert(data, kind)
    return part
