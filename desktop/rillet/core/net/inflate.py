"""Decompresses an answer piece by piece, for servers that compress although they were asked not to.

Sans-IO; knows bytes only. Below: ``transport``. Guarantee: never more than ``PIECE`` bytes at once and never more than
``LIMIT`` in all, whatever the input inflates to (300 kB of gzip can hold 300 MB).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from rillet.core.errors import NetworkError

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 256 * 1024
LIMIT = 256 * 1024 * 1024
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_SUPPORTED = ("gzip", "x-gzip", "deflate")


class Inflater:
    """Bytes of a gzip or deflate body → its content."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._left = limit
        self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._begun = False

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

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The content of the next bytes, in pieces.

        Raises:
            NetworkError: the bytes are not what the header says, or the content is larger than the limit.
        """
        while data:
            if self._stream.eof:  # gzip allows several members, one behind the other
                self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)
            try:
                piece = self._inflate(data)
            except zlib.error as error:
                raise NetworkError("the compressed answer is damaged") from error
            data = self._stream.unconsumed_tail or self._stream.unused_data
            self._left -= len(piece)
            if self._left < 0:
                raise NetworkError("the compressed answer is larger than allowed", retryable=False)
            if piece:
                yield piece

    def _inflate(self, data: bytes) -> bytes:
        try:
            piece = self._stream.decompress(data, PIECE)
        except zlib.error:
            if self._begun:
                raise
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)  # "deflate" without its header, as IIS sends it
            piece = self._stream.decompress(data, PIECE)
        self._begun = True
        return piece
