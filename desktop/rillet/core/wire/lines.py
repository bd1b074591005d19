"""Bytes as they are read → whole lines, for the formats that are made of lines.

Pure. Knows that a line ends in LF; which other ends there are, and what a line means, is the affair of each format.
Below: ``sse``, ``ndjson``. Guarantee: the work is linear in the bytes, however small the reads.
"""

from __future__ import annotations

from rillet.core.errors import ServerError

LIMIT = 64 * 1024 * 1024
"""Bytes that one piece of an answer may have: room for any image in base64."""
LINE_COST = 64
"""What a line that is kept counts beside its bytes, so that a flood of short lines is bounded as well."""


class LineBuffer:
    """Holds the line that has not ended, in the pieces that were read, so that a long one is joined only once."""

    __slots__ = ("_pieces", "size")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0
        """Bytes that are held."""

    def take(self, data: bytes) -> bytes:
        """Take the next read: the lines that it completes, each with its LF, or nothing."""
        end = data.rfind(b"\n") + 1
        if not end:
            if data:
                self._pieces.append(data)
                self.size += len(data)
            return b""
        lines = data if end == len(data) else data[:end]
        if self._pieces:
            lines = b"".join((*self._pieces, lines))
            self.clear()
        if end < len(data):
            self._pieces.append(data[end:])
            self.size = len(data) - end
        return lines

    def rest(self) -> bytes:
        """The line that has not ended."""
        return b"".join(self._pieces)

    def clear(self) -> None:
        """Forget it."""
        self._pieces.clear()
        self.size = 0


def too_large(limit: int) -> ServerError:
    """The error of a server that sends a piece larger than any answer has."""
    return ServerError(
        f"a single piece of the answer is larger than {limit / 1024 / 1024:g} MB",
        retryable=False,
        advice="Ask for less at once, or check that the provider's URL is that of a model.",
    )
