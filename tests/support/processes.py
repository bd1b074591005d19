"""What lives: processes found by a word that stands in their command line, so that a test can see what was left."""

from __future__ import annotations

import asyncio
import threading
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


class Family:
    """Whatever a process starts, and what that starts, is remembered while it runs: what lives afterwards was left.

    Attributes:
        seen: The environments that were seen, by their command lines.
    """

    def __init__(self, root: int) -> None:
        self._known: dict[int, str] = {root: _born(root)}
        self.seen: dict[str, str] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="watch of a family")

    def __enter__(self) -> Family:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._ended.set()
        self._thread.join()

    def living(self) -> list[str]:
        """The command lines of those that still run."""
        return [_command(process) for process, born in self._known.items() if _born(process) == born]

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self._look()

    def _look(self) -> None:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and (process := int(folder.name)) not in self._known:
                fields = _stat(process)
                if fields and int(fields[1]) in self._known:
                    self._known[process] = fields[19]
                    self.seen[_command(process)] = _environment(process)


def _stat(process: int) -> list[str]:
    """What the system tells of a process behind its name, from its state on; nothing of one that is gone."""
    try:
        return (Path("/proc") / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _born(process: int) -> str:
    """When a process began; empty once it has ended, also while nobody has asked how."""
    fields = _stat(process)
    return fields[19] if fields and fields[0] not in "ZX" else ""


def _environment(process: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
        return (Path("/proc") / str(process) / "environ").read_text(errors="replace")
    return ""


def _command(process: int) -> str:
    with suppress(FileNotFoundError, ProcessLookupError):
        return (Path("/proc") / str(process) / "cmdline").read_text(errors="replace").replace("\0", " ").strip()
    return ""


async def dead(mark: str, limit: float = 30.0) -> bool:
    """Whether nothing with ``mark`` lives within ``limit`` seconds."""
    return await comes_true(lambda: not living(mark), limit)


async def alive(mark: str, count: int, limit: float = 30.0) -> bool:
    """Whether ``count`` sleepers with ``mark`` live within ``limit`` seconds; not those that will start one."""
    return await comes_true(lambda: sum(command == f"sleep\0{mark}\0" for _, command in _commands()) >= count, limit)


def _commands() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(FileNotFoundError, ProcessLookupError):
                yield int(folder.name), (folder / "cmdline").read_text(errors="replace")


async def comes_true(condition: Callable[[], bool], limit: float) -> bool:
    """Whether something becomes so within ``limit`` seconds."""
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.01)
    return True
