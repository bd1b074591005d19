"""A file of any size → its lines, for reading. Memory stays bounded: of a long line only the beginning is kept.

Knows no paths. Below: ``search`` and the tool ``read``, which therefore count lines alike, and as ``text`` does.
"""

from __future__ import annotations

import codecs
import io
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD: Final = 8192
"""Bytes that are looked at to tell text from everything else."""
_CHUNK: Final = 1024 * 1024
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def text_encoding(head: bytes) -> str | None:
    """How to decode a file that begins like this; None when it is no text."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    return None if b"\0" in head else "utf-8"


def skip_lines(file: IO[bytes], count: int, is_stopped: Callable[[], bool]) -> int:
    """Go past so many lines of a file in UTF-8; how many there were, if it ends before, an unfinished last one too."""
    passed = 0
    is_finished = True
    while passed < count and not is_stopped() and (chunk := file.read(_CHUNK)):
        found = chunk.count(b"\n")
        if passed + found >= count:
            end = 0
            for _ in range(count - passed):
                end = chunk.index(b"\n", end) + 1
            file.seek(end - len(chunk), io.SEEK_CUR)
            return count
        passed += found
        is_finished = chunk.endswith(b"\n")
    return passed + (not is_finished)


def read_lines(file: IO[bytes], encoding: str, longest: int) -> Iterator[tuple[str, int]]:
    """Lines without their ends, and how many characters of each were left out. Bytes that are no text become U+FFFD.

    Closes the file at the end.
    """
    with io.TextIOWrapper(file, encoding, errors="replace", newline="\n") as text:
        while line := text.readline(longest + 2):
            size, end = len(line), line[-2:]
            while not end.endswith("\n") and (more := text.readline(_CHUNK)):
                size, end = size + len(more), (end + more)[-2:]
            size -= 2 if end == "\r\n" else end.endswith("\n")
            kept = min(size, longest)
            yield line[:kept], size - kept
