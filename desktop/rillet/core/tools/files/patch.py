"""The patch format that models are trained on (``*** Begin Patch``) → what becomes of which file.

Pure. The format is that of OpenAI's published ``apply_patch``; where it leaves room we are stricter: a hunk that fits
in several places, and is not told apart by a heading, is refused instead of put into the first. Above: ``matching``,
``text``. Below: the tool ``apply_patch``. Guarantee: a patch that was cut off is refused whole.

    *** Begin Patch
    *** Add File: path            lines that begin with "+"
    *** Delete File: path
    *** Update File: path
    *** Move to: new path         optional
    @@ a line above               optional, also several: the hunk stands somewhere below it
     context, -old, +new
    *** End of File               optional: the hunk stands at the end
    *** End Patch
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from rillet.core.tools.files.matching import explain_absence, find_lines
from rillet.core.tools.files.paths import FileError
from rillet.core.tools.files.text import Splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BEGIN: Final = "*** Begin Patch"
END: Final = "*** End Patch"
_END_OF_FILE: Final = "*** End of File"
_FILE = re.compile(r"\*\*\* (Add|Delete|Update) File: (\S(?:.*\S)?)")
_MOVE = re.compile(r"\*\*\* Move to: (\S(?:.*\S)?)")
_RANGE = re.compile(r"-\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*")
"""What unified diffs write there, line numbers that models guess."""


class PatchError(FileError):
    """A patch that is none, or does not fit, with the reason in words for the model."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that stand together: their signs (" ", "-", "+") and texts."""

    headings: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    at_end: bool
    number: int
    """Its first line in the patch, from 1."""

    @property
    def old(self) -> list[str]:
        """The lines as the file has them."""
        return [text for sign, text in self.lines if sign != "+"]


@dataclass(frozen=True, slots=True)
class AddFile:
    """A new file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A file that goes."""

    path: str


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """A file that changes, or moves, or both."""

    path: str
    new_path: str | None
    hunks: tuple[Hunk, ...]


FilePatch: TypeAlias = AddFile | DeleteFile | UpdateFile


def parse_patch(text: str) -> tuple[FilePatch, ...]:
    """Read a patch. What stands before its beginning or after its end (a fence, a here-document) is passed over.

    Raises:
        PatchError: it has no beginning, no end, no file, or a line that means nothing.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    marks = [line.rstrip() for line in lines]  # an indented one is context
    if BEGIN not in marks:
        raise PatchError(f"a patch begins with {BEGIN!r}")
    start = marks.index(BEGIN) + 1
    if END not in marks[start:]:
        raise PatchError(f"the patch has no {END!r}: it was cut off")
    files = tuple(_files(_Reader(lines, start, marks.index(END, start))))
    if not files:
        raise PatchError("the patch names no file")
    return files


def place_hunks(text: str, hunks: Sequence[Hunk]) -> list[Splice]:
    """What the hunks change in a text with line feeds, in order.

    Raises:
        PatchError: one of them does not fit, or in several places.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    splices: list[Splice] = []
    position = 0
    for hunk in hunks:
        start = _place(lines, hunk, position)
        splices += _splices(text, offsets, hunk, start)
        position = start + len(hunk.old)
    return splices


class _Reader:
    """The lines between the marks, one after the other, with a look at the next."""

    def __init__(self, lines: list[str], position: int, end: int) -> None:
        self._lines = lines
        self._end = end
        self.position = position

    @property
    def next(self) -> str | None:
        return self._lines[self.position] if self.position < self._end else None

    def take(self) -> str:
        line = self._lines[self.position]
        self.position += 1
        return line

    def body(self) -> Iterator[str]:
        """Lines up to the next file, but for blank ones at the end, which only separate."""
        end = self.position
        while end < self._end and not _FILE.fullmatch(self._lines[end].rstrip()):
            end += 1
        last = end
        while last > self.position and not self._lines[last - 1].strip():
            last -= 1
        while self.position < last:
            yield self.take()
        self.position = end


def _files(reader: _Reader) -> Iterator[FilePatch]:
    while (line := reader.next) is not None:
        number = reader.position + 1
        reader.take()
        if not line.strip():
            continue
        found = _FILE.fullmatch(line.rstrip())
        if found is None:
            raise PatchError(f"line {number} of the patch should name a file (*** Update File: path): {line!r}")
        kind, path = found.groups()
        if kind == "Add":
            yield AddFile(path, "".join(_added(reader)))
        elif kind == "Delete":
            if any(reader.body()):
                raise PatchError(f"line {number} of the patch deletes {path}, so no lines can follow it")
            yield DeleteFile(path)
        else:
            yield _update(reader, path, number)


def _added(reader: _Reader) -> Iterator[str]:
    for line in reader.body():
        if line and not line.startswith("+"):
            raise PatchError(f"line {reader.position} of the patch should begin with +, as all lines of a new file")
        yield line[1:] + "\n"


def _update(reader: _Reader, path: str, number: int) -> UpdateFile:
    new_path = None
    if reader.next is not None and (move := _MOVE.fullmatch(reader.next.rstrip())):
        new_path = move[1]
        reader.take()
    hunks = tuple(_hunks(reader))
    if not hunks and new_path is None:
        raise PatchError(f"line {number} of the patch updates {path}, but says nothing of what changes")
    return UpdateFile(path, new_path, hunks)


def _hunks(reader: _Reader) -> Iterator[Hunk]:
    headings: list[str] = []
    lines: list[tuple[str, str]] = []
    number = reader.position + 1
    for line in reader.body():
        at_end = line.rstrip() == _END_OF_FILE
        if (line.startswith("@@") or at_end) and lines:
            yield _hunk(headings, lines, number, at_end=at_end)
            headings, lines = [], []
        if at_end:
            continue
        if line.startswith("@@"):
            heading = line[2:].removeprefix(" ")
            headings += [heading] if heading.strip() and not _RANGE.fullmatch(heading) else []
            continue
        if line[:1] not in ("", " ", "+", "-"):
            raise PatchError(f"line {reader.position} of the patch should begin with a space, +, - or @@: {line!r}")
        if not lines:
            number = reader.position
        lines.append((line[:1] or " ", line[1:]))
    if lines:
        yield _hunk(headings, lines, number, at_end=False)


def _hunk(headings: list[str], lines: list[tuple[str, str]], number: int, *, at_end: bool) -> Hunk:
    """A hunk without blank lines after it, which only separate it from the next."""
    while not at_end and lines[-1:] == [(" ", "")]:
        lines = lines[:-1]
    return Hunk(tuple(headings), tuple(lines), at_end, number)


def _place(lines: list[str], hunk: Hunk, position: int) -> int:
    """The line, from 0, at which a hunk begins."""
    for heading in hunk.headings:
        position = _below(lines, heading, position)
    old = hunk.old
    if hunk.headings and old[:1] == [hunk.headings[-1]]:
        position -= 1  # the heading is given again as context
    if not old:
        return position if hunk.headings and not hunk.at_end else len(lines)
    for key in (str, str.rstrip):
        places = find_lines(lines, old, position, key)
        if hunk.at_end and places and places[-1] == len(lines) - len(old):
            return places[-1]
        if len(places) == 1 or (places and hunk.headings):
            return places[0]
        if places:
            where = ", ".join(str(place + 1) for place in places[:10])
            raise PatchError(
                f"the hunk in line {hunk.number} of the patch fits at lines {where}: give more context, or a heading "
                "(@@ and a line above it)"
            )
    if position and find_lines(lines, old, 0, str.rstrip):
        raise PatchError(
            f"the hunk in line {hunk.number} of the patch fits only above the one before it, or its heading"
        )
    raise PatchError(f"the hunk in line {hunk.number} of the patch does not fit: {explain_absence(lines, old)}")


def _below(lines: list[str], heading: str, position: int) -> int:
    for key in (str.rstrip, str.strip):
        if places := find_lines(lines, [heading], position, key):
            return places[0] + 1
    raise PatchError(f"no line is {heading!r}, as the patch says (@@): {explain_absence(lines[position:], [heading])}")


def _splices(text: str, offsets: list[int], hunk: Hunk, start: int) -> Iterator[Splice]:
    """The changed lines alone: what is context keeps every byte."""
    line, position = start, 0
    while position < len(hunk.lines):
        if hunk.lines[position][0] == " ":
            line, position = line + 1, position + 1
            continue
        removed, added = 0, []
        while position < len(hunk.lines) and hunk.lines[position][0] != " ":
            sign, content = hunk.lines[position]
            if sign == "-":
                removed += 1
            else:
                added.append(content)
            position += 1
        yield _splice(text, offsets[line], offsets[line + removed], added)
        line += removed


def _splice(text: str, start: int, end: int, added: list[str]) -> Splice:
    """Whole lines from ``start`` to ``end`` replaced; whether the last line of the file ends stays as it is."""
    if end <= len(text):
        return Splice(start, end, "".join(line + "\n" for line in added))
    # The last line has no end, so its offset lies one beyond.
    if added:
        lead = "\n" if start > len(text) else ""
        return Splice(min(start, len(text)), len(text), lead + "\n".join(added))
    return Splice(max(0, start - 1), len(text), "")
