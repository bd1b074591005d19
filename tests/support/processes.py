"""What lives: processes found by a word that stands in their command line, so that a test can see what was left."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def word() -> str:
    """A duration for ``sleep`` that nobody else uses: it marks the processes of one test."""
    return f"300.{uuid4().int % 10**12:012}"


def living(mark: str) -> list[int]:
    """The processes, zombies apart, with ``mark`` in their command line."""
    return [process for process, command in _commands() if mark in command]


async def dead(mark: str, limit: float = 3.0) -> bool:
    """Whether nothing with ``mark`` lives within ``limit`` seconds."""
    return await _comes_true(lambda: not living(mark), limit)


async def alive(mark: str, count: int, limit: float = 10.0) -> bool:
    """Whether ``count`` sleepers with ``mark`` live within ``limit`` seconds; not those that will start one."""
    return await _comes_true(lambda: sum(command == f"sleep\0{mark}\0" for _, command in _commands()) >= count, limit)


def _commands() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):
                yield int(folder.name), (folder / "cmdline").read_text(errors="replace")


async def _comes_true(condition: Callable[[], bool], limit: float) -> bool:
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.01)
    return True
