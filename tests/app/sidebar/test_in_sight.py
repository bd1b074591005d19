"""What is shown beside the list is in sight in the list, however the person came to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.app import coroutines
from rillet.app.palette_window import PaletteWindow
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage
from support.chat_lists import click, marked, titles
from support.chatting import PATIENCE, ask, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from sqlite3 import Connection

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.sidebar.sidebar import Sidebar
    from rillet.app.window import MainWindow

COUNT = 120


def _make(db: Connection) -> None:
    for number in range(COUNT):
        chat = chats.create(db, title=f"Chat {number:03}")
        messages.add(db, chat, None, ChatMessage.user(f"All about {number:03}"))


@pytest.fixture
def many(window: MainWindow, services: Services, qtbot: QtBot) -> Sidebar:
    """The list of very many chats."""
    services.desk.write(_make).get(30)
    coroutines.start(services.library.load())
    qtbot.waitUntil(lambda: len(titles(window.sidebar)) == COUNT + 3, timeout=PATIENCE)
    return window.sidebar


def _is_in_sight(bar: Sidebar, chat_id: int | None) -> bool:
    row = None if chat_id is None else bar._model.row_of(chat_id)
    if row is None:
        return False
    return bar.list.viewport().rect().contains(bar.list.visualRect(bar._model.index(row)))


def _scroll_to_end(bar: Sidebar) -> None:
    bar.list.verticalScrollBar().setValue(bar.list.verticalScrollBar().maximum())


def test_a_new_chat_comes_into_sight(window: MainWindow, services: Services, many: Sidebar, qtbot: QtBot) -> None:
    click(many, "Chat 119")
    qtbot.waitUntil(lambda: texts(window) == ["All about 119"], timeout=PATIENCE)
    _scroll_to_end(many)
    with FakeServer(answer("Salt.")) as server:
        talk_to(services, server)
        window.commands.run("chat.new")
        ask(window, "What is in the sea?")
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: _is_in_sight(many, window.sessions.current.chat_id), timeout=PATIENCE)
        qtbot.waitUntil(lambda: marked(many) == ["What is in the sea"], timeout=PATIENCE)


def test_a_chat_that_is_chosen_in_the_palette_comes_into_sight(window: MainWindow, many: Sidebar, qtbot: QtBot) -> None:
    window.openPalette()
    palette = window.findChild(PaletteWindow)
    assert palette is not None
    field = palette.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "Chat 004")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: texts(window) == ["All about 004"], timeout=PATIENCE)
    qtbot.waitUntil(lambda: _is_in_sight(many, window.sessions.current.chat_id), timeout=PATIENCE)


def test_a_list_that_is_scrolled_stays_where_it_is_while_other_chats_are_answered(
    window: MainWindow, services: Services, many: Sidebar, qtbot: QtBot
) -> None:
    click(many, "Chat 119")
    qtbot.waitUntil(lambda: texts(window) == ["All about 119"], timeout=PATIENCE)
    _scroll_to_end(many)
    end = many.list.verticalScrollBar().value()
    renamed = services.library.chats[3]
    coroutines.start(services.library.rename(renamed.id, "Another name"))
    coroutines.start(services.library.pin([renamed.id], pinned=True))
    qtbot.waitUntil(lambda: titles(many)[0] == "Another name", timeout=PATIENCE)
    assert abs(many.list.verticalScrollBar().value() - end) < 100
    assert not _is_in_sight(many, window.sessions.current.chat_id)


def test_a_chat_that_moves_up_because_it_is_answered_stays_in_sight(
    window: MainWindow, services: Services, many: Sidebar, qtbot: QtBot
) -> None:
    _scroll_to_end(many)
    click(many, "Chat 004")
    qtbot.waitUntil(lambda: texts(window) == ["All about 004"], timeout=PATIENCE)
    with FakeServer(answer("Salt.")) as server:
        talk_to(services, server)
        ask(window, "What is in the sea?")
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: _is_in_sight(many, window.sessions.current.chat_id), timeout=PATIENCE)
    assert titles(many).index("Chat 004") < 5
