"""Framing rules F01–F14: each by an example, all of them against a plain reference at every cut."""

from __future__ import annotations

import re
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.errors import ServerError
from rillet.core.wire import lenient_json
from rillet.core.wire.lines import LINE_COST
from rillet.core.wire.sse import SseDecoder, SseEvent
from support.corpus import Case, byte_by_byte, corpus, cuts, random_cuts

CASSETTES = Path(__file__).parent / "cassettes" / "sse"


def decode(reads: list[bytes], limit: int | None = None) -> list[SseEvent]:
    decoder = SseDecoder() if limit is None else SseDecoder(limit)
    return [event for data in reads for event in decoder.feed(data)] + decoder.finish()


def message(*data: str) -> list[SseEvent]:
    return [SseEvent("message", item) for item in data]


def plain_reference(body: bytes) -> tuple[list[SseEvent], list[bytes]]:
    """The rules written down once more for a whole body, one line at a time: (events, stray lines)."""
    *lines, last = re.split(rb"\r\n|\r|\n", body.removeprefix(b"\xef\xbb\xbf"))
    if last and not any(name.startswith(last) for name in (b"data", b"event", b"id", b"retry")):
        lines.append(last)
    events: list[SseEvent] = []
    runs: list[list[bytes]] = [[]]
    name = b""
    data: list[bytes] = []
    for line in lines:
        field, _, value = line.lstrip(b" \0").partition(b":")
        value = value[1:] if value.startswith(b" ") else value
        is_sse = line == b"" or field in (b"", b"data", b"event", b"id", b"retry")
        if not is_sse:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
        is_whole = len(data) == 1 and isinstance(json_or_none(data[0]), dict | list)
        is_next = (field == b"data" and (value.startswith(b"{") or value.strip() == b"[DONE]")) or (
            field == b"event" and name != b""
        )
        if line == b"" or (is_whole and is_next):
            if b"".join(data):
                events.append(event_of(name, data))
            name, data = b"", []
        if line == b"":
            continue
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value
    if b"".join(data) and (b"\n".join(data).strip() == b"[DONE]" or json_or_none(b"\n".join(data)) is not None):
        events.append(event_of(name, data))
    for run in runs:
        if isinstance(json_or_none(b"\n".join(run)), dict | list):
            events.append(event_of(b"error", run))
            continue
        for line in run:
            field, _, value = line.partition(b":")
            if isinstance(json_or_none(line), dict | list):
                events.append(event_of(b"error", [line]))
            elif isinstance(json_or_none(value), dict | list) or (
                field == b"error" and json_or_none(value) is not None
            ):
                events.append(event_of(b"error", [value.strip()]))
    return events, [line for run in runs for line in run]


def event_of(name: bytes, data: list[bytes]) -> SseEvent:
    return SseEvent(name.decode("utf-8", "replace") or "message", b"\n".join(data).decode("utf-8", "replace"))


def json_or_none(text: bytes) -> object:
    try:
        return lenient_json.decode(text.decode("utf-8", "replace"))
    except ValueError:
        return None


RULES: dict[str, tuple[bytes, list[SseEvent]]] = {
    "F01 lines end in LF": (b"data: 1\n\ndata: 2\n\n", message("1", "2")),
    "F01 lines end in CRLF": (b"data: 1\r\n\r\ndata: 2\r\n\r\n", message("1", "2")),
    "F01 lines end in CR": (b"data: 1\r\rdata: 2\r\r", message("1", "2")),
    "F01 line ends are mixed": (b"data: 1\n\r\ndata: 2\r\ndata: 3\r\n\ndata: 4\r\n\r", message("1", "2\n3", "4")),
    "F02 a CRLF is one line end": (b"event: a\r\ndata: 1\r\ndata: 2\r\n\r\n", [SseEvent("a", "1\n2")]),
    "F03 a byte order mark comes first": (b"\xef\xbb\xbfdata: 1\n\n", message("1")),
    "F03 a second one is no longer a mark": (b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\n", []),
    "F03 a body is less than a byte order mark": (b"\xef\xbb", []),
    "F04 one JSON over several lines": (b'data: {\ndata:   "a": 1\ndata: }\n\n', message('{\n  "a": 1\n}')),
    "F05 comments anywhere": (b": hi\n\n:\ndata: 1\n: ping - 12:00\ndata: 2\n:x\n\n: bye\n\n", message("1\n2")),
    "F05 blank lines as keep-alive": (b"\n\n\ndata: 1\n\n\n\n\ndata: 2\n\n", message("1", "2")),
    "F06 retry and id": (b"retry: 3000\nid: 7\ndata: 1\n\nid\n\ndata: 2\nretry\n\n", message("1", "2")),
    "F06 a name without data is no event": (b"event: ping\n\ndata: 1\n\n", message("1")),
    "F06 the last name counts": (b"event: a\nevent: b\ndata: 1\n\n", [SseEvent("b", "1")]),
    "F06 an empty name is none": (b"event: a\nevent:\ndata: 1\n\nevent: \ndata: 2\n\n", message("1", "2")),
    "F06 a name behind the data": (b"data: 1\nevent: a\n\n", [SseEvent("a", "1")]),
    "F07 no blank line at the end": (b'data: {"a":1}\n', message('{"a":1}')),
    "F07 no line end at the end": (b"data: 1\n\nevent: x\ndata: [DONE]", [*message("1"), SseEvent("x", "[DONE]")]),
    "F07 a JSON cut at the end": (b'data: 1\n\ndata: {"a":', message("1")),
    "F07 a field name cut at the end": (b'data: 1\n\ndata: {"a":1}\ndat', message("1", '{"a":1}')),
    "F08 no space behind the colon": (b"data:1\n\nevent:x\ndata:2\n\n", [*message("1"), SseEvent("x", "2")]),
    "F08 exactly one space goes": (b"data:  1 \n\n", message(" 1 ")),
    "F08 empty data": (b"data:\n\ndata: \n\ndata\n\ndata: 1\n\ndata:\ndata\n\n", message("1")),
    "F09 only CR and LF end a line": (
        'data: "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\x00"\n\n'.encode(),
        message('"\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\x00"'),
    ),
    "F09 a cut event may hold raw control characters": (b'data: "\x0b"', message('"\x0b"')),
    "F10 characters of every length": ("data: é漢😀\n\n".encode(), message("é漢😀")),
    "F10 bytes that are no UTF-8": (
        b"data: a\xff\xe6\xbcb\n\nevent: \xff\ndata: 1\n\n",
        [*message("a��b"), SseEvent("�", "1")],
    ),
    "F13 a space before the field": (b" data: 1\n\n   event: x\ndata: 2\n\n", [*message("1"), SseEvent("x", "2")]),
    "F13 a field named error": (
        b'data: 1\n\nerror: {"code":500}\n\n',
        [*message("1"), SseEvent("error", '{"code":500}')],
    ),
    "F13 an error that is one word": (b'error: "boom"\n\n', [SseEvent("error", '"boom"')]),
    "F13 a pretty-printed JSON in the middle": (
        b'data: 1\n\n{\n  "error": {\n    "code": 1\n  }\n}\ndata: 2\n\n',
        [*message("1", "2"), SseEvent("error", '{\n  "error": {\n    "code": 1\n  }\n}')],
    ),
    "F13 two JSON lines": (b"{}\n[]\n", [SseEvent("error", "{}"), SseEvent("error", "[]")]),
    "F13 an error that is none": (b"error: null\n\n", []),
    "F13 a JSON in pieces is none": (b"{\ndata: 1\n\n}\n: note\n[\n: note\n]\n", message("1")),
    "F13 a blank line ends what is no SSE": (b"{\n\n}\n", []),
    "F13 plain words": (b"data: 1\n\nupstream error: read ECONNRESET\n123\nnull\n", message("1")),
    "F21 an event ends with its line": (
        b'event: a\ndata: {"a":1}\nevent: b\nid: 2\ndata: {"b":2}\ndata: {"c":3}\ndata: [DONE]\n\n',
        [SseEvent("a", '{"a":1}'), SseEvent("b", '{"b":2}'), *message('{"c":3}', "[DONE]")],
    ),
    "F21 a JSON over several lines does not": (b'data: {"a":\ndata: {}}\n\n', message('{"a":\n{}}')),
    "F22 NULs to keep the connection": (b"\0\0data: 1\n\n\0\n\n", message("1")),
    "F14 end markers": (
        b"data: [DONE] \n\nevent: done\ndata: [DONE]\n\n",
        [*message("[DONE] "), SseEvent("done", "[DONE]")],
    ),
    "an empty body": (b"", []),
}


@pytest.mark.parametrize(("body", "events"), RULES.values(), ids=RULES)
def test_a_rule_holds_at_every_cut(body: bytes, events: list[SseEvent]) -> None:
    for reads in cuts(body):
        assert decode(reads) == events, reads
    assert plain_reference(body)[0] == events


@pytest.mark.parametrize("path", sorted(CASSETTES.glob("*.sse")), ids=lambda path: path.stem)
def test_our_cassettes_decode_to_their_events_at_every_cut(path: Path) -> None:
    body = path.read_bytes()
    expected = [SseEvent(*pair) for pair in lenient_json.decode(path.with_suffix(".json").read_bytes())]
    for reads in cuts(body):
        assert decode(reads) == expected, reads


@corpus("framing", api="sse")
def test_the_recorded_framing_cases_decode_as_expected_at_every_cut(case: Case) -> None:
    expected = [SseEvent(**event) for event in case.expect.get("lenient_events", case.expect["events"])]
    for reads in cuts(case.content):
        assert decode(reads) == expected, reads
    if "reads" in case.expect:
        assert decode(sized(case.content, case.expect["reads"])) == expected


@corpus(
    *("anthropic", "azure", "compat", "deepseek", "gemini", "gemini_openai", "groq", "llamacpp", "lmstudio", "mistral"),
    *("openai", "openai_responses", "openrouter", "quirks", "vllm", "xai"),
)
def test_recorded_answers_decode_like_the_plain_reference(case: Case) -> None:
    expected, stray = plain_reference(case.content)
    for reads in ([case.content], byte_by_byte(case.content), *random_cuts(case.content, count=5)):
        decoder = SseDecoder()
        assert [event for data in reads for event in decoder.feed(data)] + decoder.finish() == expected
        assert decoder.stray == b"\n".join(stray).decode("utf-8", "replace")


sse = b"data: |data:|data|event: |event: x|event|id: 1|retry: 2|: note|:| |1|{|}|{}|[DONE]|error: |error|null|oops"
ends = b"\n|\n\n|\r|\r\n|\r\n\r\n|data: {}\n\n|event: x\ndata: 1\n\n|\xef\xbb\xbf|\xef|\xbb|\xff|\xe2\x80\xa8"
pieces = st.sampled_from(sse.split(b"|") + ends.split(b"|"))
bodies = st.lists(pieces, max_size=40).map(b"".join)
places = st.lists(st.integers(0, 200), max_size=12)


def sized(body: bytes, sizes: list[int]) -> list[bytes]:
    reads = []
    for size in sizes:
        reads.append(body[:size])
        body = body[size:]
    return reads + [body] * bool(body)


@given(bodies, places)
def test_any_body_in_any_reads_decodes_like_the_plain_reference(body: bytes, sizes: list[int]) -> None:
    expected, stray = plain_reference(body)
    decoder = SseDecoder()
    events = [event for data in sized(body, sizes) for event in decoder.feed(data)] + decoder.finish()
    assert events == expected
    assert decoder.stray == b"\n".join(stray).decode("utf-8", "replace")


@given(bodies, places)
def test_where_the_limit_strikes_does_not_depend_on_the_reads(body: bytes, sizes: list[int]) -> None:
    assert outcome([body], limit=24) == outcome(sized(body, sizes), limit=24)


def outcome(reads: list[bytes], limit: int) -> tuple[list[SseEvent], bool]:
    """The events, and whether the decoder failed before or at the end of the body."""
    decoder, events = SseDecoder(limit), []
    try:
        for data in reads:
            events += decoder.feed(data)
        events += decoder.finish()
        decoder.finish()
    except ServerError:
        return events, True
    return events, False


def test_events_come_with_the_read_that_completes_them() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\n") == []
    assert decoder.feed(b"\ndata: 2\r\n\r") == message("1", "2")
    assert decoder.feed(b"\ndata: 3") == []
    assert decoder.feed(b"\n\n") == message("3")
    assert decoder.finish() == []


def test_stray_lines_are_kept_as_they_came() -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: 1\n\n  502 \xff Bad\r\nGateway: x\n")
    assert decoder.stray == "  502 � Bad\nGateway: x"


def test_a_field_name_that_was_cut_is_not_stray() -> None:
    decoder = SseDecoder()
    decoder.feed(b"data: 1\n\neve")
    assert decoder.finish() == []
    assert decoder.stray == ""


def test_a_line_of_the_limit_passes_and_one_byte_more_fails_after_the_events_before_it() -> None:
    fits = b"data: " + b"x" * 94 + b"\n\n"
    assert decode([fits], limit=100) == message("x" * 94)
    for reads in cuts(b"data: 1\n\n" + fits.replace(b"xx", b"xxx", 1)):
        decoder = SseDecoder(100)
        events: list[SseEvent] = []
        with pytest.raises(ServerError) as caught:
            for data in reads:
                events += decoder.feed(data)
            decoder.finish()
        assert events == message("1")
        assert not caught.value.retryable


def test_the_limit_is_one_of_single_pieces_not_of_the_whole_body() -> None:
    event = b"data: 12\ndata: 34\n\n"
    limit = 2 * LINE_COST + 4
    for reads in ([event * 20], byte_by_byte(event * 20), [event] * 20):
        assert decode(reads, limit) == message("12\n34") * 20


@pytest.mark.parametrize("line", [b"data:\n", b"stray\n"])
def test_a_flood_of_short_lines_is_bounded(line: bytes) -> None:
    limit = 100 * (LINE_COST + len(line))
    decoder = SseDecoder(limit)
    assert decoder.feed(line * 90) == []
    with pytest.raises(ServerError):
        decoder.feed(line * 90 + b"\n\ndata: 1\n\n")


def test_a_decoder_that_failed_holds_nothing_and_fails_again() -> None:
    read = b"x" * 101
    references = sys.getrefcount(read)
    decoder = SseDecoder(100)
    for data in (read, b"data: 1\n\n", read, b""):
        with pytest.raises(ServerError):
            decoder.feed(data)
    with pytest.raises(ServerError):
        decoder.finish()
    assert sys.getrefcount(read) == references


def test_an_unfinished_line_is_never_copied() -> None:
    """Joining what there is with every read would be quadratic: the decoder holds the very reads it was given."""
    read = b"x" * 1_000_000
    decoder = SseDecoder()
    decoder.feed(b"data: ")
    tracemalloc.start()
    try:
        for _ in range(20):
            assert decoder.feed(read) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(read)
    assert [len(event.data) for event in decoder.feed(b"\n\n")] == [20_000_000]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: x\n\n", ""),
        (b"id: 1\ndata: x\n\nid:2\n\n", "2"),
        (b"data: x\nid: 3\n\ndata: y\n\n", "3"),
        (b"id: 4\n\nid: a\0b\n\n", "4"),
        (b"id: 5\nretry: 1500\n\nretry: soon\n\nretry: 99999999999\n\n", "5"),
    ],
)
def test_the_last_id_of_a_stream_is_kept(body: bytes, expected: str) -> None:
    for cut in range(len(body)):
        decoder = SseDecoder()
        decoder.feed(body[:cut])
        decoder.feed(body[cut:])
        assert decoder.last_id == expected
        assert decoder.retry == (1.5 if b"retry" in body else None)
