"""What the tools for files cost: ``python tests/bench/file_tools.py [folder]``. Prints figures, asserts nothing.

Milliseconds of a whole call, the child of a search included, in a made workspace of 10,000 files (or in ``folder``),
and the longest time that the event loop stood still meanwhile.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rillet.core.tools.builtin import builtin_tools
from rillet.core.tools.tool import ToolContext
from rillet.core.tools.workspace import Workspace

LINE = "def function_{}(argument: int) -> int:  # a line of some length\n"
FILES, LINES = 10_000, 100
LARGE = 115_000
"""Lines of 70 bytes: 8 MB, the most that is changed."""
HUGE = 20 * LARGE


def make(root: Path) -> None:
    """A workspace as projects are: many small files, a large one, a log."""
    text = "".join(map(LINE.format, range(LINES)))
    for number in range(FILES):
        folder = root / f"package{number // 1000}" / f"part{number // 50 % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"module{number}.py").write_text(text)
    (root / "large.txt").write_text("".join(map(LINE.format, range(LARGE))))
    (root / "huge.log").write_text("".join(map(LINE.format, range(HUGE))))


def calls(is_made: bool) -> list[tuple[str, str, dict[str, Any]]]:
    """(what it shows, tool, arguments)."""
    anywhere: list[tuple[str, str, dict[str, Any]]] = [
        ("a word that is nowhere", "grep", {"pattern": "nowhere_" + "to_be_found", "limit": 1000}),
        ("no plain character to go by", "grep", {"pattern": r"[x-z]{9}\d", "limit": 1000}),
        ("the first hundred lines", "grep", {"pattern": "def"}),
        ("one name", "glob", {"pattern": "**/*9.py", "limit": 1000}),
    ]
    if not is_made:
        return anywhere
    return [
        *anywhere,
        ("a small file", "read", {"path": "package0/part0/module1.py"}),
        (f"from line {HUGE - 9:,} on", "read", {"path": "huge.log", "offset": HUGE - 9}),
        ("a new file", "write", {"path": "new.txt", "content": "x\n"}),
        ("one place in 8 MB", "edit", {"path": "large.txt", "oldString": "_77777(", "newString": "_seven("}),
        ("a text that is not there", "edit", {"path": "large.txt", "oldString": "def nothing():", "newString": ""}),
    ]


async def run(root: Path, *, is_made: bool) -> None:
    """Call by call."""
    tools = {tool.name: tool for tool in builtin_tools(Workspace(root))}
    print(f"{'tool':<6}{'':<32}{'ms':>8}{'loop stood still, ms':>24}")
    for what, name, args in calls(is_made):
        still = asyncio.create_task(longest_pause())
        await asyncio.sleep(0)
        begin = time.perf_counter()
        await tools[name].run(args, ToolContext())
        took = time.perf_counter() - begin
        still.cancel()
        print(f"{name:<6}{what:<32}{took * 1e3:>8.0f}{(await still) * 1e3:>24.0f}")


async def longest_pause() -> float:
    """Seconds between two turns of the loop, at most, until cancelled."""
    longest, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
    except asyncio.CancelledError:
        return longest


def main() -> None:
    """In a folder of one's own, or in the one that was named."""
    if len(sys.argv) > 1:
        asyncio.run(run(Path(sys.argv[1]), is_made=False))
        return
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
        asyncio.run(run(Path(name), is_made=True))


if __name__ == "__main__":
    main()
