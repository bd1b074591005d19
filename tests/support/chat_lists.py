"""What a person sees and does in the list of chats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.app.sidebar.hits import HIT
from rillet.app.sidebar.model import CHAT
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex
    from PySide6.QtWidgets import QMenu

    from rillet.app.sidebar.sidebar import Sidebar


def indexes(bar: Sidebar) -> list[QModelIndex]:
    """The rows that are shown."""
    model = bar.list.model()
    return [model.index(row, 0) for row in range(model.rowCount())]


def rows(bar: Sidebar) -> list[str]:
    """What they say, headings included."""
    return [str(index.data()) for index in indexes(bar)]


def titles(bar: Sidebar) -> list[str]:
    """The chats, or what was found."""
    return [str(index.data()) for index in indexes(bar) if index.data(CHAT) or index.data(HIT)]


def index_of(bar: Sidebar, title: str) -> QModelIndex:
    """The first row that says this."""
    return next(index for index in indexes(bar) if index.data() == title)


def mark(bar: Sidebar, title: str) -> None:
    """Go to a row with the keyboard."""
    bar.list.setFocus()
    bar.list.setCurrentIndex(index_of(bar, title))


def click(bar: Sidebar, title: str, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Click a row, with these keys held."""
    place = bar.list.visualRect(index_of(bar, title)).center()
    QTest.mouseClick(bar.list.viewport(), Qt.MouseButton.LeftButton, keys, place)


def marked(bar: Sidebar) -> list[str]:
    """The titles of the chats that are marked."""
    return [chat.title for chat in bar.marked]


def press(bar: Sidebar, description: str) -> None:
    """Press the button that says this to a screen reader."""
    button = next(
        each for each in bar.findChildren(Button) if each.isVisible() and description in each.accessibleName()
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def choose(menu: QMenu, text: str) -> None:
    """Choose something of a menu."""
    next(action for action in menu.actions() if action.text() == text).trigger()
