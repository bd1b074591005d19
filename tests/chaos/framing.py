"""Bodies that are not framed or labelled as the standards have it, yet evidently mean an answer."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from chaos.behaviour import SSE_STYLES, Body, Plan, behaviour, broken, byte_by_byte, complete, joined, register
from chaos.pace import beat

if TYPE_CHECKING:
    from support.fake_server import Script

BOM = b"\xef\xbb\xbf"


@behaviour("F03")
def a_byte_order_mark(body: Body) -> Plan:
    return complete(body, body.stream(BOM + body.data))


@behaviour("F03, F10")
def a_byte_order_mark_in_pieces(body: Body) -> Plan:
    return complete(body, body.stream(*byte_by_byte(BOM), body.data))


@behaviour("F01, F19")
def lines_end_in_cr_lf(body: Body) -> Plan:
    return complete(body, body.stream(body.data.replace(b"\n", b"\r\n")))


@behaviour("F02")
def cr_and_lf_in_different_chunks(body: Body) -> Plan:
    pieces: list[bytes | Script] = []
    for line in body.data.split(b"\n")[:-1]:
        pieces += [line + b"\r", beat, b"\n"]
    return complete(body, body.stream(*pieces))


@behaviour("F01", styles=SSE_STYLES)
def lines_end_in_cr(body: Body) -> Plan:
    return complete(body, body.stream(body.data.replace(b"\n", b"\r")))


@behaviour("F01", styles=SSE_STYLES)
def every_line_end_in_turn(body: Body) -> Plan:
    ends = (b"\r\n\r\n", b"\r\r", b"\n\n", b"\r\n\n")
    data = [frame.data.removesuffix(b"\n\n") + ends[at % 4] for at, frame in enumerate(body.frames)]
    return complete(body, body.stream(b"".join(data)))


@behaviour("F08", styles=SSE_STYLES)
def no_space_behind_the_colon(body: Body) -> Plan:
    return complete(body, body.stream(body.data.replace(b"data: ", b"data:").replace(b"event: ", b"event:")))


@behaviour("F13", styles=SSE_STYLES)
def a_space_before_the_field(body: Body) -> Plan:
    return complete(body, body.stream(body.data.replace(b"data: ", b" data: ")))


@behaviour("F04", styles=SSE_STYLES)
def json_over_several_lines(body: Body) -> Plan:
    return complete(body, body.stream(*map(_pretty, (frame.data for frame in body.frames))))


def _pretty(data: bytes) -> bytes:
    head, _, value = data.rstrip(b"\n").rpartition(b"data: ")
    if value == b"[DONE]":
        return data
    lines = json.dumps(json.loads(value), indent=1, ensure_ascii=False).split("\n")
    return head + "".join(f"data: {line}\n" for line in lines).encode() + b"\n"


@behaviour("F06", styles=SSE_STYLES)
def fields_that_mean_nothing(body: Body) -> Plan:
    return complete(body, body.stream(*(b"id: 7\nretry: 1\nnew: field\n" + frame.data for frame in body.frames)))


@behaviour("F06, F08", styles=SSE_STYLES)
def events_without_data(body: Body) -> Plan:
    empty = b"event: heartbeat\n\ndata\n\ndata:\n\nid\n\n"
    return complete(body, body.stream(empty, *(frame.data + empty for frame in body.frames[:-1]), body.frames[-1].data))


@behaviour("F05")
def more_blank_lines_than_any_standard_knows(body: Body) -> Plan:
    return complete(body, body.stream(*(b"\n\n\n" + frame.data + b"\n\n\n" for frame in body.frames)))


@behaviour("F09, B01")
def characters_that_other_splitters_take_for_line_ends(body: Body) -> Plan:
    assert "\u2028".encode() in body.data
    return complete(body, body.stream(*(frame.data for frame in body.frames)))


@behaviour("F20, C32")
def fields_that_nobody_asked_for(body: Body) -> Plan:
    padding = b'{"obfuscation":"xxxxxxxx","p":[{"a":null}],"x_extra":{"b":{}},'
    return complete(body, body.stream(*(_padded(frame.data, padding) for frame in body.frames)))


def _padded(data: bytes, padding: bytes) -> bytes:
    return data.replace(b"{}", padding[:-1] + b"}", 1) if b" {}" in data else data.replace(b"{", padding, 1)


CONTENT_TYPES = {
    "text/plain": "text/plain; charset=utf-8",
    "no content type": "",
    "application/octet-stream": "application/octet-stream",
    "application/json": "application/json",
    "text/html": "text/html; charset=iso-8859-1",
    "the other kind of stream": "text/event-stream",
    "a content type that is none": ";;;=",
}


def _labelled(content_type: str, body: Body) -> Plan:
    other = {"text/event-stream": "application/x-ndjson"}.get(body.content_type, "text/event-stream")
    shown = other if content_type == "text/event-stream" else content_type
    return complete(body, body.stream(body.data, headers={"Content-Type": shown}))


for _name, _type in CONTENT_TYPES.items():
    register(f"labelled as {_name}", __name__, "F18", partial(_labelled, _type))


@behaviour("F13")
def plain_words_instead_of_the_end(body: Body) -> Plan:
    arrives = body.before("call")
    return broken(arrives, body.stream(joined(arrives), b"upstream error: read ECONNRESET\n"))


@behaviour("F16")
def a_web_page_instead_of_the_end(body: Body) -> Plan:
    arrives = body.before("call")
    return broken(arrives, body.stream(joined(arrives), b"<html><title>502 Bad Gateway</title></html>\n"))


@behaviour("F10")
def bytes_that_are_no_text(body: Body) -> Plan:
    arrives = body.before("call")
    return broken(arrives, body.stream(joined(arrives), bytes(range(128, 256)) * 4))


@behaviour("F10")
def nothing_but_zeros(body: Body) -> Plan:
    return broken([], body.stream(bytes(100_000)), kinds=("network", "invalid_request", "server"))
