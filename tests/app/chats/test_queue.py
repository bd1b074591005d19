"""Questions that are sent while an answer is being written wait their turn."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rillet.core.store import drafts
from support.chatting import ask, talk_to, texts
from support.fake_server import FakeServer, answer, hold, respond, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from support.fake_server import Script


def slow(release: threading.Event, text: str) -> Script:
    return stream(sse_text(text), lambda exchange: exchange.wait(release), sse_end())


def test_what_is_sent_meanwhile_is_asked_in_order_afterwards(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    release = threading.Event()
    with FakeServer(slow(release, "one"), answer("two"), answer("three")) as server:
        talk_to(services, server)
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"])
        ask(window, "b")
        ask(window, "c")
        queue = window.sessions.current.queue
        assert (len(queue), queue.isVisible()) == (2, True)
        assert texts(window) == ["a", "one"]
        release.set()
        qtbot.waitUntil(lambda: texts(window) == ["a", "one", "b", "two", "c", "three"])
        assert not queue.isVisible()


def test_what_waits_can_be_taken_away_and_changed(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    release = threading.Event()
    with FakeServer(slow(release, "one"), answer("two")) as server:
        talk_to(services, server)
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"])
        for text in ("gone", "changed"):
            ask(window, text)
        queue = window.sessions.current.queue
        queue._rows[0].remove.click()
        queue._rows[0].edit.click()
        assert not queue
        assert window.view.composer.text() == "changed"
        release.set()
        qtbot.waitUntil(lambda: not window.view.composer.isBusy())
        assert texts(window) == ["a", "one"]


def test_what_waits_is_held_when_the_answer_before_it_failed(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    release = threading.Event()

    def fails(exchange: object) -> None:
        assert release.wait(10)
        respond(401, {"error": {"message": "no"}})(exchange)  # type: ignore[arg-type]

    with FakeServer(fails, answer("two")) as server:
        talk_to(services, server)
        ask(window, "a")
        qtbot.waitUntil(window.view.composer.isBusy)
        ask(window, "b")
        queue = window.sessions.current.queue
        release.set()
        qtbot.waitUntil(lambda: not window.view.composer.isBusy())
        assert len(queue) == 1
        queue._send.click()
        qtbot.waitUntil(lambda: texts(window)[-1:] == ["two"])
        assert texts(window)[-2] == "b"


def test_what_waits_is_kept_as_the_draft_when_the_program_ends(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(stream(sse_text("one"), hold)) as server:
        talk_to(services, server)
        ask(window, "a")
        qtbot.waitUntil(lambda: texts(window) == ["a", "one"])
        for text in ("b", "c"):
            ask(window, text)
        window.view.composer.setText("half")
        chat_id = window.sessions.current.chat_id
        assert chat_id is not None
        window.close()
        kept: list[str] = []

        def is_kept() -> bool:
            services.desk.read(drafts.load, chat_id).ready(lambda draft: kept.append(draft.text))
            return kept[-1:] == ["b\n\nc\n\nhalf"]

        qtbot.waitUntil(is_kept)


def test_a_new_chat_is_another_one_also_while_the_first_is_not_in_the_store_yet(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        talk_to(services, server)
        ask(window, "a")
        window.newChat()
        ask(window, "b")
        assert len(window.sessions.current.queue) == 0
        assert texts(window)[0] == "b"
        qtbot.waitUntil(lambda: not window.view.composer.isBusy())
        assert len(services.library.chats) == 2
