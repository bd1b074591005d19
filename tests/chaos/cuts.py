"""Connections that end where they should not: every place in an answer, in every way that TCP and HTTP know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from chaos.behaviour import Body, Plan, behaviour, broken, chunked, complete, joined, register, sends, then
from support.answers import Frame
from support.fake_server import Script, close, reset

Cut: TypeAlias = Callable[[Body], tuple[Sequence[Frame], bytes]]
"""The frames that arrive whole, and the beginning of the next."""


def _inside(body: Body, role: str, number: int, at: int | None = None) -> tuple[Sequence[Frame], bytes]:
    frame = body.frame(role, number)
    return body.before(role, number), frame.data[: len(frame.data) // 2 if at is None else at]


def _inside_a_character(body: Body) -> tuple[Sequence[Frame], bytes]:
    return _inside(body, "text", 4, body.frame("text", 4).data.index("今".encode()) + 1)


PLACES: dict[str, Cut] = {
    "behind the head": lambda body: ([], b""),
    "inside the first frame": lambda body: ([], body.frames[0].data[:20]),
    "behind a text": lambda body: (body.through("text", 2), b""),
    "inside a character": _inside_a_character,
    "in front of the line end of a text": lambda body: _inside(body, "text", 5, -8),
    "between arguments": lambda body: (body.before("call", 4), b""),
    "inside arguments": lambda body: _inside(body, "call", 4),
    "in front of the finish": lambda body: (body.before("finish"), b""),
    "behind the finish": lambda body: (body.through("finish"), b""),
}


def _chunked(body: Body, data: bytes, end: Script) -> Script:
    return body.stream(data, end, end=False)


def _inside_a_chunk(body: Body, data: bytes, end: Script) -> Script:
    return then(sends(body.head("Transfer-Encoding: chunked"), b"%x\r\n" % (len(data) + 9), data), end)


def _until_it_closes(body: Body, data: bytes, end: Script) -> Script:
    return then(sends(body.head(), data), end)


def _with_a_length(body: Body, data: bytes, end: Script) -> Script:
    return then(sends(body.head(f"Content-Length: {len(data) + 9}"), data), end)


def _with_its_own_end(body: Body, data: bytes, end: Script) -> Script:
    return sends(body.head("Transfer-Encoding: chunked"), chunked(data) if data else b"", b"0\r\n\r\n")


WAYS: dict[str, tuple[str, Callable[[Body, bytes, Script], Script], Script]] = {
    "closed between chunks": ("N07", _chunked, close),
    "closed inside a chunk": ("N07", _inside_a_chunk, close),
    "closed as its framing allows": ("N01, B07", _until_it_closes, close),
    "closed short of its length": ("N07", _with_a_length, close),
    "ended as if it were whole": ("N01, B07, C13", _with_its_own_end, close),
    "reset between chunks": ("N07, B08", _chunked, reset),
    "reset inside a chunk": ("N07, B08", _inside_a_chunk, reset),
}


def _plan(place: Cut, frame: Callable[[Body, bytes, Script], Script], end: Script, body: Body) -> Plan:
    arrives, half = place(body)
    script = frame(body, joined(arrives) + half, end)
    if arrives and arrives[-1].role == "finish":
        return complete(body, script, arrives=arrives)
    return broken(arrives, script)


for _where, _place in PLACES.items():
    for _how, (_source, _frame, _end) in WAYS.items():
        register(f"{_how}, {_where}", __name__, _source, partial(_plan, _place, _frame, _end))


@behaviour("N07, B96")
def closed_without_an_answer(body: Body) -> Plan:
    return broken([], close)


@behaviour("N07, B96")
def reset_without_an_answer(body: Body) -> Plan:
    return broken([], reset)


@behaviour("N07")
def closed_inside_the_head(body: Body) -> Plan:
    return broken([], sends(body.head()[:30]))


@behaviour("N07")
def reset_inside_the_head(body: Body) -> Plan:
    return broken([], then(sends(body.head()[:30]), reset))


@behaviour("F07")
def a_last_frame_without_its_line_end(body: Body) -> Plan:
    return complete(body, body.stream(body.data.rstrip(b"\n")))
