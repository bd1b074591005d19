"""An answer is asked for once more by somebody else, and a chat is named by whoever was chosen for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.app.models.popover import ModelPopover
from rillet.app.settings.chats import ChatsPage
from rillet.core.config.settings import ModelName
from support.chatting import PATIENCE, ask, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer, respond

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.widgets.theme.palette import Theme

MODELS = respond(200, {"data": [{"id": "m"}, {"id": "other-one"}]})


def choose_other(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    """Choose the other model in the list that has opened."""
    qtbot.waitUntil(lambda: window.findChild(ModelPopover) is not None, timeout=PATIENCE)
    popover = window.findChild(ModelPopover)
    assert popover is not None
    search = popover.findChild(QLineEdit)
    assert search is not None
    QTest.keyClicks(search, "other-one")
    here = services.choice.provider.id
    qtbot.waitUntil(
        lambda: (
            (offer := popover._list.highlighted) is not None and (offer.model, offer.provider.id) == ("other-one", here)
        ),
        timeout=PATIENCE,
    )
    QTest.keyClick(search, Qt.Key.Key_Return)


def test_another_model_answers_the_same_question_as_another_version(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("one"), MODELS, answer("two")) as server:
        talk_to(services, server)
        ask(window, "a")
        wait_for_end(window, qtbot)
        window.view.messageActionRequested.emit("regenerate-with", window.view.handles()[-1])
        server.wait_requests(2)
        choose_other(window, services, qtbot)
        qtbot.waitUntil(lambda: texts(window) == ["a", "two"], timeout=PATIENCE)
        answered = wait_for_end(window, qtbot)
        assert server.requests[2].json["model"] == "other-one"
        assert [message["content"] for message in server.requests[2].json["messages"]] == ["a"]
        qtbot.waitUntil(lambda: answered.entry.foot.versions == 2, timeout=PATIENCE)
    assert window.sessions.current.picker.choice.model == "other-one"


def test_a_small_model_names_the_chats_and_waiting_for_it_holds_up_nothing(
    window: MainWindow, services: Services, theme: Theme, qtbot: QtBot
) -> None:
    page = ChatsPage(services, theme)
    qtbot.addWidget(page)
    page._way.setCurrentIndex(page._way.findData("model"))
    assert services.settings.titles == "model"
    with FakeServer(answer("one"), answer("Tides by the moon"), answer("two")) as server:
        talk_to(services, server)
        services.change(title_model=ModelName(services.choice.provider.id, "small"))
        page.refresh()
        assert page._namer.who.text() == "small"
        ask(window, "a")
        wait_for_end(window, qtbot)
        ask(window, "b")
        qtbot.waitUntil(
            lambda: [chat.title for chat in services.library.chats] == ["Tides by the moon"], timeout=PATIENCE
        )
        wait_for_end(window, qtbot)
        assert sorted(request.json["model"] for request in server.requests) == ["m", "m", "small"]
    page._namer.nobody.click()
    assert services.settings.title_model is None


def test_no_chat_is_named_when_nobody_is_to_do_it(
    window: MainWindow, services: Services, theme: Theme, qtbot: QtBot
) -> None:
    page = ChatsPage(services, theme)
    qtbot.addWidget(page)
    page._way.setCurrentIndex(page._way.findData("off"))
    with FakeServer(answer("one")) as server:
        talk_to(services, server)
        ask(window, "a")
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: len(services.library.chats) == 1, timeout=PATIENCE)
    assert services.library.chats[0].title == ""
