"""What came of a file that was read, and the part of a message that it becomes.

Pure values. Above: ``types``, ``kinds``. Below: ``reading`` makes them, the composer shows and sends them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final, Literal, TypeAlias

from rillet.core.attachments.kinds import PDF
from rillet.core.types import FilePart, ImagePart

Form: TypeAlias = Literal["image", "audio", "text", "folder", "pdf", "words", "sheets"]

_OPEN_XML: Final = "application/vnd.openxmlformats-officedocument"
_WORDS: Final = f"{_OPEN_XML}.wordprocessingml.document"
_SHEETS: Final = {
    ".xls": "application/vnd.ms-excel",
    ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    ".xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
}


def document_type(form: Form, name: str) -> str:
    """The media type of a document."""
    if form == "sheets":
        return _SHEETS.get(PurePath(name).suffix.lower(), f"{_OPEN_XML}.spreadsheetml.sheet")
    return _WORDS if form == "words" else PDF


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
