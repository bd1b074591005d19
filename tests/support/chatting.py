"""A person at the window: asks, waits for the answer, presses buttons, reads what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.widgets.message_handle import MessageHandle
    from support.fake_server import FakeServer

PATIENCE: Final = 30_000
"""Milliseconds that a busy machine is given."""


def talk_to(services: Services, server: FakeServer | str, key: str | None = None) -> None:
    """Have a server, or whoever is at an address, answer from now on."""
    url = server if isinstance(server, str) else server.url
    services.choose(services.enter_endpoint(f"{url}/v1", key, "m"))


def ask(window: MainWindow, text: str) -> None:
    """Type a question and send it."""
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def wait_for_end(window: MainWindow, qtbot: QtBot) -> MessageHandle:
    """Until the answer has ended and is drawn: its handle."""
    view = window.view
    qtbot.waitUntil(
        lambda: not view.composer.isBusy() and not any(each.pending for each in view.handles()), timeout=PATIENCE
    )
    return view.handles()[-1]


def texts(window: MainWindow) -> list[str]:
    """What is said in the chat that is shown, first message first."""
    return [message.text for message in window.view.history()]


def button(window: MainWindow, text: str) -> QToolButton:
    """The button in the chat that has this text and is to be seen."""
    return next(each for each in window.view.findChildren(QToolButton) if each.isVisible() and each.text() == text)
