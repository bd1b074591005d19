from __future__ import annotations

from rillet.core.types import ReasoningDelta, TextDelta
from rillet.core.wire.prose import Prose


def test_text_and_reasoning_leave_in_the_order_in_which_they_came() -> None:
    prose = Prose()
    prose.add_reasoning("hm", {"field": "x"})
    prose.add_text("a")
    prose.add_text("")
    prose.add_reasoning("", {"signature": "s"})
    assert prose.deltas == [
        ReasoningDelta("hm", {"field": "x"}),
        TextDelta("a"),
        ReasoningDelta("", {"signature": "s"}),
    ]


def test_half_a_character_waits_for_the_other_half() -> None:
    prose = Prose()
    prose.add_text("a\ud83d")
    prose.add_text("\ude00b")
    assert prose.deltas == [TextDelta("a"), TextDelta("\U0001f600b")]


def test_half_a_character_that_stays_alone_leaves_before_what_follows() -> None:
    prose = Prose()
    prose.add_reasoning("\ud83d")
    prose.add_text("\ud83d")
    prose.add_reasoning("hm")
    assert prose.deltas == [ReasoningDelta("\ufffd"), TextDelta("\ufffd"), ReasoningDelta("hm")]


def test_what_is_held_back_is_let_go() -> None:
    prose = Prose(think_tags=True)
    prose.add_text("<thi")
    assert prose.deltas == []
    prose.release()
    assert prose.deltas == [TextDelta("<thi")]


def test_a_leading_thought_is_split_off_where_wanted() -> None:
    for think_tags, wanted in (
        (True, [ReasoningDelta("hm"), TextDelta("a")]),
        (False, [TextDelta("<think>hm</think>a")]),
    ):
        prose = Prose(think_tags=think_tags)
        prose.add_text("<think>hm</think>a")
        assert prose.deltas == wanted
