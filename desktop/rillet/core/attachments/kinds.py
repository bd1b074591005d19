"""What a file is, by its content first and its name second.

Pure. Below: ``reading`` decides with it who reads the file, the composer shows it. Guarantee: what a name claims never
makes bytes something that they are not; it only tells apart what begins alike, or says which text it is.
"""

from __future__ import annotations

import mimetypes
from enum import StrEnum
from pathlib import PurePath
from typing import Final

HEAD: Final = 4096
"""Bytes that tell it."""


class Kind(StrEnum):
    """What is read in the same way."""

    IMAGE = "image"
    AUDIO = "audio"
    PDF = "pdf"
    PACKED = "packed"
    """Begins as a ZIP archive, which most documents are: ``extractor`` looks inside."""
    SHEETS = "sheets"
    """Of an older Excel."""
    PHOTO = "photo"
    """A picture that is not decoded."""
    ARCHIVE = "archive"
    OFFICE = "office"
    LOCKED = "locked"
    """A document with a password."""
    BINARY = "binary"
    TEXT = "text"


IMAGES: Final = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF8"),
    ("image/webp", 8, b"WEBP"),
)
"""Media type, place and bytes of what every provider with eyes accepts."""
_BITMAP: Final = ("image/bmp", 0, b"BM")
_AUDIO: Final = (
    ("audio/wav", 8, b"WAVE"),
    ("audio/mpeg", 0, b"ID3"),
    ("audio/flac", 0, b"fLaC"),
    ("audio/ogg", 0, b"OggS"),
)
_PHOTOS: Final = ((b"II*\0", 0), (b"MM\0*", 0), (b"ftyphei", 4), (b"ftyphev", 4), (b"ftypmif1", 4), (b"ftypavif", 4))
_ARCHIVES: Final = (b"Rar!", b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"xar!")
_OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Compound files: Excel, Word and PowerPoint before 2007, and documents with a password."""
_OLD_SHEETS: Final = (".xls", ".xlt")
_NEW_OFFICE: Final = (".docx", ".docm", ".xlsx", ".xlsm", ".xlsb", ".pptx", ".pptm")
"""What is a ZIP archive, unless it has a password."""
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_TYPES: Final = mimetypes.MimeTypes()
"""Without the tables of the machine: the same file is the same thing everywhere."""
_TYPES.add_type("text/markdown", ".md")  # (Python knows it since 3.13)
PDF: Final = "application/pdf"


def kind_of(head: bytes, name: str) -> Kind:
    """What begins with ``head`` (``HEAD`` bytes, or all there is) and is called ``name``."""
    if image_type(head) or _is_bitmap(head):
        return Kind.IMAGE
    if b"%PDF-" in head[:1024]:  # (some programs put something before it)
        return Kind.PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return Kind.PACKED
    if head.startswith(_OLD_OFFICE):
        suffix = PurePath(name).suffix.lower()
        return Kind.LOCKED if suffix in _NEW_OFFICE else Kind.SHEETS if suffix in _OLD_SHEETS else Kind.OFFICE
    if any(head.startswith(magic, place) for magic, place in _PHOTOS):
        return Kind.PHOTO
    if head.startswith(_ARCHIVES):
        return Kind.ARCHIVE
    if audio_type(head):
        return Kind.AUDIO
    if b"\0" in head and not head.startswith(_MARKS) and not is_wide(head):
        return Kind.BINARY
    return Kind.TEXT


def image_type(head: bytes) -> str | None:
    """The media type of an image that models look at; None for all else."""
    return next((kind for kind, place, magic in IMAGES if head.startswith(magic, place)), None)


def audio_type(head: bytes) -> str | None:
    """The media type of sound; None for all else."""
    return next((kind for kind, place, magic in _AUDIO if head.startswith(magic, place)), None)


def is_wide(head: bytes) -> bool:
    """Whether it looks like UTF-16 without its mark: nearly every second byte is zero, and no other."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    return half > 1 and max(even, odd) > 0.7 * half and min(even, odd) < 0.01 * half


def text_type(name: str) -> str:
    """The media type of a text of this name: names mislead (.ts is TypeScript far more often than a video)."""
    guess = _TYPES.guess_type(name)[0]
    keeps = guess is not None and (guess.startswith("text/") or guess.endswith(("json", "xml")))
    return guess if guess and keeps else "text/plain"


def _is_bitmap(head: bytes) -> bool:
    """A Windows bitmap: two letters are not enough, but nothing else has its four zeros."""
    return head.startswith(_BITMAP[2]) and head[6:10] == b"\0\0\0\0" and len(head) > 26
