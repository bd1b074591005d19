"""What a tool of an MCP server gave back → a ``ToolResult``.

Pure, but for the SDK's values. Above: ``tool``. Below: ``session``. Guarantees: at most ``MOST_TEXT`` bytes of text
reach the model, and what was left out is said; an image is one that the model's provider can read, by its bytes;
nothing is fetched that a result only names.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any, Final

import mcp_types as protocol

from rillet.core.tools.tool import ToolResult
from rillet.core.types import ImagePart
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_TEXT: Final = 1024 * 1024
"""Bytes."""
MOST_IMAGES: Final = 16
_MAGIC: Final = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}


def result_of(result: protocol.CallToolResult) -> ToolResult:
    """What the model is told, and shown."""
    texts: list[str] = []
    images: list[ImagePart] = []
    for block in result.content:
        _add(block, texts, images)
    structured = result.structured_content
    if structured is not None and not _says(texts, structured):
        texts.append(json.dumps(structured, ensure_ascii=False, indent=1))
    metadata = {} if structured is None else {"structured": structured}
    output = limited("\n\n".join(texts))
    if result.is_error and not output:
        output = "the tool failed and did not say why"
    return ToolResult(output, is_error=bool(result.is_error), images=tuple(images), metadata=metadata)


def text_of(contents: Iterable[protocol.TextResourceContents | protocol.BlobResourceContents]) -> ToolResult:
    """A resource as a result."""
    texts: list[str] = []
    images: list[ImagePart] = []
    for each in contents:
        _add_resource(each, texts, images)
    return ToolResult(limited("\n\n".join(texts)), images=tuple(images))


def limited(text: str) -> str:
    """The text, cut in its middle where it is longer than a model is told."""
    text = mend(text)
    if len(text) <= MOST_TEXT // 4:  # no character has more than four bytes
        return text
    data = text.encode()
    if len(data) <= MOST_TEXT:
        return text
    head, tail = MOST_TEXT * 3 // 4, MOST_TEXT // 4
    begin, end = (part.decode(errors="ignore") for part in (data[:head], data[-tail:]))
    return f"{begin}\n\n[{len(data) - head - tail:,} bytes are left out here]\n\n{end}"


def _add(block: protocol.ContentBlock, texts: list[str], images: list[ImagePart]) -> None:
    match block:
        case protocol.TextContent():
            texts.append(block.text)
        case protocol.ImageContent():
            _add_image(block.data, block.mime_type, texts, images)
        case protocol.AudioContent():
            texts.append(f"[sound, {block.mime_type}, {_size(block.data)}: not passed on]")
        case protocol.ResourceLink():
            described = f": {block.description}" if block.description else ""
            texts.append(f"[resource {block.uri} ({block.title or block.name}){described}]")
        case protocol.EmbeddedResource():
            _add_resource(block.resource, texts, images)


def _add_resource(
    resource: protocol.TextResourceContents | protocol.BlobResourceContents, texts: list[str], images: list[ImagePart]
) -> None:
    if isinstance(resource, protocol.TextResourceContents):
        texts.append(f"[{resource.uri}]\n{resource.text}")
    elif (resource.mime_type or "").startswith("image/"):
        _add_image(resource.blob, resource.mime_type or "", texts, images)
    else:
        texts.append(f"[{resource.uri}, {resource.mime_type or 'bytes'}, {_size(resource.blob)}: not passed on]")


def _add_image(data: str, said: str, texts: list[str], images: list[ImagePart]) -> None:
    """Believe the bytes, not the type that was said."""
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        texts.append("[an image that is not encoded as it should be]")
        return
    kind = next((kind for magic, kind in _MAGIC.items() if content.startswith(magic)), None)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None or len(images) == MOST_IMAGES:
        texts.append(f"[an image, {said}, {len(content):,} bytes: not passed on]")
    else:
        images.append(ImagePart(content, media_type=kind))


def _size(data: str) -> str:
    return f"{len(data) * 3 // 4:,} bytes"


def _says(texts: Sequence[str], structured: Any) -> bool:
    """Whether the text is the structured content once more, as the protocol asks servers to send it.

    What is no object is wrapped in one (``{"result": …}``, ``{"content": …}``): a single value counts for its object.
    """
    bare = next(iter(structured.values())) if isinstance(structured, dict) and len(structured) == 1 else structured
    return any(text == bare or _decoded(text) in (structured, bare) for text in texts)


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
