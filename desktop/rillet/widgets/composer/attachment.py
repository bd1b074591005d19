"""One thing that is sent along with the text: an image or a file, as a value.

Knows no widget and reads no disk. Above: ``rillet.core.types``, ``core/attachments/kinds``. Below: ``incoming`` makes
attachments of files, ``chips`` shows them, ``composer`` sends them. Guarantee: the media type follows the bytes where
they tell it, the name where they do not.
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from rillet.core.attachments.caps import LEFT_OUT
from rillet.core.attachments.kinds import HEAD, PDF, Kind, image_type, kind_of, text_type
from rillet.core.token_estimate import estimate_tokens
from rillet.core.types import FilePart, ImagePart

_AS_FILE: Final = 3
"""A document costs its text and a picture of each page: about three times the text."""
_PER_IMAGE: Final = 1000
_PIXELS_PER_TOKEN: Final = 750
_MOST_PER_IMAGE: Final = 1600


@dataclass(frozen=True)
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

    @property
    def has_choice(self) -> bool:
        """Whether it can be sent as a file and as text, if the model takes files."""
        return isinstance(self.part, FilePart) and self.part.text is not None and self.part.media_type == PDF

    @property
    def needs_eyes(self) -> bool:
        """Whether it is a document without text, of use only to a model that takes the file itself."""
        return isinstance(self.part, FilePart) and self.part.text is None and self.part.media_type == PDF

    @cached_property
    def is_cut(self) -> bool:
        """Whether something of the file is not in its text."""
        return LEFT_OUT in self._text

    def goes_as_text(self, takes_files: bool) -> bool:
        """Whether what is sent of it is text."""
        if not isinstance(self.part, FilePart):
            return False
        if self.part.text is not None:
            return self.part.as_text or not takes_files or self.part.media_type != PDF
        return self.part.media_type.startswith("text/")

    def sent_size(self, takes_files: bool) -> int:
        """About how many bytes are sent of it."""
        is_read = isinstance(self.part, FilePart) and self.part.text is not None and self.goes_as_text(takes_files)
        return len(self._text) if is_read else len(self.data)

    def tokens(self, takes_files: bool) -> int:
        """About how many tokens it takes."""
        if self.is_image:
            return self._image_tokens
        if not self._text:
            return _PER_IMAGE
        return self._text_tokens * (1 if self.goes_as_text(takes_files) else _AS_FILE)

    def look_through(self) -> None:
        """Find out now what takes a few milliseconds for a long text."""
        self.tokens(takes_files=False)
        self.is_cut  # noqa: B018 (it is remembered)

    def as_text(self, as_text: bool) -> Attachment:
        """The same, to be sent as text, or as a file where the model takes it."""
        assert isinstance(self.part, FilePart)
        return replace(self, part=replace(self.part, as_text=as_text))

    def renamed(self, name: str) -> Attachment:
        """The same under another name."""
        part = replace(self.part, name=name) if isinstance(self.part, FilePart) else self.part
        return Attachment(part, name)

    @cached_property
    def _text(self) -> str:
        """What is read of it by a model; "" where that is nothing."""
        if not isinstance(self.part, FilePart):
            return ""
        if self.part.text is not None:
            return self.part.text
        return self.part.data.decode("utf-8", "replace") if self.part.media_type.startswith("text/") else ""

    @cached_property
    def _text_tokens(self) -> int:
        return estimate_tokens(self._text)

    @cached_property
    def _image_tokens(self) -> int:
        from rillet.widgets.pictures import natural_size

        size = natural_size(self.data)
        pixels = size.width() * size.height()
        return min(_MOST_PER_IMAGE, max(1, pixels // _PIXELS_PER_TOKEN)) if pixels else _PER_IMAGE


def attachment_of(data: bytes, name: str, media_type: str | None = None) -> Attachment:
    """The attachment for some bytes; ``media_type`` only where it is known better than bytes and name tell it."""
    if image := image_type(data):
        return Attachment(ImagePart(data, media_type=image), name)
    return Attachment(FilePart(data, media_type=media_type or _file_type(data, name), name=name), name)


def _file_type(data: bytes, name: str) -> str:
    if data.startswith(b"%PDF-"):
        return PDF
    if _is_text(data):
        return text_type(name)
    guess = mimetypes.MimeTypes().guess_type(name)[0]
    return guess if guess and not guess.startswith("text/") else "application/octet-stream"


def _is_text(data: bytes) -> bool:
    if kind_of(data[:HEAD], "") is not Kind.TEXT or b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
