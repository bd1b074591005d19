"""What the program keeps on the disk, counted and removed. Blocks; run it on a thread.

Above: ``core/config/paths``, ``core/store/database``. Below: ``data`` shows it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rillet.core.store import database

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the store. ``size`` is in bytes."""

    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class Holdings:
    """What there is: bytes of everything, and the backups, newest first."""

    size: int
    backups: tuple[Backup, ...]


def holdings(store: Path) -> Holdings:
    """Count."""
    backups = tuple(Backup(each, _size(each)) for each in database.backups(store))
    return Holdings(sum(map(_size, _files(store.parent))), backups)


def delete_copies(store: Path) -> int:
    """Delete every backup and every damaged file that was set aside: how many could not be."""
    return _delete((*database.backups(store), *store.parent.glob(f"{store.stem} damaged *")))


def delete_old_settings(folder: Path) -> int:
    """Delete the settings that could not be read and were set aside: how many files could not be."""
    return _delete(folder.glob("settings.broken*.json"))


def _delete(files: Iterable[Path]) -> int:
    left = 0
    for file in list(files):
        try:
            file.unlink(missing_ok=True)
        except OSError:
            left += 1
    return left


def readable(size: int) -> str:
    """A size for people."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if amount >= 10 or unit == "bytes" else f"{amount:.1f} {unit}"


def _files(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from (each for each in folder.rglob("*") if each.is_file())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # gone meanwhile
        return 0
