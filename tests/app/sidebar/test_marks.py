"""Several chats at once: marked by mouse and keyboard, and everything that is done to all of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from support.chat_lists import choose, click, mark, marked, press, rows, titles
from support.chatting import PATIENCE, ask, talk_to, texts, wait_for_end
from support.fake_server import FakeServer, sse_end, sse_text, stream

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_marking_shows_no_chat_and_a_plain_click_shows_one(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.sidebar
    click(bar, "Water")
    qtbot.waitUntil(lambda: texts(window) == ["All about water"], timeout=PATIENCE)
    assert not bar._marked.isVisible()
    click(bar, "Tea", CTRL)
    assert marked(bar) == ["Water", "Tea"]
    assert bar._marked.text == "2 chats marked"
    click(bar, "Water")
    click(bar, "Tea", SHIFT)
    assert marked(bar) == ["Water", "Coffee", "Tea"]
    assert texts(window) == ["All about water"]
    QTest.keyClick(bar.list, Qt.Key.Key_Escape)
    assert marked(bar) == ["Water"]


def test_marks_stay_while_answers_come_and_go_elsewhere(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    bar = window.sidebar
    release = threading.Event()
    with FakeServer(stream(sse_text("one"), lambda exchange: exchange.wait(release), sse_end())) as server:
        talk_to(services, server)
        ask(window, "Something else")
        qtbot.waitUntil(lambda: len(titles(bar)) == 4, timeout=PATIENCE)
        mark(bar, "Coffee")
        click(bar, "Tea", CTRL)
        assert marked(bar) == ["Coffee", "Tea"]
        release.set()
        wait_for_end(window, qtbot)
        qtbot.waitUntil(lambda: "Something else" in titles(bar), timeout=PATIENCE)
        assert marked(bar) == ["Coffee", "Tea"]


def test_all_that_are_marked_are_pinned_archived_or_deleted_together(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    bar = window.sidebar
    mark(bar, "Coffee")
    QTest.keyClick(bar.list, Qt.Key.Key_Down, SHIFT)
    assert marked(bar) == ["Coffee", "Tea"]
    choose(bar.chat_actions.menu(bar.marked, bar), "Pin")
    qtbot.waitUntil(lambda: rows(bar) == ["Pinned", "Coffee", "Tea", "Today", "Water"], timeout=PATIENCE)
    assert marked(bar) == ["Coffee", "Tea"]
    press(bar, "Archive the marked chats")
    qtbot.waitUntil(lambda: titles(bar) == ["Water"], timeout=PATIENCE)
    assert window._toast.text == "2 chats archived"
    bar.show_section("archive")
    mark(bar, "Coffee")
    click(bar, "Tea", CTRL)
    press(bar, "Delete the marked chats")
    qtbot.waitUntil(lambda: titles(bar) == [], timeout=PATIENCE)
    qtbot.waitUntil(lambda: window._toast.text == "2 chats deleted", timeout=PATIENCE)
    bar.show_section("trash")
    assert sorted(titles(bar)) == ["Coffee", "Tea"]
    QTest.keyClick(bar.list, Qt.Key.Key_A, CTRL)
    press(bar, "Bring the marked chats back")
    qtbot.waitUntil(lambda: titles(bar) == [], timeout=PATIENCE)
    qtbot.waitUntil(lambda: len(services.library.chats) == 3, timeout=PATIENCE)


def test_what_is_removed_is_gone_at_once_whatever_its_number(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    bar = window.sidebar
    signals = services.library.chatRemoved
    services.library._chats = {id: chat for id, chat in services.library._chats.items() if chat.title != "Tea"}
    signals.emit(3_000_000)
    qtbot.waitUntil(lambda: titles(bar) == ["Water", "Coffee"], timeout=PATIENCE)


def test_everything_of_the_chat_that_is_shown_is_in_the_palette(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    bar = window.sidebar
    click(bar, "Tea")
    qtbot.waitUntil(lambda: texts(window) == ["All about tea"], timeout=PATIENCE)
    window.commands.run("chat.pin")
    qtbot.waitUntil(lambda: rows(bar)[:2] == ["Pinned", "Tea"], timeout=PATIENCE)
    window.commands.run("chat.archive")
    qtbot.waitUntil(lambda: "Tea" not in rows(bar), timeout=PATIENCE)
    window.commands.run("chat.archive")
    qtbot.waitUntil(lambda: "Tea" in rows(bar), timeout=PATIENCE)
    window.commands.run("chat.delete")
    qtbot.waitUntil(lambda: "Tea" not in rows(bar), timeout=PATIENCE)
    assert services.library.trashed[0].title == "Tea"


def test_after_a_search_the_chat_that_is_shown_is_marked_and_stays_so(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    bar = window.sidebar
    bar.focus_search()
    QTest.keyClicks(bar.field, "about coff")
    qtbot.waitUntil(lambda: titles(bar) == ["Coffee"], timeout=PATIENCE)
    services.library.reset.emit()  # (the chats are ordered anew while the list shows what was found)
    QTest.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: texts(window) == ["All about coffee"], timeout=PATIENCE)
    bar.focus_search()
    QTest.keyClick(bar.field, Qt.Key.Key_Escape)
    assert marked(bar) == ["Coffee"]
    services.library.reset.emit()
    assert marked(bar) == ["Coffee"]
    click(bar, "Tea", CTRL)
    services.library.reset.emit()
    assert marked(bar) == ["Coffee", "Tea"]
