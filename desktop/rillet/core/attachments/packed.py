"""Documents that are ZIP archives: what is inside is looked at before it is unpacked.

Above: ``caps``, ``problems``. Below: ``words``, ``sheets``, ``extractor``. Guarantees: no more is unpacked than the
cap, whatever an archive says of itself; nothing is written to a disk.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING, Final

from rillet.core.attachments.problems import Unreadable

if TYPE_CHECKING:
    from rillet.core.attachments.caps import Caps

_ENTRIES: Final = 20_000
_RATIO: Final = 400
"""Times that text in XML shrinks at most, as it is found in documents; deflate itself can do a thousand."""
_SMALL: Final = 10_000_000
"""Bytes that may be of any ratio."""


class Packed:
    """An archive in memory."""

    def __init__(self, data: bytes, caps: Caps) -> None:
        """Raises Unreadable: it is damaged, or made to do harm."""
        self._caps = caps
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        # (NotImplementedError: what ``zipfile`` raises for a compression or a version that it does not know)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise Unreadable("broken") from error
        entries = self._archive.infolist()
        if len(entries) > _ENTRIES or sum(each.file_size for each in entries) > caps.unpacked:
            raise Unreadable("bomb")
        if any(each.file_size > max(_SMALL, _RATIO * each.compress_size) for each in entries):
            raise Unreadable("bomb")
        self.names = frozenset(self._archive.namelist())
        self.is_locked = any(each.flag_bits & 1 for each in entries)

    def read(self, name: str) -> bytes:
        """One part.

        Raises:
            Unreadable: it is damaged, or larger than the archive says.
        """
        try:
            with self._archive.open(name) as part:
                data = part.read(self._caps.unpacked + 1)
        except (LookupError, zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError) as error:
            raise Unreadable("broken") from error
        if len(data) > self._caps.unpacked:
            raise Unreadable("bomb")
        return data

    def kind(self) -> str:
        """What it is: ``words``, ``sheets``, ``office`` (another document) or ``archive``."""
        if "word/document.xml" in self.names:
            return "words"
        if self.names & {"xl/workbook.xml", "xl/workbook.bin"}:
            return "sheets"
        if "mimetype" in self.names:  # OpenDocument
            kind = self.read("mimetype")[:100]
            return "sheets" if kind.startswith(b"application/vnd.oasis.opendocument.spreadsheet") else "office"
        return "office" if "[Content_Types].xml" in self.names else "archive"
