"""Files and images between bytes and what JSON can carry: data URLs, base64, and text files as text.

Pure, and the same for every style: how a part of a message looks is the affair of each. Above: ``types``. Below: the
codecs.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from rillet.core.types import FilePart

PDF: Final = frozenset(("application/pdf",))
"""What most styles take as a file."""
FOLDER_TYPE: Final = "text/x-rillet-folder"
"""The media type of a file that holds the files of a folder, each as ``enclosed`` writes it."""

_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in ("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-sh", "x-python", "sql", "x-ndjson", "rtf")
)


def bare_type(media_type: str) -> str:
    """A media type in lower case and without its parameters."""
    return media_type.partition(";")[0].strip().lower()


def file_text(file: FilePart, taken: Collection[str] = ()) -> str | None:
    """A file as text under its name, which every model reads; None when it has no text, or is to be sent as it is.

    ``taken``: media types that the style takes as files. What a document says is sent where its type is not among
    them, or where the person wants it so.
    """
    media_type = bare_type(file.media_type)
    if file.text is not None and (file.as_text or media_type not in taken):
        return enclosed("file", file.name or "file", file.text)
    if is_text(media_type):
        tag = "folder" if media_type == FOLDER_TYPE else "file"
        return enclosed(tag, file.name or tag, file.data.decode("utf-8", "replace"))
    return None


def plain_text(file: FilePart) -> str | None:
    """What a file says, for people to read; None when it has no text."""
    if file.text is not None:
        return file.text
    return file.data.decode("utf-8", "replace") if is_text(file.media_type) else None


def is_text(media_type: str) -> bool:
    """Whether files of this type are text as they are."""
    bare = bare_type(media_type)
    return bare.startswith("text/") or bare in _TEXT_TYPES or bare.endswith(("+json", "+xml"))


def enclosed(tag: str, name: str, text: str) -> str:
    """``text`` as data: between marks that it cannot forge, under a name in one line.

    A text that holds an end mark of its own gets marks with a number that follows from the text: who writes one cannot
    know the number of what they write.
    """
    label = " ".join(name.split()).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    number = ""
    if "</" in text and any(f"</{each}" in text.lower() for each in ("file", "folder")):
        number = f' id="{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]}"'
    return f'<{tag} name="{label}"{number}>\n{text}\n</{tag}{number}>'


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
