"""Bodies that are no stream, streams that end badly, and properties that hold for any bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import Finished, OpaquePart, TextDelta, Usage, UsageDelta
from rillet.core.wire.openai_chat import ChatDecoder
from rillet.core.wire.sse import SseDecoder
from support.corpus import byte_by_byte
from support.replay import Outcome, replay

DONE = b"data: [DONE]\n\n"


def chunk(content: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    delta = {} if content is None else {"content": content}
    value = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}
    return f"data: {json.dumps(value)}\n\n".encode()


def decode(body: bytes | str) -> Outcome:
    """Whole and byte by byte, which must agree."""
    data = body.encode() if isinstance(body, str) else body
    whole = replay(ChatDecoder(), [data])
    bytewise = replay(ChatDecoder(), byte_by_byte(data))
    assert (whole.deltas, str(whole.failure)) == (bytewise.deltas, str(bytewise.failure))
    return whole


COMPLETION = {
    "id": "x",
    "object": "chat.completion",
    "model": "m-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(COMPLETION),
        "\n\n  " + json.dumps(COMPLETION, indent=2),
        json.dumps(COMPLETION, indent=2).replace('"object"', '\r\n\r\n"object"'),
        "\ufeff" + json.dumps(COMPLETION),
        json.dumps([COMPLETION]),
        json.dumps({"id": None, "choices": None, "provider": COMPLETION}),
        json.dumps({"choices": [], "data": COMPLETION}),
        f": ping\n\ndata: {json.dumps(COMPLETION)}\n\n",
        f"data: {json.dumps(COMPLETION)}",
    ],
)
def test_one_json_answer_is_understood_wherever_it_stands(body: str) -> None:
    outcome = decode(body)

    assert outcome.failure is None
    assert outcome.response.text == "hi"
    assert outcome.response.usage == Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3)
    assert (outcome.response.finish_reason, outcome.response.model) == ("stop", "m-1")


def test_a_json_answer_without_a_finish_reason_is_complete() -> None:
    outcome = decode('{"choices":[{"message":{"content":"hi"}}]}')
    assert (outcome.response.text, outcome.response.finish_reason) == ("hi", "stop")


def test_every_call_of_a_json_answer_is_one_of_its_own() -> None:
    calls = [{"id": "", "function": {"name": "now", "arguments": text}} for text in ("", "{}", '{"zone":"CET"}')]
    answer = {"choices": [{"message": {"content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}]}

    found = decode(json.dumps(answer)).response.tool_calls

    assert [call.arguments for call in found] == ["", "{}", '{"zone":"CET"}']
    assert len({call.id for call in found}) == 3


def test_a_json_answer_that_was_cut_is_a_network_error() -> None:
    outcome = decode(json.dumps(COMPLETION)[:-2])
    assert outcome.failure is not None
    assert outcome.failure.kind == "network"
    assert outcome.response.incomplete


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error": {"code": 429, "message": "slow down"}}', "rate_limit"),
        ('[{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad"}}]', "invalid_request"),
        ('{"id": null, "choices": null, "error": {"message": "no", "code": 400}, "user_id": "u"}', "invalid_request"),
        ('{"message": "Unauthorized", "request_id": "r"}', "auth"),
        ('{"detail": "Invalid API Key"}', "auth"),
        ('{"object": "list", "data": []}', "invalid_request"),
        ('"hello"', "server"),
        (
            "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<script>\n data: {\n</script></html>",
            "invalid_request",
        ),
        ("", "network"),
        (": ping\n\n: ping\n\n", "network"),
        ("upstream error: read ECONNRESET\n", "network"),
        ("data: the model went away\n\n", "network"),
        ("event: error\ndata: the model went away\n\n", "server"),
        ('data: {"choices":[],"x_groq":{"error":"over capacity"}}\n\n', "server"),
        ('data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n', "overloaded"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_kind(body: str, kind: str) -> None:
    outcome = decode(body)
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.response.incomplete


def test_a_web_page_is_named_not_shown() -> None:
    failure = decode("<html><title>Sign in</title><body>secret</body></html>").failure
    assert failure is not None
    assert "Sign in" in failure.message
    assert "secret" not in failure.user_message


def test_the_last_words_of_a_proxy_are_in_the_network_error_without_its_secrets() -> None:
    failure = decode(chunk("par") + b"upstream reset, key=sk-abcdefghijklmnop0123456789\n").failure
    assert failure is not None
    assert "upstream reset" in failure.message
    assert "abcdefghijklmnop" not in failure.message


def test_news_with_a_message_in_the_middle_of_an_answer_is_no_error() -> None:
    outcome = decode(chunk("a") + b'data: {"type":"status","message":"searching"}\n\n' + chunk("b", "stop") + DONE)
    assert outcome.failure is None
    assert outcome.response.text == "ab"


def test_data_that_is_no_json_in_the_middle_of_an_answer_is_skipped() -> None:
    outcome = decode(chunk("a") + b"data: keep-alive\n\n" + chunk("b", "stop"))
    assert outcome.failure is None
    assert outcome.response.text == "ab"


def test_deltas_of_the_same_read_come_before_the_failure() -> None:
    decoder = ChatDecoder()
    deltas = decoder.feed(chunk("kept") + b'data: {"error":"boom"}\n\n' + chunk("lost"))
    assert deltas == [TextDelta("kept")]
    assert decoder.failure is not None
    assert decoder.feed(chunk("late")) == []
    assert decoder.finish() == []


def test_finished_is_held_until_the_end_marker() -> None:
    decoder = ChatDecoder()
    assert decoder.feed(chunk("a", "stop")) == [TextDelta("a")]
    assert (decoder.finish_seen, decoder.ended) == (True, False)
    usage = {"prompt_tokens": 1}
    assert decoder.feed(chunk(usage=usage)) == [UsageDelta(Usage(prompt_tokens=1))]
    assert decoder.feed(DONE) == [Finished("stop")]
    assert decoder.ended
    assert decoder.feed(chunk("late")) == []
    assert decoder.finish() == []


def test_the_finish_is_seen_only_when_every_choice_has_finished() -> None:
    decoder = ChatDecoder()
    decoder.feed(chunk("a") + b'data: {"choices":[{"index":1,"delta":{"content":"b"}}]}\n\n' + chunk(None, "stop"))
    assert not decoder.finish_seen
    decoder.feed(b'data: {"choices":[{"index":1,"delta":{},"finish_reason":"length"}]}\n\n')
    assert decoder.finish_seen


def test_a_connection_that_breaks_after_the_finish_reason_is_a_success() -> None:
    decoder = ChatDecoder()
    deltas = decoder.feed(chunk("a", "stop") + b'data: {"cho')
    assert deltas + decoder.finish() == [TextDelta("a"), Finished("stop")]
    assert decoder.failure is None


def test_held_back_text_is_not_lost_when_the_stream_breaks() -> None:
    decoder = ChatDecoder(think_tags=True)
    assert decoder.feed(chunk("<thi")) == []
    assert decoder.finish() == [TextDelta("<thi")]
    assert decoder.failure is not None


def test_an_event_beyond_the_limit_is_a_failure_and_not_an_exception() -> None:
    decoder = ChatDecoder()
    decoder._sse = SseDecoder(limit=100)
    assert decoder.feed(chunk("a")) == [TextDelta("a")]
    assert decoder.feed(b"data: " + b"x" * 200) == []
    assert decoder.failure is not None
    assert decoder.failure.kind == "server"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("stop", "stop"),
        ("STOP", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("model_length", "length"),
        ("max_completion_tokens", "length"),
        ("eos_token", "stop"),
        ("COMPLETE", "stop"),
        ("RECITATION", "content_filter"),
        ("content_filter: PROHIBITED_CONTENT", "content_filter"),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", "error"),
        ("content_filter", "content_filter"),
        ("tool_calls", "tool_calls"),
        ("error", "error"),
        ("insufficient_system_resource", "error"),
        ("brand_new", "unknown"),
    ],
)
def test_a_finish_reason_is_put_into_our_words(raw: str, reason: str) -> None:
    assert decode(chunk("a", raw) + DONE).response.finish_reason == reason


def test_every_image_is_kept_even_when_its_data_is_broken() -> None:
    value = {"choices": [{"delta": {"images": [{"image_url": {"url": "data:image/png;base64,%%%"}}]}}]}
    (part,) = decode(f"data: {json.dumps(value)}\n\n".encode() + DONE).response.message.parts
    assert getattr(part, "url", None) == "data:image/png;base64,%%%"


def test_half_a_character_in_a_name_or_id_cannot_keep_the_answer_from_being_stored() -> None:
    call = {"id": "a\ud83d", "function": {"name": "f\ude00", "arguments": "{}"}}
    value = {"model": "\ud83d", "choices": [{"delta": {"tool_calls": [call]}}]}
    body = f"data: {json.dumps(value)}\n\n".encode()
    response = decode(body + DONE).response
    (found,) = response.tool_calls
    assert (found.id, found.name, response.model) == ("a\ufffd", "f\ufffd", "\ufffd")


def test_a_field_of_the_wrong_type_is_no_field() -> None:
    odd = {"content": 1, "reasoning": ["x"], "audio": {"data": False}, "images": "x", "tool_calls": {"function": "f"}}
    body = f"data: {json.dumps({'choices': [{'delta': odd}]})}\n\n".encode()
    assert decode(body + chunk("ok", "stop") + DONE).response.text == "ok"


# Any JSON at all, with the names and the places that the decoder looks at made likely.
NAMES = """
    choices delta message index finish_reason content tool_calls function name arguments id error usage type text
    reasoning reasoning_details thinking images image_url url audio data refusal x_groq timings prompt_tokens object
    extra_content annotations provider model code details metadata
"""
names = st.sampled_from(NAMES.split())
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.floats(),
    st.sampled_from(["", "stop", "error", "text", "thinking", "data:image/png;base64,AA", "\ud83d", "<think>", "{}"]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
deltas = st.dictionaries(names, values, max_size=4)
chunks = st.one_of(
    values,
    st.builds(lambda delta, more: {"choices": [{**more, "delta": delta}]}, deltas, deltas),
    st.builds(lambda message, more: {**more, "choices": [{"message": message}]}, deltas, deltas),
)


@given(st.lists(chunks, max_size=6), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_no_json_makes_a_decoder_raise_and_cutting_changes_nothing(
    stream: list[Any], done: bool, think_tags: bool, seed: int
) -> None:
    body = b"".join(f"data: {json.dumps(value)}\n\n".encode() for value in stream) + DONE * done
    size = seed % 40 + 1
    whole = replay(ChatDecoder(think_tags=think_tags), [body])
    cut = replay(ChatDecoder(think_tags=think_tags), [body[at : at + size] for at in range(0, len(body), size)])

    assert repr(cut.deltas) == repr(whole.deltas)  # repr, because NaN differs from itself
    assert str(cut.failure) == str(whole.failure)
    finished = bool(whole.deltas) and isinstance(whole.deltas[-1], Finished)
    assert finished == (whole.failure is None)
    assert not any(isinstance(part, OpaquePart) for part in whole.response.message.parts)
    whole.response.text.encode()
    whole.response.reasoning.encode()


@given(st.binary(max_size=300))
def test_no_bytes_make_a_decoder_raise(body: bytes) -> None:
    decoder = ChatDecoder()
    outcome = replay(decoder, [body])
    assert (decoder.failure is None) == bool(outcome.deltas and isinstance(outcome.deltas[-1], Finished))
