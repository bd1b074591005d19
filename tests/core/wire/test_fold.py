from __future__ import annotations

import pytest

from rillet.core.errors import ServerError
from rillet.core.types import (
    Delta,
    Finished,
    ImagePart,
    PartDelta,
    ReasoningDelta,
    ReasoningPart,
    Restarted,
    RetryNotice,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
    Usage,
    UsageDelta,
)
from rillet.core.wire.fold import fold

STREAM: list[Delta] = [
    ReasoningDelta("h", {"field": "reasoning", "details": [1]}),
    ReasoningDelta("m"),
    ReasoningDelta("", {"details": [2], "signature": "s"}),
    ReasoningDelta("again"),
    TextDelta("a"),
    UsageDelta(Usage(prompt_tokens=1)),
    TextDelta("b"),
    ToolCallDelta(0, "x", "f", "{"),
    ToolCallDelta(1, None, "g", ""),
    ToolCallDelta(0, None, None, "}"),
    PartDelta(ImagePart(b"i")),
    TextDelta("c"),
    UsageDelta(Usage(prompt_tokens=1, completion_tokens=2)),
    Finished("tool_calls", "m-1"),
]


def test_parts_stand_in_the_order_in_which_they_appeared() -> None:
    response = fold(STREAM)

    assert response.message.parts == (
        ReasoningPart("hm", provider_metadata={"field": "reasoning", "details": [1, 2], "signature": "s"}),
        ReasoningPart("again"),
        TextPart("ab"),
        ToolCallPart("x", "f", "{}"),
        ToolCallPart(response.tool_calls[1].id, "g", ""),
        ImagePart(b"i"),
        TextPart("c"),
    )
    assert response.usage == Usage(prompt_tokens=1, completion_tokens=2)
    assert (response.finish_reason, response.model, response.incomplete) == ("tool_calls", "m-1", False)


def test_nothing_from_before_a_restart_counts() -> None:
    response = fold([*STREAM[:-1], Restarted(), TextDelta("new"), Finished("stop")])

    assert response.message.parts == (TextPart("new"),)
    assert response.usage is None
    assert fold([*STREAM[:-1], Restarted()]) == fold([])


def test_any_prefix_folds_and_says_that_it_is_one() -> None:
    for length in range(len(STREAM)):
        response = fold(STREAM[:length])
        assert response.incomplete
        assert response.finish_reason is None
        assert fold(STREAM).text.startswith(response.text)


def test_a_call_whose_arguments_never_came_cannot_run() -> None:
    named = ToolCallDelta(0, "x", "f", "")
    whole = ToolCallDelta(1, "y", "g", '{"a":1}')
    for end in ([], [Finished("length")], [Finished("content_filter")], [Finished("error")]):
        calls = fold([named, whole, *end]).tool_calls
        assert [call.parsed for call in calls] == [None, {"a": 1}]
    assert [call.parsed for call in fold([named, whole, Finished("tool_calls")]).tool_calls] == [{}, {"a": 1}]


def test_nothing_at_all_is_an_incomplete_answer() -> None:
    assert fold([]).message.parts == ()
    assert fold([]).incomplete


def test_an_invented_id_is_the_same_every_time_and_differs_between_calls_and_answers() -> None:
    calls: list[Delta] = [ToolCallDelta(0, None, "now", "{}"), ToolCallDelta(1, None, "now", "{}")]
    first, second = (call.id for call in fold(calls).tool_calls)

    assert first.startswith("call_")
    assert first != second
    assert [call.id for call in fold(calls).tool_calls] == [first, second]
    later = fold([UsageDelta(Usage(prompt_tokens=9)), *calls]).tool_calls
    assert not {first, second} & {call.id for call in later}


def test_a_call_that_was_never_named_is_dropped() -> None:
    assert fold([ToolCallDelta(0, "x", None, "{}"), Finished("error")]).tool_calls == ()


def test_an_id_that_comes_late_is_kept() -> None:
    assert fold([ToolCallDelta(0, None, "f", "{"), ToolCallDelta(0, "late", None, "}")]).tool_calls[0].id == "late"


def test_cut_arguments_are_kept_but_never_parse() -> None:
    (call,) = fold([ToolCallDelta(0, "x", "f", '{"path": "/')]).tool_calls
    assert call.arguments == '{"path": "/'
    assert call.parsed is None


def test_metadata_of_a_delta_is_left_alone() -> None:
    details = [{"text": "a"}]
    fold([ReasoningDelta("a", {"details": details}), ReasoningDelta("b", {"details": [{"text": "b"}]})])
    assert details == [{"text": "a"}]


def test_metadata_without_text_is_a_part_of_its_own_and_a_refusal_is_none() -> None:
    response = fold([TextDelta("", {"signature": "s"}), TextDelta(""), Finished("refusal", None, "No.")])
    assert response.message.parts == (TextPart("", provider_metadata={"signature": "s"}),)
    assert response.refusal == "No."
    assert response.text == ""


@pytest.mark.parametrize("noise", [RetryNotice(2, 1.0, ServerError("boom")), TextDelta(""), ReasoningDelta("")])
def test_what_tells_nothing_leaves_no_part(noise: Delta) -> None:
    assert fold([noise, Finished("stop")]).message.parts == ()
