"""Slow servers: drips that bring everything in the end, silences, and signs of life that mean nothing."""

from __future__ import annotations

import threading

from chaos.behaviour import Body, Plan, behaviour, byte_by_byte, complete, joined, sends, silent, then
from support.fake_server import POLL, Exchange, Script, drip, hold


def beat(exchange: Exchange) -> None:
    """The shortest pause."""
    threading.Event().wait(POLL)


def flood(data: bytes) -> Script:
    """Chunks for ever, without a pause."""

    def script(exchange: Exchange) -> None:
        while True:
            exchange.chunk(data)

    return script


def raw_drip(data: bytes) -> Script:
    """Raw bytes for ever, a piece per beat."""

    def script(exchange: Exchange) -> None:
        while True:
            exchange.send(data)
            beat(exchange)

    return script


@behaviour("F10, B02")
def a_byte_per_chunk(body: Body) -> Plan:
    return complete(body, body.stream(*byte_by_byte(body.data)))


@behaviour("F10, RFC 9112 6.3")
def a_byte_per_write_until_it_closes(body: Body) -> Plan:
    return complete(body, sends(body.head(), *byte_by_byte(body.data)))


@behaviour("G8 slow drip")
def a_frame_per_beat(body: Body) -> Plan:
    pieces: list[bytes | Script] = []
    for frame in body.frames:
        pieces += [frame.data, beat]
    return complete(body, body.stream(*pieces))


@behaviour("F10")
def half_a_frame_per_beat(body: Body) -> Plan:
    pieces: list[bytes | Script] = []
    for frame in body.frames:
        half = len(frame.data) // 2
        pieces += [frame.data[:half], beat, frame.data[half:]]
    return complete(body, body.stream(*pieces))


@behaviour("RFC 9112 4")
def a_head_byte_by_byte(body: Body) -> Plan:
    head = body.head(f"Content-Length: {len(body.data)}")
    return complete(body, sends(*byte_by_byte(head), body.data))


@behaviour("F05")
def keep_alives_between_all_frames(body: Body) -> Plan:
    pieces: list[bytes] = []
    for frame in body.frames:
        pieces += [body.keep_alive] * 30 + [frame.data]
    return complete(body, body.stream(*pieces))


@behaviour("B09, V6, N02")
def nothing_but_keep_alives(body: Body) -> Plan:
    return silent([], body.stream(drip(body.keep_alive)))


@behaviour("B09, N02")
def text_then_nothing_but_keep_alives(body: Body) -> Plan:
    arrives = body.through("text", 3)
    return silent(arrives, body.stream(joined(arrives), drip(body.keep_alive)))


@behaviour("N02")
def arguments_then_nothing_but_keep_alives(body: Body) -> Plan:
    arrives = body.before("call", 3)
    return silent(arrives, body.stream(joined(arrives), drip(body.keep_alive)))


@behaviour("N03")
def no_answer(body: Body) -> Plan:
    return silent([], hold)


@behaviour("N03")
def a_head_then_silence(body: Body) -> Plan:
    return silent([], body.stream(hold))


@behaviour("N03, B92")
def text_then_silence(body: Body) -> Plan:
    arrives = body.through("text", 2)
    return silent(arrives, body.stream(joined(arrives), hold))


@behaviour("N02")
def half_a_frame_then_its_bytes_for_ever(body: Body) -> Plan:
    arrives = body.through("text", 2)
    return silent(arrives, body.stream(joined(arrives), body.frame("text", 3).data[:9], drip(b"x")))


@behaviour("slowloris")
def a_head_that_never_ends(body: Body) -> Plan:
    return silent([], then(sends(b"HTTP/1.1 200 OK\r\n"), raw_drip(b"X: y\r\n")))


@behaviour("slowloris, RFC 9112 7.1.1")
def a_chunk_line_that_never_ends(body: Body) -> Plan:
    arrives = body.through("text", 2)
    return silent(arrives, then(body.stream(joined(arrives), end=False), raw_drip(b"0")))


@behaviour("RFC 9110 15.2")
def early_hints_for_ever(body: Body) -> Plan:
    return silent([], raw_drip(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"))


@behaviour("B09, N02")
def keep_alives_as_fast_as_they_can_be_read(body: Body) -> Plan:
    arrives = body.through("text", 3)
    return silent(arrives, body.stream(joined(arrives), flood(body.keep_alive * 8000)))
