"""The log of errors: one file, a paragraph for each run. That of a run that ended well says so in its last line.

The interpreter itself writes into it when a library crashes the process (``faulthandler``). Above:
``core/config/paths``. Below: ``__main__`` begins it, ``hooks`` writes, ``report`` reads. Guarantees: nothing here
raises, or waits for more than one write; a run writes no more than ``MOST`` bytes, the file is begun anew once it has
``LARGEST``; one before is kept. A run that may not be the only one has a file of its own, for nobody could tell its
paragraph from that of one that crashed.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

HEAD: Final = "=== Rillet"
ENDED: Final = "ended"
MOST: Final = 200_000
LARGEST: Final = 500_000
KEPT_SECONDS: Final = 7 * 24 * 3600
"""How long the file of a run is kept that was not alone."""
_TAIL: Final = 16


class CrashLog:
    """The log of this run.

    Attributes:
        path: The file.
        before: Where in it this run begins: what stands there before is of earlier ones.
        last_ended_well: Whether the run before this one ended by itself.
    """

    def __init__(self, path: Path, file: IO[bytes] | None, before: int, *, last_ended_well: bool) -> None:
        self.path = path
        self.before = before
        self.last_ended_well = last_ended_well
        self._file = file
        self._room = MOST

    @classmethod
    def begin(cls, path: Path, version: str, *, alone: bool = True) -> CrashLog:
        """Begin the paragraph of this run. Where nothing can be written, nothing is kept.

        ``alone``: nobody else can be writing into the file at ``path``.
        """
        _tidy(path)
        if not alone:
            path = path.with_name(f"{path.stem}.{os.getpid()}{path.suffix}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            well = not alone or _ended_well(path)
            if well and path.exists() and path.stat().st_size > LARGEST:
                path.replace(path.with_suffix(".old.log"))
            file = open(path, "ab", buffering=0, opener=_private)  # noqa: SIM115 (it stays open)
        except OSError:
            return cls(path, None, 0, last_ended_well=True)
        log = cls(path, file, file.tell(), last_ended_well=well)
        log._write(f"{HEAD} {version} began {_now('%Y-%m-%d %H:%M:%S')} on {_system()}")
        faulthandler.enable(file)
        return log

    def note(self, line: str, *more: str) -> None:
        """Write something down, with the time. May be called from any thread."""
        text = "\n".join((f"{_now('%H:%M:%S')} {line}", *more))
        if self._room >= 0:
            self._room -= len(text)
            self._write(text if self._room >= 0 else "(there was more)")

    def end(self) -> None:
        """This run has ended by itself. What crashes before ``close`` is written down all the same."""
        self._write(f"{_now('%H:%M:%S')} {ENDED}")

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None

    def _write(self, text: str) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError, ValueError):  # (a full disk; or it was closed on another thread)
                self._file.write(f"{text}\n".encode(errors="replace"))


def _tidy(path: Path) -> None:
    """Delete what runs that were not alone have left, once nobody looks for it any more."""
    with contextlib.suppress(OSError):
        for each in path.parent.glob(f"{path.stem}.*{path.suffix}"):
            number = each.name.removeprefix(f"{path.stem}.").removesuffix(path.suffix)
            if number.isdigit() and each.stat().st_mtime < time.time() - KEPT_SECONDS:
                each.unlink()


def _ended_well(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            tail = file.read()
    except FileNotFoundError:
        return True
    return not tail or tail.endswith(f" {ENDED}\n".encode())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _now(form: str) -> str:
    return time.strftime(form)


def _system() -> str:
    """The versions that matter; not the name of the machine."""
    python = ".".join(map(str, sys.version_info[:3]))
    binding = getattr(sys.modules.get("PySide6"), "__version__", "")
    if sys.platform == "win32":
        release = str(sys.getwindowsversion().build)
    else:
        release = os.uname().release
    return f"{sys.platform} {release}, Python {python}, PySide6 {binding}"
