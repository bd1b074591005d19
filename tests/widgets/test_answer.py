from __future__ import annotations

from rillet.core.types import ChatMessage, ReasoningPart, TextPart, ToolCallPart
from rillet.widgets.answer import Answer, Prose
from rillet.widgets.binding import sendable


def test_pieces_of_one_kind_become_one_part_in_order_of_arrival() -> None:
    answer = Answer()
    for kind, text in (("reasoning", "Hm"), ("reasoning", "."), ("markdown", "Yes"), ("markdown", "!")):
        answer.add_text(kind, text)  # type: ignore[arg-type]
    assert answer.messages == [ChatMessage("assistant", (ReasoningPart("Hm."), TextPart("Yes!")))]


def test_reasoning_alone_is_no_message() -> None:
    answer = Answer()
    answer.add_text("reasoning", "Hm.")
    assert answer.messages == []
    assert answer.message is None


def test_results_follow_the_message_that_asked_for_them_in_the_order_of_the_calls() -> None:
    answer = Answer()
    answer.add_text("markdown", "Let me see.")
    first, second = answer.add_call("read", "a"), answer.add_call("list", "b")
    first.append("{}")
    answer.set_result(second, "two", is_error=True)
    answer.set_result(first, "one", is_error=False)
    answer.set_result(first, "again", is_error=False)
    assert answer.messages == [
        ChatMessage(
            "assistant", (TextPart("Let me see."), ToolCallPart("a", "read", "{}"), ToolCallPart("b", "list", ""))
        ),
        ChatMessage.tool("a", "one"),
        ChatMessage.tool("b", "two", is_error=True),
    ]


def test_what_comes_after_a_result_is_another_message() -> None:
    answer = Answer()
    call = answer.add_call("read", "a")
    answer.set_result(call, "text", is_error=False)
    again = answer.add_call("read", "b")
    assert answer.calls_of_turn() == [again]
    answer.set_result(again, "more", is_error=False)
    answer.add_text("markdown", "So it is.")
    roles = [message.role for message in answer.messages]
    assert roles == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert sendable(answer.messages) == answer.messages
    assert answer.message == ChatMessage.assistant("So it is.")


def test_the_response_takes_the_place_of_the_last_turn_and_brings_the_ids() -> None:
    answer = Answer()
    first = answer.add_call("read", "a")
    answer.set_result(first, "text", is_error=False)
    second = answer.add_call("read")
    assert second.id
    message = ChatMessage("assistant", (ToolCallPart("real", "read", "{}"),))
    answer.complete(message)
    assert second.id == "real"
    answer.set_result(second, "more", is_error=False)
    assert answer.messages[2:] == [message, ChatMessage.tool("real", "more")]
    assert answer.messages[0].tool_calls[0].id == "a"


def test_two_calls_without_an_id_get_different_ones() -> None:
    answer = Answer()
    assert answer.add_call("read").id != answer.add_call("read").id


def test_a_call_that_was_cut_before_its_arguments_cannot_run() -> None:
    answer = Answer()
    answer.add_call("delete", "a")
    complete = answer.add_call("list", "b")
    complete.append("{}")
    answer.break_off()
    assert answer.message is not None
    cut, whole = answer.message.tool_calls
    assert cut.parsed is None
    assert whole.parsed == {}


def test_each_thought_has_its_own_time() -> None:
    answer = Answer()
    answer.add_text("reasoning", "One.")
    answer.add_text("markdown", "Text.")
    answer.add_text("reasoning", "Two.")
    assert [thought.ended is None for thought in answer.thoughts] == [False, True]
    answer.complete(None)
    assert [thought.ended is None for thought in answer.thoughts] == [False, False]
    assert [thought.text for thought in answer.thoughts] == ["One.", "Two."]


def test_what_was_begun_anew_is_in_no_message_and_its_calls_are_counted() -> None:
    answer = Answer()
    answer.add_text("reasoning", "Hm.")
    answer.add_text("markdown", "Old.")
    answer.add_call("read", "a").append('{"n": 1}')
    assert answer.restart()
    answer.add_text("markdown", "New.")
    call = answer.add_call("list", "b")
    assert (answer.call_at(0), answer.call_at(1), answer.call_at(2)) == (None, call, None)
    assert answer.messages == [ChatMessage("assistant", (TextPart("New."), ToolCallPart("b", "list", "")))]
    assert [piece.kind for piece in answer.pieces] == ["discarded", "markdown", "tool"]
    told = answer.pieces[0]
    assert isinstance(told, Prose)
    assert told.text == 'Hm.\n\nOld.\n\n```\nread {\n  "n": 1\n}\n```\n'


def test_nothing_begins_anew_before_it_has_begun() -> None:
    answer = Answer()
    assert not answer.restart()
    answer.add_text("markdown", "Old.")
    assert answer.restart()
    assert not answer.restart()
    assert answer.message is None
