"""Images, audio and files as Chat Completions writes them, both directions.

Pure. Above: ``attachments``. Below: ``choice`` reads with it, ``encode`` writes with it.
"""

from __future__ import annotations

from typing import Any

from rillet.core.types import FilePart, ImagePart
from rillet.core.wire.attachments import (
    PDF,
    bare_type,
    data_url,
    decode_base64,
    encode_base64,
    file_text,
    read_data_url,
)

_SIGNATURES = {
    b"RIFF": "audio/wav",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"fLaC": "audio/flac",
    b"OggS": "audio/ogg",
}
_AUDIO_FORMATS = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}


def image_part(url: str) -> ImagePart:
    """An image of an answer, from a data URL or an address."""
    if (inline := read_data_url(url)) is not None:
        media_type, data = inline
        return ImagePart(data, media_type=media_type or "image/png", provider_metadata={"image_field": "images"})
    return ImagePart(url=url, provider_metadata={"image_field": "images"})


def audio_part(audio: dict[str, list[Any]]) -> FilePart:
    """Spoken output, from the pieces of each field; the format is known only from the bytes (PCM has no header)."""
    data = b"".join(map(decode_base64, _runs(audio.get("data", []))))
    fields = {key: "".join(pieces) if key == "transcript" else pieces[-1] for key, pieces in audio.items()}
    fields.pop("data", None)
    media_type = next((kind for start, kind in _SIGNATURES.items() if data.startswith(start)), "audio/pcm")
    return FilePart(data, media_type=media_type, provider_metadata={"audio": fields})


def image_url(image: ImagePart) -> str:
    """The address of an image, or the image itself as a data URL."""
    return image.url if image.url is not None else data_url(image.media_type, image.data or b"")


def image_content(image: ImagePart) -> dict[str, Any]:
    """An image as a part of a message."""
    return {"type": "image_url", "image_url": {"url": image_url(image)}}


def file_content(file: FilePart) -> dict[str, Any]:
    """A file as a part of a message, in the form that most servers take: text, then image or audio, then file."""
    if (text := file_text(file, PDF)) is not None:
        return {"type": "text", "text": text}
    media_type = bare_type(file.media_type)
    if media_type.startswith("image/"):
        return image_content(ImagePart(file.data, media_type=media_type))
    if media_type in _AUDIO_FORMATS:
        audio = {"data": encode_base64(file.data), "format": _AUDIO_FORMATS[media_type]}
        return {"type": "input_audio", "input_audio": audio}
    return {
        "type": "file",
        "file": {"filename": file.name or "file", "file_data": data_url(media_type, file.data)},
    }


def _runs(pieces: list[str]) -> list[str]:
    """Pieces joined up to each padding: a server may encode them one by one, or cut one text anywhere."""
    runs, run = [], []
    for piece in pieces:
        run.append(piece)
        if piece.endswith("="):
            runs.append("".join(run))
            run = []
    return [*runs, "".join(run)]
