"""Streams step by step, streams that end badly, and properties that hold for any bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import Finished, PartDelta, ReasoningDelta, TextDelta, ToolCallDelta, Usage, UsageDelta
from rillet.core.wire.ndjson import NdjsonDecoder
from rillet.core.wire.ollama import OllamaDecoder
from rillet.core.wire.ollama import decode as decode_module
from support.replay import Outcome, replay

if TYPE_CHECKING:
    import pytest


def line(content: str = "", **more: Any) -> bytes:
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    return json.dumps({"model": "m", "message": message, "done": False, **more}).encode() + b"\n"


END = line(done=True, done_reason="stop")


def decode(body: bytes) -> Outcome:
    return replay(OllamaDecoder(), [body])


def test_every_line_is_a_delta_as_soon_as_it_has_ended() -> None:
    decoder = OllamaDecoder()
    assert decoder.feed(line(message={"thinking": "hm"}) + line("He") + line("llo")[:-9]) == [
        ReasoningDelta("hm"),
        TextDelta("He"),
    ]
    assert decoder.feed(line("llo")[-9:]) == [TextDelta("llo")]
    assert not decoder.finish_seen
    assert decoder.feed(line(done=True, done_reason="stop", prompt_eval_count=3, eval_count=2)) == [
        UsageDelta(Usage(prompt_tokens=3, completion_tokens=2)),
        Finished("stop", "m"),
    ]
    assert (decoder.finish_seen, decoder.ended) == (True, True)
    assert decoder.feed(line("late")) == []
    assert decoder.finish() == []


def test_counts_are_told_as_soon_as_they_come_and_once() -> None:
    decoder = OllamaDecoder()
    assert decoder.feed(line("a", prompt_eval_count=3)) == [TextDelta("a"), UsageDelta(Usage(prompt_tokens=3))]
    assert decoder.feed(line("b", prompt_eval_count=3)) == [TextDelta("b")]
    counted = UsageDelta(Usage(prompt_tokens=3, completion_tokens=1))
    assert decoder.feed(line("c", eval_count=1)) == [TextDelta("c"), counted]
    assert decoder.feed(END) == [Finished("stop", "m")]


def test_the_order_of_text_and_calls_is_that_of_the_stream() -> None:
    calls = {"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}
    assert decode(line("a\ud83d", message=calls) + line("b") + END).deltas == [
        TextDelta("a"),
        TextDelta("\ufffd"),
        ToolCallDelta(0, None, "f", "{}"),
        TextDelta("b"),
        Finished("tool_calls", "m"),
    ]


def test_an_image_stands_where_it_came() -> None:
    kinds = [
        type(delta) for delta in decode(line("a\ud83d", message={"images": ["iVBORw=="]}) + line("b") + END).deltas
    ]
    assert kinds == [TextDelta, TextDelta, PartDelta, TextDelta, Finished]


def test_deltas_of_the_same_read_come_before_the_failure() -> None:
    decoder = OllamaDecoder()
    assert decoder.feed(line("kept") + b'{"error":"boom"}\n' + line("lost")) == [TextDelta("kept")]
    assert decoder.failure is not None
    assert decoder.failure.message == "boom"
    assert decoder.feed(line("late")) == []
    assert decoder.finish() == []


def test_held_back_text_is_not_lost_when_the_stream_breaks() -> None:
    decoder = OllamaDecoder(think_tags=True)
    assert decoder.feed(line("<thi")) == []
    assert decoder.finish() == [TextDelta("<thi")]
    assert decoder.failure is not None
    assert decoder.failure.kind == "network"


def test_an_end_without_its_line_end_counts() -> None:
    outcome = decode(line("a") + END.rstrip())
    assert outcome.failure is None
    assert outcome.response.text == "a"


def test_a_line_beyond_the_limit_is_a_failure_and_not_an_exception() -> None:
    decoder = OllamaDecoder()
    decoder._ndjson = NdjsonDecoder(limit=100)
    assert decoder.feed(line("a")) == [TextDelta("a")]
    assert decoder.feed(b"x" * 200) == []
    assert decoder.failure is not None
    assert decoder.failure.kind == "server"


def test_a_body_of_other_lines_is_not_kept_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode_module, "LIMIT", 1000)
    decoder = OllamaDecoder()
    decoder.feed(b"x\n" * 200)
    assert decoder.failure is not None
    assert decoder.failure.kind == "server"


def test_once_an_answer_has_begun_other_lines_are_not_kept() -> None:
    decoder = OllamaDecoder()
    decoder.feed(line("a") + b"x\n" * 200)
    assert decoder._before == []


def test_a_web_page_is_named_not_shown() -> None:
    failure = decode(b"<html>\n<title>Sign in</title>\n<body>secret</body></html>").failure
    assert failure is not None
    assert "Sign in" in failure.message
    assert "secret" not in failure.user_message


def test_the_last_words_of_a_proxy_are_in_the_network_error_without_its_secrets() -> None:
    failure = decode(line("par") + b"upstream reset, key=sk-abcdefghijklmnop0123456789\n").failure
    assert failure is not None
    assert "upstream reset" in failure.message
    assert "abcdefghijklmnop" not in failure.message


def test_half_a_character_in_a_name_or_id_cannot_keep_the_answer_from_being_stored() -> None:
    call = {"id": "a\ud83d", "function": {"name": "f\ude00", "arguments": {"\ud83d": "\ude00"}}}
    response = decode(line(message={"tool_calls": [call]}, model="\ud83d") + END).response
    (found,) = response.tool_calls
    assert (found.id, found.name, response.model) == ("a\ufffd", "f\ufffd", "\ufffd")
    assert found.parsed == {"\ufffd": "\ufffd"}


def test_a_call_nested_beyond_reading_is_none() -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    call = b'{"function":{"name":"f","arguments":' + deep + b"}}"
    outcome = decode(line("kept") + b'{"message":{"tool_calls":[' + call + b"]}}\n" + END)
    assert outcome.failure is None
    assert (outcome.response.text, outcome.response.tool_calls) == ("kept", ())


def test_a_field_of_the_wrong_type_is_no_field() -> None:
    odd = {"content": 1, "thinking": ["x"], "images": "x", "tool_calls": {"function": "f"}}
    first = json.dumps({"message": odd, "prompt_eval_count": -1, "eval_count": "3", "model": 7}).encode() + b"\n"
    outcome = decode(first + line(done="no", done_reason=7, prompt_eval_count=True) + line("ok") + END)
    assert outcome.response.text == "ok"
    assert outcome.response.usage is None


# Any JSON at all, with the names and the places that the decoder looks at made likely.
NAMES = """
    message content thinking images tool_calls function name arguments id index error done done_reason model response
    prompt_eval_count eval_count detail code type
"""
names = st.sampled_from(NAMES.split())
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.floats(),
    st.sampled_from(["", "stop", "length", "load", "f", "iVBORw==", "\ud83d", "<think>", "{}"]),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
fields = st.dictionaries(names, values, max_size=4)
chunks = st.one_of(values, st.builds(lambda message, more: {**more, "message": message}, fields, fields))


@given(st.lists(chunks, max_size=6), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_no_json_makes_a_decoder_raise_and_cutting_changes_nothing(
    stream: list[Any], done: bool, think_tags: bool, seed: int
) -> None:
    body = b"".join(json.dumps(value).encode() + b"\n" for value in stream) + END * done
    size = seed % 40 + 1
    whole = replay(OllamaDecoder(think_tags=think_tags), [body])
    cut = replay(OllamaDecoder(think_tags=think_tags), [body[at : at + size] for at in range(0, len(body), size)])

    assert repr(cut.deltas) == repr(whole.deltas)  # repr, because NaN differs from itself
    assert str(cut.failure) == str(whole.failure)
    finished = bool(whole.deltas) and isinstance(whole.deltas[-1], Finished)
    assert finished == (whole.failure is None)
    whole.response.text.encode()
    whole.response.reasoning.encode()


@given(st.binary(max_size=300))
def test_no_bytes_make_a_decoder_raise(body: bytes) -> None:
    decoder = OllamaDecoder()
    outcome = replay(decoder, [body])
    assert (decoder.failure is None) == bool(outcome.deltas and isinstance(outcome.deltas[-1], Finished))
