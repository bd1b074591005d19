"""Bodies that are no stream, streams that end badly, and properties that hold for any bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import Finished, ReasoningDelta, TextDelta, ToolCallDelta, Usage, UsageDelta
from rillet.core.wire.fold import fold
from rillet.core.wire.openai_responses import ResponsesDecoder
from rillet.core.wire.sse import SseDecoder
from support.corpus import byte_by_byte
from support.replay import Outcome, replay

MARK = {"responses": {"index": 0}}
"""What goes with the first piece of a message that nobody announced."""


def event(kind: str, **fields: Any) -> bytes:
    return f"data: {json.dumps({'type': kind, **fields})}\n\n".encode()


def text(delta: str, **fields: Any) -> bytes:
    return event("response.output_text.delta", delta=delta, output_index=0, **fields)


COMPLETED = event("response.completed", response={"status": "completed"})
DONE = b"data: [DONE]\n\n"


def decode(body: bytes | str) -> Outcome:
    """Whole and byte by byte, which must agree."""
    data = body.encode() if isinstance(body, str) else body
    whole = replay(ResponsesDecoder(), [data])
    bytewise = replay(ResponsesDecoder(), byte_by_byte(data))
    assert (whole.deltas, str(whole.failure)) == (bytewise.deltas, str(bytewise.failure))
    return whole


ANSWER = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "model": "m-1",
    "error": None,
    "output": [{"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "hi"}]}],
    "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(ANSWER),
        "\n\n  " + json.dumps(ANSWER, indent=2),
        json.dumps(ANSWER, indent=2).replace('"object"', '\r\n\r\n"object"'),
        "\ufeff" + json.dumps(ANSWER),
        json.dumps([ANSWER]),
        json.dumps({key: value for key, value in ANSWER.items() if key not in ("object", "status")}),
        f": ping\n\ndata: {json.dumps(ANSWER)}\n\n",
        f"data: {json.dumps(ANSWER)}",
        json.dumps({"type": "response.completed", "response": ANSWER}),
    ],
)
def test_one_json_answer_is_understood_wherever_it_stands(body: str) -> None:
    outcome = decode(body)

    assert outcome.failure is None
    assert outcome.response.text == "hi"
    assert outcome.response.usage == Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3)
    assert (outcome.response.finish_reason, outcome.response.model) == ("stop", "m-1")


@pytest.mark.parametrize(
    ("changes", "reason", "kind"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length", None),
        ({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow"}}, None, "rate_limit"),
        ({"status": "queued"}, None, "network"),
        ({"status": "in_progress"}, None, "network"),
        ({"status": "cancelled"}, None, "network"),
        ({"error": {"code": "server_error", "message": "boom"}}, None, "server"),
    ],
)
def test_the_status_of_a_json_answer_counts(changes: dict[str, Any], reason: str | None, kind: str | None) -> None:
    outcome = decode(json.dumps(ANSWER | changes))
    assert outcome.response.finish_reason == reason
    assert (outcome.failure and outcome.failure.kind) == kind


def test_what_an_unfinished_answer_says_of_itself_is_told() -> None:
    failure = decode(json.dumps(ANSWER | {"status": "queued"})).failure
    assert failure is not None
    assert "queued" in failure.message


def test_a_status_with_half_a_character_can_be_shown() -> None:
    failure = decode(json.dumps(ANSWER | {"status": "\ud83d"})).failure
    assert failure is not None
    assert failure.user_message.encode()


def test_a_json_answer_that_was_cut_is_a_network_error() -> None:
    outcome = decode(json.dumps(ANSWER)[:-2])
    assert outcome.failure is not None
    assert outcome.failure.kind == "network"
    assert outcome.response.incomplete


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error": {"code": 429, "message": "slow down"}}', "rate_limit"),
        ('[{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad"}}]', "invalid_request"),
        ('["it broke"]', "server"),
        ('{"message": "Unauthorized", "request_id": "r"}', "auth"),
        ('{"detail": "Invalid API Key"}', "auth"),
        ('{"object": "list", "data": []}', "invalid_request"),
        ('{"object": "chat.completion", "choices": [{"message": {"content": "hi"}}]}', "invalid_request"),
        ('"hello"', "server"),
        ("17", "invalid_request"),
        ("[]", "invalid_request"),
        ("<html><title>Sign in</title></html>", "invalid_request"),
        ("", "network"),
        (": ping\n\n: ping\n\n", "network"),
        ("upstream error: read ECONNRESET\n", "network"),
        ("data: the model went away\n\n", "network"),
        ("event: error\ndata: the model went away\n\n", "server"),
        ('event: error\ndata: {"reason": "the model went away"}\n\n', "server"),
        ('event: error\ndata: ["the model went away"]\n\n', "server"),
        ("event: error\ndata: {}\n\n", "server"),
        (
            'data: {"type":"response.error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
            "overloaded",
        ),
        ('data: {"type":"error","error":{"message":"maximum context length is 5"}}\n\n', "context_length"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_kind(body: str, kind: str) -> None:
    outcome = decode(body)
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.response.incomplete


def test_the_other_style_is_named() -> None:
    failure = decode('data: {"object":"chat.completion.chunk","choices":[]}\n\n').failure
    assert failure is not None
    assert "Chat Completions" in failure.message
    assert "“openai”" in failure.user_message


def test_data_that_is_no_json_in_the_middle_of_an_answer_is_skipped() -> None:
    outcome = decode(text("a") + b"data: keep-alive\n\n" + text("b") + COMPLETED)
    assert outcome.failure is None
    assert outcome.response.text == "ab"


def test_deltas_of_the_same_read_come_before_the_failure() -> None:
    decoder = ResponsesDecoder()
    deltas = decoder.feed(text("kept") + event("error", message="boom") + text("lost"))
    assert deltas == [TextDelta("kept", MARK)]
    assert decoder.failure is not None
    assert decoder.feed(text("late")) == []
    assert decoder.finish() == []


def test_the_last_event_ends_the_answer_at_once() -> None:
    decoder = ResponsesDecoder()
    assert decoder.feed(text("a")) == [TextDelta("a", MARK)]
    assert (decoder.finish_seen, decoder.ended) == (False, False)
    usage = {"status": "completed", "model": "m", "usage": {"input_tokens": 1}}
    assert decoder.feed(event("response.completed", response=usage)) == [
        UsageDelta(Usage(prompt_tokens=1)),
        Finished("stop", "m"),
    ]
    assert (decoder.finish_seen, decoder.ended) == (True, True)
    assert decoder.feed(text("late") + DONE) == []
    assert decoder.finish() == []


def test_an_error_that_says_nothing_makes_the_client_hurry_and_counts_at_the_end() -> None:
    decoder = ResponsesDecoder()
    decoder.feed(text("a") + event("error", code="rate_limit_exceeded"))
    before = decoder.failure
    assert before is None
    assert decoder.finish_seen
    assert decoder.finish() == []
    assert decoder.failure is not None
    assert decoder.failure.kind == "rate_limit"


def test_held_back_text_is_not_lost_when_the_stream_breaks() -> None:
    decoder = ResponsesDecoder(think_tags=True)
    assert decoder.feed(text("<thi")) == []
    assert decoder.finish() == [TextDelta("<thi")]
    assert decoder.failure is not None


def test_an_event_beyond_the_limit_is_a_failure_and_not_an_exception() -> None:
    decoder = ResponsesDecoder()
    decoder._sse = SseDecoder(limit=100)
    decoder.feed(text("a"))
    assert decoder.feed(b"data: " + b"x" * 200) == []
    assert decoder.failure is not None
    assert decoder.failure.kind == "server"


def test_fragments_come_out_as_they_came_in() -> None:
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}
    pieces = ['{"a"', ":", " 1}"]
    body = event("response.output_item.added", output_index=0, item=call) + b"".join(
        event("response.function_call_arguments.delta", output_index=0, delta=piece) for piece in pieces
    )
    deltas = replay(ResponsesDecoder(), [body + COMPLETED]).deltas
    fragments = [delta for delta in deltas if isinstance(delta, ToolCallDelta)]
    assert [delta.arguments for delta in fragments] == pieces
    assert [(delta.id, delta.name) for delta in fragments] == [("c", "f"), (None, None), (None, None)]


def test_only_the_first_piece_of_a_message_carries_what_belongs_to_it() -> None:
    item = {"type": "message", "id": "msg_1", "phase": "final_answer", "role": "assistant", "content": []}
    body = event("response.output_item.added", output_index=0, item=item) + text("a") + text("") + text("b")
    mark = {"responses": {"index": 0, "item": {"id": "msg_1", "phase": "final_answer"}}}
    assert replay(ResponsesDecoder(), [body]).deltas == [TextDelta("a", mark), TextDelta("b")]


def test_a_thought_is_closed_where_it_ends() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "g"}
    body = (
        event("response.reasoning_text.delta", output_index=0, delta="hm")
        + event("response.output_item.done", output_index=0, item=item)
        + event("response.reasoning_text.delta", output_index=1, delta="so")
    )
    assert replay(ResponsesDecoder(), [body]).deltas == [
        ReasoningDelta("hm"),
        ReasoningDelta("", {"responses": {"index": 0, "item": item}}),
        ReasoningDelta("so"),
    ]


# Any JSON at all, with the names and the places that the decoder looks at made likely.
NAMES = """
    type delta item item_id output_index content_index summary_index response status output content text refusal summary
    arguments input call_id name id error message code incomplete_details reason usage model annotations annotation
    result encrypted_content input_tokens output_tokens choices object part output_format
"""
KINDS = """
    response.output_text.delta response.refusal.delta response.reasoning_text.delta response.reasoning.delta
    response.reasoning_summary_text.delta response.function_call_arguments.delta response.custom_tool_call_input.delta
    response.output_text.done response.refusal.done response.reasoning_summary_text.done
    response.function_call_arguments.done response.output_text.annotation.added response.output_item.added
    response.output_item.done response.created response.done response.future
"""
ENDS = "response.completed response.incomplete response.failed error"
ITEMS = "message reasoning function_call custom_tool_call web_search_call image_generation_call output_text"
names = st.sampled_from(NAMES.split())
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.floats(),
    st.sampled_from(["", "completed", "failed", "a", "ab", "\ud83d", "<think>", "{}", "iVBO", *ITEMS.split()]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=5)
items = st.builds(lambda item, kind: {**item, "type": kind}, objects, st.sampled_from(ITEMS.split()))
deltas = st.builds(
    lambda more, kind, delta, index: {**more, "type": kind, "delta": delta, "output_index": index},
    objects,
    st.sampled_from(KINDS.split()),
    st.sampled_from(["", "a", "b", "\ud83d", "\ude00", "<think>", '{"a":', "1}"]),
    st.one_of(st.none(), st.integers(0, 2)),
)
events = st.one_of(
    values,
    deltas,
    st.builds(
        lambda more, kind, item: {**more, "type": kind, "item": item}, objects, st.sampled_from(KINDS.split()), items
    ),
    st.builds(
        lambda more, out: {"type": "response.created", "response": {**more, "output": out}}, objects, st.lists(items)
    ),
)
ends = st.builds(
    lambda more, kind, out: {"type": kind, "response": {**more, "output": out}},
    objects,
    st.sampled_from(ENDS.split()),
    st.lists(items, max_size=4),
)


@given(st.lists(events, max_size=8), st.one_of(st.none(), ends), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_no_json_makes_a_decoder_raise_and_cutting_changes_nothing(
    stream: list[Any], end: Any, done: bool, think_tags: bool, seed: int
) -> None:
    told = stream if end is None else [*stream, end]
    body = b"".join(f"data: {json.dumps(value)}\n\n".encode() for value in told) + DONE * done
    size = seed % 40 + 1
    whole = replay(ResponsesDecoder(think_tags=think_tags), [body])
    cut = replay(ResponsesDecoder(think_tags=think_tags), [body[at : at + size] for at in range(0, len(body), size)])

    assert repr(cut.deltas) == repr(whole.deltas)  # repr, because NaN differs from itself
    assert str(cut.failure) == str(whole.failure)
    finished = bool(whole.deltas) and isinstance(whole.deltas[-1], Finished)
    assert finished == (whole.failure is None)
    calls = [delta for delta in whole.deltas if isinstance(delta, ToolCallDelta)]
    assert [call.index for call in calls if call.name] == list(range(len({call.index for call in calls})))
    for delta in whole.deltas:
        repr(delta).encode()  # half a character anywhere, in metadata as well, would keep the answer from being stored


@given(st.lists(st.sampled_from(["a", "bc", " ", "\n", "é", "😀"]), max_size=8), st.integers(0, 8), st.booleans())
def test_what_is_told_whole_completes_what_came_in_pieces(pieces: list[str], count: int, twice: bool) -> None:
    item = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "".join(pieces)}]}
    told = event("response.output_item.done", output_index=0, item=item)
    body = b"".join(map(text, pieces[:count])) + told * (1 + twice)
    body += event("response.completed", response={"status": "completed", "output": [item]})
    assert replay(ResponsesDecoder(), [body]).response.text == "".join(pieces)


@given(st.binary(max_size=300))
def test_no_bytes_make_a_decoder_raise(body: bytes) -> None:
    decoder = ResponsesDecoder()
    outcome = replay(decoder, [body])
    assert (decoder.failure is None) == bool(outcome.deltas and isinstance(outcome.deltas[-1], Finished))
    assert fold(outcome.deltas) == outcome.response
