"""What was found in a message is marked there, however long the chat is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QLineEdit

from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage
from rillet.widgets.find_bar import FindBar
from support.chat_lists import click, titles
from support.chatting import PATIENCE

if TYPE_CHECKING:
    from sqlite3 import Connection

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

COUNT = 1500
PLACES = (100, 700)
"""The questions that hold the word, which is wanted from the second one on."""


def _make(db: Connection) -> None:
    chat, last = chats.create(db, title="A long talk"), None
    for number in range(COUNT):
        extra = " about the Wolpertinger" if number in PLACES else ""
        last = messages.add(db, chat, last, ChatMessage.user(f"Question {number}{extra}?"))


def test_a_hit_is_shown_and_marked_in_its_chat(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    services.desk.write(_make).get(30)
    window.sidebar.field.setText("wolpertinger")
    qtbot.waitUntil(lambda: len(titles(window.sidebar)) == 2, timeout=PATIENCE)
    click(window.sidebar, "A long talk")  # the newest hit stands first
    qtbot.waitUntil(lambda: window.view.transcript.reading.finder.current == 2, timeout=PATIENCE)
    in_sight = window.view.transcript.first_in_sight()
    assert in_sight is not None
    assert in_sight.entry.index <= PLACES[1] < in_sight.entry.index + 20
    bar = window.view.findChild(FindBar)
    assert bar is not None
    assert bar.isVisible()
    (field,), (told,) = bar.findChildren(QLineEdit), bar.findChildren(QLabel)
    assert (field.text(), told.text()) == ("Wolpertinger", "2 of 2")
    assert not field.hasFocus()
    bar.close()
    assert window.view.transcript.reading.finder.count == 0
