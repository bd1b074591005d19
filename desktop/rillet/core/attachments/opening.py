"""A file is looked at before it is read, so neither a pipe nor a disk image nor a device stops the program.

Blocks as disks do. Above: ``caps``, ``problems``. Below: ``reading``. Guarantee: what is read is the regular file that
was looked at, and never more of it than the cap.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from rillet.core.attachments.problems import Unreadable, size_text

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that nobody writes to would wait for ever."""


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a file.

    Raises:
        Unreadable: it is no file, empty, has more than ``most`` bytes, or cannot be read.
    """
    name = path.name or str(path)
    try:
        _require(path.stat(), name, most)  # (before it is opened: some devices do something when they are)
        descriptor = os.open(path, _FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            _require(os.fstat(descriptor), name, most)
            data = file.read(most + 1)
    except OSError as error:
        raise Unreadable("gone", name=name, why=error.strerror or str(error)) from error
    if not data:
        raise Unreadable("empty", name=name)
    if len(data) > most:  # (it grew, or its size is not told, as in /proc)
        raise Unreadable("large", name=name, size=size_text(len(data)), most=size_text(most))
    return data


def _require(status: os.stat_result, name: str, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise Unreadable("folder", name=name)
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("special", name=name)
    if status.st_size > most:
        raise Unreadable("large", name=name, size=size_text(status.st_size), most=size_text(most))
