"""Two texts → the unified diff that people are shown. Pure. Below: ``changes``, and through it the approval card.

Guarantees: whoever applies the diff to the old text gets the new one. Time and memory are bounded however the texts
look (``difflib`` takes a minute for some files of 1,500 lines): up to ``MAX_CHANGES`` the diff is the shortest one,
after Myers, "An O(ND) Difference Algorithm and Its Variations" (1986); beyond it, one block replaces another.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHANGES: Final = 800
"""Lines removed and added, together, up to which the shortest way is looked for."""
MAX_STEPS: Final = 2_000_000
"""Equal lines gone past on all ways together."""
CONTEXT: Final = 3
_NO_END: Final = "\\ No newline at end of file"


class _Change(NamedTuple):
    """Lines of the old text, from 0, that become lines of the new one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def unified_diff(old: str | None, new: str | None, old_path: str, new_path: str) -> str:
    """The diff of a file, "" when nothing changes; None stands for no file. Both have line feeds only."""
    if old == new and old_path == new_path:
        return ""
    head = [f"--- {_side('a', old, old_path)}", f"+++ {_side('b', new, new_path)}"]
    return "\n".join([*head, *_body(_lines(old or ""), _lines(new or ""))]) + "\n"


def _side(prefix: str, text: str | None, path: str) -> str:
    return "/dev/null" if text is None else f"{prefix}/{path}"


def _lines(text: str) -> list[str]:
    """Lines with their ends: line feeds, nothing else."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _body(old: list[str], new: list[str]) -> Iterator[str]:
    for hunk in _hunks(_changes(old, new)):
        first, last = hunk[0], hunk[-1]
        before = min(CONTEXT, first.old_start)
        after = min(CONTEXT, len(old) - last.old_end)
        old_range = _range(first.old_start - before, last.old_end + after)
        new_range = _range(first.new_start - before, last.new_end + after)
        yield f"@@ -{old_range} +{new_range} @@"
        position = first.old_start - before
        for change in hunk:
            yield from _signed(" ", old[position : change.old_start])
            yield from _signed("-", old[change.old_start : change.old_end])
            yield from _signed("+", new[change.new_start : change.new_end])
            position = change.old_end
        yield from _signed(" ", old[position : position + after])


def _range(start: int, end: int) -> str:
    """As in ``diff -u``: an empty range names the line before it, a range of one line leaves its length out."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + (length > 0)},{length}"


def _signed(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _NO_END


def _hunks(changes: list[_Change]) -> Iterator[list[_Change]]:
    """Changes whose context touches belong together."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.old_start - hunk[-1].old_end > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    """What differs, in order; between two changes the lines are equal."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_end, new_end = len(old) - end, len(new) - end
    way = _shortest_way(old[start:old_end], new[start:new_end])
    if way is None:
        return [_Change(start, old_end, start, new_end)]
    found: list[_Change] = []
    for (x, y), (next_x, next_y) in pairwise(way):
        if next_x - x == next_y - y:
            continue
        step = _Change(start + x, start + next_x, start + y, start + next_y)
        last = found[-1] if found else None
        if last is not None and (last.old_end, last.new_end) == (step.old_start, step.new_start):
            found[-1] = _Change(last.old_start, step.old_end, last.new_start, step.new_end)
        else:
            found.append(step)
    return found


def _shortest_way(old: list[str], new: list[str]) -> list[tuple[int, int]] | None:
    """Points (lines of old, lines of new) from the beginning to the end: steps right, down, or along equal lines.

    None when there is none with ``MAX_CHANGES`` steps right and down.
    """
    furthest = {1: 0}
    reached = []
    steps = 0
    for distance in range(MAX_CHANGES + 1):
        reached.append(furthest.copy())
        for diagonal in range(-distance, distance + 1, 2):
            x = _next(furthest, diagonal, distance)
            y = begin = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            steps += y - begin
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _way_back(reached, x, y)
        if steps > MAX_STEPS:
            break
    return None


def _next(furthest: dict[int, int], diagonal: int, distance: int) -> int:
    """Where a way with ``distance`` changes enters a diagonal: from above, or from the left."""
    from_above = diagonal == -distance or (diagonal != distance and furthest[diagonal - 1] < furthest[diagonal + 1])
    return furthest[diagonal + 1] if from_above else furthest[diagonal - 1] + 1


def _way_back(reached: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    way = [(x, y)]
    for distance in range(len(reached) - 1, -1, -1):
        diagonal = x - y
        entered = _next(reached[distance], diagonal, distance)
        way.append((entered, entered - diagonal))
        if distance:
            came_from_above = entered == reached[distance].get(diagonal + 1)
            x, y = (entered, entered - diagonal - 1) if came_from_above else (entered - 1, entered - diagonal)
            way.append((x, y))
    if way[-1] != (0, 0):
        way.append((0, 0))
    return way[::-1]
