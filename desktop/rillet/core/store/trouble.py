"""What can go wrong with the file, as values that say what a person can do.

    StoreError
     ├─ DiskTrouble   full, read-only, failing: what is written waits in memory and is written once the disk takes it
 │   ├─ Held        another program has the file for itself
 │   └─ Unwritable  it has been so since the start; what was kept before can be read
     ├─ Damaged       the file is no database any more
     ├─ TooNew        a newer Rillet made the file: it can be read, not written
     ├─ NotCopied     a backup could not be written, or not take the place of the file
     ├─ Missing       no such chat or message (any more)
     └─ Closed        the store was closed

Knows the error codes of SQLite and of the system, and nothing else of the store. Below: everything in this package.
"""

from __future__ import annotations

import errno
import sqlite3
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class StoreError(Exception):
    """The store cannot do what it was asked to.

    Attributes:
        summary: What happened, in words that can be translated.
        detail: What the system or the file says to that; may be empty.
        retryable: Whether the same may succeed later.
    """

    advice: ClassVar[str] = "Start Rillet again."
    retryable: ClassVar[bool] = False

    def __init__(self, summary: str, detail: str = "") -> None:
        super().__init__(summary, detail)
        self.summary = summary
        self.detail = detail

    @property
    def user_message(self) -> str:
        """What happened, and what to do."""
        return self.told()

    def told(self, translate: Callable[[str], str] = str) -> str:
        """``user_message``, every fixed sentence of it by way of ``translate``."""
        detail = f" ({self.detail})" if self.detail else ""
        return f"{translate(self.summary).rstrip('.')}{detail}. {translate(self.advice)}"

    def __str__(self) -> str:
        return f"{self.summary} ({self.detail})" if self.detail else self.summary


class DiskTrouble(StoreError):
    """The disk takes nothing just now. Nothing is lost as long as the program runs."""

    advice = "Everything is kept in memory and saved as soon as the disk allows it."
    retryable = True


class Held(DiskTrouble):
    """Another program has the file for itself."""


class Unwritable(DiskTrouble):
    """The disk has taken nothing since the store was opened; what it had before can be read."""

    advice = "Chats can be read. Make room on the disk, or make it writable: until then, what is new is in memory only."


class Damaged(StoreError):
    """The file is no database any more, or parts of it cannot be read."""

    advice = "A backup can be restored in the settings."


class TooNew(StoreError):
    """A newer version of Rillet has made the file."""

    advice = "Nothing can be changed until Rillet is updated; everything can be read."


class NotCopied(StoreError):
    """A backup could not be written, or not take the place of the file."""

    advice = "Nothing was changed."


class Missing(StoreError):
    """It does not exist (any more)."""

    advice = "It may have been deleted in the meantime."


class Closed(StoreError):
    """The store was closed."""


_TROUBLES: Final = {
    sqlite3.SQLITE_FULL: "The disk is full",
    sqlite3.SQLITE_READONLY: "The disk is read-only, or the file belongs to somebody else",
    sqlite3.SQLITE_IOERR: "The disk reports an error",
    sqlite3.SQLITE_CANTOPEN: "The file cannot be opened",
    sqlite3.SQLITE_PERM: "The file belongs to somebody else",
    sqlite3.SQLITE_BUSY: "Another program holds the file",
    sqlite3.SQLITE_LOCKED: "Another program holds the file",
    sqlite3.SQLITE_PROTOCOL: "Another program holds the file",
    sqlite3.SQLITE_NOMEM: "There is no memory left",
}
_HELD: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_DAMAGES: Final = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SYSTEM: Final = {
    errno.ENOSPC: "The disk is full",
    errno.EDQUOT: "The disk is full",
    errno.EROFS: "The disk is read-only, or the file belongs to somebody else",
    errno.EACCES: "The disk is read-only, or the file belongs to somebody else",
    errno.EPERM: "The disk is read-only, or the file belongs to somebody else",
    errno.EIO: "The disk reports an error",
}


def trouble_of(error: sqlite3.Error) -> StoreError | None:
    """What an error of SQLite says about the disk or the file; None: it says something about the statement."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if code is not None else None
    if primary in _DAMAGES:
        return Damaged("The file with all chats is damaged", str(error))
    if primary in _TROUBLES:
        kind = Held if primary in _HELD else DiskTrouble
        return kind(_TROUBLES[primary], str(error))
    return None


def disk_trouble(error: OSError, folder: Path) -> DiskTrouble:
    """What an error of the system says about the folder of the file."""
    summary = _SYSTEM.get(error.errno or 0, "The folder with all chats cannot be used")
    return DiskTrouble(summary, f"{folder}: {error.strerror or error}")
