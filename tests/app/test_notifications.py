"""Answers that end while nobody looks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from rillet.app.desktop_notice import DesktopNotices
from support.fake_server import FakeServer, answer, close, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


@pytest.fixture
def window(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The one in front."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


@pytest.fixture
def alerts(monkeypatch: pytest.MonkeyPatch) -> list[QWidget]:
    told: list[QWidget] = []
    monkeypatch.setattr(QApplication, "alert", told.append)
    return told


def ask(window: MainWindow, services: Services, server: FakeServer) -> None:
    services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, "Hi")
    QTest.keyClick(field, Qt.Key.Key_Return)


def look_away(qtbot: QtBot) -> QWidget:
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    return other


@pytest.mark.parametrize("end", [sse_end(), close], ids=["answered", "broken off"])
def test_an_answer_that_ends_behind_other_windows_asks_for_attention_until_one_comes_back(
    end: object, window: MainWindow, services: Services, alerts: list[QWidget], qtbot: QtBot
) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("Hello"), gate, end)) as server:  # type: ignore[arg-type]
        ask(window, services, server)
        qtbot.waitUntil(lambda: len(window.view.history()) == 2)
        look_away(qtbot)
        assert alerts == []
        gate.set()
        qtbot.waitUntil(lambda: window.windowTitle() == "(1) Rillet")
    assert alerts == [window]
    window.activateWindow()
    qtbot.waitUntil(lambda: window.windowTitle() == "Rillet")
    assert services.library.unread_count == 0


def test_a_window_in_front_asks_for_nothing(
    window: MainWindow, services: Services, alerts: list[QWidget], qtbot: QtBot
) -> None:
    with FakeServer(answer("Hello")) as server:
        ask(window, services, server)
        qtbot.waitUntil(lambda: not window.view.composer.isBusy() and len(window.view.history()) == 2)
    assert alerts == []
    assert window.windowTitle() == "Rillet"


def test_the_title_counts_chats_that_were_answered_while_another_was_shown(
    window: MainWindow, services: Services, alerts: list[QWidget], qtbot: QtBot
) -> None:
    gate = threading.Event()
    with FakeServer(stream(sse_text("Hello"), gate, sse_end())) as server:
        ask(window, services, server)
        qtbot.waitUntil(lambda: len(window.view.history()) == 2)
        chat = window.sessions.current.chat_id
        assert chat is not None
        window.newChat()
        gate.set()
        qtbot.waitUntil(lambda: window.windowTitle() == "(1) Rillet")
    assert alerts == [], "the window is in front: the mark in the list will do"
    window.sessions.open(chat)
    qtbot.waitUntil(lambda: window.windowTitle() == "Rillet")


def test_a_notice_that_is_pressed_brings_its_chat_to_the_front(
    window: MainWindow, services: Services, alerts: list[QWidget], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, str, str]] = []
    monkeypatch.setattr(DesktopNotices, "show", lambda _self, *notice: shown.append(notice))
    gate = threading.Event()
    with FakeServer(stream(sse_text("Hello"), gate, sse_end())) as server:
        ask(window, services, server)
        qtbot.waitUntil(lambda: len(window.view.history()) == 2)
        asked = window.sessions.current
        window.sessions.new()
        look_away(qtbot)
        gate.set()
        qtbot.waitUntil(lambda: len(shown) == 1)
    assert shown == [(str(asked.chat_id), "Rillet", "There is something new in a chat")]
    window._notifications._notices.pressed.emit(shown[0][0])
    qtbot.waitUntil(window.isActiveWindow)
    assert window.sessions.current is asked
