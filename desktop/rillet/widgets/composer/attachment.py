"""One thing that is sent along with the text: an image or a file.

Knows no widget. Above: ``rillet.core.types``, ``limits``. Below: ``intake`` makes attachments, ``chips`` shows them,
``composer`` sends them. Guarantees: the media type follows the bytes where they tell it, the name where they do not; a
file is looked at before it is opened, so neither a pipe nor a disk image stops the program.
"""

from __future__ import annotations

import mimetypes
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QCoreApplication

from rillet.core.types import FilePart, ImagePart
from rillet.widgets.composer.limits import AttachmentRefused, Limits, check_size

if TYPE_CHECKING:
    from pathlib import Path

translate = QCoreApplication.translate

_IMAGES: Final = (
    ("image/png", 0, b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", 0, b"\xff\xd8\xff"),
    ("image/gif", 0, b"GIF8"),
    ("image/webp", 8, b"WEBP"),
)
"""Media type, place and bytes of what every provider with eyes accepts."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A part of the message to be, under the name by which the person knows it."""

    part: ImagePart | FilePart
    name: str

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return self.part.data or b""

    @property
    def is_image(self) -> bool:
        """Whether it is one of the images that models look at."""
        return isinstance(self.part, ImagePart)

    def renamed(self, name: str) -> Attachment:
        """The same under another name."""
        return attachment_of(self.data, name, self.part.media_type)


def attachment_of(data: bytes, name: str, media_type: str | None = None) -> Attachment:
    """The attachment for some bytes; ``media_type`` only where it is known better than bytes and name tell it."""
    if image := image_type(data):
        return Attachment(ImagePart(data, media_type=image), name)
    return Attachment(FilePart(data, media_type=media_type or _file_type(data, name), name=name), name)


def read_file(path: Path, limits: Limits) -> Attachment:
    """The file as an attachment.

    Raises:
        AttachmentRefused: it is no file, too large, or cannot be read.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            words = translate("Attachment", "{name} is a folder: attach the files in it.")
            raise AttachmentRefused(words.format(name=path.name))
        if not stat.S_ISREG(status.st_mode):
            raise AttachmentRefused(translate("Attachment", "{name} is not a file.").format(name=path.name))
        check_size(path.name, status.st_size, limits)
        data = path.read_bytes()
    except OSError as error:
        words = translate("Attachment", "{name} cannot be read: {why}.")
        raise AttachmentRefused(words.format(name=path.name, why=error.strerror or error)) from error
    check_size(path.name, len(data), limits)
    return attachment_of(data, path.name)


def image_type(data: bytes) -> str | None:
    """The media type of an image that models look at; None for all else."""
    return next((kind for kind, place, magic in _IMAGES if data.startswith(magic, place)), None)


def _file_type(data: bytes, name: str) -> str:
    if data.startswith(b"%PDF-"):
        return "application/pdf"
    # Without the tables of the machine: the same file is the same thing everywhere.
    guess = mimetypes.MimeTypes().guess_type(name)[0]
    if not _is_text(data):
        return guess if guess and not guess.startswith("text/") else "application/octet-stream"
    # Names mislead: .ts is TypeScript far more often than a video. What can be read is sent as text.
    keeps = guess is not None and (guess.startswith("text/") or guess.endswith(("json", "xml")))
    return guess if guess and keeps else "text/plain"


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data
