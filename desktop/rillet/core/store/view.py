"""Reading a file whose disk takes nothing, not even the index that SQLite wants beside a log: as it is, or as a copy.

Above: ``database``, ``migrations``, ``journal``. Below: ``store`` reads a view until the disk takes something again.
Everything here blocks. Guarantees: the file is not touched; what was committed is seen, all of it; a copy is the user's
alone, and goes with the view. One that a killed program left goes with the next start (``sweep``).
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from rillet.core.store import journal, migrations
from rillet.core.store.database import connect, too_new

if TYPE_CHECKING:
    from sqlite3 import Connection

    from rillet.core.store.trouble import TooNew

log = logging.getLogger("rillet.store")

_PREFIX: Final = "rillet-reading-"
_LOGS: Final = ("-wal", "-journal")
"""What may hold commits, or what undoes half of one."""
_Shape = Literal["whole", "interrupted", "other"]


class View:
    """What readers connect to.

    Attributes:
        too_new: The file is one of a newer version, or None.
    """

    def __init__(self, path: Path, *, immutable: bool = False, folder: Path | None = None) -> None:
        self.too_new: TooNew | None = None
        self._path = path
        self._immutable = immutable
        self._folder = folder

    def connect(self) -> Connection:
        """A connection that reads."""
        return connect(self._path, writable=False, immutable=self._immutable)

    def close(self) -> None:
        """Delete the copy, if it is one."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def look(path: Path) -> View:
    """See what a file has that cannot be written.

    Raises:
        sqlite3.Error, OSError: that cannot be seen either.
    """
    as_it_is, shape = _as_it_is(path)
    if shape == "whole":
        return as_it_is
    try:
        return _copied(path)
    except (OSError, sqlite3.Error):
        if shape != "interrupted":
            raise
        log.warning("answers that a crash interrupted are shown as they were then")
        return as_it_is


def sweep() -> None:
    """Delete the copies of programs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if _is_ours(folder) and not _is_used(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _as_it_is(path: Path) -> tuple[View, _Shape]:
    """The file itself. As an immutable one only where it has no log, for that would not be read then."""
    view = View(path, immutable=not any(_size(Path(f"{path}{side}")) for side in _LOGS))
    with contextlib.suppress(sqlite3.Error), contextlib.closing(view.connect()) as db:
        view.too_new = too_new(db)
        if view.too_new is not None:
            return view, "whole"
        if migrations.applied(db) and not migrations.pending(db):
            return view, "interrupted" if journal.interrupted(db) else "whole"
    return view, "other"


def _copied(path: Path) -> View:
    """A copy with its log, made what this version wants."""
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        copy = folder / path.name
        before = _stamps(path)
        for side in before:
            shutil.copyfile(f"{path}{side}", f"{copy}{side}")
        if _stamps(path) != before:
            raise OSError("somebody changes the file while it is copied")
        view = View(copy, folder=folder)
        with contextlib.closing(connect(copy, writable=True)) as db:
            view.too_new = too_new(db)
            if view.too_new is not None:
                return view
            if not migrations.applied(db):
                raise OSError("there is nothing in it")
            migrations.migrate(db)
            db.execute("BEGIN IMMEDIATE")
            journal.recover(db)
            db.execute("COMMIT")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return view


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _stamps(path: Path) -> dict[str, tuple[int, int]]:
    """What there is of a file, by how its name goes on, and how it was changed last."""
    found = {}
    for side in ("", *_LOGS):
        with contextlib.suppress(FileNotFoundError):
            stat = Path(f"{path}{side}").stat()
            found[side] = (stat.st_size, stat.st_mtime_ns)
    return found


if sys.platform == "win32":

    def _is_ours(_folder: Path) -> bool:
        return True  # (the folder for temporary files is the user's own)

    def _is_used(_folder: Path) -> bool:
        return False  # (what somebody has open cannot be deleted)
else:

    def _is_ours(folder: Path) -> bool:
        with contextlib.suppress(OSError):
            return folder.lstat().st_uid == os.getuid()
        return False

    def _is_used(folder: Path) -> bool:
        process, _, _ = folder.name.removeprefix(_PREFIX).partition("-")
        try:
            os.kill(int(process), 0)
        except (ProcessLookupError, ValueError, OverflowError):
            return False
        except OSError:
            return True  # (somebody else's by now, who has the same number)
        return True
