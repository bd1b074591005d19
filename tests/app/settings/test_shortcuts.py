"""The page of keys, as a person uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QKeySequenceEdit, QTreeWidget, QWidget

from rillet.app.actions import Action, Actions
from rillet.app.settings.shortcuts import ShortcutsPage
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def actions(qtbot: QtBot) -> Actions:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window, {})
    actions.add(
        Action("new", "New chat", lambda: None, "Ctrl+N"),
        Action("find", "Find", lambda: None, "Ctrl+F"),
        Action("copy", "Copy everything", lambda: None),
    )
    actions.setParent(window)
    return actions


@pytest.fixture
def page(actions: Actions, theme: Theme, qtbot: QtBot) -> ShortcutsPage:
    page = ShortcutsPage(actions, theme)
    qtbot.addWidget(page)
    page.resize(680, 720)
    page.show()
    return page


def rows(page: ShortcutsPage) -> dict[str, str]:
    table = page.findChild(QTreeWidget)
    assert isinstance(table, QTreeWidget)
    items = [table.topLevelItem(row) for row in range(table.topLevelItemCount())]
    return {item.text(0): item.text(1) for item in items if item is not None}


def choose(page: ShortcutsPage, label: str) -> None:
    table = page.findChild(QTreeWidget)
    assert isinstance(table, QTreeWidget)
    table.setCurrentItem(table.findItems(label, Qt.MatchFlag.MatchExactly)[0])


def press_keys(page: ShortcutsPage, key: Qt.Key) -> None:
    field = page.findChild(QKeySequenceEdit)
    assert isinstance(field, QKeySequenceEdit)
    field.clear()
    QTest.keyClick(field, key, Qt.KeyboardModifier.ControlModifier)


def click(page: ShortcutsPage, text: str) -> None:
    button = next(each for each in page.findChildren(Button) if each.text() == text)
    assert button.isEnabled(), text
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_every_action_is_listed_with_its_keys(page: ShortcutsPage) -> None:
    assert rows(page) == {"New chat": "Ctrl+N", "Find": "Ctrl+F", "Copy everything": ""}


def test_keys_that_are_pressed_become_those_of_the_action(page: ShortcutsPage, actions: Actions) -> None:
    choose(page, "Copy everything")
    press_keys(page, Qt.Key.Key_J)
    assert not page._note.text()
    click(page, "Use these")
    assert rows(page)["Copy everything"] == "Ctrl+J"
    assert actions.keys("copy") == QKeySequence("Ctrl+J")
    chosen = page._action()
    assert chosen is not None and chosen.id == "copy", "it stays chosen"


def test_a_conflict_is_told_before_the_keys_change_hands(page: ShortcutsPage) -> None:
    choose(page, "Find")
    press_keys(page, Qt.Key.Key_N)
    assert page._note.text() == "“New chat” has these keys now, and would have none."
    assert rows(page)["New chat"] == "Ctrl+N"
    click(page, "Use these")
    assert rows(page) == {"New chat": "", "Find": "Ctrl+N", "Copy everything": ""}


def test_an_action_can_have_no_keys_and_its_first_ones_again(page: ShortcutsPage) -> None:
    choose(page, "Find")
    page._keys.clear()
    click(page, "Use these")
    assert rows(page)["Find"] == ""
    click(page, "As at first")
    assert rows(page)["Find"] == "Ctrl+F"


def test_everything_goes_back_even_where_actions_have_swapped_their_keys(page: ShortcutsPage, actions: Actions) -> None:
    actions.bind("new", "Ctrl+F")
    actions.bind("find", "Ctrl+N")
    click(page, "All as at first")
    assert rows(page) == {"New chat": "Ctrl+N", "Find": "Ctrl+F", "Copy everything": ""}
    assert dict(actions.bound) == {}
