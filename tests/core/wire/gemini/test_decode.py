"""Bodies that are no stream, streams that end badly, and properties that hold for any bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import Finished, ReasoningDelta, TextDelta, ToolCallDelta, Usage, UsageDelta
from rillet.core.wire.gemini import GeminiDecoder
from rillet.core.wire.gemini.chunk import decode_plain
from rillet.core.wire.sse import SseDecoder
from support.corpus import byte_by_byte
from support.replay import Outcome, replay


def value(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], **more}


def chunk(*parts: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    return f"data: {json.dumps(value(*parts, finish=finish, **more))}\n\n".encode()


def text(content: str, finish: str | None = None) -> bytes:
    return chunk({"text": content}, finish=finish)


def decode(body: bytes | str) -> Outcome:
    """Whole and byte by byte, which must agree."""
    data = body.encode() if isinstance(body, str) else body
    whole = replay(GeminiDecoder(), [data])
    bytewise = replay(GeminiDecoder(), byte_by_byte(data))
    assert (whole.deltas, str(whole.failure)) == (bytewise.deltas, str(bytewise.failure))
    return whole


ANSWER = value(
    {"text": "hm", "thought": True},
    {"text": "hi"},
    finish="STOP",
    usageMetadata={"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
    modelVersion="gemini-3-pro",
)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(ANSWER),
        "\n\n  " + json.dumps(ANSWER, indent=2),
        json.dumps(ANSWER, indent=2).replace('"usageMetadata"', '\r\n\r\n"usageMetadata"'),
        "\ufeff" + json.dumps(ANSWER),
        json.dumps([ANSWER]),
        json.dumps([ANSWER], indent=2).replace("\n", "\r\n"),
        json.dumps({"response": ANSWER}),
        f": ping\n\ndata: {json.dumps(ANSWER)}\n\n",
        f"data: {json.dumps(ANSWER)}",
        f"data: {json.dumps([ANSWER])}\n\n",
    ],
)
def test_one_json_answer_is_understood_wherever_it_stands(body: str) -> None:
    outcome = decode(body)

    assert outcome.failure is None
    assert (outcome.response.text, outcome.response.reasoning) == ("hi", "hm")
    assert outcome.response.usage == Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3)
    assert (outcome.response.finish_reason, outcome.response.model) == ("stop", "gemini-3-pro")


@pytest.mark.parametrize("parts", [[{"text": "hi"}], [{"text": "h"}, {"text": "i"}]])
def test_a_json_answer_without_a_finish_reason_is_complete(parts: list[dict[str, Any]]) -> None:
    outcome = decode(json.dumps(value(*parts)))
    assert (outcome.response.text, outcome.response.finish_reason) == ("hi", "stop")


def test_a_json_answer_that_was_cut_is_a_network_error() -> None:
    outcome = decode(json.dumps(ANSWER)[:-2])
    assert outcome.failure is not None
    assert outcome.failure.kind == "network"
    assert outcome.response.incomplete


def test_an_array_that_was_cut_keeps_what_came() -> None:
    body = json.dumps([value({"text": "a"}), value({"text": "b"}), value({"text": "c"}, finish="STOP")], indent=2)
    outcome = decode(body[: body.index('"c"')])
    assert outcome.response.text == "ab"
    assert outcome.failure is not None
    assert outcome.failure.kind == "network"


def test_an_array_may_hold_raw_control_characters_as_other_bodies_may() -> None:
    body = json.dumps([value({"text": "a@b"}, finish="STOP")]).replace("@", "\n")
    assert decode(body).response.text == "a\nb"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}}', "rate_limit"),
        ('[{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad"}}]', "invalid_request"),
        ('{"message": "Unauthorized", "request_id": "r"}', "auth"),
        ('{"detail": "Invalid API Key"}', "auth"),
        ('{"object": "list", "data": []}', "invalid_request"),
        ('data: {"object": "list", "data": []}\n\n', "invalid_request"),
        ("3", "invalid_request"),
        ('"hello"', "server"),
        ("<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>", "invalid_request"),
        ("", "network"),
        (": ping\n\n: ping\n\n", "network"),
        ("upstream error: read ECONNRESET\n", "network"),
        ("data: the model went away\n\n", "network"),
        ("event: error\ndata: the model went away\n\n", "server"),
        ('event: error\ndata: {"reason": "x"}\n\n', "server"),
        ("[", "network"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_kind(body: str, kind: str) -> None:
    outcome = decode(body)
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.response.incomplete


def test_an_error_within_an_answer_keeps_what_came_and_wins_over_its_finish_reason() -> None:
    outcome = decode(text("a", "STOP") + b'data: {"error":{"code":500,"status":"INTERNAL"}}\n\n' + text("b"))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.response.text) == ("server", "a")


def test_nothing_behind_an_error_is_taken_even_in_the_same_event() -> None:
    chunks = [value({"text": "a"}), {"error": {"code": 500, "message": "Internal"}}, value({"text": "lost"})]
    assert decode(f"data: {json.dumps(chunks)}\n\n").response.text == "a"


def test_news_with_a_message_in_the_middle_of_an_answer_is_no_error() -> None:
    outcome = decode(text("a") + b'data: {"message":"searching"}\n\n' + text("b", "STOP"))
    assert (outcome.failure, outcome.response.text) == (None, "ab")


def test_deltas_of_the_same_read_come_before_the_failure() -> None:
    decoder = GeminiDecoder()
    deltas = decoder.feed(text("kept") + b'data: {"error":"boom"}\n\n' + text("lost"))
    assert deltas == [TextDelta("kept")]
    assert decoder.failure is not None
    assert decoder.feed(text("late")) == []
    assert decoder.finish() == []


def test_finished_is_held_until_the_body_ends() -> None:
    decoder = GeminiDecoder()
    assert decoder.feed(text("a")) == [TextDelta("a")]
    assert not decoder.finish_seen
    assert decoder.feed(text("b", "STOP")) == [TextDelta("b")]
    assert (decoder.finish_seen, decoder.ended) == (True, False)
    usage = {"usageMetadata": {"promptTokenCount": 1}}
    assert decoder.feed(f"data: {json.dumps(usage)}\n\n".encode()) == [UsageDelta(Usage(prompt_tokens=1))]
    assert decoder.finish() == [Finished("stop")]
    assert decoder.ended
    assert decoder.feed(text("late")) == []


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        (text("a", "STOP") + text("b", "STOP"), False),
        (text("a", "MAX_TOKENS"), True),
        (chunk(finish="STOP") + text("a") + chunk(finish="STOP"), True),
        (chunk({"functionCall": {"name": "f"}}) + chunk(finish="STOP"), True),
        (b'data: {"promptFeedback":{"blockReason":"OTHER"}}\n\n', True),
        (b'data: {"promptFeedback":{}}\n\n', False),
    ],
)
def test_a_stop_that_was_sent_all_along_does_not_hurry_the_rest(body: bytes, seen: bool) -> None:
    decoder = GeminiDecoder()
    decoder.feed(body)
    assert decoder.finish_seen == seen


def test_held_back_text_is_not_lost_when_the_stream_breaks() -> None:
    decoder = GeminiDecoder(think_tags=True)
    assert decoder.feed(text("<thi")) == []
    assert decoder.finish() == [TextDelta("<thi")]
    assert decoder.failure is not None


def test_counts_are_told_when_they_change_and_the_missing_zero_only_at_the_end() -> None:
    counts = {"promptTokenCount": 5, "totalTokenCount": 5}
    body = chunk({"text": "a"}, usageMetadata=counts) + chunk({"text": "b"}, usageMetadata=counts)
    decoder = GeminiDecoder()
    assert decoder.feed(body) == [
        TextDelta("a"),
        UsageDelta(Usage(prompt_tokens=5, total_tokens=5)),
        TextDelta("b"),
    ]
    assert decoder.feed(chunk(finish="STOP", usageMetadata=counts)) == []
    assert decoder.finish() == [
        UsageDelta(Usage(prompt_tokens=5, completion_tokens=0, total_tokens=5)),
        Finished("stop"),
    ]


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"promptTokenCount": -1, "candidatesTokenCount": 2.0, "totalTokenCount": "9"}, Usage(completion_tokens=2)),
        ({"thoughtsTokenCount": 3}, Usage(completion_tokens=3, reasoning_tokens=3)),
        ({"promptTokenCount": True, "cachedContentTokenCount": 4}, Usage(cached_tokens=4)),
        ({"promptTokenCount": 9, "totalTokenCount": 3}, Usage(prompt_tokens=9, completion_tokens=0, total_tokens=3)),
        ([], None),
        ({}, None),
    ],
)
def test_odd_counts_do_not_spoil_the_others(counts: Any, usage: Usage | None) -> None:
    assert decode(chunk({"text": "a"}, finish="STOP", usageMetadata=counts)).response.usage == usage


def test_a_count_that_is_not_sent_again_still_holds() -> None:
    first = {"promptTokenCount": 5, "thoughtsTokenCount": 1}
    body = chunk({"text": "a"}, usageMetadata=first) + chunk({"text": "b"}, usageMetadata={"candidatesTokenCount": 2})
    assert replay(GeminiDecoder(), [body]).response.usage == Usage(
        prompt_tokens=5, completion_tokens=3, reasoning_tokens=1
    )


def test_what_is_no_part_is_skipped_and_empty_text_cuts_nothing() -> None:
    odd: list[Any] = [1, None, "x", {}, {"text": ""}, {"text": 1}, {"text": "a", "thoughtSignature": "QQ=="}]
    assert decode(chunk(*odd, finish="STOP")).deltas == [
        TextDelta("a"),
        TextDelta("", {"gemini": {"thoughtSignature": "QQ=="}}),
        Finished("stop"),
    ]


@pytest.mark.parametrize("finish", [None, "STOP"])
def test_the_first_name_of_the_model_counts(finish: str | None) -> None:
    body = b"".join(chunk({"text": "a"}, finish=finish, modelVersion=name) for name in ("", "g-1", "g-2"))
    assert decode(body + chunk(finish="STOP")).response.model == "g-1"


def test_a_call_is_told_once_and_whole() -> None:
    call = {"name": "f", "args": {"city": "Köln", "n": 1}, "id": "x"}
    body = chunk({"functionCall": call, "thoughtSignature": "QQ=="}) + chunk(finish="STOP")
    fields = {"thoughtSignature": "QQ==", "functionCall": {"id": "x"}}
    assert decode(body).deltas == [
        ToolCallDelta(0, "x", "f", '{"city": "Köln", "n": 1}', {"gemini": fields}),
        Finished("tool_calls"),
    ]


def test_half_a_character_anywhere_leaves_text_that_can_be_sent() -> None:
    half = "\ud83d"
    call = {"name": f"f{half}", "id": half, "args": {half: half}}
    body = chunk({"functionCall": call}, {"text": half}, finish="STOP", modelVersion=f"g{half}")
    response = decode(body).response
    (part,) = response.tool_calls
    assert (part.name, part.id, part.parsed) == ("f\ufffd", "\ufffd", {"\ufffd": "\ufffd"})
    assert (response.text, response.model) == ("\ufffd", "g\ufffd")


@pytest.mark.parametrize(
    "part",
    [
        {"executableCode": {"code": "1"}},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"functionCall": {"name": "f"}},
        {"text": "", "thoughtSignature": "QQ=="},
    ],
)
def test_half_a_character_leaves_before_a_part_and_text_behind_it_begins_anew(part: dict[str, Any]) -> None:
    signed = {"text": "b", "thoughtSignature": "Qg=="}
    first, _, *rest = decode(chunk({"text": "\ud83d"}, part, signed, finish="STOP")).deltas
    assert first == TextDelta("\ufffd")
    assert rest[:2] == [TextDelta("b"), TextDelta("", {"gemini": {"thoughtSignature": "Qg=="}})]


def test_half_a_character_belongs_to_the_part_it_came_in() -> None:
    parts = ({"text": "a\ud83d"}, {"text": "b\ud83d", "thoughtSignature": "QQ=="}, {"text": "c"})
    response = decode(chunk(*parts, finish="STOP")).response
    assert [getattr(part, "text", None) for part in response.message.parts] == ["a\ufffd", "b\ufffd", "c"]


def test_an_event_beyond_the_limit_is_a_failure_and_not_an_exception() -> None:
    decoder = GeminiDecoder()
    decoder._sse = SseDecoder(limit=100)
    assert decoder.feed(text("a")) == [TextDelta("a")]
    assert decoder.feed(b"data: " + b"x" * 200) == []
    assert decoder.failure is not None
    assert decoder.failure.kind == "server"


def test_the_last_words_of_a_proxy_are_in_the_network_error_without_its_secrets() -> None:
    failure = decode(text("par") + b"upstream reset, key=AIzaSyA1234567890123456789012345678901\n").failure
    assert failure is not None
    assert "upstream reset" in failure.message
    assert "AIzaSyA1234567890" not in failure.message


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("STOP", "stop"),
        ("stop", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("BLOCKLIST", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("IMAGE_RECITATION", "content_filter"),
        ("MODEL_ARMOR", "content_filter"),
        ("LANGUAGE", "error"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("TOO_MANY_TOOL_CALLS", "error"),
        ("MISSING_THOUGHT_SIGNATURE", "error"),
        ("OTHER", "unknown"),
        ("IN_2030", "unknown"),
    ],
)
def test_finish_reasons_are_named_one_way(raw: str, reason: str) -> None:
    assert decode(text("a", raw)).response.finish_reason == reason


def test_a_reason_other_than_stop_is_not_hidden_by_calls() -> None:
    assert decode(chunk({"functionCall": {"name": "f"}}, finish="MAX_TOKENS")).response.finish_reason == "length"


def test_what_was_said_about_a_normal_end_is_no_refusal() -> None:
    body = json.dumps(value({"text": "a"}, finish="STOP")).replace(
        '"finishReason"', '"finishMessage":"ok","finishReason"'
    )
    assert decode(body).response.refusal is None


@pytest.mark.parametrize(
    ("part", "plain"),
    [
        ({"text": "a"}, True),
        ({"text": "a", "thought": True}, True),
        ({"text": "a", "thoughtSignature": "QQ=="}, False),
        ({"functionCall": {"name": "f"}}, False),
        ({"text": 1}, False),
    ],
)
def test_only_text_without_a_signature_takes_the_fast_path(part: dict[str, Any], plain: bool) -> None:
    try:
        decode_plain(json.dumps(value(part)))
    except ValueError:
        assert not plain
    else:
        assert plain


def test_both_paths_make_the_same_of_the_same_chunk() -> None:
    for part, delta in (({"text": "a"}, TextDelta("a")), ({"text": "a", "thought": True}, ReasoningDelta("a"))):
        fast = GeminiDecoder().feed(chunk(part, usageMetadata={"promptTokenCount": 1}, modelVersion="g"))
        slow = GeminiDecoder().feed(
            chunk(part, usageMetadata={"promptTokenCount": 1}, modelVersion="g", promptFeedback={})
        )
        assert fast == slow == [delta, UsageDelta(Usage(prompt_tokens=1))]


# Any JSON at all, with the names and the places that the decoder looks at made likely.
NAMES = """
    candidates content parts text thought thoughtSignature functionCall name args id partialArgs willContinue jsonPath
    stringValue numberValue nullValue inlineData fileData mimeType data fileUri executableCode index finishReason
    finishMessage promptFeedback blockReason usageMetadata promptTokenCount totalTokenCount modelVersion error code
    message status groundingMetadata citationMetadata citations response
"""
names = st.sampled_from(NAMES.split())
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.floats(),
    st.sampled_from(["", "STOP", "SAFETY", "f", "image/png", "AA==", "\ud83d", "<think>", "{}", "$.a[0].b", "$['a']"]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=4)
changes = st.lists(objects, max_size=3)
calls = st.builds(lambda call, args: {"functionCall": {**call, "partialArgs": args}}, objects, changes)
parts = st.one_of(
    values, objects, calls, st.builds(lambda call, more: {**more, "functionCall": call}, objects, objects)
)
chunks = st.one_of(
    values,
    st.builds(
        lambda parts, candidate, more: {**more, "candidates": [{**candidate, "content": {"parts": parts}}]},
        st.lists(parts, max_size=3),
        objects,
        objects,
    ),
)


@given(st.lists(chunks, max_size=6), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_no_json_makes_a_decoder_raise_and_cutting_changes_nothing(
    stream: list[Any], array: bool, think_tags: bool, seed: int
) -> None:
    body = b"".join(f"data: {json.dumps(value)}\n\n".encode() for value in stream)
    if array:
        body = json.dumps(stream, indent=seed % 3 or None).encode()
    size = seed % 40 + 1
    whole = replay(GeminiDecoder(think_tags=think_tags), [body])
    cut = replay(GeminiDecoder(think_tags=think_tags), [body[at : at + size] for at in range(0, len(body), size)])

    assert repr(cut.deltas) == repr(whole.deltas)  # repr, because NaN differs from itself
    assert str(cut.failure) == str(whole.failure)
    finished = bool(whole.deltas) and isinstance(whole.deltas[-1], Finished)
    assert finished == (whole.failure is None)
    whole.response.text.encode()
    whole.response.reasoning.encode()
    for call in whole.response.tool_calls:
        (call.name + call.id + call.arguments).encode()


@given(st.binary(max_size=300))
def test_no_bytes_make_a_decoder_raise(body: bytes) -> None:
    decoder = GeminiDecoder()
    outcome = replay(decoder, [body])
    assert (decoder.failure is None) == bool(outcome.deltas and isinstance(outcome.deltas[-1], Finished))
