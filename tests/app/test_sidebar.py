"""The list of chats, as a person uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.app import coroutines
from rillet.app.sidebar.hits import HIT
from rillet.app.sidebar.model import CHAT
from rillet.app.window import MainWindow
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.sidebar.sidebar import Sidebar
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def window(state: WindowState, services: Services, theme: Theme, qtbot: QtBot) -> Iterator[MainWindow]:
    for title in ("Tea", "Coffee", "Water"):
        chat = services.desk.write(chats.create, title=title).get(10)
        services.desk.write(messages.add, chat, None, ChatMessage.user(f"All about {title.lower()}")).get(10)
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    coroutines.start(services.library.load())
    qtbot.waitUntil(lambda: len(titles(sidebar(window))) == 3, timeout=5000)
    yield window
    window.close()


def sidebar(window: MainWindow) -> Sidebar:
    return window._sidebar


def titles(bar: Sidebar) -> list[str]:
    model = bar.list.model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    return [str(index.data()) for index in rows if index.data(CHAT) is not None or index.data(HIT) is not None]


def mark(bar: Sidebar, title: str) -> None:
    model = bar.list.model()
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == title)
    bar.list.setFocus()
    bar.list.setCurrentIndex(model.index(row, 0))


def test_what_happened_last_stands_first_and_pinned_chats_above_all(window: MainWindow, qtbot: QtBot) -> None:
    bar = sidebar(window)
    assert titles(bar) == ["Water", "Coffee", "Tea"]
    mark(bar, "Tea")
    menu = bar.chat_actions.menu(bar.marked, bar)
    next(action for action in menu.actions() if action.text() == "Pin").trigger()
    qtbot.waitUntil(lambda: titles(bar) == ["Tea", "Water", "Coffee"], timeout=5000)


def test_a_chat_that_is_chosen_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    bar = sidebar(window)
    mark(bar, "Coffee")
    QTest.keyClick(bar.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.text for each in window.view.history()] == ["All about coffee"], timeout=5000)


def test_typing_finds_chats_and_messages_and_escape_brings_the_list_back(window: MainWindow, qtbot: QtBot) -> None:
    bar = sidebar(window)
    bar.focus_search()
    QTest.keyClicks(bar.field, "about coff")
    qtbot.waitUntil(lambda: titles(bar) == ["Coffee"], timeout=5000)
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    QTest.keyClick(bar.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.text for each in window.view.history()] == ["All about coffee"], timeout=5000)
    bar.focus_search()
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(titles(bar)) == 3, timeout=5000)


def test_what_was_deleted_is_gone_and_can_be_brought_back(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    bar = sidebar(window)
    mark(bar, "Tea")
    QTest.keyClick(bar.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: titles(bar) == ["Water", "Coffee"], timeout=5000)
    qtbot.waitUntil(window._toast.isVisible, timeout=5000)
    assert window._toast.text == "Chat deleted"
    assert window._toast.undo()
    qtbot.waitUntil(lambda: titles(bar) == ["Water", "Coffee", "Tea"], timeout=5000)


def test_a_title_is_changed_where_it_stands_and_stays(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    bar = sidebar(window)
    mark(bar, "Tea")
    QTest.keyClick(bar.list, Qt.Key.Key_F2)
    editor = bar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Green tea")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Green tea" in titles(bar), timeout=30_000)

    def kept() -> set[tuple[str, str | None]]:
        return {(chat.title, chat.title_by) for chat in services.desk.read(chats.overview).get(30)}

    qtbot.waitUntil(lambda: ("Green tea", "person") in kept(), timeout=30_000)
