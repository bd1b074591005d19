"""Compressed answers, in any cut, and those made to fill the memory."""

from __future__ import annotations

import gzip
import random
import zlib
from typing import TYPE_CHECKING

import pytest

from rillet.core.errors import NetworkError
from rillet.core.net.inflate import PIECE, Inflater

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = 'data: {"a": "ü"}\n\n'.encode() * 200


def inflate(inflater: Inflater, *chunks: bytes) -> bytes:
    return b"".join(piece for chunk in chunks for piece in inflater.feed(chunk))


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(data) + stream.flush()


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress, raw_deflate])
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_the_cut_of_the_chunks_does_not_matter(compress: Callable[[bytes], bytes], size: int) -> None:
    body = compress(TEXT)
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    assert inflate(Inflater(), *chunks) == TEXT


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress, raw_deflate])
def test_only_what_was_compressed_to_its_end_is_whole(compress: Callable[[bytes], bytes]) -> None:
    body = compress(TEXT)
    for end in range(1, len(body)):
        inflater = Inflater()
        inflate(inflater, body[:end])
        assert not inflater.is_whole
    inflate(inflater := Inflater(), body)
    assert inflater.is_whole
    assert Inflater().is_whole


def test_padding_behind_the_end_takes_nothing_from_the_whole() -> None:
    for padding in (1, 2, 100):
        inflate(inflater := Inflater(), gzip.compress(TEXT) + bytes(padding))
        assert inflater.is_whole


def test_a_stream_is_readable_before_it_ends() -> None:
    stream = zlib.compressobj(wbits=31)
    first = stream.compress(b"data: one\n\n") + stream.flush(zlib.Z_SYNC_FLUSH)
    assert inflate(Inflater(), first) == b"data: one\n\n"


def test_several_gzip_members_are_one_content() -> None:
    body = gzip.compress(b"one ") + gzip.compress(b"two") + bytes(100)
    assert inflate(Inflater(), body) == b"one two"
    assert inflate(Inflater(), *(bytes([byte]) for byte in body)) == b"one two"


def test_a_bomb_is_defused_at_the_limit_and_never_whole_in_memory() -> None:
    bomb = gzip.compress(bytes(20_000_000))
    pieces: list[int] = []
    with pytest.raises(NetworkError, match="larger than allowed"):
        pieces.extend(len(piece) for piece in Inflater(limit=1_000_000).feed(bomb))
    assert sum(pieces) <= 1_000_000
    largest = max(len(piece) for piece in Inflater().feed(bomb))
    assert largest <= PIECE


def test_what_stands_in_front_of_a_damage_is_kept() -> None:
    stream = zlib.compressobj(wbits=31)
    good = stream.compress(TEXT) + stream.flush(zlib.Z_SYNC_FLUSH)
    seen: list[bytes] = []
    with pytest.raises(NetworkError, match="damaged"):
        seen.extend(Inflater().feed(good + b"\xff" * 64))
    assert b"".join(seen) == TEXT


def test_an_answer_that_is_long_but_no_bomb_has_no_limit() -> None:
    long = random.Random(0).randbytes(200_000).hex().encode()
    assert inflate(Inflater(limit=1000), gzip.compress(long)) == long


def test_damage_is_a_network_error() -> None:
    with pytest.raises(NetworkError, match="damaged"):
        inflate(Inflater(), b"<html>this is no gzip</html>")
    body = bytearray(gzip.compress(TEXT))
    body[20] ^= 0xFF
    with pytest.raises(NetworkError, match="damaged"):
        inflate(Inflater(), bytes(body))


def test_only_what_can_be_undone_is_accepted() -> None:
    assert Inflater.for_encoding("") is None
    assert Inflater.for_encoding(" Identity") is None
    assert Inflater.for_encoding("GZIP") is not None
    with pytest.raises(NetworkError, match="compressed in a way"):
        Inflater.for_encoding("br")
