"""Decompresses an answer piece by piece, for servers that compress although they were asked not to.

Sans-IO; knows bytes only. Below: ``transport``. Guarantee: never more than ``PIECE`` bytes at once, and in all never
more than ``LIMIT`` or a small multiple of what was sent, whatever the input inflates to (300 kB of gzip can hold
300 MB); and everything that stands in front of a damage.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from rillet.core.errors import NetworkError

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 256 * 1024
LIMIT = 32 * 1024 * 1024
"""Bytes of content from which on it is asked whether this is an answer or a bomb."""
RATIO = 20
"""Content per byte sent that no long answer reaches: images give 1.3, tokens in JSON some 10, bombs up to 1,000."""
_SUPPORTED = ("gzip", "x-gzip", "deflate")
_GZIP_MAGIC = b"\x1f\x8b"


class Inflater:
    """Bytes of a gzip or deflate body → its content."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._received = 0
        self._content = 0
        self._head = b""
        self._stream: zlib._Decompress | None = None
        self._members = 0

    @classmethod
    def for_encoding(cls, encoding: str) -> Inflater | None:
        """What undoes this ``Content-Encoding``; None when nothing is to be done.

        Raises:
            NetworkError: an encoding that we did not ask for and cannot undo.
        """
        name = encoding.strip().lower()
        if name in ("", "identity"):
            return None
        if name in _SUPPORTED:
            return cls()
        raise NetworkError("the answer is compressed in a way that was not asked for", retryable=False)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing: what was fed ends where a compressed member ends."""
        return self._stream is None and (self._members > 0 or not self._head)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The content of the next bytes, in pieces.

        Raises:
            NetworkError: the bytes are not what the header says, or a bomb.
        """
        self._received += len(data)
        while data:
            if self._stream is None:
                self._head += data
                if len(self._head) < 2:
                    return
                data, self._head = self._head, b""
                if self._members and not data.startswith(_GZIP_MAGIC):
                    return  # padding behind the last member
                self._stream = zlib.decompressobj(_window_bits(data))
                self._members += 1
            before = self._stream.copy()
            try:
                piece = self._stream.decompress(data, PIECE)
            except zlib.error as error:
                yield from _readable(before, data)
                raise NetworkError("the compressed answer is damaged") from error
            data = self._stream.unconsumed_tail or self._stream.unused_data
            if self._stream.eof:  # gzip allows several members, one behind the other
                self._stream = None
            self._content += len(piece)
            if self._content > max(self._limit, RATIO * self._received):
                raise NetworkError("the compressed answer is larger than allowed", retryable=False)
            if piece:
                yield piece


def _readable(stream: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """What stands in front of the damage, which zlib keeps to itself when both come in one piece."""
    for at in range(len(data)):
        try:
            piece = stream.decompress(data[at : at + 1])
        except zlib.error:
            return
        if piece:
            yield piece


def _window_bits(head: bytes) -> int:
    """Gzip (RFC 1952), zlib (RFC 1950), or "deflate" without its header, as some servers send it (RFC 1951)."""
    if head.startswith(_GZIP_MAGIC):
        return 16 + zlib.MAX_WBITS
    is_zlib = head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
    return zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS
