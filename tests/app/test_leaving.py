"""Quitting while the disk takes nothing: it is asked first, and only when there is something to lose."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from rillet.core.config.paths import paths
from rillet.core.store import chats, database, messages
from rillet.core.types import ChatMessage
from rillet.qt import Engine
from support.chatting import ask, talk_to
from support.fake_server import FakeServer, answer
from support.unwritable import Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Unwritable]:
    """Full, with a chat on it from a time when it was not."""
    monkeypatch.setattr("rillet.core.store.writer.RETRY_SECONDS", 0.05)
    monkeypatch.setattr("rillet.app.keeper.RETRY_MS", 50)
    database.prepare(paths().store)
    with closing(database.connect(paths().store, writable=True)) as db:
        messages.add(db, chats.create(db, title="Kept"), None, ChatMessage.user("What are rivers?"))
    disk = Unwritable(paths().data, monkeypatch)
    disk.fault = "full"
    yield disk
    disk.fault = None


@pytest.fixture
def opened(disk: Unwritable, window: MainWindow, services: Services, qtbot: QtBot) -> MainWindow:
    """The window over that disk, which knows about it."""
    services.desk.open()
    qtbot.waitUntil(lambda: services.desk.trouble is not None)
    return window


@pytest.fixture
def asked(opened: MainWindow, services: Services, qtbot: QtBot) -> Iterator[MainWindow]:
    """The same, with a question that could not be saved."""
    with FakeServer(answer("They flow.")) as server:
        talk_to(services, server)
        ask(opened, "And what do they do?")
        yield opened


def question(window: MainWindow) -> QMessageBox | None:
    boxes = [box for box in window.findChildren(QMessageBox) if box.isVisible()]
    assert len(boxes) <= 1
    return boxes[0] if boxes else None


def press(window: MainWindow, text: str) -> None:
    box = question(window)
    assert box is not None
    QTest.mouseClick(next(each for each in box.buttons() if each.text() == text), Qt.MouseButton.LeftButton)


def quit_by_key(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def test_with_nothing_to_lose_nobody_is_asked(opened: MainWindow) -> None:
    assert opened.close()
    assert question(opened) is None


def test_what_is_not_saved_is_asked_about_and_the_safe_answer_is_the_first(asked: MainWindow, qtbot: QtBot) -> None:
    quit_by_key(asked)
    box = question(asked)
    assert box is not None
    assert "The disk is full." in box.informativeText()
    assert "is in memory only" in box.informativeText()
    assert box.defaultButton().text() == "Stay"
    quit_by_key(asked)
    assert question(asked) is box
    QTest.keyClick(box, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: question(asked) is None)
    assert asked.isVisible()
    quit_by_key(asked)
    press(asked, "Stay")
    qtbot.waitUntil(lambda: question(asked) is None)
    assert asked.isVisible()


def test_whoever_quits_all_the_same_is_not_held_up(asked: MainWindow, qtbot: QtBot) -> None:
    quit_by_key(asked)
    press(asked, "Quit anyway")
    qtbot.waitUntil(lambda: not asked.isVisible())
    assert question(asked) is None


def test_once_the_disk_takes_it_the_program_ends_as_was_wanted(
    asked: MainWindow, disk: Unwritable, services: Services, qtbot: QtBot
) -> None:
    quit_by_key(asked)
    assert question(asked) is not None
    disk.fault = None
    qtbot.waitUntil(lambda: not asked.isVisible())
    assert question(asked) is None
    services.close()
    Engine.default().shutdown()
    with closing(database.connect(paths().store, writable=False)) as db:
        kept = [chat for chat in chats.overview(db) if chat.title != "Kept"]
        assert messages.path(db, kept[0].id)[0].message.text == "And what do they do?"


def test_a_chat_that_is_kept_nowhere_is_nothing_to_lose(opened: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(answer("They flow.")) as server:
        opened.newTemporaryChat()
        session = opened.sessions.current
        session.picker.choose(services.enter_endpoint(f"{server.url}/v1", None, None), "m")
        ask(opened, "What do rivers do?")
        qtbot.waitUntil(lambda: not session.is_answering and len(opened.view.handles()) == 2)
    assert services.desk.unwritten == 0


def test_a_draft_is_something_to_lose(opened: MainWindow) -> None:
    opened.view.composer.setText("half a question")
    quit_by_key(opened)
    assert question(opened) is not None


def test_settings_are_something_to_lose(opened: MainWindow, services: Services, qtbot: QtBot) -> None:
    services.change(welcomed=True)
    qtbot.waitUntil(lambda: services.keeper.trouble is not None)
    quit_by_key(opened)
    box = question(opened)
    assert box is not None
    assert "The settings cannot be saved" in box.informativeText()


def test_the_system_is_not_asked(asked: MainWindow, qtbot: QtBot) -> None:
    quit_by_key(asked)
    asked.leave()
    qtbot.waitUntil(lambda: not asked.isVisible())
    assert question(asked) is None


def test_a_window_that_serves_nobody_yet_can_leave(window: MainWindow) -> None:
    window.leave()
    assert not window.isVisible()
