"""Images, audio and files as the Responses API writes them, both directions.

Pure. Above: ``attachments``. Below: ``items`` reads with it, ``encode`` and ``replay`` write with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.types import ImagePart
from rillet.core.wire.attachments import PDF, bare_type, data_url, decode_base64, encode_base64, file_text

if TYPE_CHECKING:
    from rillet.core.types import FilePart

_SIGNATURES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
_AUDIO_FORMATS = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


def generated_image(item: dict[str, Any]) -> tuple[bytes, str] | None:
    """(bytes, media type) of an ``image_generation_call``; None when it holds no image that can be sent back."""
    result = item.get("result")
    data = decode_base64(result) if isinstance(result, str) else b""
    if not data or encode_base64(data).rstrip("=") != str(result).rstrip("="):
        return None
    told = item.get("output_format")
    by_name = f"image/{told}" if isinstance(told, str) and told.isalpha() else "image/png"
    return data, next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), by_name)


def image_content(image: ImagePart) -> dict[str, Any]:
    """An image as a part of a message or of a tool's output. Servers that check the body (vLLM) require ``detail``."""
    url = image.url if image.url is not None else data_url(image.media_type, image.data or b"")
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def file_content(file: FilePart) -> dict[str, Any]:
    """A file as a part of a message, in the form that most servers take: text, then image or audio, then file."""
    if (text := file_text(file, PDF)) is not None:
        return {"type": "input_text", "text": text}
    media_type = bare_type(file.media_type)
    if media_type.startswith("image/"):
        return image_content(ImagePart(file.data, media_type=media_type))
    if media_type in _AUDIO_FORMATS:
        audio = {"data": encode_base64(file.data), "format": _AUDIO_FORMATS[media_type]}
        return {"type": "input_audio", "input_audio": audio}
    return {"type": "input_file", "filename": file.name or "file", "file_data": data_url(media_type, file.data)}
