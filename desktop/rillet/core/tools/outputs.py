"""What a host's function returns → what the model is given.

Pure. Above: ``types``, ``tool``. Below: ``native``. Guarantee: any value gives a result, or a ``TypeError`` that says
why it cannot be shown to a model.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from rillet.core.tools.tool import ToolResult
from rillet.core.types import ImagePart
from rillet.core.wire.surrogates import mend_all

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)


def result_of(value: Any) -> ToolResult:
    """Text as it is, nothing as no text, images as images, and everything else as JSON.

    A list or tuple with images in it gives its images, and its other members one below the other.

    Raises:
        TypeError: bytes that are neither text nor a picture that every provider takes.
    """
    match value:
        case ToolResult():
            return value
        case list() | tuple() if any(map(_is_image, value)):
            results = [result_of(member) for member in value]
            text = "\n".join(result.output for result in results if result.output)
            return ToolResult(text, images=tuple(image for result in results for image in result.images))
        case ImagePart():
            return ToolResult("", images=(value,))
        case bytes() | bytearray() | memoryview():
            return _of_bytes(bytes(value))
        case _:
            return ToolResult(as_text(value))


def as_text(value: Any) -> str:
    """Text as it is, None as no text, the rest as JSON; what JSON has no words for as Python writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    try:
        plain = msgspec.to_builtins(value, enc_hook=_plain)
        return plain if isinstance(plain, str) else msgspec.json.encode(mend_all(plain)).decode()
    except (TypeError, ValueError, RecursionError):  # keys that are no keys of JSON, or what holds itself
        return str(value)


def _of_bytes(data: bytes) -> ToolResult:
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return ToolResult("", images=(ImagePart(data, media_type=media_type),))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ToolResult("", images=(ImagePart(data, media_type="image/webp"),))
    try:
        return ToolResult(data.decode())
    except UnicodeDecodeError:
        raise TypeError(f"{len(data)} bytes that are neither text nor a picture cannot be shown to a model") from None


def _is_image(value: Any) -> bool:
    return isinstance(value, ImagePart) or (
        isinstance(value, bytes) and any(value.startswith(signature) for signature, _ in _SIGNATURES)
    )


def _plain(value: Any) -> Any:
    """What msgspec does not know."""
    if callable(dump := getattr(value, "model_dump", None)):  # pydantic
        return dump(mode="json")
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, memoryview):
        return base64.b64encode(value).decode()
    return str(value)
