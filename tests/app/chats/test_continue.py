"""An answer that broke off is gone on with where it stopped, now or after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QToolButton

from rillet.core.chat.answering import GO_ON
from rillet.core.store import messages
from support.chatting import ask, button, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer, close, hold, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def stop_before_its_place_is_told(window: MainWindow, server: FakeServer) -> None:
    """Stop the next answer when its request has arrived, with no event turned since it began."""

    def stop(answering: bool) -> None:
        if answering:
            session.answeringChanged.disconnect(stop)
            server.wait_requests()
            window.stop()

    session = window.sessions.current
    session.answeringChanged.connect(stop)


@pytest.mark.parametrize("how", ["limit", "broken"])
def test_continue_goes_on_where_the_answer_stopped(
    how: str, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    end = sse_end("length") if how == "limit" else close
    with FakeServer(stream(sse_text("The e"), end), answer("nd.")) as server:
        talk_to(services, server)
        ask(window, "Tell")
        wait_for_end(window, qtbot)
        button(window, "Continue").click()
        qtbot.waitUntil(lambda: texts(window) == ["Tell", "The e", "nd."])
        wait_for_end(window, qtbot)
        sent = [message["content"] for message in server.requests[1].json["messages"]]
    assert sent == ["Tell", "The e", GO_ON.text]
    assert not any(each.isVisible() and each.text() == "Continue" for each in window.view.findChildren(QToolButton))


def test_stop_is_heeded_also_before_the_answer_has_begun(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("The e"), hold), answer("again")) as server:
        talk_to(services, server)
        ask(window, "Tell")
        window.stop()
        wait_for_end(window, qtbot)
        assert window.view.handles()[-1].entry.foot.note == "Stopped by you"
        button(window, "Try again").click()
        qtbot.waitUntil(lambda: len(texts(window)) == 2)
        assert texts(window)[0] == "Tell"
        window.stop()
        wait_for_end(window, qtbot)


def test_an_answer_that_was_stopped_before_its_place_was_told_can_be_tried_again(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(hold, answer("again")) as server:
        talk_to(services, server)
        stop_before_its_place_is_told(window, server)
        ask(window, "Tell")
        wait_for_end(window, qtbot)
        button(window, "Try again").click()
        qtbot.waitUntil(lambda: texts(window) == ["Tell", "again"])
        wait_for_end(window, qtbot)


def test_what_is_asked_after_a_stopped_answer_follows_it(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(stream(sse_text("The e"), hold), answer("nd.")) as server:
        talk_to(services, server)
        stop_before_its_place_is_told(window, server)
        ask(window, "Tell")
        wait_for_end(window, qtbot)
        ask(window, "And?")
        qtbot.waitUntil(lambda: texts(window)[-1] == "nd.")
        wait_for_end(window, qtbot)
        chat = window.sessions.current.chat_id
        assert chat is not None
        kept = services.desk.read(messages.path, chat).get(30)
        assert [node.message.role for node in kept] == ["user", "assistant", "user", "assistant"]


def test_a_stopped_answer_offers_both_ways_beside_each_other_also_after_a_restart(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(stream(sse_text("The e"), hold), answer("nd."), answer("other")) as server:
        talk_to(services, server)
        ask(window, "Tell")
        qtbot.waitUntil(lambda: texts(window)[-1] == "The e")
        window.stop()
        wait_for_end(window, qtbot)
        retry, resume = button(window, "Try again"), button(window, "Continue")
        assert not retry.geometry().intersects(resume.geometry())
        chat = window.sessions.current.chat_id
        assert chat is not None
        window.sessions.close(chat)
        window.sessions.open(chat)
        qtbot.waitUntil(lambda: texts(window) == ["Tell", "The e"])
        button(window, "Continue").click()
        qtbot.waitUntil(lambda: texts(window) == ["Tell", "The e", "nd."])
        wait_for_end(window, qtbot)
        window.sessions.current.regenerate(window.view.handles()[-1])
        qtbot.waitUntil(lambda: texts(window) == ["Tell", "The e", "other"])
        wait_for_end(window, qtbot)
        assert server.requests[2].json["messages"] == server.requests[1].json["messages"]


def test_a_chat_that_is_let_go_while_it_is_answered_ends_in_peace(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(stream(sse_text("The e"), hold), answer("well")) as server:
        talk_to(services, server)
        ask(window, "Tell")
        qtbot.waitUntil(lambda: texts(window)[-1] == "The e")
        session = window.sessions.current
        assert session.chat_id is not None
        with qtbot.waitSignals([session.destroyed, session.view.destroyed]):
            window.sessions.close(session.chat_id)
        assert server.wait_closed()
        ask(window, "And?")
        wait_for_end(window, qtbot)
        assert texts(window) == ["And?", "well"]
