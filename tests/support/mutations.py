"""Good bodies → bodies that no server should send, and one does: the grammar is kept in most places, broken in some.

Pure. A mutation is a function of a body and two numbers that say where and how, so that a list of triples names a body:
Hypothesis shrinks such lists, and ``bench/fuzz.py`` draws them by the million. Knows frames and JSON, no provider.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from support import cassettes, corpus
from support.answers import Answer, Call, error_frame, frames, whole

Mutation: TypeAlias = Callable[[bytes, int, int], bytes]
Steps: TypeAlias = Sequence[tuple[str, int, int]]

_LARGEST: Final = 20_000
"""Larger bodies teach nothing new, and cost time."""
_CASSETTES: Final = {"openai": "chat", "openai-responses": "openai_responses"}
_APIS: Final = {"openai": "chat", "openai-responses": "responses"}
_ANSWERS: Final = (
    Answer(("Hé", "llo ", "wörld 🌧"), Call("call_1", "weather", ('{"city"', ':"Os', 'lo"', ',"days":2}'))),
    Answer((), Call("", "now", ())),
    Answer(("a", "b", "c")),
)
STRANGE: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    1.5,
    1e308,
    2**70,
    "",
    "text",
    "\ud83d",
    "\u2028",
    "[DONE]",
    "error",
    "stop",
    '{"a":1}',
    [],
    {},
    [[]],
    [None],
    {"a": None},
    [{"type": "text", "text": "x"}],
    {"error": {"message": "m", "code": 429}},
    {"type": "error"},
)
"""What a field may hold instead of what it should."""
_LINES: Final = (
    b"data: [DONE]\n\n",
    b"event: error\n",
    b"data: null\n\n",
    b"data\n\n",
    b": ping\n\n",
    b"\n",
    b"\r",
    b"{}\n",
    b"[]\n",
    b'data: {"type":"new.event"}\n\n',
    b'{"error":"e"}\n',
    b"<html>",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x00",
    b"upstream\n",
    b"id: 1\nretry: 0\n",
    b'data: {"error":{"message":"m"}}\n\n',
    b"[" * 3000,
    b'{"a":' * 3000,
)
"""What may stand between frames."""


@cache
def seeds(style: str) -> tuple[bytes, ...]:
    """Good bodies of a style: generated, our cassettes, and the recorded ones where they are."""
    found = [b"".join(frame.data for frame in frames(style, answer)) for answer in _ANSWERS[::2]]
    found += [json.dumps(whole(style, answer)).encode() for answer in _ANSWERS[::2]]
    found.append(found[0][: len(found[0]) // 2] + error_frame(style, 503, "busy").data)
    found += [path.read_bytes() for path in cassettes.cassettes(_CASSETTES.get(style, style))]
    if corpus.ROOT.is_dir():
        folders = [folder.name for folder in sorted(corpus.ROOT.iterdir()) if any(folder.glob("*.expect.json"))]
        found += [case.content for case in corpus.cases(*folders, api=_APIS.get(style, style))]
    return tuple(body for body in found if len(body) <= _LARGEST)


def mutated(body: bytes, steps: Steps) -> bytes:
    """Apply mutations, one after another."""
    for name, where, how in steps:
        body = MUTATIONS[name](body, where, how)
    return body


# Bytes


def _cut(body: bytes, where: int, _how: int) -> bytes:
    return body[: where % (len(body) + 1)]


def _change_byte(body: bytes, where: int, how: int) -> bytes:
    at = where % (len(body) or 1)
    return body[:at] + bytes([how % 256]) + body[at + 1 :]


def _remove_bytes(body: bytes, where: int, how: int) -> bytes:
    at = where % (len(body) or 1)
    return body[:at] + body[at + how % 9 :]


def _insert_line(body: bytes, where: int, how: int) -> bytes:
    at = where % (len(body) + 1)
    return body[:at] + _LINES[how % len(_LINES)] + body[at:]


def _change_line_ends(body: bytes, _where: int, how: int) -> bytes:
    return body.replace(b"\n", (b"\r\n", b"\r", b"\n\n", b"\n\r")[how % 4])


# Frames


def _end(body: bytes) -> bytes:
    return next((end for end in (b"\n\n", b"\r\n\r\n", b"\n") if end in body), b"\n")


def _frames(body: bytes) -> tuple[list[bytes], bytes]:
    end = _end(body)
    return body.split(end), end


def _swap(body: bytes, where: int, how: int) -> bytes:
    parts, end = _frames(body)
    a, b = where % len(parts), how % len(parts)
    parts[a], parts[b] = parts[b], parts[a]
    return end.join(parts)


def _repeat(body: bytes, where: int, how: int) -> bytes:
    parts, end = _frames(body)
    parts.insert(how % (len(parts) + 1), parts[where % len(parts)])
    return end.join(parts)


def _remove(body: bytes, where: int, how: int) -> bytes:
    parts, end = _frames(body)
    at = where % len(parts)
    return end.join(parts[:at] + parts[at + 1 + how % 3 :])


def _insert_between(body: bytes, where: int, how: int) -> bytes:
    parts, end = _frames(body)
    at = where % (len(parts) + 1)
    return end.join([*parts[:at], _LINES[how % len(_LINES)].rstrip(b"\n"), *parts[at:]])


# JSON


def _change_value(body: bytes, where: int, how: int) -> bytes:
    """A field of one frame gets another value, of another type most of the time."""
    return _edited(body, where, how, lambda holder, key: _put(holder, key, STRANGE[(where + how) % len(STRANGE)]))


def _remove_value(body: bytes, where: int, how: int) -> bytes:
    return _edited(body, where, how, lambda holder, key: holder.pop(key))


def _wrap_value(body: bytes, where: int, how: int) -> bytes:
    def wrap(holder: Any, key: Any) -> None:
        holder[key] = [holder[key]] if how % 2 else {"value": holder[key]}

    return _edited(body, where, how, wrap)


def _move_value(body: bytes, where: int, how: int) -> bytes:
    """Two fields of one object exchange their values."""

    def move(holder: Any, key: Any) -> None:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        other = keys[where % len(keys)]
        holder[key], holder[other] = holder[other], holder[key]

    return _edited(body, where, how, move)


def _cut_text(body: bytes, where: int, how: int) -> bytes:
    """A text ends early: the arguments of a call, a name, a number in words."""

    def cut(holder: Any, key: Any) -> None:
        if isinstance(holder[key], str):
            holder[key] = holder[key][: where % (len(holder[key]) + 1)]

    return _edited(body, where, how, cut)


def _put(holder: Any, key: Any, value: Any) -> None:
    holder[key] = value


def _edited(body: bytes, where: int, how: int, edit: Callable[[Any, Any], object]) -> bytes:
    """The body with one place in the JSON of one frame edited; as it is where that frame holds none."""
    parts, end = _frames(body)
    holding = [at for at, part in enumerate(parts) if b"{" in part]
    if not holding:
        return body
    at = holding[where % len(holding)]
    start = parts[at].index(b"{")
    try:
        value = json.loads(parts[at][start:])
    except (ValueError, RecursionError):
        return body
    places = list(_places(value))
    if places:
        edit(*places[how % len(places)])
    parts[at] = parts[at][:start] + json.dumps(value).encode("utf-8", "surrogatepass")
    return end.join(parts)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (holder, key) inside a value."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


MUTATIONS: Final[dict[str, Mutation]] = {
    "cut": _cut,
    "change a byte": _change_byte,
    "remove bytes": _remove_bytes,
    "insert a line": _insert_line,
    "change line ends": _change_line_ends,
    "swap frames": _swap,
    "repeat a frame": _repeat,
    "remove frames": _remove,
    "insert between frames": _insert_between,
    "change a value": _change_value,
    "remove a value": _remove_value,
    "wrap a value": _wrap_value,
    "move a value": _move_value,
    "cut a text": _cut_text,
}
