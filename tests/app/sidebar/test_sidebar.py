"""The list of chats, as a person uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.core.store import chats
from support.chat_lists import choose, mark, titles
from support.chatting import PATIENCE

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def test_what_happened_last_stands_first_and_pinned_chats_above_all(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    assert titles(bar) == ["Water", "Coffee", "Tea"]
    mark(bar, "Tea")
    choose(bar.chat_actions.menu(bar.marked, bar), "Pin")
    qtbot.waitUntil(lambda: titles(bar) == ["Tea", "Water", "Coffee"], timeout=PATIENCE)


def test_a_chat_that_is_chosen_is_shown(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    mark(bar, "Coffee")
    QTest.keyClick(bar.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.text for each in window.view.history()] == ["All about coffee"], timeout=PATIENCE)


def test_typing_finds_chats_and_messages_and_escape_brings_the_list_back(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    bar.focus_search()
    QTest.keyClicks(bar.field, "about coff")
    qtbot.waitUntil(lambda: titles(bar) == ["Coffee"], timeout=PATIENCE)
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.text for each in window.view.history()] == ["All about coffee"], timeout=PATIENCE)
    bar.focus_search()
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(titles(bar)) == 3, timeout=PATIENCE)


def test_return_opens_the_first_hit_however_soon_it_comes_and_down_leads_to_the_list(
    window: MainWindow, qtbot: QtBot
) -> None:
    bar = window.sidebar
    bar.focus_search()
    QTest.keyClicks(bar.field, "about tea")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: [each.text for each in window.view.history()] == ["All about tea"], timeout=PATIENCE)
    assert titles(bar) == ["Tea"]
    bar.focus_search()
    QTest.keyClicks(bar.field, "nowhere at all")
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: titles(bar) == [], timeout=PATIENCE)
    assert [each.text for each in window.view.history()] == ["All about tea"]
    bar.focus_search()
    QTest.keyClicks(bar.field, "about")
    qtbot.waitUntil(lambda: len(titles(bar)) == 3, timeout=PATIENCE)
    QTest.keyClick(bar.field, Qt.Key.Key_Down)
    assert bar.list.hasFocus()
    assert [each.text for each in window.view.history()] == ["All about tea"]


def test_what_was_deleted_is_gone_and_can_be_brought_back(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    bar = window.sidebar
    mark(bar, "Tea")
    QTest.keyClick(bar.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: titles(bar) == ["Water", "Coffee"], timeout=PATIENCE)
    qtbot.waitUntil(window._toast.isVisible, timeout=PATIENCE)
    assert window._toast.text == "Chat deleted"
    assert window._toast.undo()
    qtbot.waitUntil(lambda: titles(bar) == ["Water", "Coffee", "Tea"], timeout=PATIENCE)


def test_a_title_is_changed_where_it_stands_and_stays(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    bar = window.sidebar
    mark(bar, "Tea")
    QTest.keyClick(bar.list, Qt.Key.Key_F2)
    editor = bar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Green tea")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Green tea" in titles(bar), timeout=PATIENCE)

    def kept() -> set[tuple[str, str | None]]:
        return {(chat.title, chat.title_by) for chat in services.desk.read(chats.overview).get(30)}

    qtbot.waitUntil(lambda: ("Green tea", "person") in kept(), timeout=PATIENCE)
