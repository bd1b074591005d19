"""Folders: made, named, filled, folded, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QModelIndex, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.core.store import chats
from support.chat_lists import choose, click, index_of, mark, rows
from support.chatting import PATIENCE, ask, talk_to, wait_for_end
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow


def name_it(window: MainWindow, qtbot: QtBot, name: str) -> None:
    """Write into the field that has opened in the list."""
    bar = window.sidebar
    qtbot.waitUntil(lambda: bar.list.findChild(QLineEdit) is not None, timeout=PATIENCE)
    editor = bar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText(name)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: name in rows(bar), timeout=PATIENCE)


def drinks(window: MainWindow, qtbot: QtBot) -> None:
    """A folder with two chats."""
    bar = window.sidebar
    mark(bar, "Tea")
    menu = bar.chat_actions.folders_menu([chat.id for chat in bar.marked], bar)
    choose(menu, "New folder…")
    name_it(window, qtbot, "Drinks")
    qtbot.waitUntil(lambda: rows(bar) == ["Drinks", "Tea", "Today", "Water", "Coffee"], timeout=PATIENCE)


def test_a_folder_is_made_with_chats_in_it_and_named_at_once(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    drinks(window, qtbot)
    assert [folder.name for folder in services.desk.read(chats.folders).get(30)] == ["Drinks"]


def test_a_folder_is_folded_by_click_or_key_and_stays_so(window: MainWindow, qtbot: QtBot) -> None:
    drinks(window, qtbot)
    bar = window.sidebar
    click(bar, "Drinks")
    assert rows(bar) == ["Drinks", "Today", "Water", "Coffee"]
    mark(bar, "Drinks")
    QTest.keyClick(bar.list, Qt.Key.Key_Return)
    assert rows(bar)[:2] == ["Drinks", "Tea"]
    click(bar, "Drinks")
    window.close()
    assert WindowState(paths().window).folded_folders == tuple(bar._model.folded)
    assert len(bar._model.folded) == 1


def test_chats_are_dragged_into_a_folder_and_out_again(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    drinks(window, qtbot)
    bar = window.sidebar

    def drop(title: str, onto: str) -> None:
        data: QMimeData = bar._model.mimeData([index_of(bar, title)])
        place = bar.list.visualRect(index_of(bar, onto)).center()
        event = QDropEvent(
            place.toPointF(),
            Qt.DropAction.MoveAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        bar.list.dropEvent(event)

    drop("Water", "Drinks")
    qtbot.waitUntil(lambda: rows(bar) == ["Drinks", "Water", "Tea", "Today", "Coffee"], timeout=PATIENCE)
    drop("Water", "Coffee")
    qtbot.waitUntil(lambda: rows(bar) == ["Drinks", "Tea", "Today", "Water", "Coffee"], timeout=PATIENCE)
    assert bar._model.mimeData([QModelIndex(index_of(bar, "Drinks"))]).formats() == ["application/x-rillet-chats"]


def test_a_folder_is_renamed_and_removed_and_comes_back(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    drinks(window, qtbot)
    bar = window.sidebar
    mark(bar, "Drinks")
    QTest.keyClick(bar.list, Qt.Key.Key_F2)
    name_it(window, qtbot, "Hot drinks")
    mark(bar, "Hot drinks")
    QTest.keyClick(bar.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: rows(bar) == ["Today", "Water", "Coffee", "Tea"], timeout=PATIENCE)
    assert window._toast.undo()
    qtbot.waitUntil(lambda: rows(bar) == ["Hot drinks", "Tea", "Today", "Water", "Coffee"], timeout=PATIENCE)


def test_a_name_that_is_being_written_survives_what_happens_elsewhere(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    bar = window.sidebar
    mark(bar, "Tea")
    QTest.keyClick(bar.list, Qt.Key.Key_F2)
    editor = bar.list.findChild(QLineEdit)
    assert editor is not None
    editor.setText("Green tea")
    with FakeServer(answer("one")) as server:
        talk_to(services, server)
        ask(window, "Something else")
        wait_for_end(window, qtbot)
    qtbot.waitUntil(lambda: len(services.library.chats) == 4, timeout=PATIENCE)
    assert bar.list.findChild(QLineEdit) is editor
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Green tea" in rows(bar) and "Something else" in rows(bar), timeout=PATIENCE)
