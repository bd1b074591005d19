"""Files and images between bytes and what JSON can carry: data URLs, base64, and text files as text.

Pure, and the same for every style: how a part of a message looks is the affair of each. Above: ``types``. Below: the
codecs.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rillet.core.types import FilePart

_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in ("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-sh", "x-python", "sql", "x-ndjson", "rtf")
)


def bare_type(media_type: str) -> str:
    """A media type in lower case and without its parameters."""
    return media_type.partition(";")[0].strip().lower()


def file_text(file: FilePart) -> str | None:
    """A text file as text under its name, which every model reads; None when it is no text."""
    media_type = bare_type(file.media_type)
    if media_type.startswith("text/") or media_type in _TEXT_TYPES or media_type.endswith(("+json", "+xml")):
        text = file.data.decode("utf-8", "replace")
        return f'<file name="{file.name or "file"}">\n{text}\n</file>'
    return None


def data_url(media_type: str, data: bytes) -> str:
    """Bytes as a URL (RFC 2397)."""
    return f"data:{media_type};base64,{encode_base64(data)}"


def read_data_url(url: str) -> tuple[str, bytes] | None:
    """(media type, bytes) of a base64 data URL; None for any other URL, and for one whose data is broken."""
    head, comma, body = url.partition(",")
    if head[:5].lower() != "data:" or not comma:
        return None
    media_type, *options = head[5:].split(";")
    data = decode_base64(body) if "base64" in options else b""
    return (media_type, data) if data else None


def encode_base64(data: bytes) -> str:
    """Bytes as base64 text."""
    return base64.b64encode(data).decode()


def decode_base64(text: str) -> bytes:
    """The bytes, or none where it is no base64; missing padding is forgiven."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return b""
