"""Bodies that are compressed although nobody asked: whole, cut, damaged, lied about."""

from __future__ import annotations

import gzip
import zlib
from functools import partial
from typing import TYPE_CHECKING

from chaos.behaviour import Body, Plan, behaviour, broken, byte_by_byte, complete, joined, register

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from support.answers import Frame
    from support.fake_server import Script

GZIP = {"Content-Encoding": "gzip"}


def flushed(frames: Sequence[Frame], bits: int = 31) -> list[bytes]:
    """Compressed as a server streams it: what it has said so far can be read."""
    compressor = zlib.compressobj(wbits=bits)
    pieces = [compressor.compress(frame.data) + compressor.flush(zlib.Z_SYNC_FLUSH) for frame in frames]
    return [*pieces, compressor.flush()]


WHOLE: dict[str, tuple[str, Callable[[Body], Sequence[bytes]]]] = {
    "gzip": ("gzip", lambda body: [gzip.compress(body.data)]),
    "gzip, frame by frame": ("gzip", lambda body: flushed(body.frames)),
    "gzip, byte by byte": ("gzip", lambda body: byte_by_byte(gzip.compress(body.data))),
    "gzip, a member per frame": ("gzip", lambda body: [gzip.compress(frame.data) for frame in body.frames]),
    "gzip in capitals": ("GZIP", lambda body: [gzip.compress(body.data)]),
    "gzip with padding behind": ("x-gzip", lambda body: [gzip.compress(body.data), bytes(512)]),
    "deflate": ("deflate", lambda body: flushed(body.frames, 15)),
    "deflate without its head": ("deflate", lambda body: flushed(body.frames, -15)),
    "identity": ("identity", lambda body: [body.data]),
}


def _compressed(encoding: str, pieces: Callable[[Body], Sequence[bytes]], body: Body) -> Plan:
    return complete(body, body.stream(*pieces(body), headers={"Content-Encoding": encoding}))


for _name, (_encoding, _pieces) in WHOLE.items():
    register(_name, __name__, "F12", partial(_compressed, _encoding, _pieces))


def _with_its_length(body: Body, data: bytes) -> Script:
    return lambda exchange: exchange.respond(200, data, {**GZIP, "Content-Type": body.content_type})


@behaviour("V7, G8 truncated gzip")
def gzip_cut_behind_a_text_under_its_right_length(body: Body) -> Plan:
    arrives = body.through("text", 3)
    return broken(arrives, _with_its_length(body, b"".join(flushed(arrives)[:-1])))


@behaviour("V7, B08")
def gzip_cut_between_arguments(body: Body) -> Plan:
    arrives = body.before("call", 4)
    return broken(arrives, body.stream(*flushed(arrives)[:-1], headers=GZIP))


@behaviour("V7")
def gzip_without_its_checksum(body: Body) -> Plan:
    return complete(body, body.stream(*flushed(body.frames)[:-1], headers=GZIP))


@behaviour("F12")
def gzip_damaged_in_the_middle(body: Body) -> Plan:
    arrives = body.through("text", 3)
    return broken(arrives, body.stream(*flushed(arrives)[:-1], b"\xff" * 64, headers=GZIP))


@behaviour("F12")
def said_to_be_gzip_and_is_not(body: Body) -> Plan:
    return broken([], body.stream(body.data, headers=GZIP))


@behaviour("F12")
def gzip_that_nobody_announced(body: Body) -> Plan:
    return broken([], body.stream(gzip.compress(joined(body.frames))))


@behaviour("F12")
def an_encoding_that_cannot_be_undone(body: Body) -> Plan:
    return broken([], body.stream(body.data, headers={"Content-Encoding": "br"}))
