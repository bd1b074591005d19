"""Two texts → the unified diff that people are shown. Pure. Below: ``changes``, and through it the approval card.

Guarantee: whoever applies the diff to the old text gets the new one. Time stays linear for large changes: what differs
over more than ``MAX_COMPARED`` lines is shown as one block replaced by another.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_COMPARED: Final = 3000
"""Lines, on both sides together, between which the shortest way is looked for."""
CONTEXT: Final = 3
_NO_END: Final = "\\ No newline at end of file"


def unified_diff(old: str | None, new: str | None, old_path: str, new_path: str) -> str:
    """The diff of a file, "" when nothing changes; None stands for no file. Both have line feeds only."""
    if old == new and old_path == new_path:
        return ""
    old_lines, new_lines = _lines(old or ""), _lines(new or "")
    head = [f"--- {_side('a', old, old_path)}", f"+++ {_side('b', new, new_path)}"]
    return "\n".join([*head, *_body(old_lines, new_lines)]) + "\n"


def count_changes(diff: str) -> tuple[int, int]:
    """(lines added, lines removed) of a diff made here."""
    body = diff.split("\n")[2:]
    return sum(line.startswith("+") for line in body), sum(line.startswith("-") for line in body)


def _side(prefix: str, text: str | None, path: str) -> str:
    return "/dev/null" if text is None else f"{prefix}/{path}"


def _body(old: list[str], new: list[str]) -> Iterator[str]:
    for group in _groups(old, new):
        old_range = _range(group[0][1], group[-1][2])
        new_range = _range(group[0][3], group[-1][4])
        yield f"@@ -{old_range} +{new_range} @@"
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from _signed(" ", old[old_start:old_end])
            else:
                yield from _signed("-", old[old_start:old_end])
                yield from _signed("+", new[new_start:new_end])


def _groups(old: list[str], new: list[str]) -> Iterator[list[tuple[str, int, int, int, int]]]:
    """The hunks, as ``SequenceMatcher.get_grouped_opcodes`` gives them; the equal ends are not compared again."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_end, new_end = len(old) - end, len(new) - end
    lead, tail = max(0, start - CONTEXT), min(end, CONTEXT)
    if old_end - start + new_end - start > MAX_COMPARED:
        yield [
            ("equal", lead, start, lead, start),
            ("replace", start, old_end, start, new_end),
            ("equal", old_end, old_end + tail, new_end, new_end + tail),
        ]
        return
    matcher = difflib.SequenceMatcher(None, old[lead : old_end + tail], new[lead : new_end + tail], autojunk=False)
    for found in matcher.get_grouped_opcodes(CONTEXT):
        yield [(tag, a + lead, b + lead, c + lead, d + lead) for tag, a, b, c, d in found]


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


def _lines(text: str) -> list[str]:
    """Lines with their ends: line feeds, nothing else."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])
