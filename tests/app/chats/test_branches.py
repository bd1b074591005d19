"""What is done with older messages does not disturb the answer that is being written."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from support.chatting import PATIENCE, ask, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def test_an_answer_goes_on_while_older_messages_are_found_forked_or_wanted_gone(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    release = threading.Event()
    slow = stream(sse_text("two"), lambda exchange: exchange.wait(release), sse_text(" three"), sse_end())
    with FakeServer(answer("one"), slow) as server:
        talk_to(services, server)
        ask(window, "a")
        wait_for_end(window, qtbot)
        ask(window, "b")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "two"], timeout=PATIENCE)
        session = window.sessions.current
        assert session.chat_id is not None
        first = session._line.ids_of(window.view.handles()[0])[0]
        window.sessions.show_found(session.chat_id, first, "a")
        window.view.messageActionRequested.emit("delete", window.view.handles()[0])
        qtbot.waitUntil(lambda: "being written" in window._toast.text, timeout=PATIENCE)
        window.view.messageActionRequested.emit("fork", window.view.handles()[1])
        qtbot.waitUntil(lambda: window.sessions.current is not session, timeout=PATIENCE)
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"], timeout=PATIENCE)
        release.set()
        window.sessions.open(session.chat_id)
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "two three"], timeout=PATIENCE)
        wait_for_end(window, qtbot)


def test_a_deleted_message_is_brought_back(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        talk_to(services, server)
        for question in "ab":
            ask(window, question)
            wait_for_end(window, qtbot)
    window.view.messageActionRequested.emit("delete", window.view.handles()[1])
    qtbot.waitUntil(lambda: texts(window) == ["a", "b", "two"], timeout=PATIENCE)
    qtbot.waitUntil(lambda: window._toast.text == "Message deleted", timeout=PATIENCE)
    assert window._toast.undo()
    qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "two"], timeout=PATIENCE)
