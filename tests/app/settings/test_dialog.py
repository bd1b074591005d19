"""The settings window: how it is opened, searched and left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget

from rillet.app import coroutines
from rillet.app.settings.dialog import SettingsDialog
from rillet.app.settings.page import Context
from rillet.app.settings.pages import entries
from rillet.app.window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.look import Look
    from rillet.app.services import Services
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme
    from support.key_stores import FakeKeyStore


@pytest.fixture
def window(state: WindowState, services: Services, look: Look, theme: Theme, qtbot: QtBot) -> Iterator[MainWindow]:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services, look)
    window.show()
    yield window
    window.close()


def page_list(dialog: SettingsDialog) -> QListWidget:
    return next(each for each in dialog.findChildren(QListWidget) if each.objectName() == "pages")


def listed(dialog: SettingsDialog) -> list[str]:
    pages = page_list(dialog)
    items = [pages.item(row) for row in range(pages.count())]
    return [item.text() for item in items if not item.isHidden()]


def search(dialog: SettingsDialog) -> QLineEdit:
    return next(each for each in dialog.findChildren(QLineEdit) if each.accessibleName() == "Search settings")


def test_the_side_bar_and_the_keyboard_open_one_and_the_same_window(window: MainWindow, qtbot: QtBot) -> None:
    assert window.findChild(SettingsDialog) is None, "nothing is built before it is wanted"
    window._sidebar.settingsRequested.emit()
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert dialog.isVisible()
    assert window.findChildren(SettingsDialog) == [dialog]


def test_every_page_can_be_built_and_opened_by_its_id(services: Services, look: Look, theme: Theme) -> None:
    context = Context(services, look)
    dialog = SettingsDialog(context, theme)
    for entry in entries(context):
        dialog.open_page(entry.id)
        assert dialog.page.accessibleName() == entry.title
    shown = dialog.page
    dialog.open_page("no such page")
    assert dialog.page is shown


def test_a_search_leaves_the_pages_that_say_the_words_and_shows_the_first(
    services: Services, look: Look, theme: Theme, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(Context(services, look), theme)
    dialog.show()
    everything = listed(dialog)
    search(dialog).setText("TELEMETRY account updates")
    assert len(dialog._pages) == 1, "what nobody has looked at is built piece by piece"
    qtbot.waitUntil(lambda: listed(dialog) == ["Privacy"])
    assert dialog.page.accessibleName() == "Privacy"
    search(dialog).setText("no page says this")
    assert listed(dialog) == []
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible(), "the first Escape empties the search"
    assert listed(dialog) == everything
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_on_a_small_screen_nothing_of_a_page_is_out_of_reach(
    services: Services, look: Look, theme: Theme, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(Context(services, look), theme)
    qtbot.addWidget(dialog)
    dialog.setMinimumSize(400, 300)
    dialog.resize(400, 300)
    dialog.show()
    for row in range(page_list(dialog).count()):
        page_list(dialog).setCurrentRow(row)
        qtbot.waitUntil(lambda: dialog.page.isVisible() and dialog.page.horizontalScrollBar().maximum() > 0)
        sheet = dialog.page.widget()
        assert sheet is not None
        assert dialog.page.horizontalScrollBar().maximum() == sheet.width() - dialog.page.viewport().width()
    coroutines.cancel_all()  # (before the page goes that they read for)


def test_the_arrow_down_leads_from_the_search_to_the_pages(
    services: Services, look: Look, theme: Theme, qtbot: QtBot
) -> None:
    dialog = SettingsDialog(Context(services, look), theme)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert search(dialog).hasFocus()
    QTest.keyClick(search(dialog), Qt.Key.Key_Down)
    assert page_list(dialog).hasFocus()


def test_a_locked_key_store_is_told_in_the_window_until_it_is_open(
    window: MainWindow, services: Services, key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    services.change(stored_keys=("https://api.mistral.ai/v1",))
    key_store.secrets["https://api.mistral.ai/v1"] = "sk"
    key_store.locked = True
    services.keys.start()
    qtbot.waitUntil(lambda: "The key store is locked" in window._banner.text)
    assert "not lost" in window._banner.text
    key_store.locked = False
    services.keys.start()
    qtbot.waitUntil(lambda: window._banner.text == "")
