"""A disk that takes nothing from the start, under one folder of a test: read-only, or full to the last byte.

Injected where the store meets the system, so that it holds for root too, whom no permission keeps out. What SQLite does
on such a disk is taken from a real one (``tests/core/store/test_unwritable.py`` has that as well, where it may mount).
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

Fault = Literal["read-only", "full"]


class Unwritable:
    """As long as ``fault`` is set nothing under ``folder`` can be written."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fault: Fault | None = None
        self._folder = folder
        self._really_connect: Callable[..., sqlite3.Connection] = sqlite3.connect
        self._really_temporary: Callable[..., Any] = tempfile.TemporaryFile
        self._really_mkstemp: Callable[..., Any] = tempfile.mkstemp
        really_chmod = Path.chmod
        monkeypatch.setattr(sqlite3, "connect", self._connect)
        monkeypatch.setattr(tempfile, "TemporaryFile", self._temporary)
        monkeypatch.setattr(tempfile, "mkstemp", self._mkstemp)
        disk = self

        def chmod(path: Path, *args: Any, **options: Any) -> None:
            if disk.fault == "read-only" and disk._holds(path):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            really_chmod(path, *args, **options)

        monkeypatch.setattr(Path, "chmod", chmod)

    def _holds(self, path: Path) -> bool:
        return path.is_relative_to(self._folder)

    def _refuse(self) -> None:
        if self.fault is not None:
            number = errno.EROFS if self.fault == "read-only" else errno.ENOSPC
            raise OSError(number, os.strerror(number))

    def _temporary(self, *args: Any, **options: Any) -> Any:
        if self._holds(Path(options.get("dir") or "/")):
            self._refuse()
        return self._really_temporary(*args, **options)

    def _mkstemp(self, *args: Any, **options: Any) -> Any:
        if self._holds(Path(options.get("dir") or "/")):
            self._refuse()
        return self._really_mkstemp(*args, **options)

    def _connect(self, database: Any, *args: Any, **options: Any) -> sqlite3.Connection:
        address = urlsplit(str(database))
        path = Path(unquote(address.path))
        if self.fault is not None and address.scheme == "file" and self._holds(path):
            if "mode=rwc" in address.query:
                read_only = self.fault == "read-only"
                raise _failed(sqlite3.SQLITE_READONLY if read_only else sqlite3.SQLITE_FULL, "injected")
            if "immutable" not in address.query and not Path(f"{path}-shm").exists():
                raise _failed(sqlite3.SQLITE_CANTOPEN, "unable to open database file")
        return self._really_connect(database, *args, **options)


def _failed(code: int, text: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error
