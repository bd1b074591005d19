"""What a command printed → text that a model can read: bounded, without what is meant for a terminal.

Sans-IO; knows bytes and text only. Below: ``builtin/shell``. Guarantee: whatever is printed, however much and in
whatever pieces, costs a bounded amount of memory and time; the beginning and the end are kept, and what is left out
between is named.
"""

from __future__ import annotations

import re
from typing import Final

HEAD: Final = 15_000
TAIL: Final = 15_000
"""Bytes kept of the beginning and of the end: of a build, the first error is in one and the summary in the other."""

_SEQUENCE: Final = re.compile(
    r"""
      (?: \x1b\[ | \x9b ) [0-?]* [ -/]* [@-~]?            # colours, cursor (ECMA-48, 5.4)
    | (?: \x1b[\]PX^_] | [\x9d\x90\x98\x9e\x9f] ) [^\x07\x1b\x9c\n]{0,2000} (?: \x07 | \x1b\\ | \x9c )?  # titles
    | \x1b [ -/]* [0-~]?                                  # character sets, resets
    """,
    re.VERBOSE,
)
_OVERSTRUCK: Final = re.compile(r"[^\n]\x08")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Printed:
    """The output of one command."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._head_limit = head
        self._tail_limit = tail
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        free = self._head_limit - len(self._head)
        self._head += data[:free]
        self._tail += data[free:] if free > 0 else data
        if (excess := len(self._tail) - self._tail_limit) > 0:
            del self._tail[:excess]
            self._left_out += excess

    @property
    def left_out(self) -> int:
        """Bytes that are in ``text`` no more."""
        return self._left_out

    @property
    def last_line(self) -> str:
        """The last line with something in it, at most 200 characters."""
        recent = bytes((self._tail or self._head)[-2000:])
        lines = readable(recent.decode(errors="ignore")).strip().rsplit("\n", 1)
        return lines[-1][:200]

    def text(self) -> str:
        """All that was kept."""
        if not self._left_out:
            return readable((self._head + self._tail).decode(errors="replace"))
        head = _without_torn_end(self._head).decode(errors="replace")
        tail = _without_torn_start(self._tail).decode(errors="replace")
        return f"{readable(head)}\n[… {self._left_out:,} bytes left out …]\n{readable(tail)}"


def readable(text: str) -> str:
    """What a terminal would show of ``text``: no control sequences, of a line that was overwritten the last state."""
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n")
    for _ in range(3):  # a letter struck over up to three times, as manuals do
        text = _OVERSTRUCK.sub("", text)
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROL.sub("", text)


def _without_torn_end(data: bytearray) -> bytes:
    """Without the beginning of a UTF-8 character whose rest was cut off (RFC 3629, section 3)."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 != 0x80:
            length = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return bytes(data[:-back] if length > back else data)
    return bytes(data)


def _without_torn_start(data: bytearray) -> bytes:
    at = 0
    while at < min(3, len(data)) and data[at] & 0xC0 == 0x80:
        at += 1
    return bytes(data[at:])
