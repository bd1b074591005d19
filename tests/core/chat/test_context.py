"""What goes along with a question, and what is left out when the window is full."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from hypothesis import given
from hypothesis import strategies as st

from rillet.core.chat.context import Ledger, facing, grown, weigh
from rillet.core.chat.plan import Plan, Rule
from rillet.core.providers.provider import Provider
from rillet.core.store.messages import Node
from rillet.core.store.summaries import Summary
from rillet.core.token_estimate import estimate_tokens
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.agent.seams import Toolbox

PLAN = Plan(provider=Provider("p", "openai", "http://127.0.0.1:1/v1", default_model="m"))
LETTERS = 400
"""A text of so many is 100 tokens, and 4 for the message."""


def line(*messages: ChatMessage) -> list[Node]:
    """These messages as a chat has them."""
    return [
        Node(id, id - 1 or None, message, "whole", None, None, {}, 0.0) for id, message in enumerate(messages, start=1)
    ]


def turns(count: int) -> list[Node]:
    """So many questions and answers: 208 tokens each."""
    return line(*[said for _ in range(count) for said in (_user(), ChatMessage.assistant("a" * LETTERS))])


def summary(id: int, covers: Iterable[int]) -> Summary:
    return Summary(id, frozenset(covers), "s" * 40, None, None, None, {}, False, 0.0)


def _user() -> ChatMessage:
    return ChatMessage.user("q" * LETTERS)


def standings(ledger: Ledger) -> list[str]:
    return [turn.standing for turn in ledger.turns]


def test_everything_that_goes_along_is_weighed_by_its_kind() -> None:
    nodes = line(
        ChatMessage.user("Look", ImagePart(b"png")),
        ChatMessage("assistant", (ReasoningPart("t" * 40), TextPart("I see"), ToolCallPart("c", "read", "{}"))),
        ChatMessage("tool", (ToolResultPart("c", "r" * 40),)),
    )
    spec = ToolSpec("read", "Reads a file", {"type": "object"})
    box = cast("Toolbox", SimpleNamespace(specs=(spec,), skills_prompt="s" * 80))
    ledger = weigh(nodes, replace(PLAN, system_prompt="p" * 40, tools=None), box)
    (turn,) = ledger.turns
    assert (ledger.system, ledger.skills) == (10, 20)
    assert ledger.tools == estimate_tokens("read") + estimate_tokens("Reads a file") + estimate_tokens(
        '{"type":"object"}'
    )
    assert (turn.attachments, turn.reasoning) == (1000, 10)
    assert turn.history == 3 * 4 + 1 + 2 + 2 + 10
    assert ledger.used == 10 + 20 + ledger.tools + turn.tokens
    assert turn.ids == (1, 2, 3)


def test_tools_that_nobody_has_asked_are_unknown_and_no_tools_are_nothing() -> None:
    assert weigh(turns(1), replace(PLAN, tools=None), None).tools is None
    assert weigh(turns(1), PLAN, None).tools == 0


def test_without_a_known_window_nothing_is_left_out() -> None:
    ledger = weigh(turns(50), PLAN, None)
    assert ledger.share is None
    assert ledger.hidden == frozenset()


def test_the_oldest_turns_are_left_out_whole_when_the_window_is_full() -> None:
    ledger = weigh(turns(5), replace(PLAN, window=1000), None)  # room for 900 - 250
    assert standings(ledger) == ["left out", "left out", "sent", "sent", "sent"]
    assert ledger.hidden == {1, 2, 3, 4}
    assert ledger.used == 3 * 208
    assert ledger.share == 0.624


def test_a_pinned_turn_stays_and_a_younger_one_goes() -> None:
    ledger = weigh(turns(5), replace(PLAN, window=1000, pinned=frozenset({1})), None)
    assert standings(ledger) == ["sent", "left out", "left out", "sent", "sent"]


def test_a_turn_that_is_switched_off_makes_room() -> None:
    ledger = weigh(turns(4), replace(PLAN, window=1000, hidden=frozenset({3})), None)
    assert standings(ledger) == ["sent", "off", "sent", "sent"]
    assert ledger.hidden == {3, 4}


def test_the_last_question_is_sent_whatever_there_is_no_room_for() -> None:
    ledger = weigh(turns(2), replace(PLAN, window=10, hidden=frozenset({3})), None)
    assert standings(ledger) == ["left out", "sent"]


def test_room_is_kept_for_the_answer_but_never_more_than_half() -> None:
    asked = replace(PLAN, window=1000, request=ChatRequest((), max_tokens=100))
    assert standings(weigh(turns(4), asked, None)) == ["left out", "sent", "sent", "sent"]
    assert weigh(turns(1), replace(asked, window=120), None).answer == 60


def test_what_the_provider_counted_last_is_told_beside_the_estimate() -> None:
    nodes = turns(2)
    nodes[1] = replace(nodes[1], details={"usage": {"prompt_tokens": 321}})
    assert weigh(nodes, PLAN, None).counted == 321
    assert weigh(nodes[2:], PLAN, None).counted is None


@given(
    roles=st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=30),
    window=st.none() | st.integers(0, 3000),
    hidden=st.frozensets(st.integers(1, 30)),
    pinned=st.frozensets(st.integers(1, 30)),
    rule=st.sampled_from(["trim", "summarize", "keep"]),
    covered=st.lists(st.integers(0, 29), max_size=3),
    tokens=st.integers(0, 2000),
)
def test_no_message_is_lost_or_counted_twice_and_what_is_sent_fits_or_had_to_stay(
    *,
    roles: list[str],
    window: int | None,
    hidden: frozenset[int],
    pinned: frozenset[int],
    rule: Rule,
    covered: list[int],
    tokens: int,
) -> None:
    nodes = line(*[ChatMessage(role, (TextPart("x" * LETTERS),)) for role in roles])  # type: ignore[arg-type]
    summaries = [summary(number, range(1, last + 1)) for number, last in enumerate(covered) if last < len(roles)]
    plan = replace(PLAN, window=window, hidden=hidden, pinned=pinned, rule=rule)
    ledger = weigh(nodes, plan, None, summaries)
    for each in (ledger, facing(ledger, tokens), *([grown(ledger, tokens)] if roles else [])):
        assert [id for turn in each.turns for id in turn.ids] == [node.id for node in nodes]
        assert not any(turn.is_pinned for turn in each.standing("left out", "summarized", "due"))
        assert each.hidden == {id for turn in each.standing("off", "left out", "summarized") for id in turn.ids}
        if rule == "trim" and each.excess:
            assert all(turn.is_pinned for turn in each.turns[:-1] if turn.standing == "sent")
        if rule == "keep":
            assert not each.standing("left out", "due")
    if ledger.summary is not None:
        assert {id for turn in ledger.standing("summarized") for id in turn.ids} <= ledger.summary.covers
        assert not ledger.summary.covers & {id for turn in ledger.standing("off") for id in turn.ids}
    assert facing(facing(ledger, tokens), 0).turns == facing(ledger, 0).turns
