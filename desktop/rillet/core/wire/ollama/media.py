"""Images as Ollama writes them, both directions: bare base64, without a media type and without addresses.

Pure. Above: ``attachments``. Below: ``message`` reads with it, ``encode`` writes with it.
"""

from __future__ import annotations

from rillet.core.types import ImagePart
from rillet.core.wire.attachments import decode_base64, encode_base64, read_data_url

_SIGNATURES = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


def image_part(text: str) -> ImagePart | None:
    """An image of an answer; only its bytes tell what kind it is. None when it is no base64."""
    data = decode_base64(text)
    if not data:
        return None
    media_type = next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), "image/png")
    return ImagePart(data, media_type=media_type)


def image_text(image: ImagePart) -> str | None:
    """An image as base64; None when only its address is known, which Ollama does not follow (ollama/ollama#4474)."""
    data = image.data
    if data is None and image.url is not None and (inline := read_data_url(image.url)) is not None:
        data = inline[1]
    return encode_base64(data) if data else None
