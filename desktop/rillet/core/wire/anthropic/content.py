"""Parts of a message → content blocks.

Pure. Above: ``types``, ``attachments``. Below: ``turns`` puts the blocks in the order that the API demands. Blocks that
a provider sent go back as they came; what another one sent is left out: an unsigned thought, a foreign opaque block.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from rillet.core.errors import InvalidRequestError
from rillet.core.types import (
    FilePart,
    ImagePart,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from rillet.core.wire.anthropic.blocks import STYLE
from rillet.core.wire.attachments import PDF, bare_type, encode_base64, file_text, read_data_url

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.types import Part

Block = dict[str, Any]


def user_blocks(parts: Iterable[Part]) -> list[Block]:
    """What a person or a tool says.

    Raises:
        InvalidRequestError: A file is of a kind that this API does not take.
    """
    blocks = []
    for part in parts:
        match part:
            case TextPart():
                blocks.append(text_block(part.text))
            case ImagePart():
                blocks.append(_image(part))
            case FilePart():
                blocks.append(_file(part))
            case ToolResultPart():
                blocks.append(_tool_result(part))
            case OpaquePart() if _is_block(part):
                blocks.append(dict(part.data))
    return blocks


def assistant_blocks(parts: Iterable[Part]) -> list[Block]:
    """An earlier answer. Images and files are left out: the API takes none from an assistant."""
    blocks: list[Block] = []
    for part in parts:
        match part:
            case TextPart():
                blocks.append(text_block(part.text, _citations(part)))
            case ReasoningPart():
                _add_thinking(blocks, part)
            case ToolCallPart():
                blocks.append(_tool_use(part))
            case OpaquePart() if _is_block(part):
                blocks.append(dict(part.data))
    # Anthropic: 400 "Field required" without a signature, "Invalid signature" with a wrong one; it does without a
    # thought gladly (NousResearch/hermes-agent#24107).
    return [block for block in blocks if block.get("type") != "thinking" or "signature" in block]


def text_block(text: str, citations: list[Any] | None = None) -> Block:
    """Text, and what it cites."""
    return {"type": "text", "text": text, "citations": citations} if citations else {"type": "text", "text": text}


def wire_id(id: str) -> str:
    """An id of a call as the API accepts it: the id itself if it fits, else always the same one for it.

    It must match ``^[a-zA-Z0-9_-]+$``; other providers use dots and colons.
    """
    if re.fullmatch(r"[a-zA-Z0-9_-]+", id):
        return id
    digest = blake2b(id.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"{_wire_name(id)[:40]}_{digest}"


def _is_block(part: OpaquePart) -> bool:
    return part.style == STYLE and isinstance(part.data.get("type"), str)


def _add_thinking(blocks: list[Block], part: ReasoningPart) -> None:
    """A thought under its signature, which may come after others have begun: then it belongs to the last unsigned."""
    signature = part.provider_metadata.get("signature") if part.provider_metadata else None
    if not part.text and signature:
        for block in reversed(blocks):
            if block["type"] == "thinking" and not block.get("signature"):
                block["signature"] = signature
                return
    if part.text or signature:
        block = {"type": "thinking", "thinking": part.text}
        blocks.append(block | {"signature": signature} if isinstance(signature, str) else block)


def _tool_use(part: ToolCallPart) -> Block:
    """A call with an object as input, even if what arrived was none: the result of such a call says what was wrong."""
    known = part.provider_metadata.get(STYLE) if part.provider_metadata else None
    call = dict(known) if isinstance(known, Mapping) else {}
    return call | {
        "type": "tool_use",
        "id": wire_id(part.id),
        "name": _wire_name(part.name)[:128] or "unknown",
        "input": part.parsed or {},
    }


def _tool_result(part: ToolResultPart) -> Block:
    """Nothing is no content; a failure may not be silent (400 "content cannot be empty if `is_error` is true")."""
    block: Block = {"type": "tool_result", "tool_use_id": wire_id(part.call_id)}
    output = part.output if part.output.strip() else "Error" * part.is_error
    if part.images:
        block["content"] = [*([text_block(output)] if output else []), *map(_image, part.images)]
    elif output:
        block["content"] = output
    if part.is_error:
        block["is_error"] = True
    return block


def _image(image: ImagePart) -> Block:
    if image.url is not None:
        inline = read_data_url(image.url)
        if inline is None:
            return {"type": "image", "source": {"type": "url", "url": image.url}}
        media_type, data = inline
    else:
        media_type, data = image.media_type, image.data or b""
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": _image_type(media_type), "data": encode_base64(data)},
    }


def _file(file: FilePart) -> Block:
    text = file_text(file, PDF)
    if text is not None:
        return text_block(text)
    media_type = bare_type(file.media_type)
    if media_type.startswith("image/"):
        return _image(ImagePart(file.data, media_type=media_type))
    if media_type != "application/pdf":
        raise InvalidRequestError(
            f"{file.name or 'a file'} is of a kind that this provider does not read ({media_type})",
            advice="Remove it, or attach it as PDF, image or text.",
        )
    source = {"type": "base64", "media_type": media_type, "data": encode_base64(file.data)}
    document: Block = {"type": "document", "source": source}
    return document | {"title": file.name} if file.name else document


def _image_type(media_type: str) -> str:
    return "image/jpeg" if bare_type(media_type) == "image/jpg" else bare_type(media_type)


def _citations(part: TextPart) -> list[Any]:
    """Those of this style. A ``file_id`` of null is sent by the API but not taken back."""
    citations = part.provider_metadata.get("citations") if part.provider_metadata else None
    return [
        {key: value for key, value in citation.items() if key != "file_id" or value is not None}
        for citation in (citations if isinstance(citations, (list, tuple)) else ())
        if isinstance(citation, Mapping) and str(citation.get("type")).endswith("_location")
    ]


def _wire_name(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)
