from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.core.errors import Cancelled
from rillet.core.types import ChatMessage, ChatResponse, ImagePart, TextPart, ToolCallPart, ToolResultPart
from rillet.widgets import ApprovalAnswer, ApprovalRequest, ChatView
from rillet.widgets.blocks.approval import ApprovalCard
from rillet.widgets.blocks.image import ImageBlock
from rillet.widgets.blocks.tool_card import ToolCard
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.tool import ToolSection
from support.pictures import picture
from support.views import text_on_screen, text_views

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets import MessageHandle


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    return made


def _drawn(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not any(handle.pending for handle in view.handles()))


def _cards(view: ChatView) -> list[ToolCard]:
    """The cards in sight, from top to bottom."""
    cards = [card for card in view.findChildren(ToolCard) if card.isVisible()]
    return sorted(cards, key=lambda card: card.mapTo(view, card.rect().topLeft()).y())


def _asked(view: ChatView) -> list[ApprovalCard]:
    return [card for card in view.findChildren(ApprovalCard) if card.isVisible()]


def _kinds(handle: MessageHandle) -> list[str]:
    return [section.kind for section in handle.entry.sections]


def test_deltas_become_a_card_between_the_texts(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("Before. " * 500)
    handle.onToolCallDelta(0, "call_1", "read", '{"pa')
    handle.onToolCallDelta(0, None, None, 'th":"a.md"}')
    handle.onContentDelta("After.")
    _drawn(qtbot, view)
    assert _kinds(handle) == ["markdown", "tool", "markdown"]
    assert handle.entry.sections[0].text == "Before. " * 500
    (card,) = _cards(view)
    assert "read" in card.accessibleName()
    parts = (TextPart("Before. " * 500), ToolCallPart("call_1", "read", '{"path":"a.md"}'), TextPart("After."))
    assert view.history() == [ChatMessage("assistant", parts)]


def test_a_tool_that_answers_makes_a_legal_history(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("Read it."))
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "read", "{}")
    tool = handle.toolCall("call_1")
    tool.setStatus("running")
    tool.finish("the text", seconds=0.25)
    tool.finish("another text")
    handle.onToolCallDelta(0, "call_2", "read", "{}")
    handle.toolCall("call_2").finish("no such file", isError=True)
    handle.appendText("It says: the text.")
    handle.finish()
    _drawn(qtbot, view)
    assert view.history()[1:] == [
        ChatMessage("assistant", (ToolCallPart("call_1", "read", "{}"),)),
        ChatMessage.tool("call_1", "the text"),
        ChatMessage("assistant", (ToolCallPart("call_2", "read", "{}"),)),
        ChatMessage.tool("call_2", "no such file", is_error=True),
        ChatMessage.assistant("It says: the text."),
    ]
    first, second = _cards(view)
    assert first.accessibleName() == "Tool read, 0.2 s, collapsed"
    assert second.accessibleName().startswith("Tool read, Failed")


def test_a_click_opens_a_card_and_another_closes_it(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "read", '{"path":"notes.md"}')
    handle.toolCall("call_1").finish("first line\nsecond line")
    handle.finish()
    _drawn(qtbot, view)
    (card,) = _cards(view)
    assert "second line" not in text_on_screen(view.transcript)
    card.click()
    assert text_on_screen(view.transcript) == '{\n  "path": "notes.md"\n}\nfirst line\nsecond line'
    card.click()
    assert text_on_screen(view.transcript) == ""


def test_an_approval_is_asked_and_answered_once(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "bash", '{"command":"ls"}')
    _drawn(qtbot, view)
    tool = handle.toolCall("call_1")
    request = ApprovalRequest("r1", "bash", tool.arguments)
    tool.requestApproval(request)
    (card,) = _asked(view)
    assert [tool.status] == ["waiting"]
    qtbot.waitUntil(lambda: card.armed)
    with qtbot.waitSignal(view.approvalAnswered) as answered:
        card.button("once").click()
    assert answered.args == [ApprovalAnswer(request, "once")]
    assert _asked(view) == []
    assert tool.status == "running"


def test_a_denied_call_stays_denied_whatever_the_model_is_told(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "bash", "{}")
    _drawn(qtbot, view)
    tool = handle.toolCall("call_1")
    tool.requestApproval(ApprovalRequest("r1", "bash", "{}"))
    _asked(view)[0].button("no").click()
    assert tool.status == "denied"
    tool.finish("The user does not want this.", isError=True)
    assert tool.status == "denied"
    assert view.history()[-1] == ChatMessage.tool("call_1", "The user does not want this.", is_error=True)


def test_a_question_asked_before_its_card_is_drawn_comes_with_it(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onContentDelta("A sentence. " * 2000)
    handle.onToolCallDelta(0, "call_1", "bash", "{}")
    handle.toolCall("call_1").requestApproval(ApprovalRequest("r1", "bash", "{}"))
    assert _asked(view) == []
    _drawn(qtbot, view)
    assert len(_asked(view)) == 1


def test_stopping_an_answer_stops_its_open_calls(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "read", "{}")
    done = handle.toolCall("call_1")
    done.finish("text")
    handle.onToolCallDelta(0, "call_2", "write", '{"path":"a')
    writing = handle.toolCall("call_2")
    handle.fail(Cancelled())
    _drawn(qtbot, view)
    assert (done.status, writing.status) == ("done", "stopped")
    assert view.history()[-1].tool_calls[0].parsed is None


def test_a_response_brings_calls_that_no_delta_brought(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, None, "read", '{"path":')
    calls = (ToolCallPart("a", "read", '{"path":"x"}'), ToolCallPart("b", "list", "{}"))
    message = ChatMessage("assistant", calls)
    handle.finish(ChatResponse(message, finish_reason="tool_calls"))
    _drawn(qtbot, view)
    assert view.history() == [message]
    assert [call.arguments for call in handle.calls] == ['{"path":"x"}', "{}"]
    assert handle.toolCall("b").status == "written"
    handle.toolCall("b").finish("nothing")
    assert view.history() == [message, ChatMessage.tool("b", "nothing")]


def test_a_stored_conversation_shows_results_on_the_cards_of_their_calls(view: ChatView) -> None:
    messages = [
        ChatMessage.user("Read both."),
        ChatMessage("assistant", (ToolCallPart("a", "read", "{}"), ToolCallPart("b", "read", "{}"))),
        ChatMessage.tool("b", "no such file", is_error=True),
        ChatMessage.tool("a", "text"),
        ChatMessage.assistant("One is missing."),
    ]
    handles = view.addMessages(messages)
    assert view.history() == messages
    assert [(call.id, call.status, call.output) for call in handles[1].calls] == [
        ("a", "done", "text"),
        ("b", "failed", "no such file"),
    ]


def test_results_that_are_added_as_messages_are_not_doubled(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    for id in ("a", "b"):
        handle.onToolCallDelta("ab".index(id), id, "read", "{}")
    handle.finish()
    for id in ("a", "b"):
        view.addMessage(ChatMessage.tool(id, f"text {id}"))
    handle.toolCall("a").finish("late")
    assert [message.role for message in view.history()] == ["assistant", "tool", "tool"]
    assert [call.output for call in handle.calls] == ["text a", "text b"]


def test_a_call_is_found_by_its_place_or_its_id_and_made_if_need_be(view: ChatView) -> None:
    handle = view.beginAssistantStream()
    first = handle.toolCall(0, "read")
    assert handle.toolCall(0) == first
    assert handle.toolCall(first.id) == first
    second = handle.toolCall("call_2", "list")
    assert second != first
    assert (second.id, second.name, second.status) == ("call_2", "list", "writing")
    second.appendArguments("{}")
    assert second.arguments == "{}"
    second.setStatus("written")
    second.appendArguments("more")
    assert second.arguments == "{}"
    handle.finish()
    with pytest.raises(KeyError):
        handle.toolCall("call_3", "late")


def test_a_giant_argument_streams_without_its_text_being_laid_out(view: ChatView, qtbot: QtBot) -> None:
    text = json.dumps({"content": "a line of code\n" * 200_000})
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "write", "")
    for at in range(0, len(text), 50_000):
        handle.onToolCallDelta(0, None, None, text[at : at + 50_000])
        handle.advance()
    handle.finish()
    _drawn(qtbot, view)
    assert handle.toolCall(0).arguments == text
    (card,) = _cards(view)
    card.click()
    section = handle.entry.sections[0]
    assert isinstance(section, ToolSection)
    assert sum(len(tile.text) for tile in section.shown()) < len(text) / 10


def test_what_is_selected_under_an_open_card_can_be_copied(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "read", "{}")
    handle.toolCall("call_1").finish("first line\nsecond line")
    handle.finish()
    _drawn(qtbot, view)
    _cards(view)[0].click()
    editor = text_views(view.transcript)[-1]
    QTest.mousePress(editor.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    QTest.mouseMove(editor.viewport(), QPoint(400, 5))
    QTest.mouseRelease(editor.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(400, 5))
    QTest.keyClick(editor, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "first line"


def test_a_tool_that_answers_after_the_conversation_was_cleared_changes_nothing(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.user("one"))
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "read", "{}")
    _drawn(qtbot, view)
    tool = handle.toolCall("call_1")
    view.clear()
    others = view.addMessages([ChatMessage.user("two"), ChatMessage.assistant("three")])
    before = view.transcript._layout.heights.total
    tool.requestApproval(ApprovalRequest("r", "read", "{}"))
    tool.finish("text")
    handle.setVersions(1, 2)
    assert view.transcript._layout.heights.total == before
    assert [handle.message for handle in others] == view.history()


def test_cards_grow_with_the_letters(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "write", '{"content": "' + "some words " * 20)
    _drawn(qtbot, view)
    before = _cards(view)[0].height()
    view.setZoom(2.0)
    assert _cards(view)[0].height() > 1.5 * before
    view.setZoom(1.0)
    assert _cards(view)[0].height() == before


def test_a_question_that_moves_to_another_frame_keeps_its_letters(view: ChatView, qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply(app, LIGHT)  # with its style sheet, which is what resets fonts
    view.addMessage(ChatMessage.user("Run it."))
    handle = view.beginAssistantStream()
    handle.appendText("Let me see.")
    handle.toolCall("call_1", "bash").requestApproval(ApprovalRequest("r1", "bash", "{}"))
    _drawn(qtbot, view)
    before = _asked(view)[0]._prompt.font().pointSizeF()
    frame = _asked(view)[0].parentWidget()
    view.setZoom(2.0)
    assert _asked(view)[0].parentWidget() is not frame
    assert _asked(view)[0]._prompt.font().pointSizeF() == pytest.approx(2 * before)
    app.setStyleSheet("")


def test_a_question_takes_the_focus_once(view: ChatView, qtbot: QtBot) -> None:
    view.addMessage(ChatMessage.assistant("A line.\n\n" * 100))
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "bash", "{}")
    _drawn(qtbot, view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    handle.toolCall("call_1").requestApproval(ApprovalRequest("r1", "bash", "{}"))
    assert QApplication.focusWidget() is _asked(view)[0].button("no")
    view.transcript.verticalScrollBar().setValue(0)
    assert _asked(view) == []
    view.transcript.jump_to_latest()
    assert len(_asked(view)) == 1
    assert QApplication.focusWidget() is view.transcript


def test_handles_are_harmless_after_the_view_is_gone(qtbot: QtBot) -> None:
    view = ChatView()
    view.show()
    handle = view.beginAssistantStream()
    tool = handle.toolCall(0, "read")
    view.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    tool.appendArguments("{}")
    tool.setStatus("running")
    tool.requestApproval(ApprovalRequest("r", "read", "{}"))
    tool.finish("text")
    assert [message.role for message in handle.messages] == ["assistant", "tool"]


def test_a_stored_answer_that_went_on_after_its_tools_is_one_message(view: ChatView) -> None:
    messages = [
        ChatMessage.user("weather?"),
        ChatMessage.assistant("I look.", ToolCallPart("a", "weather", "{}"), ToolCallPart("b", "time", "{}")),
        ChatMessage.tool("b", "noon"),
        ChatMessage.tool("a", "sunny"),
        ChatMessage.assistant("It is sunny at noon."),
        ChatMessage.user("thanks"),
    ]
    handles = view.addMessages(messages)
    assert len(set(handles)) == 3
    assert handles[1] is handles[2] is handles[3] is handles[4]
    assert [call.output for call in handles[1].calls] == ["sunny", "noon"]
    assert [entry.role for entry in view.transcript.entries] == ["user", "assistant", "user"]
    assert view.history() == messages


def _pictures(view: ChatView) -> list[ImageBlock]:
    return [block for block in view.findChildren(ImageBlock) if block.isVisible()]


def test_pictures_of_a_result_stand_under_its_card_and_go_into_the_history(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.onToolCallDelta(0, "call_1", "plot", '{"f": "x"}')
    pictures = [ImagePart(picture(60, 40)), ImagePart(picture(30, 20))]
    handle.toolCall("call_1").finish("two plots", images=pictures)
    handle.finish(ChatResponse(ChatMessage("assistant", (ToolCallPart("call_1", "plot", '{"f": "x"}'),))))
    _drawn(qtbot, view)
    result = ToolResultPart("call_1", "two plots", images=tuple(pictures))
    assert handle.messages[-1] == ChatMessage("tool", (result,))
    assert _pictures(view) == []
    _cards(view)[0].click()
    assert [(block.width(), block.height()) for block in _pictures(view)] == [(60, 40), (30, 24)]
    with qtbot.waitSignal(view.imageActivated) as asked:
        _pictures(view)[0].click()
    assert asked.args == [pictures[0]]
    _cards(view)[0].click()
    assert _pictures(view) == []


def test_pictures_of_a_stored_result_stand_under_its_card(view: ChatView) -> None:
    result = ToolResultPart("call_1", "", images=(ImagePart(picture(60, 40)),))
    view.addMessages(
        [ChatMessage("assistant", (ToolCallPart("call_1", "plot", "{}"),)), ChatMessage("tool", (result,))]
    )
    _cards(view)[0].click()
    assert len(_pictures(view)) == 1
    view.copyConversation()
    view.find("plot")
