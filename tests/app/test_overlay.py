"""A card over its window: where it stands, and what closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QListWidget, QPushButton, QWidget
from shiboken6 import delete

from rillet.app.overlay import EDGE, GAP, Overlay
from rillet.widgets.theme.palette import palette
from rillet.widgets.theme.tokens import DARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[QWidget]:
    window = QWidget()
    window.resize(600, 500)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close()


def button_at(window: QWidget, x: int, y: int) -> QPushButton:
    button = QPushButton("Open", window)
    button.setGeometry(x, y, 80, 30)
    button.show()
    button.setFocus()
    return button


def opened(button: QPushButton, theme: Theme, size: QSize) -> Overlay:
    overlay = Overlay(button, theme, size)
    overlay.open(QLineEdit(overlay.card))
    return overlay


@pytest.mark.parametrize(
    ("x", "y", "left", "top"),
    [(20, 440, 20, 440 - GAP - 200), (20, 10, 20, 39 + GAP), (510, 440, 600 - 300 - EDGE, 440 - GAP - 200)],
)
def test_it_stands_where_there_is_room_and_within_the_window(
    window: QWidget, theme: Theme, *, x: int, y: int, left: int, top: int
) -> None:
    overlay = opened(button_at(window, x, y), theme, QSize(300, 200))
    assert overlay.card.geometry().topLeft() == QPoint(left, top)
    assert overlay.card.size() == QSize(300, 200)


def test_in_a_small_window_it_is_smaller_than_it_wants_to_be(window: QWidget, theme: Theme) -> None:
    window.resize(250, 200)
    overlay = opened(button_at(window, 10, 150), theme, QSize(300, 400))
    assert overlay.card.width() == 250 - 2 * EDGE
    assert overlay.card.height() == 150 - GAP - EDGE


def test_escape_closes_it_and_gives_the_focus_back(window: QWidget, theme: Theme, qtbot: QtBot) -> None:
    button = button_at(window, 20, 440)
    overlay = opened(button, theme, QSize(300, 200))
    focus = QApplication.focusWidget()
    assert isinstance(focus, QLineEdit)
    QTest.keyClick(focus, Qt.Key.Key_Escape)
    assert not overlay.isVisible()
    qtbot.waitUntil(button.hasFocus)


def test_the_focus_goes_back_to_the_button_when_what_had_it_was_a_dialog_that_is_gone(
    window: QWidget, theme: Theme, qtbot: QtBot
) -> None:
    button = button_at(window, 20, 440)
    dialog = QFileDialog(window, "A folder", options=QFileDialog.Option.DontUseNativeDialog)
    dialog.show()
    qtbot.waitUntil(dialog.isActiveWindow)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.window() is dialog
    overlay = opened(button, theme, QSize(300, 200))
    delete(dialog)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    overlay.close()
    qtbot.waitUntil(button.hasFocus)


def test_the_focus_goes_back_to_the_list_when_what_had_it_was_a_name_being_edited(
    window: QWidget, theme: Theme, qtbot: QtBot
) -> None:
    button = button_at(window, 20, 440)
    names = QListWidget(window)
    names.addItem("rivers")
    names.item(0).setFlags(names.item(0).flags() | Qt.ItemFlag.ItemIsEditable)
    names.show()
    names.editItem(names.item(0))
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    overlay = opened(button, theme, QSize(300, 200))
    qtbot.waitUntil(lambda: names.viewport().findChild(QLineEdit) is None)
    overlay.close()
    qtbot.waitUntil(names.hasFocus)


def test_a_press_on_the_card_leaves_it_open(window: QWidget, theme: Theme) -> None:
    overlay = opened(button_at(window, 20, 440), theme, QSize(300, 200))
    QTest.mouseClick(overlay, Qt.MouseButton.LeftButton, pos=overlay.card.geometry().center())
    assert overlay.isVisible()


@pytest.mark.parametrize("change", ["size", "colours"])
def test_a_window_that_changes_closes_it(window: QWidget, theme: Theme, change: str) -> None:
    overlay = opened(button_at(window, 20, 440), theme, QSize(300, 200))
    if change == "size":
        window.resize(500, 500)
    else:
        window.setPalette(palette(DARK))
    assert not overlay.isVisible()
