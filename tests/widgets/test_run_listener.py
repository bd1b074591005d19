"""A run of an agent, as it is read in a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.agent.events import StreamEvent
from rillet.core.errors import Cancelled, ServerError
from rillet.core.types.suspension import APPROVAL, Request
from rillet.widgets import ChatView, RunListener
from rillet.widgets.run_listener import approval_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

Kind = StreamEvent.Kind


def view_of(qtbot: QtBot) -> ChatView:
    view = ChatView()
    qtbot.addWidget(view)
    view.resize(700, 600)
    view.show()
    return view


def test_text_calls_and_results_stand_in_the_message_in_their_order(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    handle = view.beginAssistantStream()
    pen = RunListener(handle)
    for event in (
        StreamEvent(Kind.TURN, turn=1),
        StreamEvent(Kind.REASONING, delta="Hm."),
        StreamEvent(Kind.TEXT, delta="I look. "),
        StreamEvent(Kind.TOOL_CALL_DELTA, index=0, id="c1", name="read", delta='{"path": "a"}'),
        StreamEvent(Kind.TOOL_CALL, id="c1", name="read", args={"path": "a"}),
        StreamEvent(Kind.TOOL_RESULT, id="c1", name="read", output="text"),
        StreamEvent(Kind.TURN, turn=2),
        StreamEvent(Kind.TEXT, delta="Done."),
    ):
        pen.onEvent(event)
    handle.finish()
    assert [message.role for message in handle.messages] == ["assistant", "tool", "assistant"]
    (call,) = handle.calls
    assert (call.arguments, call.output, call.status) == ('{"path": "a"}', "text", "done")
    assert handle.messages[-1].text == "Done."


def test_a_call_that_came_without_deltas_shows_its_arguments(qtbot: QtBot) -> None:
    handle = view_of(qtbot).beginAssistantStream()
    RunListener(handle).onEvent(StreamEvent(Kind.TOOL_CALL, id="c1", name="read", args={"path": "a"}))
    (call,) = handle.calls
    assert (call.arguments, call.status) == ('{"path":"a"}', "running")


def test_a_result_of_an_earlier_message_goes_to_its_card(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    first = view.beginAssistantStream()
    RunListener(first).onEvent(StreamEvent(Kind.TOOL_CALL, id="c1", name="write", args={}))
    first.finish()
    second = view.beginAssistantStream()
    RunListener(second, [first]).onEvent(StreamEvent(Kind.TOOL_RESULT, id="c1", name="write", output="written"))
    assert first.calls[0].output == "written"
    assert second.calls == []


def test_a_run_that_breaks_off_stops_the_calls_of_earlier_messages_that_it_was_answering(qtbot: QtBot) -> None:
    view = view_of(qtbot)
    first = view.beginAssistantStream()
    pen = RunListener(first)
    for id in ("c1", "c2", "c3"):
        pen.onEvent(StreamEvent(Kind.TOOL_CALL, id=id, name="bash", args={}))
    pen.onEvent(StreamEvent(Kind.TOOL_RESULT, id="c1", name="bash", output="done"))
    question = Request(id="r", kind=APPROVAL, prompt="May it?")
    pen.onEvent(StreamEvent(Kind.PENDING, id="c3", name="bash", args={}, request=question))
    first.finish()
    second = view.beginAssistantStream()
    RunListener(second, [first]).fail(Cancelled())
    assert [call.status for call in first.calls] == ["done", "stopped", "waiting"]
    assert not second.isOpen()


def test_a_failure_is_said_below_what_came(qtbot: QtBot) -> None:
    handle = view_of(qtbot).beginAssistantStream()
    pen = RunListener(handle)
    pen.onEvent(StreamEvent(Kind.TEXT, delta="Half"))
    pen.onError(ServerError("it broke"))
    assert not handle.isOpen()
    assert handle.messages[-1].text == "Half"


def test_an_approval_says_all_that_the_policy_told(qtbot: QtBot) -> None:
    data = {
        "tool": "bash",
        "arguments": '{"command": "ls"}',
        "command": "ls",
        "warnings": ["Careful."],
        "sandbox": "It is confined.",
        "scopes": ["once", "folder"],
        "diff": "+x",
    }
    asked = approval_of(Request(id="r", kind=APPROVAL, prompt="Run this command?", data=data))
    assert asked.shown == "ls"
    assert asked.notes == ("Careful.", "It is confined.")
    assert asked.choices == ("once", "folder")
    assert (asked.prompt, asked.diff, asked.arguments) == ("Run this command?", "+x", '{"command": "ls"}')


def test_an_approval_says_where_a_command_runs_and_what_a_request_is_sent_to(qtbot: QtBot) -> None:
    def notes(**data: str) -> tuple[str, ...]:
        return approval_of(Request(id="r", kind=APPROVAL, prompt="?", data=data)).notes

    assert notes(command="rm -r build", base=".") == ()
    assert notes(command="rm -r build", base="src") == ("It runs in the folder src.",)
    assert notes(tool="close", request="DELETE https://a.example/7") == ("It sends: DELETE https://a.example/7",)
