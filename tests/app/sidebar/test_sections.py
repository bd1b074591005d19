"""The archive and the trash: what is there, how it is found, and the ways back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from rillet.core.store import chats, search
from support.chat_lists import choose, click, mark, press, rows, titles
from support.chatting import PATIENCE, button, texts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def archive(window: MainWindow, qtbot: QtBot, title: str) -> None:
    bar = window.sidebar
    mark(bar, title)
    choose(bar.chat_actions.menu(bar.marked, bar), "Archive")
    qtbot.waitUntil(lambda: title not in titles(bar), timeout=PATIENCE)


def delete(window: MainWindow, qtbot: QtBot, title: str) -> None:
    mark(window.sidebar, title)
    QTest.keyClick(window.sidebar.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: title not in titles(window.sidebar), timeout=PATIENCE)


def answer_box(qtbot: QtBot, text: str) -> None:
    """Press a button of the question that is asked."""
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox), timeout=PATIENCE)
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    next(each for each in box.buttons() if each.text() == text).click()


def test_what_is_archived_is_in_the_archive_and_says_so_and_comes_back(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    archive(window, qtbot, "Coffee")
    assert window._toast.text == "Chat archived"
    window.commands.run("list.archive")
    assert rows(bar) == ["Today", "Coffee"]
    click(bar, "Coffee")
    qtbot.waitUntil(lambda: texts(window) == ["All about coffee"], timeout=PATIENCE)
    assert "archived" in window.sessions.current.standing.text
    button(window, "Take out of the archive").click()
    qtbot.waitUntil(lambda: rows(bar) == [], timeout=PATIENCE)
    assert not window.sessions.current.standing.isVisible()
    press(bar, "Back to the chats")
    assert "Coffee" in titles(bar)


def test_archiving_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    archive(window, qtbot, "Coffee")
    assert window._toast.undo()
    qtbot.waitUntil(lambda: "Coffee" in titles(window.sidebar), timeout=PATIENCE)


def test_escape_leads_from_a_section_back_to_the_chats_and_from_there_to_the_field(
    window: MainWindow, qtbot: QtBot
) -> None:
    bar = window.sidebar
    window.activateWindow()
    window.commands.run("list.trash")
    assert bar.section == "trash"
    assert "empty" in bar._nothing.text()
    QTest.keyClick(bar.list, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: bar._model.section == "chats")
    QTest.keyClick(bar.list, Qt.Key.Key_Escape)
    field = window.view.composer.focusProxy()
    assert field is not None
    qtbot.waitUntil(field.hasFocus, timeout=PATIENCE)


@pytest.mark.parametrize("section", ["archive", "trash"])
def test_a_search_looks_where_one_is(section: str, window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    (archive if section == "archive" else delete)(window, qtbot, "Coffee")
    press(bar, f"Show the {section}")
    QTest.keyClicks(bar.field, "about")
    qtbot.waitUntil(lambda: rows(bar) == ["Coffee"], timeout=PATIENCE)
    window.searchChats()
    assert titles(bar) == ["Water", "Tea"]
    QTest.keyClicks(bar.field, "about")
    wanted = ["Water", "Coffee", "Tea"] if section == "archive" else ["Water", "Tea"]
    qtbot.waitUntil(lambda: rows(bar) == wanted, timeout=PATIENCE)


def test_a_deleted_chat_can_be_read_in_the_trash_but_not_gone_on_with_until_it_is_brought_back(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    bar = window.sidebar
    delete(window, qtbot, "Coffee")
    press(bar, "Show the trash")
    click(bar, "Coffee")
    qtbot.waitUntil(lambda: texts(window) == ["All about coffee"], timeout=PATIENCE)
    assert window.view.isReadOnly()
    assert "will be deleted for good" in window.sessions.current.standing.text
    button(window, "Bring back").click()
    qtbot.waitUntil(lambda: not window.view.isReadOnly() and rows(bar) == [], timeout=PATIENCE)
    press(bar, "Show the trash")
    qtbot.waitUntil(lambda: titles(bar) == ["Water", "Coffee", "Tea"], timeout=PATIENCE)
    qtbot.waitUntil(lambda: len(services.desk.read(chats.overview).get(30)) == 3, timeout=PATIENCE)


def test_bringing_back_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    delete(window, qtbot, "Coffee")
    bar.show_section("trash")
    mark(bar, "Coffee")
    choose(bar.chat_actions.menu(bar.marked, bar), "Bring back")
    qtbot.waitUntil(lambda: rows(bar) == [], timeout=PATIENCE)
    assert window._toast.undo()
    qtbot.waitUntil(lambda: titles(bar) == ["Coffee"], timeout=PATIENCE)


def test_for_good_is_asked_about_first(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    bar = window.sidebar
    delete(window, qtbot, "Coffee")
    delete(window, qtbot, "Tea")
    bar.show_section("trash")
    mark(bar, "Coffee")
    QTest.keyClick(bar.list, Qt.Key.Key_Delete)
    answer_box(qtbot, "Cancel")
    assert titles(bar) == ["Tea", "Coffee"]
    QTest.keyClick(bar.list, Qt.Key.Key_Delete)
    answer_box(qtbot, "Delete")
    qtbot.waitUntil(lambda: titles(bar) == ["Tea"], timeout=PATIENCE)
    press(bar, "everything in the trash")
    answer_box(qtbot, "Delete")
    qtbot.waitUntil(lambda: titles(bar) == [], timeout=PATIENCE)
    qtbot.waitUntil(lambda: services.desk.read(chats.trashed).get(30) == [], timeout=PATIENCE)
    assert services.desk.read(search.search, "coffee", among="trash").get(30).hits == ()
