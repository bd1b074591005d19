"""What holds for one chat holds for the next question, whether the disk knows it yet or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.store import chats
from support.chatting import PATIENCE, ask, talk_to, wait_for_end
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import pytest
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def test_a_question_follows_what_was_set_just_before_it(
    window: MainWindow, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(answer("one"), answer("two")) as server:
        talk_to(services, server)
        window.sessions.current.settings.set(system_prompt="Be brief.", tools="all")
        ask(window, "a")
        wait_for_end(window, qtbot)
        assert server.requests[0].json["tools"]

        # (a disk so slow that nothing of it is there while the question is answered)
        monkeypatch.setattr(chats, "configure", lambda *_: None)
        window.sessions.current.settings.set(system_prompt="Be long.", tools=None)
        ask(window, "b")
        wait_for_end(window, qtbot)
        assert server.requests[1].json["messages"][0]["content"] == "Be long."
        assert "tools" not in server.requests[1].json


def test_what_was_set_is_on_its_way_to_the_disk_at_once(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("one")) as server:
        talk_to(services, server)
        ask(window, "a")
        wait_for_end(window, qtbot)
    session = window.sessions.current
    assert session.chat_id is not None

    kept: list[Mapping[str, Any]] = []
    session.settings.set(system_prompt="Be brief.")
    # (a write that is asked for only now stands behind it)
    services.desk.kept.write(chats.get, session.chat_id).ready(lambda chat: kept.append(chat.settings))
    qtbot.waitUntil(lambda: bool(kept), timeout=PATIENCE)
    assert kept[0]["system_prompt"] == "Be brief."
