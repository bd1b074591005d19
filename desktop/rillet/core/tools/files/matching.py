"""Where lines stand in a file, and if they do not, how near they come: a model can then correct itself in one go.

Pure. Below: ``patch`` and the tool ``edit``.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_COMPARED: Final = 2000
"""Lines among which a similar one is looked for."""
MAX_SHOWN: Final = 200
"""Characters of a line that are quoted, and compared for likeness."""


def find_lines(
    lines: Sequence[str], wanted: Sequence[str], start: int = 0, key: Callable[[str], str] = str
) -> list[int]:
    """Every index from ``start`` on at which ``wanted`` stands, lines compared by ``key``; none for no lines."""
    if not wanted:
        return []
    have, want = [key(line) for line in lines], [key(line) for line in wanted]
    last = len(have) - len(want)
    return [
        index for index in range(start, last + 1) if have[index] == want[0] and have[index : index + len(want)] == want
    ]


def explain_absence(lines: Sequence[str], wanted: Sequence[str]) -> str:
    """Why ``wanted``, which is not there, is not: the place that comes nearest, in one sentence."""
    if loose := find_lines(lines, wanted, key=lambda line: "".join(line.split())):
        pairs = zip(range(loose[0], len(lines)), wanted, strict=False)
        differs = next(index for index, line in pairs if lines[index] != line)
        return f"it differs only in white space: line {differs + 1} is {_quoted(lines[differs])}"
    index, count = _longest_start(lines, wanted)
    if count:
        line = index + count
        there = _quoted(lines[line]) if line < len(lines) else "the end of the file"
        return f"it begins at line {index + 1}, but where it has {_quoted(wanted[count])}, line {line + 1} is {there}"
    starts = [line[:MAX_SHOWN] for line in lines[:MAX_COMPARED]]
    similar = difflib.get_close_matches(wanted[0][:MAX_SHOWN], starts, n=1) if wanted[0].strip() else []
    if similar:
        index = starts.index(similar[0])
        return f"the nearest to its first line is line {index + 1}: {_quoted(lines[index])}"
    return "nothing in the file resembles its first line"


def _longest_start(lines: Sequence[str], wanted: Sequence[str]) -> tuple[int, int]:
    """(where, how many lines) for the longest beginning of ``wanted`` that is there; blank lines alone do not count."""
    best = (0, 0)
    for index in find_lines(lines, wanted[:1]):
        count = 1
        while count < len(wanted) and lines[index + count : index + count + 1] == [wanted[count]]:
            count += 1
        if count > best[1] and count < len(wanted):
            best = (index, count)
    return best if any(line.strip() for line in wanted[: best[1]]) else (0, 0)


def _quoted(line: str) -> str:
    return repr(line if len(line) <= MAX_SHOWN else line[:MAX_SHOWN] + "…")
