"""Heads and framing of HTTP itself: unusual, contradictory, or none."""

from __future__ import annotations

from functools import partial

from chaos.behaviour import Body, Plan, behaviour, broken, chunked, complete, joined, register, sends

HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def _chunks(body: Body) -> bytes:
    return b"".join(chunked(frame.data) for frame in body.frames)


def _length(body: Body) -> str:
    return f"Content-Length: {len(body.data)}"


@behaviour("RFC 9110 15.2.1")
def a_hundred_continue_first(body: Body) -> Plan:
    return complete(body, sends(CONTINUE, body.head(_length(body)), body.data))


@behaviour("RFC 8297")
def early_hints_first(body: Body) -> Plan:
    return complete(body, sends(HINTS * 3 + body.head("Transfer-Encoding: chunked") + _chunks(body) + b"0\r\n\r\n"))


@behaviour("RFC 9112 6.3")
def http_1_0_until_it_closes(body: Body) -> Plan:
    return complete(body, sends(body.head("Connection: close", version="1.0"), body.data))


@behaviour("RFC 9110 5.1")
def header_names_in_any_case(body: Body) -> Plan:
    return complete(body, sends(body.head("tRaNsFeR-eNcOdInG: ChUnKeD"), _chunks(body), b"0\r\n\r\n"))


@behaviour("RFC 9112 7.1.1")
def chunk_extensions(body: Body) -> Plan:
    lines = (b'%x;token="a b"\r\n%b\r\n' % (len(frame.data), frame.data) for frame in body.frames)
    return complete(body, sends(body.head("Transfer-Encoding: chunked"), *lines, b"0\r\n\r\n"))


@behaviour("RFC 9112 7.1.2")
def trailers(body: Body) -> Plan:
    return complete(
        body, sends(body.head("Transfer-Encoding: chunked"), _chunks(body), b"0\r\nServer-Timing: total;dur=1\r\n\r\n")
    )


@behaviour("RFC 9112 7.1")
def chunk_sizes_with_zeros_in_front(body: Body) -> Plan:
    lines = (b"%020X\r\n%b\r\n" % (len(frame.data), frame.data) for frame in body.frames)
    return complete(body, sends(body.head("Transfer-Encoding: chunked"), *lines, b"0\r\n\r\n"))


@behaviour("RFC 9112 9.2")
def another_answer_behind_the_answer(body: Body) -> Plan:
    second = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    return complete(body, sends(body.head(_length(body)) + body.data + second))


@behaviour("RFC 9112 9.2")
def garbage_behind_the_last_chunk(body: Body) -> Plan:
    return complete(body, sends(body.head("Transfer-Encoding: chunked") + _chunks(body) + b"0\r\n\r\n\x00\xffgarbage"))


@behaviour("F14, N05")
def garbage_inside_the_framing_behind_the_end(body: Body) -> Plan:
    return complete(body, sends(body.head("Transfer-Encoding: chunked") + _chunks(body) + b"no size\r\n"))


@behaviour("RFC 6265")
def cookies(body: Body) -> Plan:
    return complete(body, sends(body.head(_length(body), "Set-Cookie: sid=1; Domain=127.0.0.1; Path=/"), body.data))


@behaviour("RFC 9110 8.6")
def a_length_that_is_too_small(body: Body) -> Plan:
    arrives = body.through("text", 3)
    return broken(arrives, sends(body.head(f"Content-Length: {len(joined(arrives))}"), body.data))


@behaviour("RFC 9110 8.6, N07")
def a_length_that_is_too_large(body: Body) -> Plan:
    return complete(body, sends(body.head(f"Content-Length: {len(body.data) + 100}"), body.data))


@behaviour("RFC 9112 6.3")
def a_length_beside_chunks(body: Body) -> Plan:
    head = body.head("Content-Length: 5", "Transfer-Encoding: chunked")
    return complete(body, sends(head, _chunks(body), b"0\r\n\r\n"))


@behaviour("RFC 9112 7.1")
def a_chunk_size_that_is_none(body: Body) -> Plan:
    arrives = body.through("text", 3)
    head = body.head("Transfer-Encoding: chunked")
    return broken(arrives, sends(head + chunked(joined(arrives)) + b"zz\r\n" + body.data))


@behaviour("RFC 9112 7.1")
def a_chunk_larger_than_it_says(body: Body) -> Plan:
    arrives = body.through("text", 3)
    data = joined(arrives)
    return broken(arrives, sends(body.head("Transfer-Encoding: chunked"), b"%x\r\n%b" % (len(data), data), b"more\r\n"))


@behaviour("RFC 9112 7.1")
def a_negative_chunk_size(body: Body) -> Plan:
    arrives = body.through("text", 3)
    head = body.head("Transfer-Encoding: chunked")
    return broken(arrives, sends(head, chunked(joined(arrives)), b"-5\r\nhello\r\n"))


@behaviour("RFC 9112 7.1")
def a_chunk_size_beyond_all_memory(body: Body) -> Plan:
    arrives = body.through("text", 3)
    head = body.head("Transfer-Encoding: chunked")
    return broken(arrives, sends(head, chunked(joined(arrives)), b"ffffffffffffffff\r\nhello"))


HEADS: dict[str, tuple[str, bytes]] = {
    "two lengths that differ": ("RFC 9112 6.3", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"),
    "a negative length": ("RFC 9110 8.6", b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
    "a length in words": ("RFC 9110 8.6", b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"),
    "an unknown transfer encoding": ("RFC 9112 6.1", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: zip\r\n\r\n"),
    "a header of 1 MB": ("RFC 9110 5.4", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n"),
    "a hundred thousand headers": ("RFC 9110 5.4", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"),
    "a header without a colon": ("RFC 9112 5", b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"),
    "a zero in a header": ("RFC 9110 5.5", b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n"),
    "a status that is no number": ("RFC 9112 4", b"HTTP/1.1 abc OK\r\n\r\n"),
    "a status beyond all": ("RFC 9112 4", b"HTTP/1.1 1000 OK\r\n\r\n"),
    "the greeting of an SSH server": ("F16", b"SSH-2.0-OpenSSH_9.6\r\n"),
    "the preface of HTTP/2": ("RFC 9113 3.4", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"),
    "the alert of a TLS server": ("RFC 8446 6", b"\x15\x03\x01\x00\x02\x02\x46"),
    "a blank line": ("RFC 9112 2.2", b"\r\n"),
    "zeros": ("F16", bytes(1000)),
    "no more than a protocol switch": ("RFC 9110 15.2.2", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n"),
    "an empty body": ("F17", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    "no content": ("F17", b"HTTP/1.1 204 No Content\r\n\r\n"),
    "part of the content": ("RFC 9110 15.3.7", b"HTTP/1.1 206 Partial Content\r\nContent-Length: 0\r\n\r\n"),
}


def _nothing_but(head: bytes, body: Body) -> Plan:
    return broken([], sends(head), kinds=("network", "invalid_request"))


for _name, (_source, _head) in HEADS.items():
    register(_name, __name__, _source, partial(_nothing_but, _head))
