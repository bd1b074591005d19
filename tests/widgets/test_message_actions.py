from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.core.errors import AuthError
from rillet.core.types import ChatMessage, ChatResponse, Usage
from rillet.widgets import ChatView, Figures
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.footer import FooterBlock
from rillet.widgets.chat_view import MESSAGE_ACTIONS

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets import MessageHandle

ANSWER = "An *answer* with <b>HTML</b>:\n\n- one\n- two\n\n```python\nprint(1)\n```\n\n![x](https://example.org/x.png)"


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    return made


def _drawn(qtbot: QtBot, view: ChatView) -> None:
    qtbot.waitUntil(lambda: not any(handle.pending for handle in view.handles()))


def _footer(view: ChatView, handle: MessageHandle) -> FooterBlock:
    block = view.transcript._stage.blocks[handle.entry.footer]
    assert isinstance(block, FooterBlock)
    return block


def _buttons(view: ChatView, handle: MessageHandle) -> list[str]:
    """What the foot of a message offers, by its accessible names."""
    found = _footer(view, handle).findChildren(Button)
    return [button.accessibleName() for button in found if button.isVisible()]


def _press(view: ChatView, handle: MessageHandle, name: str) -> None:
    found = _footer(view, handle).findChildren(Button)
    next(button for button in found if button.isVisible() and button.accessibleName() == name).click()


def _choose(view: ChatView, handle: MessageHandle, data: str) -> None:
    menu = _footer(view, handle)._actions.menu()
    next(action for action in menu.actions() if action.data() == data).trigger()
    menu.close()


def test_by_default_there_is_only_copying(view: ChatView) -> None:
    handle = view.addMessage(ChatMessage.assistant("Hello"))
    assert _buttons(view, handle) == ["Copy message", "More actions"]
    menu = _footer(view, handle)._actions.menu()
    assert [action.data() for action in menu.actions()] == ["copy-text", "copy-markdown", "copy-rich"]
    menu.close()


def test_what_suits_a_message_is_offered_and_comes_as_a_signal(view: ChatView, qtbot: QtBot) -> None:
    view.setMessageActions(MESSAGE_ACTIONS)
    view.addMessage(ChatMessage.user("Hi"))
    handle = view.addMessage(ChatMessage.assistant("Hello"))
    handle.setVersions(2, 3)
    assert _buttons(view, handle) == [
        "Copy message",
        "Answer again",
        "Previous version",
        "Next version",
        "More actions",
    ]
    for name, action in (
        ("Answer again", "regenerate"),
        ("Previous version", "previous"),
        ("Next version", "next"),
    ):
        with qtbot.waitSignal(view.messageActionRequested) as asked:
            _press(view, handle, name)
        assert asked.args == [action, handle]
    for action in ("fork", "details", "delete"):
        with qtbot.waitSignal(view.messageActionRequested) as asked:
            _choose(view, handle, action)
        assert asked.args == [action, handle]


def test_the_first_version_has_no_previous_one(view: ChatView) -> None:
    view.setMessageActions({"versions"})
    handle = view.addMessage(ChatMessage.assistant("Hello"))
    handle.setVersions(1, 2)
    actions = _footer(view, handle)._actions
    assert not actions._previous.isEnabled()
    assert actions._next.isEnabled()
    assert actions._place.text() == "1/2"
    handle.setVersions(1, 1)
    assert _buttons(view, handle) == []


def test_a_question_is_edited_and_an_answer_asked_for_again(view: ChatView, qtbot: QtBot) -> None:
    view.setMessageActions({"edit", "regenerate"})
    question = view.addMessage(ChatMessage.user("Hi"))
    answer = view.addMessage(ChatMessage.assistant("Hello"))
    assert _buttons(view, answer) == ["Answer again"]
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.transcript._stage.frames[question.entry].setFocus()
    assert _buttons(view, question) == ["Edit message"]


def test_some_actions_are_for_the_last_answer_only(view: ChatView, qtbot: QtBot) -> None:
    view.setMessageActions({"copy"}, lastAnswer={"regenerate"})
    first = view.addMessage(ChatMessage.assistant("One"))
    assert "Answer again" in _buttons(view, first)
    view.addMessage(ChatMessage.user("And?"))
    last = view.addMessage(ChatMessage.assistant("Two"))
    assert "Answer again" in _buttons(view, last)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.transcript._stage.frames[first.entry].setFocus()
    assert _buttons(view, first) == ["Copy message", "More actions"]


def test_the_keyboard_goes_from_a_message_to_its_actions(view: ChatView, qtbot: QtBot) -> None:
    question = view.addMessage(ChatMessage.user("Hi"))
    view.addMessage(ChatMessage.assistant("Hello"))
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.transcript._stage.frames[question.entry].setFocus()
    copy = _footer(view, question)._actions._copy
    copy.setFocus(Qt.FocusReason.TabFocusReason)
    assert copy.isVisible()
    assert QApplication.focusWidget() is copy
    QTest.keyClick(copy, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "Hi"
    view.composer.setFocus()
    assert not copy.isVisible()


def test_an_action_that_does_not_exist_is_refused(view: ChatView) -> None:
    with pytest.raises(ValueError, match="dance"):
        view.setMessageActions({"copy", "dance"})


@pytest.mark.parametrize(
    ("flavour", "text"),
    [
        ("copy-text", "An answer with <b>HTML</b>:\n\n- one\n- two\n\nprint(1)\n\n"),
        ("copy-markdown", ANSWER),
        ("copy-rich", ANSWER),
    ],
)
def test_a_message_is_copied_in_the_form_that_was_asked_for(view: ChatView, flavour: str, text: str) -> None:
    handle = view.addMessage(ChatMessage.assistant(ANSWER))
    _choose(view, handle, flavour)
    data = QGuiApplication.clipboard().mimeData()
    assert data.text().startswith(text)
    assert data.hasHtml() == (flavour == "copy-rich")
    if flavour == "copy-rich":
        html = data.html()
        assert "<li>one</li>" in html
        assert "&lt;b&gt;HTML" in html
        assert "<img" not in html
        assert "style" not in html


def test_figures_stand_beside_the_actions_of_an_answer(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.appendText("Hello")
    assert not _footer(view, handle)._figures.isVisible()
    message = ChatMessage.assistant("Hello")
    handle.finish(ChatResponse(message, finish_reason="stop", usage=Usage(completion_tokens=412)))
    _drawn(qtbot, view)
    label = _footer(view, handle)._figures
    assert label.isVisible()
    assert label.text().startswith("412 tokens · ")
    handle.setCost("$0.0021")
    assert label.text().endswith(" · $0.0021")


def test_figures_give_way_in_a_narrow_window(view: ChatView) -> None:
    handle = view.addMessage(ChatMessage.assistant("Hello"))
    handle.setFigures(Figures(tokens=1_000_000, first=0.3, seconds=900.0, cost="$0.0021"))
    assert _footer(view, handle)._figures.isVisible()
    view.resize(300, 700)
    assert not _footer(view, handle)._figures.isVisible()


def test_an_incomplete_answer_can_be_continued_until_the_conversation_goes_on(view: ChatView, qtbot: QtBot) -> None:
    view.setMessageActions({"continue"})
    handle = view.beginAssistantStream()
    handle.finish(ChatResponse(ChatMessage.assistant("One, two"), finish_reason="length"))
    _drawn(qtbot, view)
    with qtbot.waitSignal(view.messageActionRequested) as asked:
        _press(view, handle, "Continue")
    assert asked.args == ["continue", handle]
    view.addMessage(ChatMessage.user("Never mind."))
    assert _buttons(view, handle) == []


def test_continuing_is_not_offered_where_nobody_can_do_it(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.finish(ChatResponse(ChatMessage.assistant("One, two"), finish_reason="length"))
    _drawn(qtbot, view)
    assert "Continue" not in _buttons(view, handle)


def test_details_of_an_error_are_folded(view: ChatView, qtbot: QtBot) -> None:
    handle = view.beginAssistantStream()
    handle.fail(AuthError("no such key", provider="OpenAI", status=401, request_id="req_7"))
    _drawn(qtbot, view)
    card = _footer(view, handle)._card
    assert not card._details.isVisible()
    height = handle.entry.height
    card._fold.click()
    assert card._details.toPlainText() == "Provider: OpenAI\nStatus: 401\nRequest: req_7\nMessage: no such key"
    assert card._details.isVisible()
    assert card.rect().contains(card._details.geometry())
    assert handle.entry.height > height
    card._fold.click()
    assert handle.entry.height == height


def test_no_button_is_cut_by_what_it_stands_in(view: ChatView, qtbot: QtBot) -> None:
    view.setMessageActions(MESSAGE_ACTIONS)
    handles = view.addMessages([ChatMessage.user("Hi"), ChatMessage.assistant("Hello")])
    failed = view.beginAssistantStream()
    failed.fail(AuthError("no"))
    _drawn(qtbot, view)
    column = view.transcript._layout.column
    for handle in (*handles, failed):
        view.transcript._stage.frames[handle.entry].setFocus(Qt.FocusReason.TabFocusReason)
        footer = _footer(view, handle)
        buttons = [button for button in footer.findChildren(Button) if button.isVisible()]
        assert buttons
        for button in buttons:
            assert button.visibleRegion().boundingRect() == button.rect()
        edges = [(button.mapTo(view.transcript.viewport(), button.rect().center()).x(), button) for button in buttons]
        if handle is handles[1]:
            assert min(edges)[0] == column.x + 7, "the icon is in line with the text"
        if handle is handles[0]:
            assert max(edges)[0] == column.x + column.width - 9


@pytest.mark.parametrize("width", [330, 400, 520, 900])
def test_nothing_under_an_answer_covers_anything_else(view: ChatView, qtbot: QtBot, width: int) -> None:
    view.resize(width, 600)
    view.setMessageActions(MESSAGE_ACTIONS)
    handle = view.beginAssistantStream()
    usage = Usage(completion_tokens=412)
    handle.finish(ChatResponse(ChatMessage.assistant("Hello"), finish_reason="length", usage=usage))
    _drawn(qtbot, view)
    footer = _footer(view, handle)
    parts = [footer._status, footer._resume, footer._figures, *footer._actions.findChildren(Button)]
    places = [
        QRect(part.mapTo(footer, QPoint()), part.size())
        for part in parts
        if part.isVisible() and not part.size().isEmpty()
    ]
    assert len(places) >= 4  # (figures give way first: how wide they are depends on the font)
    assert all(footer.rect().contains(place) for place in places)
    for number, place in enumerate(places):
        assert not any(place.intersects(other) for other in places[number + 1 :])
    assert footer._status.accessibleName() == handle.entry.foot.note
    if width == 900:
        assert footer._status.text() == handle.entry.foot.note
    if width == 400:
        assert footer._status.text().endswith("…")
        assert footer._status.toolTip() == handle.entry.foot.note


def test_an_answer_of_which_nothing_came_is_shown_with_why(view: ChatView, qtbot: QtBot) -> None:
    _, answer = view.addMessages([ChatMessage.user("Hello?"), ChatMessage("assistant", ())])
    answer.setEnding(error="No connection.", retry=True)
    assert answer.entry.index == 1
    assert _footer(view, answer)._card.sentence.toPlainText() == "No connection."
    with qtbot.waitSignal(view.retryRequested) as asked:
        _footer(view, answer)._card._retry.click()
    assert asked.args == [answer]


def test_an_error_that_comes_later_stands_in_the_tab_order_where_the_eye_meets_it(view: ChatView, qtbot: QtBot) -> None:
    view.setMessageActions(MESSAGE_ACTIONS)
    said = [ChatMessage.user("One?"), ChatMessage.assistant("One."), ChatMessage.user("Two?")]
    _, first, *_ = view.addMessages([*said, ChatMessage.assistant("Two.")])
    _drawn(qtbot, view)
    qtbot.waitUntil(view.isActiveWindow)
    first.setEnding(error="No connection.", retry=True)
    _drawn(qtbot, view)
    min(view.transcript._stage.frames.values(), key=lambda frame: frame.y()).setFocus()
    stops: list[tuple[int, str]] = []
    while view.transcript.isAncestorOf(stop := view.focusWidget()):
        stops.append((stop.mapTo(view, QPoint()).y(), stop.accessibleName()))
        QTest.keyClick(stop, Qt.Key.Key_Tab)
    assert [height for height, _ in stops] == sorted(height for height, _ in stops)
    assert [name for _, name in stops].count("Try again") == 1
    assert [name for _, name in stops].count("Copy message") == 3
