"""Opening the file: connections as every part of the store wants them, copies, and what is done about a damaged file.

Above: ``migrations``, ``trouble``. Below: ``writer``, ``readers``, ``store``. Everything here blocks. Guarantees: the
folder and the file are the user's alone; a file that holds something is copied before it is migrated; a damaged one is
set aside, never overwritten.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rillet.core.store import migrations
from rillet.core.store.trouble import Damaged, DiskTrouble, NotCopied, StoreError, TooNew, disk_trouble, trouble_of

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger("rillet.store")

BUSY_SECONDS: Final = 5.0
"""How long a statement waits for another process."""
_PROBE: Final = 65_536
"""Bytes; the shared memory beside a file has half of it."""
_SIDES: Final = ("", "-wal", "-shm")
"""The files that are the database."""


def connect(path: Path, *, writable: bool, immutable: bool = False) -> Connection:
    """A connection for one thread at a time. ``immutable``: nobody changes the file as long as it is open.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    mode = "rwc" if writable else "ro&immutable=1" if immutable else "ro"
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,  # transactions are ours
        check_same_thread=False,
    )
    try:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA temp_store = MEMORY")
        if writable:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
        else:
            db.execute("PRAGMA query_only = ON")
            db.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except BaseException:
        db.close()
        raise
    return db


def prepare(path: Path) -> None:
    """Make the file what this version wants, and private.

    Raises:
        TooNew: a newer version made it; it was not touched.
        Damaged: it is no database.
        DiskTrouble: the disk takes nothing.
        sqlite3.Error: a mistake of ours.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
        path.chmod(0o600)
        with contextlib.closing(connect(path, writable=True)) as db:
            if (newer := too_new(db)) is not None:
                raise newer
            if (steps := migrations.pending(db)) and migrations.applied(db):
                copy(db, backup_path(path, f"before {steps[0].name}"))
            migrations.migrate(db)
    except sqlite3.Error as error:
        raise trouble_of(error) or error from error
    except OSError as error:
        raise disk_trouble(error, path.parent) from error
    except NotCopied as error:
        raise DiskTrouble("The copy that comes before a change of the file cannot be made", error.detail) from error


def too_new(db: Connection) -> TooNew | None:
    """That a newer version made the file, if one did."""
    names = migrations.unknown(db)
    return TooNew("A newer version of Rillet has changed the file with all chats", names[-1]) if names else None


def probe(path: Path) -> None:
    """Find out whether the disk of the file takes something, without touching the file.

    Raises:
        DiskTrouble: it does not.
    """
    try:
        with tempfile.TemporaryFile(dir=path.parent) as file:
            file.write(bytes(_PROBE))
            file.flush()
            os.fsync(file.fileno())
        # (not by opening it: closing it again would take away the locks that SQLite has on it in this process)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise disk_trouble(error, path.parent) from error


def copy(db: Connection, target: Path) -> None:
    """Copy the whole database while it is in use. The target appears complete or not at all.

    Raises:
        Damaged: it cannot be copied.
        NotCopied: the disk does not take it.
    """
    half = target.with_suffix(".half")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        half.unlink(missing_ok=True)
        half.touch(mode=0o600)
        with contextlib.closing(sqlite3.connect(half)) as into:
            db.backup(into, pages=1000)
            into.execute("PRAGMA journal_mode = DELETE")
        half.replace(target)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error) and isinstance(trouble := trouble_of(error), Damaged):
            raise trouble from error
        raise NotCopied("The backup could not be written", str(error)) from error


def require_other(backup: Path, path: Path) -> None:
    """Let no backup be the file itself, by whatever name.

    Raises:
        NotCopied: it is.
    """
    sides = [Path(f"{path}{side}").resolve() for side in _SIDES]
    if backup.resolve() in sides or (backup.exists() and path.exists() and backup.samefile(path)):
        raise NotCopied("This is the file with all chats itself", path.name)


def backup_path(path: Path, label: str) -> Path:
    """Where a copy of the file goes; ``label`` becomes part of the name."""
    stamp = time.strftime("%Y-%m-%d %H.%M.%S")
    safe = "".join(letter if letter.isalnum() or letter in " .-" else "-" for letter in label)
    candidate = path.parent / "backups" / f"{stamp} {safe}.db"
    number = 2
    while candidate.exists():
        candidate = candidate.with_name(f"{stamp} {safe} {number}.db")
        number += 1
    return candidate


def check(db: Connection) -> None:
    """Read through the whole file.

    Raises:
        Damaged: parts of it cannot be read.
    """
    try:
        db.execute("PRAGMA shrink_memory")  # (or pages would be looked at as they were, not as they are)
        found = [line for (line,) in db.execute("PRAGMA quick_check(3)")]
    except sqlite3.Error as error:
        raise trouble_of(error) or Damaged(str(error)) from error
    if found != ["ok"]:
        raise Damaged("The file with all chats is damaged", found[0])


def set_aside(path: Path) -> Path:
    """Move a damaged file, with what belongs to it, out of the way: its new path.

    Raises:
        DiskTrouble: the disk does not let it be moved; it is where it was.
    """
    stamp = time.strftime("%Y-%m-%d %H.%M.%S")
    number = 1
    while (
        aside := path.with_name(f"{path.stem} damaged {stamp}{f' {number}' if number > 1 else ''}{path.suffix}")
    ).exists():
        number += 1
    moved: list[str] = []
    try:
        for side in _SIDES:
            with contextlib.suppress(FileNotFoundError):
                Path(f"{path}{side}").replace(f"{aside}{side}")
                moved.append(side)
    except OSError as error:  # (a log that stayed behind would be played into the new file)
        for side in moved:
            Path(f"{aside}{side}").replace(f"{path}{side}")
        raise DiskTrouble("A damaged file cannot be set aside", f"{path.name}: {error.strerror}") from error
    log.warning("the damaged database was set aside as %s", aside)
    return aside


def backups(path: Path) -> list[Path]:
    """The copies that there are, newest first."""
    folder = path.parent / "backups"
    return sorted(folder.glob("*.db"), key=lambda each: each.stat().st_mtime, reverse=True) if folder.is_dir() else []


def replace(path: Path, backup: Path) -> Path:
    """Put a backup in the place of a damaged file, which nobody may have open; where that was moved to.

    Raises:
        Damaged: the backup is damaged; the file was not touched.
        StoreError: the disk does not take it.
    """
    half = path.with_suffix(".restoring")
    try:
        with contextlib.closing(connect(backup, writable=False)) as db:
            check(db)
            copy(db, half)
        previous = set_aside(path)
        half.replace(path)
    except (OSError, sqlite3.Error, DiskTrouble) as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise NotCopied("The backup could not be put in the place of the file", str(error)) from error
    try:
        prepare(path)
    except DiskTrouble as trouble:
        raise StoreError("The backup is in the place of the file, but cannot be opened", str(trouble)) from trouble
    return previous


def inspect_backup(backup: Path) -> None:
    """Read through a backup that is to be taken over.

    Raises:
        Damaged: it is none, or parts of it cannot be read.
        TooNew: a newer version made it.
        DiskTrouble: it cannot be opened.
    """
    try:
        with contextlib.closing(connect(backup, writable=False)) as db:
            check(db)
            if not migrations.applied(db):
                raise Damaged("This is no backup of Rillet", backup.name)
            if names := migrations.unknown(db):
                raise TooNew("A newer version of Rillet has made this backup", f"{backup.name}, {names[-1]}")
    except sqlite3.Error as error:
        raise trouble_of(error) or error from error


def take_over(db: Connection, backup: Path) -> None:
    """Replace everything in an open database by what is in a backup, in one transaction; readers may go on."""
    with contextlib.closing(connect(backup, writable=False)) as source:
        source.backup(db)
    migrations.migrate(db)
