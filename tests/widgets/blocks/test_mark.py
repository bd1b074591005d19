"""A line across the conversation: what it says and offers, and that nothing moves for it that is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.core.types import ChatMessage
from rillet.widgets import ChatView
from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.mark import MarkBlock
from support.views import tops

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets import MessageHandle

ACTIONS = (("edit-summary", "Show and edit"), ("undo-summary", "Undo"))


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    return made


def talk(view: ChatView, count: int) -> list[MessageHandle]:
    messages = [
        said for n in range(count) for said in (ChatMessage.user(f"Question {n}?"), ChatMessage.assistant("word " * 90))
    ]
    return view.addMessages(messages)


def block(view: ChatView, handle: MessageHandle) -> MarkBlock:
    found = view.transcript._stage.blocks[handle.entry.mark_tile]
    assert isinstance(found, MarkBlock)
    return found


def buttons(view: ChatView, handle: MessageHandle) -> list[Button]:
    return [each for each in block(view, handle).findChildren(Button) if each.isVisible()]


@pytest.mark.parametrize("at", [0, 1])
def test_it_stands_below_a_message_says_what_it_is_and_offers_what_can_be_done(
    at: int, view: ChatView, qtbot: QtBot
) -> None:
    handle, after = talk(view, 1)[at], view.addMessage(ChatMessage.user("And then?"))
    before = handle.entry.height
    handle.setMark("Summarized: 1 question", "They talked.", ACTIONS)
    mark = block(view, handle)
    assert mark.accessibleName() == "Summarized: 1 question. They talked."
    assert [each.text() for each in buttons(view, handle)] == ["Show and edit", "Undo"]
    assert handle.entry.height > before + mark.height() // 2
    frame = view.transcript._stage.frames[handle.entry]
    assert mark.geometry().bottom() <= frame.height()
    assert frame.geometry().bottom() <= view.transcript._stage.frames[after.entry].geometry().top()
    if (bubble := view.transcript._layout.bubble(handle.entry)) is not None:
        assert not bubble.intersects(mark.geometry())
    with qtbot.waitSignal(view.messageActionRequested) as asked:
        QTest.mouseClick(buttons(view, handle)[1], Qt.MouseButton.LeftButton)
    assert asked.args == ["undo-summary", handle]
    handle.setMark()
    assert handle.entry.mark_tile not in view.transcript._stage.blocks
    assert handle.entry.height == before


def test_its_buttons_are_reached_by_the_keyboard_in_the_order_of_the_eye(view: ChatView, qtbot: QtBot) -> None:
    handle = talk(view, 1)[1]
    handle.setMark("Not sent", "", ACTIONS)
    view.activateWindow()
    first, second = buttons(view, handle)
    first.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(first, Qt.Key.Key_Tab)
    qtbot.waitUntil(second.hasFocus)


def test_a_narrow_view_breaks_its_words(view: ChatView) -> None:
    handle = talk(view, 1)[1]
    handle.setMark("Messages above this line are no longer sent, because the window is full", "", ACTIONS)
    wide = block(view, handle).height()
    view.resize(300, 600)
    assert block(view, handle).height() > wide
    assert all(each.geometry().right() <= block(view, handle).width() for each in buttons(view, handle))


def test_what_is_read_stays_in_its_place_when_it_comes_or_goes_above(view: ChatView) -> None:
    handles = talk(view, 30)
    view.showMessage(handles[40])
    before = tops(view.transcript)
    handles[3].setMark("Not sent", "", ACTIONS)
    assert tops(view.transcript) == before
    handles[3].setMark()
    assert tops(view.transcript) == before
    handles[40].setMark("Not sent", "", ACTIONS)
    view.showMessage(handles[41])
    view.transcript.verticalScrollBar().setValue(
        view.transcript._layout.y_of(handles[40].entry, handles[40].entry.mark_tile) + 4
    )
    handles[40].setMark()
    assert handles[41].entry in view.transcript._stage.frames


def test_a_message_that_is_gone_takes_no_line(view: ChatView) -> None:
    handle = talk(view, 1)[1]
    view.clear()
    handle.setMark("Not sent", "", ACTIONS)
    assert not view.findChildren(MarkBlock) or not any(each.isVisible() for each in view.findChildren(MarkBlock))
