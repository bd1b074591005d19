"""Messages ↔ JSON: a conversation as a file, a database, or a run that another process goes on with holds it.

Pure. Above: ``messages``, ``parts``. Below: stores, and pending runs. Attached bytes stand in the text as base64, or
wherever ``keep`` puts them. Guarantees: reading what was written gives equal messages, with the metadata of providers
untouched; half characters (lone surrogates), which no database takes, are written as U+FFFD; what is no message is a
``ValueError``, never a message with something missing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, assert_never, get_args

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

Keep: TypeAlias = Callable[[bytes], str]
"""Puts bytes somewhere and returns the name that ``Fetch`` takes."""
Fetch: TypeAlias = Callable[[str], bytes]

_ROLES: Final = frozenset(get_args(Role))


def dump_messages(messages: Iterable[ChatMessage], keep: Keep | None = None) -> bytes:
    """The messages as a JSON array."""
    return encode([_message(each, keep) for each in messages])


def load_messages(data: bytes | str, fetch: Fetch | None = None) -> tuple[ChatMessage, ...]:
    """The messages of a JSON array.

    Raises:
        ValueError: it is something else, or names bytes that ``fetch`` does not have.
    """
    return tuple(_read_message(each, fetch) for each in _decode_list(data))


def dump_parts(parts: Iterable[Part], keep: Keep | None = None) -> bytes:
    """The parts of one message as a JSON array."""
    return encode([_part(each, keep) for each in parts])


def load_parts(data: bytes | str, fetch: Fetch | None = None) -> tuple[Part, ...]:
    """The parts of a JSON array.

    Raises:
        ValueError: as ``load_messages``.
    """
    return tuple(_read_part(each, fetch) for each in _decode_list(data))


def whole_json(value: Mapping[str, Any]) -> str:
    """JSON in which each half character is replaced: one in a prompt must not keep a question from being written."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return whole(json.dumps(value, ensure_ascii=False))


def whole(text: str) -> str:
    """``text`` with each half character replaced, so that it can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # (by way of UTF-16, in which two halves that belong together are one character)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def encode(value: Any) -> bytes:
    """JSON values as JSON, half characters replaced."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_whole_value(value))


def _decode_list(data: bytes | str) -> list[Any]:
    try:
        value = msgspec.json.decode(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, list):
        raise ValueError("this is no list")
    return value


def _whole_value(value: Any) -> Any:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, Mapping):
        return {_whole_value(name): _whole_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_whole_value(each) for each in value]
    return value


def _message(message: ChatMessage, keep: Keep | None) -> dict[str, Any]:
    return {"role": message.role, "parts": [_part(part, keep) for part in message.parts]}


def _read_message(value: Any, fetch: Fetch | None) -> ChatMessage:
    if not isinstance(value, dict) or value.get("role") not in _ROLES or not isinstance(value.get("parts"), list):
        raise ValueError("this is no message")
    return ChatMessage(value["role"], tuple(_read_part(each, fetch) for each in value["parts"]))


def _part(part: Part, keep: Keep | None) -> dict[str, Any]:
    match part:
        case TextPart():
            fields: dict[str, Any] = {"type": "text", "text": part.text}
        case ReasoningPart():
            fields = {"type": "reasoning", "text": part.text}
        case ImagePart():
            fields = {"type": "image", "media_type": part.media_type, "url": part.url, "data": _bytes(part.data, keep)}
        case FilePart():
            fields = {"type": "file", "media_type": part.media_type, "name": part.name, "data": _bytes(part.data, keep)}
            if part.text is not None:
                fields["text"] = _bytes(whole(part.text).encode(), keep)
            if part.as_text:
                fields["as_text"] = True
        case ToolCallPart():
            fields = {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
            if part.cut:
                fields["cut"] = True
        case ToolResultPart():
            images = [_part(image, keep) for image in part.images]
            fields = {"type": "tool_result", "call_id": part.call_id, "output": part.output}
            fields |= {"is_error": True} if part.is_error else {}
            fields |= {"images": images} if images else {}
        case OpaquePart():
            fields = {"type": "opaque", "style": part.style, "data": part.data}
        case _:
            assert_never(part)
    if part.provider_metadata is not None:
        fields["metadata"] = part.provider_metadata
    return {name: value for name, value in fields.items() if value is not None}


def _read_part(value: Any, fetch: Fetch | None) -> Part:
    try:
        return _READERS[value["type"]](value, value.get("metadata"), fetch)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"this is no part of a message ({error})") from error


def _read_image(value: Any, metadata: Any, fetch: Fetch | None) -> ImagePart:
    data = _read_bytes(value["data"], fetch) if "data" in value else None
    return ImagePart(data, media_type=_text(value["media_type"]), url=value.get("url"), provider_metadata=metadata)


def _read_file(value: Any, metadata: Any, fetch: Fetch | None) -> FilePart:
    return FilePart(
        _read_bytes(value["data"], fetch),
        media_type=_text(value["media_type"]),
        name=value.get("name"),
        text=_read_bytes(value["text"], fetch).decode() if "text" in value else None,
        as_text=value.get("as_text", False),
        provider_metadata=metadata,
    )


def _read_call(value: Any, metadata: Any, _fetch: Fetch | None) -> ToolCallPart:
    return ToolCallPart(
        _text(value["id"]),
        _text(value["name"]),
        _text(value["arguments"]),
        cut=value.get("cut", False),
        provider_metadata=metadata,
    )


def _read_result(value: Any, metadata: Any, fetch: Fetch | None) -> ToolResultPart:
    return ToolResultPart(
        _text(value["call_id"]),
        _text(value["output"]),
        is_error=value.get("is_error", False),
        images=tuple(_read_image(each, each.get("metadata"), fetch) for each in value.get("images", ())),
        provider_metadata=metadata,
    )


_READERS: Final[dict[str, Callable[[Any, Any, Fetch | None], Part]]] = {
    "text": lambda value, metadata, _: TextPart(_text(value["text"]), provider_metadata=metadata),
    "reasoning": lambda value, metadata, _: ReasoningPart(_text(value["text"]), provider_metadata=metadata),
    "image": _read_image,
    "file": _read_file,
    "tool_call": _read_call,
    "tool_result": _read_result,
    "opaque": lambda value, metadata, _: OpaquePart(_text(value["style"]), value["data"], provider_metadata=metadata),
}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where text should be")
    return value


def _bytes(data: bytes | None, keep: Keep | None) -> dict[str, str] | None:
    if data is None:
        return None
    return {"kept": keep(data)} if keep is not None else {"base64": base64.b64encode(data).decode()}


def _read_bytes(value: Any, fetch: Fetch | None) -> bytes:
    if "base64" in value:
        return base64.b64decode(value["base64"], validate=True)
    if fetch is None:
        raise ValueError("the bytes of an attachment are kept elsewhere")
    return fetch(_text(value["kept"]))
