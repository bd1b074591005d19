"""Actions, their keys, and the command palette, driven by the keyboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListView

from rillet.app.actions import Action, bindings, normal
from rillet.app.fuzzy import fitness
from rillet.app.palette_window import PaletteWindow
from rillet.app.settings.dialog import SettingsDialog
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from support.fake_server import FakeServer, answer

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """The one in front."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def press(window: MainWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = CTRL) -> None:
    QTest.keyClick(window.view.composer.focusProxy() or window, key, modifiers)


def palette_of(window: MainWindow) -> PaletteWindow:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    palette = window.findChild(PaletteWindow)
    assert palette is not None
    return palette


def search(palette: PaletteWindow) -> QLineEdit:
    field = palette.findChild(QLineEdit)
    assert field is not None
    return field


def found(palette: PaletteWindow) -> list[str]:
    rows = palette.findChild(QListView)
    assert rows is not None
    model = rows.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def is_listed(services: Services, title: str) -> bool:
    return any(chat.title == title for chat in services.library.chats)


def have_chats(window: MainWindow, services: Services, qtbot: QtBot, *questions: str) -> None:
    for question in questions:
        with FakeServer(answer("Yes")) as server:
            services.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
            window.newChat()
            field = window.view.composer.focusProxy()
            assert field is not None
            QTest.keyClicks(field, question)
            QTest.keyClick(field, Qt.Key.Key_Return)
            qtbot.waitUntil(partial(is_listed, services, question))


# What belongs to whom


def action(id: str, keys: str) -> Action:
    return Action(id, id, lambda: None, keys)


def test_what_the_person_bound_goes_before_what_we_bound() -> None:
    ours = [action("a", "Ctrl+A"), action("b", "Ctrl+B")]
    assert bindings(ours, {"b": "Ctrl+A"}) == {"a": "", "b": "Ctrl+A"}


def test_a_key_that_a_file_gives_twice_belongs_to_the_first() -> None:
    ours = [action("a", "Ctrl+A"), action("b", "Ctrl+B")]
    assert bindings(ours, {"a": "F5", "b": "F5"}) == {"a": "F5", "b": ""}


@pytest.mark.parametrize("keys", ["", "nonsense", "Ctrl+Nonsense", "Ctrl+"])
def test_keys_that_are_none_bind_nothing(keys: str) -> None:
    assert normal(keys) in {"", "Ctrl++"}
    assert bindings([action("a", "Ctrl+A")], {"a": keys})["a"] == normal(keys)


def test_no_two_actions_of_the_window_want_the_same_keys(window: MainWindow) -> None:
    wanted = [normal(each.keys) for each in window.commands if each.keys]
    assert len(wanted) == len(set(wanted))
    assert "" not in wanted


# Keys


def test_a_rebound_key_works_at_once_and_after_the_next_start(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    assert window.commands.holder("Ctrl+B") is not None
    window.commands.bind("window.settings", "Ctrl+B")
    assert window.commands.keys("window.sidebar").isEmpty()
    press(window, Qt.Key.Key_B)
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    services.keeper.close()
    kept = SettingsFile(paths().settings).load().shortcuts
    assert kept == {"window.settings": "Ctrl+B", "window.sidebar": ""}
    window.commands.bind("window.settings", None)
    window.commands.bind("window.sidebar", None)
    services.keeper.close()
    assert SettingsFile(paths().settings).load().shortcuts == {}
    assert window.commands.keys("window.sidebar") == QKeySequence("Ctrl+B")


def test_the_keys_of_the_chats_go_round(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    have_chats(window, services, qtbot, "First", "Second")
    shown = [window.sessions.current.chat_id]
    for _ in range(2):
        press(window, Qt.Key.Key_PageDown)
        shown.append(window.sessions.current.chat_id)
    assert shown[0] == shown[2] != shown[1]
    press(window, Qt.Key.Key_PageUp)
    assert window.sessions.current.chat_id == shown[1]


def test_text_grows_and_shrinks_by_keys(window: MainWindow) -> None:
    press(window, Qt.Key.Key_Plus)
    assert window.view.zoom() == 1.1
    press(window, Qt.Key.Key_Minus)
    press(window, Qt.Key.Key_Minus)
    assert window.view.zoom() == 0.9
    press(window, Qt.Key.Key_0)
    assert window.view.zoom() == 1.0
    press(window, Qt.Key.Key_Equal)  # where the plus is, on many keyboards
    assert window.view.zoom() == 1.1
    press(window, Qt.Key.Key_Plus, CTRL | SHIFT)
    assert window.view.zoom() == 1.2


def test_the_search_over_all_chats_is_a_key_away_also_when_the_list_is_folded(window: MainWindow) -> None:
    press(window, Qt.Key.Key_B)
    assert not window._sidebar.isVisible()
    press(window, Qt.Key.Key_F, CTRL | SHIFT)
    assert window._sidebar.field.hasFocus()


# The palette


def test_the_palette_does_what_its_letters_name(window: MainWindow, qtbot: QtBot) -> None:
    press(window, Qt.Key.Key_K)
    palette = palette_of(window)
    qtbot.waitUntil(palette.isVisible)
    QTest.keyClicks(search(palette), "sett")
    assert found(palette)[0] == "Settings"
    QTest.keyClick(search(palette), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: (dialog := window.findChild(SettingsDialog)) is not None and dialog.isVisible())


def test_the_palette_opens_chats_models_and_pages(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    have_chats(window, services, qtbot, "Tides", "Moons")
    press(window, Qt.Key.Key_K)
    palette = palette_of(window)
    QTest.keyClicks(search(palette), "privacy")
    assert found(palette) == ["Settings: Privacy"]
    search(palette).clear()
    QTest.keyClicks(search(palette), "answer with m")
    assert "Answer with m" in found(palette)
    search(palette).clear()
    QTest.keyClicks(search(palette), "tides")
    QTest.keyClick(search(palette), Qt.Key.Key_Return)
    tides = next(chat.id for chat in services.library.chats if chat.title == "Tides")
    qtbot.waitUntil(lambda: window.sessions.current.chat_id == tides)


def test_what_was_done_last_comes_first_also_after_a_restart(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    press(window, Qt.Key.Key_K)
    palette = palette_of(window)
    QTest.keyClicks(search(palette), "larger")
    QTest.keyClick(search(palette), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.view.zoom() > 1)
    press(window, Qt.Key.Key_K)
    assert found(palette_of(window))[0] == "Larger text"
    services.keeper.close()
    assert SettingsFile(paths().settings).load().recent_actions == ("window.larger",)


def test_what_makes_no_sense_now_is_not_offered(window: MainWindow) -> None:
    press(window, Qt.Key.Key_K)
    offered = found(palette_of(window))
    assert "Answer the last question again" not in offered
    assert "New chat" in offered


def test_arrows_move_and_escape_leaves_everything_as_it_was(window: MainWindow, qtbot: QtBot) -> None:
    press(window, Qt.Key.Key_K)
    palette = palette_of(window)
    rows = palette.findChild(QListView)
    assert rows is not None
    QTest.keyClick(search(palette), Qt.Key.Key_Down)
    QTest.keyClick(search(palette), Qt.Key.Key_Down)
    QTest.keyClick(search(palette), Qt.Key.Key_Up)
    assert rows.currentIndex().row() == 1
    QTest.keyClicks(search(palette), "zzzz")
    assert not rows.isVisible()
    QTest.keyClick(search(palette), Qt.Key.Key_Return)
    assert palette.isVisible()
    QTest.keyClick(palette, Qt.Key.Key_Escape)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.findChild(PaletteWindow) is None


# How names are compared


@pytest.mark.parametrize(
    ("query", "best"),
    [("new", "new chat"), ("chat find", "find in this chat"), ("nch", "new chat"), ("sett", "settings")],
)
def test_the_best_name_wins(query: str, best: str) -> None:
    names = ["new chat", "find in this chat", "settings", "answer with a newer model", "reset the tools"]
    scored = [(score, name) for name in names if (score := fitness(query, name)) is not None]
    assert max(scored)[1] == best


@pytest.mark.parametrize("query", ["x", "hcn", "new nowhere", "wchat"])
def test_what_does_not_fit_is_not_found(query: str) -> None:
    assert fitness(query, "new chat") is None
