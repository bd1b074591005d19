"""What no cassette shows: bodies that are no stream, the order within one read, and any bytes at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import (
    Finished,
    OpaquePart,
    PartDelta,
    ReasoningDelta,
    ReasoningPart,
    Restarted,
    TextDelta,
    TextPart,
    ToolCallDelta,
    Usage,
    UsageDelta,
)
from rillet.core.wire.anthropic import MessagesDecoder
from rillet.core.wire.sse import SseDecoder
from support.replay import Outcome, replay

START = {"type": "message_start", "message": {"id": "m", "model": "c", "usage": {"input_tokens": 1}}}
STOP = {"type": "message_stop"}
WHOLE: dict[str, Any] = {
    "type": "message",
    "model": "c",
    "content": [{"type": "text", "text": "ok"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 2},
}


def event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def start(index: int = 0, **block: Any) -> bytes:
    return event({"type": "content_block_start", "index": index, "content_block": block or {"type": "text"}})


def piece(index: int, kind: str, **fields: Any) -> bytes:
    return event({"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", **fields}})


def text(words: str, index: int = 0) -> bytes:
    return piece(index, "text", text=words)


def stop(index: int = 0) -> bytes:
    return event({"type": "content_block_stop", "index": index})


def reason(stop_reason: str = "end_turn", **more: Any) -> bytes:
    return event({"type": "message_delta", "delta": {"stop_reason": stop_reason}, **more})


def decode(body: bytes) -> Outcome:
    return replay(MessagesDecoder(), [body])


@pytest.mark.parametrize("indent", [None, 2])
def test_one_json_value_is_a_whole_answer(indent: int | None) -> None:
    outcome = decode(json.dumps(WHOLE, indent=indent).encode())
    assert outcome.deltas == [
        TextDelta("ok"),
        UsageDelta(Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3)),
        Finished("stop", "c"),
    ]


def test_one_json_value_needs_no_reason_to_be_complete() -> None:
    outcome = decode(json.dumps(WHOLE | {"stop_reason": None}).encode())
    assert outcome.failure is None
    assert outcome.response.finish_reason == "stop"


def test_a_call_in_one_json_value_comes_at_once() -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {"x": [1, "ü"]}}
    deltas = decode(json.dumps(WHOLE | {"content": [call]}).encode()).deltas
    assert deltas[0] == ToolCallDelta(0, "t", "f", '{"x":[1,"ü"]}')


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded"),
        ({"error": {"type": "authentication_error", "message": "no", "code": 401}}, "auth"),
        ({"error": "model is not loaded"}, "server"),
        ({"detail": "Not Found"}, "server"),
        ([{"error": {"message": "x", "code": 429}}], "rate_limit"),
        ({"choices": [{"message": {"content": "a"}}]}, "invalid_request"),
        ({"object": "list", "data": []}, "invalid_request"),
        ("words", "server"),
        (7, "invalid_request"),
    ],
)
def test_a_body_that_is_no_message_says_what_it_is(body: Any, kind: str) -> None:
    outcome = decode(json.dumps(body).encode())
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.deltas == []


def test_an_address_of_another_api_is_named() -> None:
    failure = decode(event({"choices": []})).failure
    assert failure is not None
    assert "Chat Completions" in failure.user_message


def test_a_message_that_began_is_one_even_if_nothing_but_news_follows() -> None:
    failure = decode(event(START) + event({"type": "future_event"})).failure
    assert failure is not None
    assert failure.kind == "network"


def test_what_is_said_of_a_refusal_can_be_stored() -> None:
    refusal = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": {"explanation": "\ud83d"}}}
    assert decode(event(refusal) + event(STOP)).response.refusal == "\ufffd"


def test_an_empty_body_is_a_network_error() -> None:
    failure = decode(b"").failure
    assert failure is not None
    assert failure.kind == "network"


def test_a_web_page_is_not_this_api() -> None:
    failure = decode(b"<html><title>Sign in</title><body>secret</body></html>").failure
    assert failure is not None
    assert failure.kind == "invalid_request"
    assert "Sign in" in failure.message
    assert "secret" not in failure.user_message


def test_the_last_words_of_a_proxy_are_in_the_network_error_without_its_secrets() -> None:
    failure = decode(event(START) + text("par") + b"upstream reset, key=sk-ant-abcdefghijklmnop0123\n").failure
    assert failure is not None
    assert failure.kind == "network"
    assert "upstream reset" in failure.message
    assert "abcdefghijklmnop" not in failure.message


def test_deltas_of_the_same_read_come_before_the_failure() -> None:
    decoder = MessagesDecoder()
    error = {"type": "error", "error": {"type": "api_error", "message": "boom"}}
    assert decoder.feed(text("kept") + event(error) + text("lost")) == [TextDelta("kept")]
    assert decoder.failure is not None
    assert decoder.feed(text("late") + event(STOP)) == []
    assert decoder.finish() == []


def test_finished_is_held_until_the_end_of_the_protocol() -> None:
    decoder = MessagesDecoder()
    assert decoder.feed(event(START) + start() + text("a"))[-1] == TextDelta("a")
    assert (decoder.finish_seen, decoder.ended) == (False, False)
    assert decoder.feed(reason(usage={"output_tokens": 2})) == [
        UsageDelta(Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3)),
    ]
    assert (decoder.finish_seen, decoder.ended) == (True, False)
    assert decoder.feed(event(STOP)) == [Finished("stop", "c")]
    assert decoder.ended
    assert decoder.feed(text("late")) == []
    assert decoder.finish() == []


def test_a_ping_and_a_count_that_says_nothing_new_are_silent() -> None:
    decoder = MessagesDecoder()
    decoder.feed(event(START))
    assert decoder.feed(event({"type": "ping"}) + reason(usage={"input_tokens": 1})) == []


def test_an_error_behind_the_stop_reason_is_still_an_error() -> None:
    outcome = decode(event(START) + text("a") + reason() + event({"type": "error", "error": {"type": "api_error"}}))
    assert outcome.failure is not None
    assert outcome.response.text == "a"


def test_a_call_is_announced_as_soon_as_it_is_named() -> None:
    decoder = MessagesDecoder()
    assert decoder.feed(start(type="tool_use", id="t", name="f", input={})) == [ToolCallDelta(0, "t", "f", "")]


def test_each_piece_is_one_delta_at_once() -> None:
    decoder = MessagesDecoder()
    decoder.feed(event(START))
    for words in ("a", " ", "\n\n", "é😀"):
        assert decoder.feed(text(words)) == [TextDelta(words)]


def test_text_before_the_start_of_the_message_belongs_to_it() -> None:
    outcome = decode(text("a") + event(START) + text("b") + event(STOP))
    assert outcome.response.text == "ab"
    assert outcome.response.model == "c"


def test_an_event_called_error_is_one_whatever_is_in_it() -> None:
    failure = decode(event(START) + text("a") + b'event: error\ndata: {"reason":"tired"}\n\n' + event(STOP)).failure
    assert failure is not None
    assert failure.kind == "server"


def test_news_with_a_message_in_the_middle_of_an_answer_is_no_error() -> None:
    outcome = decode(text("a") + event({"type": "status", "message": "searching"}) + text("b") + event(STOP))
    assert outcome.failure is None
    assert outcome.response.text == "ab"


def test_a_signature_is_a_delta_of_its_own_behind_the_thought() -> None:
    decoder = MessagesDecoder()
    decoder.feed(start(type="thinking", thinking="", signature=""))
    assert decoder.feed(piece(0, "thinking", thinking="hm")) == [ReasoningDelta("hm")]
    assert decoder.feed(piece(0, "signature", signature="s") + stop()) == [ReasoningDelta("", {"signature": "s"})]


THINKING: dict[str, Any] = {"type": "thinking", "thinking": "", "signature": ""}
SEARCH: dict[str, Any] = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}


def test_a_block_that_takes_the_index_of_another_ends_it() -> None:
    outcome = decode(start(**SEARCH) + start(type="text", text="a") + event(STOP))
    assert outcome.response.message.parts == (OpaquePart("anthropic", SEARCH), TextPart("a"))


def test_a_block_of_no_kind_is_no_part() -> None:
    assert decode(start(id="x") + stop() + event(STOP)).response.message.parts == ()


def test_what_is_cited_stands_behind_its_text_even_if_a_call_comes_first() -> None:
    call = start(1, type="tool_use", id="t", name="f", input={})
    cite = piece(0, "citations", citation={"type": "x"})
    assert decode(text("a") + cite + call + stop() + stop(1)).deltas == [
        TextDelta("a"),
        TextDelta("", {"citations": [{"type": "x"}]}),
        ToolCallDelta(0, "t", "f", ""),
    ]


def test_what_is_cited_too_late_is_not_said_of_other_text() -> None:
    late = piece(0, "citations", citation={"type": "x"})
    parts = decode(text("a") + text("b", 1) + late + stop() + stop(1) + event(STOP)).response.message.parts
    assert parts == (TextPart("a", provider_metadata={"citations": []}), TextPart("b"))


def test_a_signature_stands_behind_its_thought_even_if_text_comes_first() -> None:
    thought = start(**THINKING) + piece(0, "thinking", thinking="hm") + piece(0, "signature", signature="s")
    assert decode(thought + text("a", 1) + stop() + stop(1)).deltas == [
        ReasoningDelta("hm"),
        ReasoningDelta("", {"signature": "s"}),
        TextDelta("a"),
    ]


def test_a_hidden_thought_does_not_sign_the_one_before() -> None:
    first = start(**THINKING) + piece(0, "thinking", thinking="hm")
    hidden = start(1, **THINKING) + piece(1, "signature", signature="s") + stop(1)
    assert decode(first + hidden).response.message.parts == (
        ReasoningPart("hm", provider_metadata={"signature": ""}),
        ReasoningPart("", provider_metadata={"signature": "s"}),
    )


def test_a_call_without_an_id_has_none() -> None:
    assert decode(start(type="tool_use", id="", name="f")).deltas == [ToolCallDelta(0, None, "f", "")]


def test_half_a_character_at_the_end_of_arguments_is_mended() -> None:
    half = piece(0, "input_json", partial_json="\ud83d")
    for end in (stop(), b""):
        assert (
            decode(start(type="tool_use", id="t", name="f") + half + end).response.tool_calls[0].arguments == "\ufffd"
        )


def test_another_message_says_that_the_answer_begins_anew() -> None:
    decoder = MessagesDecoder()
    decoder.feed(event(START) + text("old"))
    again = START | {"message": {"id": "other", "model": "d", "usage": {"input_tokens": 1}}}
    assert decoder.feed(event(again) + text("new")) == [
        Restarted(),
        UsageDelta(Usage(prompt_tokens=1)),
        TextDelta("new"),
    ]
    assert decoder.feed(event(STOP)) == [Finished("stop", "d")]


def test_another_message_before_anything_was_said_is_the_message() -> None:
    again = START | {"message": {"id": "other", "model": "d"}}
    outcome = decode(event(START) + event(again) + text("new") + event(STOP))
    assert Restarted() not in outcome.deltas
    assert outcome.response.text == "new"


def test_nothing_of_a_block_that_was_open_gets_into_the_other_message() -> None:
    thought = start(1, **THINKING) + piece(1, "thinking", thinking="hm") + piece(1, "signature", signature="s")
    again = START | {"message": {"id": "other"}}
    outcome = decode(event(START) + start(**SEARCH) + thought + event(again) + text("a") + text("b", 1) + event(STOP))
    assert [type(part) for part in outcome.response.message.parts] == [TextPart, TextPart]


def test_the_reason_of_the_message_before_is_not_that_of_the_other() -> None:
    again = START | {"message": {"id": "other"}}
    outcome = decode(event(START) + text("a") + reason("max_tokens") + event(again) + text("b") + event(STOP))
    assert outcome.response.finish_reason == "stop"


def test_an_answer_that_begins_anew_twice_says_so_only_when_something_was_said() -> None:
    first, second, third = (event(START | {"message": {"id": id}}) for id in "abc")
    assert decode(first + text("a") + second + third + text("b") + event(STOP)).deltas.count(Restarted()) == 1


def test_held_back_text_is_not_lost_when_the_stream_breaks() -> None:
    decoder = MessagesDecoder(think_tags=True)
    assert decoder.feed(text("<thi")) == []
    assert decoder.finish() == [TextDelta("<thi")]
    assert decoder.failure is not None


def test_held_back_text_comes_before_a_block_of_another_kind() -> None:
    decoder = MessagesDecoder(think_tags=True)
    decoder.feed(text("<thi"))
    block = {"type": "redacted_thinking", "data": "x"}
    deltas = decoder.feed(start(1, **block) + stop(1))
    assert deltas == [TextDelta("<thi"), PartDelta(OpaquePart("anthropic", block))]


def test_a_restart_splits_think_tags_again() -> None:
    decoder = MessagesDecoder(think_tags=True)
    decoder.feed(event(START) + text("<think>a</think>b"))
    again = START | {"message": {"id": "other"}}
    assert decoder.feed(event(again) + text("<think>c</think>d"))[1:] == [ReasoningDelta("c"), TextDelta("d")]


def test_an_event_beyond_the_limit_is_a_failure_and_not_an_exception() -> None:
    decoder = MessagesDecoder()
    decoder._sse = SseDecoder(limit=150)
    assert decoder.feed(text("a")) == [TextDelta("a")]
    assert decoder.feed(b"data: " + b"x" * 200) == []
    assert decoder.failure is not None
    assert decoder.failure.kind == "server"


def test_opaque_blocks_and_metadata_can_be_stored_whatever_the_wire_held() -> None:
    half = start(type="x", data="\ud83d")
    cite = piece(1, "citations", citation={"t": "\ude00"})
    outcome = decode(half + text("a", 1) + cite + stop(1) + event(STOP))
    opaque, part = sorted(outcome.response.message.parts, key=lambda part: type(part).__name__)
    assert getattr(opaque, "data", None) == {"type": "x", "data": "\ufffd"}
    assert part.provider_metadata == {"citations": [{"t": "\ufffd"}]}


# Any JSON at all, with the names and the places that the decoder looks at made likely.
NAMES = """
    type index delta content_block message content text thinking signature data citations citation partial_json id
    name input usage stop_reason stop_details stop_sequence explanation model error input_tokens output_tokens
    cache_read_input_tokens output_tokens_details thinking_tokens choices caller
"""
KINDS = """
    message_start content_block_start content_block_delta content_block_stop message_delta message_stop message ping
    error text_delta thinking_delta input_json_delta signature_delta citations_delta text thinking tool_use
    server_tool_use redacted_thinking end_turn tool_use refusal
"""
names = st.sampled_from(NAMES.split())
kinds = st.sampled_from(KINDS.split())
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.floats(),
    kinds,
    st.sampled_from(["", "a", "\ud83d", "<think>", "{}"]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=4)
typed = st.builds(lambda kind, more: {**more, "type": kind}, kinds, objects)
indexes = st.integers(0, 2)
events = st.one_of(
    values,
    typed,
    st.builds(lambda i, b: {"type": "content_block_start", "index": i, "content_block": b}, indexes, typed),
    st.builds(lambda i, d: {"type": "content_block_delta", "index": i, "delta": d}, indexes, typed),
    st.builds(lambda i: {"type": "content_block_stop", "index": i}, indexes),
    st.builds(lambda m: {"type": "message_start", "message": m}, objects),
    st.builds(lambda d, more: {**more, "type": "message_delta", "delta": d}, objects, objects),
    st.builds(lambda content: {"type": "message", "content": content}, st.lists(typed, max_size=3)),
)


@given(st.lists(events, max_size=8), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_no_json_makes_a_decoder_raise_and_cutting_changes_nothing(
    stream: list[Any], done: bool, think_tags: bool, seed: int
) -> None:
    body = b"".join(map(event, stream)) + event(STOP) * done
    size = seed % 40 + 1
    whole = replay(MessagesDecoder(think_tags=think_tags), [body])
    cut = replay(MessagesDecoder(think_tags=think_tags), [body[at : at + size] for at in range(0, len(body), size)])

    assert repr(cut.deltas) == repr(whole.deltas)  # repr, because NaN differs from itself
    assert str(cut.failure) == str(whole.failure)
    finished = bool(whole.deltas) and isinstance(whole.deltas[-1], Finished)
    assert finished == (whole.failure is None)
    json.dumps(repr(whole.response)).encode()
    whole.response.text.encode()
    whole.response.reasoning.encode()
    announced = [delta.index for delta in whole.deltas if isinstance(delta, ToolCallDelta) and delta.name]
    assert announced == list(range(len(announced)))


@given(st.binary(max_size=300))
def test_no_bytes_make_a_decoder_raise(body: bytes) -> None:
    decoder = MessagesDecoder()
    outcome = replay(decoder, [body])
    assert (decoder.failure is None) == bool(outcome.deltas and isinstance(outcome.deltas[-1], Finished))


def test_a_type_may_be_left_to_the_name_of_the_event() -> None:
    named = b'event: content_block_delta\ndata: {"index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n'
    outcome = replay(MessagesDecoder(), [event(START), start(), named, stop(), reason(), event(STOP)])
    assert outcome.response.text == "Hi"
    assert outcome.failure is None
