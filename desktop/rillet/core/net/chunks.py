"""The chunks of HTTP/1.1 bodies that were read together, joined to one: what parses HTTP pays per chunk.

A provider sends a chunk per token, and h11 with the layers above it needs eight microseconds for each: more than
all else that happens to a token. A read that brings thirty of them need not cost thirty times that. Sans-IO. Knows
the framing of RFC 9112 (section 7.1) and nothing of what is framed. Below: ``sockets``.

Guarantee: h11 finds the same heads, the same body and the same end, and nothing comes later than it would have. What
is not plainly a chunk (an extension, a trailer, a mistake) goes through untouched, for h11 to judge.
"""

from __future__ import annotations

import re
from typing import Final

_LONGEST_HEAD: Final = 64 * 1024
_HEAD_END: Final = re.compile(rb"\n\r?\n")
_HEAD: Final = re.compile(rb"HTTP/1\.1 (?P<status>\d{3})[ \r\n]")
_CHUNKED: Final = re.compile(rb"\ntransfer-encoding:[ \t]*chunked[ \t]*\r?\n", re.IGNORECASE)

_FIRST: Final = re.compile(rb"([0-9A-Fa-f]{1,8})\r\n")
_NEXT: Final = re.compile(rb"\r\n([0-9A-Fa-f]{1,8})\r\n")
"""The line before a chunk, with the line end behind the chunk before it."""
_BEGUN: Final = {_FIRST: re.compile(rb"[0-9A-Fa-f]{0,8}\r?"), _NEXT: re.compile(rb"(\r(\n[0-9A-Fa-f]{0,8}\r?)?)?")}
"""Such a line of which not everything was read."""


class ChunkJoiner:
    """The bytes of one connection."""

    __slots__ = ("_head", "_held", "_left", "_line", "_opening")

    def __init__(self) -> None:
        self._head: bytes | None = b""
        """What was read of a head; None behind it."""
        self._line: re.Pattern[bytes] | None = None
        """What the next chunk begins with; None where bytes go through."""
        self._left = 0
        """Bytes of the current chunk that are still to come."""
        self._held = b""
        """An unfinished line between two chunks: nothing of the body."""
        self._opening = b""
        """The end of the last chunk that was given, which is due with the next."""

    def expect_head(self) -> None:
        """A request was sent: what was read before has nothing to do with what comes."""
        self._head = b""
        self._line = None
        self._left = 0
        self._held = self._opening = b""

    def feed(self, data: bytes) -> bytes:
        """What to give h11 for the next read, which may be nothing yet; an empty read is the end."""
        if self._line is not None:
            return self._body(data)
        if self._head is None:
            return data
        return self._behind_head(data)

    def _behind_head(self, data: bytes) -> bytes:
        """Let the head through, and look whether chunks follow."""
        assert self._head is not None
        before = len(self._head)
        self._head += data
        end = _HEAD_END.search(self._head, max(0, before - 2))
        if end is None:
            if len(self._head) > _LONGEST_HEAD:
                self._head = None
            return data
        head, body = self._head[: end.end()], self._head[end.end() :]
        self._head = None
        start = _HEAD.match(head)
        status = int(start["status"]) if start is not None else 0
        if 100 <= status < 200 and status != 101:
            self._head = b""  # such as "early hints": the real head follows
        elif status >= 200 and status not in (204, 304) and len(_CHUNKED.findall(head)) == 1:
            self._line = _FIRST
        return data[: len(data) - len(body)] + self.feed(body) if body else data

    def _body(self, data: bytes) -> bytes:
        line = self._line
        assert line is not None
        if not data:
            held, self._held, self._line = self._held, b"", None
            return held
        if self._held:
            data = self._held + data
            self._held = b""
        pieces: list[bytes] = []
        at = 0
        left = self._left
        while True:
            if left:
                piece = data[at : at + left]
                pieces.append(piece)
                left -= len(piece)
                if left:
                    rest = b""
                    break
                at += len(piece)
            found = line.match(data, at)
            if found is None or not (left := int(found[1], 16)):
                rest = data[at:]
                if found is None and _BEGUN[line].fullmatch(rest):
                    self._held, rest = rest, b""
                else:
                    line = None
                break
            at = found.end()
            line = _NEXT
        self._left = left
        self._line = line
        if body := pieces[0] if len(pieces) == 1 else b"".join(pieces):
            opening, self._opening = self._opening, b"\r\n"
            return b"%b%x\r\n%b%b" % (opening, len(body), body, rest)
        return rest
