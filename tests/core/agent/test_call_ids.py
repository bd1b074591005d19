"""Two calls of a conversation never have one id, from the first word of them on."""

from __future__ import annotations

from rillet.core.agent.call_ids import CallIds, another_id
from rillet.core.types import Restarted, TextDelta, ToolCallDelta


def test_an_id_that_is_taken_is_replaced_where_it_first_appears() -> None:
    ids = CallIds({"c1", "c1_2"})
    first, rest = ids.put_right([ToolCallDelta(0, "c1", "read", ""), ToolCallDelta(0, None, None, "{}")])
    assert first == ToolCallDelta(0, "c1_3", "read", "")
    assert rest == ToolCallDelta(0, None, None, "{}")


def test_two_calls_of_one_answer_are_told_apart() -> None:
    ids = CallIds(frozenset())
    assert ids.put_right([ToolCallDelta(0, "c", "read", "{}")]) == [ToolCallDelta(0, "c", "read", "{}")]
    assert ids.put_right([ToolCallDelta(1, "c", "read", "{}")]) == [ToolCallDelta(1, "c_2", "read", "{}")]


def test_an_answer_that_begins_anew_may_use_its_own_ids_again() -> None:
    ids = CallIds({"old"})
    ids.put_right([ToolCallDelta(0, "c", "read", "{}")])
    again = ids.put_right([Restarted(), ToolCallDelta(0, "c", "read", "{}"), ToolCallDelta(1, "old", "read", "{}")])
    assert [delta.id for delta in again[1:] if isinstance(delta, ToolCallDelta)] == ["c", "old_2"]


def test_a_call_without_an_id_gets_one_at_once_and_keeps_it() -> None:
    ids = CallIds({"call_2"})
    sent = [
        ToolCallDelta(0, None, "read", ""),
        ToolCallDelta(1, "", "read", "{}"),
        ToolCallDelta(0, "late", None, "{}"),
    ]
    assert ids.put_right(sent) == [
        ToolCallDelta(0, "call_3", "read", ""),
        ToolCallDelta(1, "call_4", "read", "{}"),
        ToolCallDelta(0, None, None, "{}"),
    ]


def test_what_needs_no_other_id_stays_the_same_object() -> None:
    text, call, more = TextDelta("a"), ToolCallDelta(0, "c", "read", ""), ToolCallDelta(0, None, None, "{}")
    prose = [text]
    assert CallIds({"d"}).put_right(prose) is prose
    for sent, told in zip((text, call, more), CallIds({"d"}).put_right([text, call, more]), strict=True):
        assert told is sent


def test_another_id_is_no_longer_than_servers_take() -> None:
    assert another_id("x" * 40, {"x" * 40}) == "x" * 38 + "_2"
    assert another_id("", {"call_2"}) == "call_3"
