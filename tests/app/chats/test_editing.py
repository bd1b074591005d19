"""An earlier question is changed and asked once more; what stood in the field before is not lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.core.store import drafts
from rillet.core.types import ChatMessage
from support.chatting import ask, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.chats.editing import Editing
    from rillet.app.services import Services
    from rillet.app.window import MainWindow


@pytest.fixture
def chat(window: MainWindow, services: Services, qtbot: QtBot) -> Iterator[MainWindow]:
    """A chat with two answered questions, and one that is half written."""
    with FakeServer(answer("one"), answer("two"), answer("three")) as server:
        talk_to(services, server)
        for text in ("a", "b"):
            ask(window, text)
            wait_for_end(window, qtbot)
        window.view.composer.setText("half")
        yield window


def edit(window: MainWindow, number: int) -> Editing:
    window.view.messageActionRequested.emit("edit", window.view.handles()[number])
    editing = window.sessions.current.editing
    assert editing.isVisible()
    return editing


def test_what_was_changed_is_asked_in_its_place_and_the_draft_comes_back(chat: MainWindow, qtbot: QtBot) -> None:
    editing = edit(chat, 0)
    assert chat.view.composer.text() == "a"
    field = chat.view.composer.focusProxy()
    assert field is not None
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "!")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not editing.isVisible()
    assert chat.view.composer.text() == "half"
    qtbot.waitUntil(lambda: texts(chat) == ["a!", "three"])
    wait_for_end(chat, qtbot)
    foot = chat.view.handles()[0].entry.foot
    assert (foot.version, foot.versions) == (2, 2)


@pytest.mark.parametrize("way", ["escape", "button"])
def test_cancelling_brings_the_draft_back_and_changes_nothing(way: str, chat: MainWindow, qtbot: QtBot) -> None:
    editing = edit(chat, 2)
    chat.view.composer.setText("something else")
    edit(chat, 0)
    if way == "escape":
        field = chat.view.composer.focusProxy()
        assert field is not None
        QTest.keyClick(field, Qt.Key.Key_Escape)
    else:
        editing.cancel.click()
    qtbot.waitUntil(editing.isHidden)
    assert chat.view.composer.text() == "half"
    assert texts(chat) == ["a", "one", "b", "two"]
    ask(chat, "")
    qtbot.waitUntil(lambda: texts(chat) == ["a", "one", "b", "two", "half", "three"])
    wait_for_end(chat, qtbot)


def test_the_draft_that_is_kept_is_the_one_before_until_something_is_changed(
    chat: MainWindow, services: Services, qtbot: QtBot
) -> None:
    session = chat.sessions.current
    chat_id = session.chat_id
    assert chat_id is not None
    found: list[str] = []

    def keeps(text: str) -> bool:
        services.desk.read(drafts.load, chat_id).ready(lambda draft: found.append(draft.text))
        return found[-1:] == [text]

    edit(chat, 0)
    session.saveDraft()
    qtbot.waitUntil(lambda: keeps("half"))
    chat.view.composer.setText("a and more")
    qtbot.waitUntil(lambda: keeps("a and more"))


def test_another_answer_ends_the_change(chat: MainWindow, qtbot: QtBot) -> None:
    editing = edit(chat, 0)
    chat.sessions.current.regenerate(chat.view.handles()[-1])
    assert not editing.isVisible()
    assert chat.view.composer.text() == "half"
    qtbot.waitUntil(lambda: texts(chat) == ["a", "one", "b", "three"])
    wait_for_end(chat, qtbot)


def test_what_waits_is_not_asked_in_the_place_of_what_is_changed(chat: MainWindow, qtbot: QtBot) -> None:
    editing = edit(chat, 0)
    session = chat.sessions.current
    session.queue.put(ChatMessage.user("waited"))
    session.queue.sendRequested.emit()
    assert texts(chat) == ["a", "one", "b", "two"]
    editing.cancel.click()
    qtbot.waitUntil(lambda: texts(chat) == ["a", "one", "b", "two", "waited", "three"])
    wait_for_end(chat, qtbot)
