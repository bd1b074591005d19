"""Streams whose framing is right and whose events are not: errors, repetitions, strangers, broken JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

from chaos.behaviour import ANSWER, SSE_STYLES, Body, Plan, behaviour, broken, complete, joined, register
from support.answers import error_body, error_frame, whole

KINDS = {400: "invalid_request", 401: "auth", 429: "rate_limit", 500: "server", 503: "overloaded"}


def event(body: Body, value: str, name: str = "") -> bytes:
    """One more frame, under a name where frames have names."""
    if body.style == "ollama":
        return f"{value}\n".encode()
    return (f"event: {name}\n" if name else "").encode() + f"data: {value}\n\n".encode()


def _error(status: int, body: Body) -> Plan:
    arrives = body.through("text", 3)
    frame = error_frame(body.style, status, "the model broke")
    kinds = (KINDS[status], "server") if body.style == "ollama" else (KINDS[status],)
    return broken(arrives, body.stream(joined(arrives), frame.data, body.frame("text", 4).data), kinds=kinds)


for _status in KINDS:
    register(f"an error like {_status} between texts", __name__, "C22, B06", partial(_error, _status))


@behaviour("C22")
def an_error_before_everything(body: Body) -> Plan:
    return broken([], body.stream(error_frame(body.style, 500, "no model").data), kinds=("server",))


@behaviour("C22, B08")
def an_error_between_arguments(body: Body) -> Plan:
    arrives = body.before("call", 4)
    return broken(arrives, body.stream(joined(arrives), error_frame(body.style, 500, "oops").data), kinds=("server",))


@behaviour("F13")
def a_bare_error_in_the_middle(body: Body) -> Plan:
    arrives = body.through("text", 3)
    error = json.dumps(error_body(body.style, 500, "oops"), indent=2) if body.style != "ollama" else '{"error":"oops"}'
    return broken(arrives, body.stream(joined(arrives), f"{error}\n".encode()), kinds=("server",))


@behaviour("C19")
def the_finish_twice(body: Body) -> Plan:
    at = body.place("finish")
    data = joined(body.frames[:at]) + body.frames[at - 1].data + joined(body.frames[at:])
    return complete(body, body.stream(data))


@behaviour("F14")
def the_end_twice(body: Body) -> Plan:
    return complete(body, body.stream(body.data, body.frames[-1].data, body.frames[-1].data))


@behaviour("F14")
def a_text_behind_the_end(body: Body) -> Plan:
    if body.frames[-1].role == "finish" and body.style == "gemini":  # has no end: what follows belongs to it
        return complete(body, body.stream(body.data))
    return complete(body, body.stream(body.data + body.frame("text").data))


@behaviour("F14")
def an_error_behind_the_end(body: Body) -> Plan:
    if body.style == "gemini":
        return complete(body, body.stream(body.data))
    return complete(body, body.stream(body.data + error_frame(body.style, 500, "too late").data))


STRANGERS = {
    "an empty object": "{}",
    "a list": "[]",
    "null": "null",
    "a number": "17",
    "words": '"hello"',
    "an event of a later version": '{"type":"something.new","payload":{"a":[1,2]}}',
    "a heartbeat": '{"type":"ping"}',
}


def _stranger(value: str, body: Body) -> Plan:
    between = [piece for frame in body.frames[:-1] for piece in (frame.data, event(body, value, "something.new"))]
    return complete(body, body.stream(*between, body.frames[-1].data))


for _name, _value in STRANGERS.items():
    register(f"{_name} between all frames", __name__, "B05, C16", partial(_stranger, _value))


NOT_JSON = {
    "words that are no JSON": "upstream connect error",
    "half an object": '{"a":',
    "objects in objects without end": '{"a":' * 50_000,
    "lists in lists without end": "[" * 200_000,
    "a number of 5,000 digits": "1" * 5000,
}


def _noise(value: str, body: Body) -> Plan:
    arrives = body.through("text", 3)
    return broken(arrives, body.stream(joined(arrives), event(body, value)), kinds=("network", "server"))


for _name, _value in NOT_JSON.items():
    register(f"{_name} instead of the end", __name__, "V24, F13", partial(_noise, _value))


@behaviour("B88, V24")
def half_a_character_in_a_text(body: Body) -> Plan:
    at = body.place("text") - 1
    frame = body.frames[at]
    mended = replace(frame, data=frame.data.replace(b"It ", rb"It \ud83d"), text="It \ufffd")
    frames = [*body.frames[:at], mended, *body.frames[at + 1 :]]
    return complete(body, body.stream(joined(frames)), arrives=frames)


@behaviour("C29, F15")
def one_json_value_instead_of_a_stream(body: Body) -> Plan:
    data = json.dumps(whole(body.style, ANSWER)).encode()
    return complete(body, body.stream(data, headers={"Content-Type": "application/json"}))


@behaviour("C29, F15")
def one_json_value_over_many_lines(body: Body) -> Plan:
    data = json.dumps(whole(body.style, ANSWER), indent=2).encode()
    return complete(body, body.stream(data, headers={"Content-Type": "application/json"}))


@behaviour("F14", styles=("openai",))
def ends_that_are_nearly_right(body: Body) -> Plan:
    return complete(body, body.stream(joined(body.frames[:-1]), b"data:  [done] \n\n"))


@behaviour("C12", styles=("openai",))
def an_end_without_a_finish(body: Body) -> Plan:
    at = body.place("finish")
    return complete(body, body.stream(joined([*body.frames[: at - 1], *body.frames[at:]])))


@behaviour("N01", styles=SSE_STYLES)
def nothing_but_comments(body: Body) -> Plan:
    return broken([], body.stream(b": hello\n\n: world\n\n"))
