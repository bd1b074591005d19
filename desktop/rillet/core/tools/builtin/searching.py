"""Our end of the child that searches: start it, read what it finds, end it in time.

Above: ``files/search`` (the child), ``processes``, ``environment``. Below: ``grep``, ``glob``. Guarantee: a search ends
after ``MAX_SECONDS`` with what was found until then, and no process is left, however it ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.environment import minimal
from rillet.core.tools.files.paths import FileError
from rillet.core.tools.processes import Process

if TYPE_CHECKING:
    from rillet.core.tools.files.search import Search

MAX_SECONDS: Final = 20.0
MAX_LIMIT: Final = 1000
"""Findings of one call."""
DEFAULT_LIMIT: Final = 100
MAX_CHARACTERS: Final = 60_000
"""Of all findings as text."""


@dataclass(slots=True)
class Found:
    """What came of a search.

    Attributes:
        findings: What was found, as ``files/search`` describes it.
        counts: What was passed over; empty when the search did not come to its end.
    """

    findings: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def text(self, lines: list[str], nothing: str) -> str:
        """Findings as lines, capped, and below them what has to be known about them."""
        room, shown = MAX_CHARACTERS, 0
        while shown < len(lines) and len(lines[shown]) <= room:
            room -= len(lines[shown])
            shown += 1
        notes = []
        if not self.counts:
            notes.append(f"(stopped after {MAX_SECONDS:g} s: there may be more; look in a smaller folder, or for less)")
        elif shown < len(lines) or self.counts["more"]:
            notes.append(f"(the first {shown}: there are more)")
        if self.counts.get("binary") or self.counts.get("large"):
            notes.append(f"(passed over: {self.counts['binary']} binary and {self.counts['large']} large files)")
        if self.counts.get("sensitive"):
            notes.append(
                f"(left out: {self.counts['sensitive']} files that may hold keys or passwords; name one to search it)"
            )
        return "\n".join([*(lines[:shown] or [nothing]), *notes])


async def run_search(search: Search, seconds: float = MAX_SECONDS) -> Found:
    """Search in a child.

    Raises:
        FileError: the pattern is none, or there is no such path in the workspace.
    """
    found = Found()
    environment = minimal(os.environ, ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"))
    async with await Process.start(_command(), env=environment, stdin=True, merge_stderr=True) as child:
        assert child.stdin is not None
        try:
            async with asyncio.timeout(seconds):
                child.stdin.write(search.to_json())
                await child.stdin.drain()
                while not found.counts:
                    _take(found, await child.stdout.readline())
        except TimeoutError:
            pass  # what was found until then is worth something
        except ConnectionError:  # it ended before it had read what to look for
            raise FileError("the search broke off") from None
    return found


def _take(found: Found, line: bytes) -> None:
    try:
        said = json.loads(line)
    except ValueError:  # the end, or a traceback
        raise FileError("the search broke off") from None
    if "error" in said:
        raise FileError(said["error"])
    if "path" in said:
        found.findings.append(said)
    else:
        found.counts = said


def _command() -> list[str]:
    """This program again; a frozen one has no other entrance than itself."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--search"]
    return [sys.executable, "-P", "-m", "rillet", "--search"]
