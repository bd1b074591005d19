"""What came of a file that was read, and the part of a message that it becomes.

Pure values. Above: ``types``, ``kinds``. Below: ``reading`` makes them, the composer shows and sends them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from rillet.core.attachments.kinds import PDF
from rillet.core.types import FilePart, ImagePart

Form: TypeAlias = Literal["image", "audio", "text", "folder", "pdf", "words", "sheets"]

MEDIA_TYPES: Final = {
    "pdf": PDF,
    "words": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "sheets": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Of documents, by what they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A file that was read.

    Attributes:
        form: What it is.
        media_type: The same for programs.
        size: Bytes of the file.
        data: The file itself; empty where it is not kept beside its text, because it is too large to be sent.
        text: What it says; None for an image and for sound.
    """

    name: str
    form: Form
    media_type: str
    size: int
    data: bytes = field(default=b"", repr=False)
    text: str | None = field(default=None, repr=False)

    def part(self) -> ImagePart | FilePart:
        """What of it goes into a message: a document with its text beside it, as long as it is not too large."""
        if self.form == "image":
            return ImagePart(self.data, media_type=self.media_type)
        if self.form in ("text", "folder") or (not self.data and self.text is not None):
            kind = self.media_type if self.form in ("text", "folder") else "text/plain"
            return FilePart((self.text or "").encode(), media_type=kind, name=self.name)
        return FilePart(self.data, media_type=self.media_type, name=self.name, text=self.text)
