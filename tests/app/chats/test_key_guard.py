"""A text with a secret key in it is not sent by itself: a line above the field asks, and only its button sends it."""

from __future__ import annotations

import random
import string
import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.app.window import MainWindow
from rillet.core.types import ChatMessage
from support.chatting import PATIENCE, ask, button, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.chats.key_guard import KeyGuard
    from rillet.app.services import Services
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme

KEY = "sk-ant-api03-" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=90))
OTHER = "ghp_" + "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=36))


def guard(window: MainWindow) -> KeyGuard:
    return window.sessions.current.key_guard


def press_enter(window: MainWindow) -> None:
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Return)


def write(window: MainWindow, text: str) -> None:
    """Have it stand in the field, as after a paste, and try to send it."""
    window.view.composer.setText(text)
    press_enter(window)


def test_nothing_is_said_about_ordinary_text(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("Hello.")) as server:
        talk_to(services, server)
        ask(window, "Why does sk-learn want 3f67f0b1c2d4e5f60718293a4b5c6d7e8f901234?")
        wait_for_end(window, qtbot)
        assert not guard(window).isVisible()
        assert len(server.requests) == 1


def test_a_key_is_sent_by_the_button_only(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("Hello."), answer("Again.")) as server:
        talk_to(services, server)
        text = f"Why is {KEY} refused?"
        write(window, text)
        assert guard(window).isVisible()
        assert "sk-ant-…" in guard(window).text
        assert "Anthropic" in guard(window).text
        assert KEY not in guard(window).text
        for _ in range(3):
            press_enter(window)
        window.view.composer.send()
        assert window.view.composer.text() == text
        assert texts(window) == []
        assert not window.view.composer.isBusy()
        send = button(window, "Send anyway")
        send.setFocus()
        QTest.keyClick(send, Qt.Key.Key_Space)
        wait_for_end(window, qtbot)
        assert not guard(window).isVisible()
        assert texts(window) == [text, "Hello."]
        assert window.view.composer.text() == ""
        write(window, f"{KEY} again")
        wait_for_end(window, qtbot)
        assert texts(window)[2:] == [f"{KEY} again", "Again."], "what was agreed to is not asked again"
        assert len(server.requests) == 2
        write(window, f"And {OTHER}?")
        assert "GitHub" in guard(window).text


def test_to_edit_is_to_have_the_key_at_hand_and_without_it_nothing_is_asked(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("Hello.")) as server:
        talk_to(services, server)
        write(window, f"Why is {KEY} refused?")
        button(window, "Edit").click()
        assert not guard(window).isVisible()
        press_enter(window)
        assert guard(window).isVisible(), "it is still there"
        button(window, "Edit").click()
        field = window.view.composer.focusProxy()
        assert field is not None
        QTest.keyClick(field, Qt.Key.Key_Delete)
        assert window.view.composer.text() == "Why is  refused?"
        press_enter(window)
        wait_for_end(window, qtbot)
        assert texts(window) == ["Why is  refused?", "Hello."]


def test_the_line_goes_when_the_key_is_gone_from_the_text(window: MainWindow) -> None:
    write(window, f"{KEY} and {OTHER}")
    assert "2 words of this (sk-ant-…, ghp_…) look like secret keys." in guard(window).text
    window.view.composer.setText(f"{OTHER} alone")
    assert "GitHub" in guard(window).text
    window.view.composer.setText("nothing")
    assert not guard(window).isVisible()


def test_what_waits_for_its_turn_is_asked_about_before_it_waits(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    release = threading.Event()
    slow = stream(sse_text("one"), lambda exchange: exchange.wait(release), sse_end())
    with FakeServer(slow, answer("two")) as server:
        talk_to(services, server)
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"], timeout=PATIENCE)
        write(window, KEY)
        assert guard(window).isVisible()
        assert not window.sessions.current.queue
        button(window, "Send anyway").click()
        assert len(window.sessions.current.queue) == 1
        release.set()
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", KEY, "two"], timeout=PATIENCE)
        wait_for_end(window, qtbot)


def test_a_change_of_an_earlier_question_is_asked_about_and_stays_one(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        talk_to(services, server)
        ask(window, "a")
        wait_for_end(window, qtbot)
        window.view.composer.setText("half")
        window.view.messageActionRequested.emit("edit", window.view.handles()[0])
        write(window, OTHER)
        editing = window.sessions.current.editing
        assert guard(window).isVisible()
        assert editing.isVisible()
        button(window, "Send anyway").click()
        qtbot.waitUntil(lambda: texts(window) == [OTHER, "two"], timeout=PATIENCE)
        wait_for_end(window, qtbot)
        assert window.view.composer.text() == "half"


def test_to_leave_a_change_takes_the_line_away(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("one")) as server:
        talk_to(services, server)
        ask(window, "a")
        wait_for_end(window, qtbot)
        window.view.messageActionRequested.emit("edit", window.view.handles()[0])
        write(window, KEY)
        assert guard(window).isVisible()
        window.sessions.current.editing.end()
        assert not guard(window).isVisible()


@pytest.mark.parametrize("text", [f"Why is {KEY} refused?", "Hello"])
def test_what_was_sent_before_the_program_was_ready_is_looked_at_too(
    state: WindowState, services: Services, theme: Theme, qtbot: QtBot, text: str
) -> None:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.show()
    with FakeServer(answer("Hi.")) as server:
        talk_to(services, server)
        window.view.sendRequested.emit(ChatMessage.user(text))
        window.serve(services)
        if text == "Hello":
            qtbot.waitUntil(lambda: texts(window) == ["Hello", "Hi."], timeout=PATIENCE)
            wait_for_end(window, qtbot)
        else:
            assert guard(window).isVisible()
            qtbot.waitUntil(lambda: window.sessions.current.unsent.is_shown, timeout=PATIENCE)
            assert window.view.composer.text() == text
            assert guard(window).isVisible()
            assert server.requests == []
    window.close()
