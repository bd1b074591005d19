"""Calls, each with its one result behind it, whatever the conversation was."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from rillet.core.types import ChatMessage, ImagePart, Part, TextPart, ToolCallPart, ToolResultPart
from rillet.core.wire import pairs
from rillet.core.wire.pairs import CANCELLED, fitting_id, fitting_name, paired

USER = ChatMessage.user("Go on")


def answer(*ids: str) -> ChatMessage:
    return ChatMessage("assistant", tuple(ToolCallPart(id, "f", "{}") for id in ids))


def results(*pairs: tuple[str, str]) -> ChatMessage:
    return ChatMessage("tool", tuple(ToolResultPart(id, output) for id, output in pairs))


def outputs(*messages: ChatMessage) -> list[str]:
    return [part.output for message in paired(messages) for part in message.parts if isinstance(part, ToolResultPart)]


def test_a_conversation_that_is_as_it_should_be_stays_the_same() -> None:
    image = ToolResultPart("b", "2", images=(ImagePart(b"i"),))
    messages = [USER, answer("a", "b"), ChatMessage("tool", (ToolResultPart("a", "1"), image)), USER]
    assert paired(messages) == messages


def test_results_come_right_behind_their_answer_in_the_order_of_its_calls() -> None:
    messages = [answer("a", "b"), results(("b", "2")), USER, results(("a", "1"))]
    assert paired(messages) == [answer("a", "b"), results(("a", "1"), ("b", "2")), USER]


def test_a_call_that_was_never_answered_is_noted_as_cancelled() -> None:
    cancelled = ChatMessage("tool", (ToolResultPart("a", CANCELLED, is_error=True),))
    assert paired([answer("a"), USER]) == [answer("a"), cancelled, USER]
    assert paired([answer("a")]) == [answer("a"), cancelled]


def test_a_result_without_a_call_becomes_text_and_keeps_its_images() -> None:
    image = ImagePart(b"i")
    lost = ChatMessage("tool", (ToolResultPart("x", "42", images=(image,)),))
    told = ChatMessage("user", (TextPart("Result of the tool call x:\n42"), image))
    assert paired([lost, USER]) == [told, USER]
    assert paired([results(("a", "early")), answer("a")])[0].text == "Result of the tool call a:\nearly"
    assert outputs(answer("a"), results(("a", "1"), ("a", "2"))) == ["1"]


def test_results_of_what_is_no_call_of_ours_are_left_alone() -> None:
    messages = [results(("shell_1", "ok"))]
    assert paired(messages, others={"shell_1"}) == messages


def test_no_two_calls_have_one_id_and_each_keeps_its_result() -> None:
    messages = [answer("0", "0"), results(("0", "1"), ("0", "2")), answer("0"), results(("0", "3"))]
    sent = paired(messages)
    ids = [call.id for message in sent for call in message.tool_calls]
    assert len(set(ids)) == 3
    assert ids[0] == "0"
    assert outputs(*messages) == ["1", "2", "3"]


def test_ids_and_names_are_made_to_fit_on_both_sides() -> None:
    long = "call_" + "x" * 60
    messages = [ChatMessage("assistant", (ToolCallPart(long, "a.b c", "{}"),)), results((long, "1"))]
    made, told = paired(messages, id=lambda id: fitting_id(id, 40), name=fitting_name)
    (call,) = made.tool_calls
    assert (len(call.id), call.name) == (40, "a_b_c")
    assert [part.call_id for part in told.parts if isinstance(part, ToolResultPart)] == [call.id]
    assert fitting_id("call_1", 40) == "call_1"
    assert fitting_name("") == "unknown"


ids = st.sampled_from(["", "a", "b"])
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(lambda id: ToolCallPart(id, "f", "{}"), ids),
    st.builds(ToolResultPart, ids, st.sampled_from(["1", "2"])),
    st.builds(TextPart, st.sampled_from(["", "t"])),
)
roles = st.sampled_from(["user", "assistant", "tool", "system"])
conversations = st.lists(st.builds(ChatMessage, roles, st.lists(parts, max_size=4).map(tuple)), max_size=6)


@given(conversations)
def test_any_conversation_has_one_result_per_call_right_behind_it(conversation: list[ChatMessage]) -> None:
    sent = paired(conversation)
    own = [call.id for message in sent if message.role == "assistant" for call in message.tool_calls]
    assert len(set(own)) == len(own)
    waiting: list[str] = []
    for message in sent:
        if message.role == "assistant":
            assert not waiting
            waiting = [call.id for call in message.tool_calls]
            continue
        found = [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        assert found == waiting
        waiting = []
    assert not waiting


@st.composite
def orderly(draw: st.DrawFn) -> list[ChatMessage]:
    """As runs write it: each answer followed by the results of its calls, in one message or several."""
    messages: list[ChatMessage] = []
    for turn in range(draw(st.integers(0, 4))):
        calls = [f"{turn}.{at}" for at in range(draw(st.integers(0, 4)))]
        messages += [USER] * draw(st.integers(0, 1)) + [answer(*calls)]
        cut = draw(st.integers(0, len(calls)))
        messages += [results(*((id, "1") for id in some)) for some in (calls[:cut], calls[cut:]) if some]
    return messages


@given(st.one_of(conversations, orderly()))
def test_the_short_way_gives_what_the_long_one_does(conversation: list[ChatMessage]) -> None:
    short = paired(conversation)
    with patch.object(pairs, "_in_order", return_value=None):
        assert paired(conversation) == short


@given(orderly())
def test_what_a_run_wrote_goes_the_short_way(conversation: list[ChatMessage]) -> None:
    assert pairs._in_order(conversation, str, str) is not None
