"""A start over a folder that cannot be written: chats are read, what is new waits, and all of it is kept in the end."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines
from rillet.app.sidebar.hits import HIT
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.store import chats, database, drafts, messages
from rillet.core.store.trouble import DiskTrouble
from rillet.core.types import ChatMessage
from support.chat_lists import click, indexes, titles
from support.chatting import ask, talk_to, texts
from support.fake_server import FakeServer, answer
from support.unwritable import Unwritable

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from support.unwritable import Fault


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Unwritable:
    """It has a chat, from a time when it could be written."""
    monkeypatch.setattr("rillet.core.store.writer.RETRY_SECONDS", 0.05)
    monkeypatch.setattr("rillet.app.keeper.RETRY_MS", 50)
    database.prepare(paths().store)
    with closing(database.connect(paths().store, writable=True)) as db:
        chat = chats.create(db, title="Kept")
        messages.add(db, chat, None, ChatMessage.user("What are rivers?"))
        drafts.save(db, chat, drafts.SavedDraft("half a question"))
    return Unwritable(paths().data, monkeypatch)


@pytest.fixture(params=["read-only", "full"])
def fault(disk: Unwritable, request: pytest.FixtureRequest) -> Fault:
    disk.fault = request.param
    return disk.fault


def said(window: MainWindow) -> str:
    return window._banner.text


def status(window: MainWindow) -> str:
    """What the last message says it waits for."""
    return window.view.handles()[-1]._entry.foot.status


def test_chats_are_shown_and_found_and_what_is_sent_is_kept_once_the_disk_takes_it(
    fault: Fault, disk: Unwritable, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.desk.open()
    coroutines.start(services.library.load())
    qtbot.waitUntil(lambda: titles(window.sidebar) == ["Kept"])
    qtbot.waitUntil(lambda: fault in said(window))
    assert "Chats can be read. Make room on the disk, or make it writable" in said(window)
    click(window.sidebar, "Kept")
    qtbot.waitUntil(lambda: texts(window) == ["What are rivers?"])
    qtbot.waitUntil(lambda: window.view.composer.text() == "half a question")
    window.sidebar.field.setText("rivers")
    qtbot.waitUntil(lambda: any(index.data(HIT) for index in indexes(window.sidebar)))
    window.sidebar.field.setText("")
    with FakeServer(answer("They flow.")) as server:
        talk_to(services, server)
        qtbot.waitUntil(lambda: "The settings cannot be saved" in said(window))
        window.view.composer.setText("")
        ask(window, "And what do they do?")
        window.view.composer.setText("a new draft")
        window.sessions.current.saveDraft()
        assert texts(window)[:2] == ["What are rivers?", "And what do they do?"]
        assert window.view.composer.isBusy()
        assert status(window) == "Waiting for the disk…"
        assert "is in memory only" in said(window)
        assert services.desk.read(messages.ids, 1).get(30) == [1]
        disk.fault = None
        qtbot.waitUntil(lambda: texts(window) == ["What are rivers?", "And what do they do?", "They flow."])
        qtbot.waitUntil(lambda: said(window) == "" and not window.view.composer.isBusy())
    path = services.desk.read(messages.path, 1).get(30)
    assert [node.message.text for node in path] == texts(window)
    assert services.desk.read(drafts.load, 1).get(30).text == "a new draft"
    assert SettingsFile(paths().settings).load().provider == services.choice.provider.id


def test_a_chat_that_is_kept_nowhere_needs_no_disk(
    fault: Fault, window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.desk.open()
    with FakeServer(answer("They flow.")) as server:
        talk_to(services, server)
        window.newTemporaryChat()
        ask(window, "What do rivers do?")
        qtbot.waitUntil(lambda: texts(window) == ["What do rivers do?", "They flow."])
        assert status(window) == ""
    assert fault in said(window)


def test_an_answer_that_waits_for_a_disk_that_fails_only_now_says_so(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    services.desk.open()
    go_on = threading.Event()
    services.desk.write(lambda db: go_on.wait(30))
    with FakeServer(answer("They flow.")) as server:
        talk_to(services, server)
        ask(window, "What do rivers do?")
        assert status(window) == ""
        services.desk.trouble = DiskTrouble("The disk is full")
        services.desk.troubled.emit(services.desk.trouble)
        assert status(window) == "Waiting for the disk…"
        services.desk.trouble = None
        services.desk.troubled.emit(None)
        assert status(window) == ""
        go_on.set()
        qtbot.waitUntil(lambda: texts(window) == ["What do rivers do?", "They flow."])
