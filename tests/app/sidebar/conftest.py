"""A window with three chats in its list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines
from rillet.app.window import MainWindow
from rillet.core.store import chats, messages
from rillet.core.types import ChatMessage
from support.chat_lists import titles
from support.chatting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def window(state: WindowState, services: Services, theme: Theme, qtbot: QtBot) -> Iterator[MainWindow]:
    """The program, once the list of chats is there."""
    for title in ("Tea", "Coffee", "Water"):
        chat = services.desk.write(chats.create, title=title).get(30)
        services.desk.write(messages.add, chat, None, ChatMessage.user(f"All about {title.lower()}")).get(30)
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.resize(1000, 700)
    window.show()
    coroutines.start(services.library.load())
    qtbot.waitUntil(lambda: len(titles(window.sidebar)) == 3, timeout=PATIENCE)
    yield window
    window.close()
