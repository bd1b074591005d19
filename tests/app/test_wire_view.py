"""What was sent for a message and what came, as a person gets to see it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from rillet.app import wire_words
from rillet.app.wire_view import WireView
from rillet.core.net.exchange_log import Recording
from rillet.widgets.blocks.button import Button
from support.chatting import PATIENCE
from support.fake_server import FakeServer, answer, respond

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window import MainWindow
    from rillet.widgets.theme.palette import Theme

KEY = "canary-0123456789"


def ask(window: MainWindow, services: Services, server: FakeServer, qtbot: QtBot) -> None:
    services.choose(services.enter_endpoint(f"{server.url}/v1", KEY, "m"))
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, "It's me")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: not window.view.composer.isBusy() and not any(each.pending for each in window.view.handles()),
        timeout=PATIENCE,
    )


def details(window: MainWindow, qtbot: QtBot) -> WireView:
    window.view.messageActionRequested.emit("details", window.view.handles()[-1])
    qtbot.waitUntil(lambda: window.findChild(WireView) is not None)
    shown = window.findChild(WireView)
    assert shown is not None
    return shown


def text(shown: WireView, name: str) -> str:
    return next(each.toPlainText() for each in shown.findChildren(QPlainTextEdit) if each.accessibleName() == name)


def press(shown: WireView, label: str) -> str:
    """What is on the clipboard after a button was pressed."""
    button = next(each for each in shown.findChildren(Button) if each.text() == label)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    return QGuiApplication.clipboard().text()


def test_an_answer_shows_what_was_sent_and_what_came_without_the_key(
    window: MainWindow, services: Services, qtbot: QtBot
) -> None:
    with FakeServer(answer("Hello", " there")) as server:
        ask(window, services, server, qtbot)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    shown = details(window, qtbot)
    assert '"content": "It\'s me"' in text(shown, "Sent")
    assert "authorization: …" in text(shown, "Sent")
    assert "HTTP 200" in text(shown, "Received")
    assert "Hello" in text(shown, "Received")
    everything = press(shown, "Copy everything")
    assert text(shown, "Sent") in everything
    assert KEY not in everything + press(shown, "Copy as curl")


def test_a_refusal_can_be_looked_at_too(window: MainWindow, services: Services, qtbot: QtBot) -> None:
    with FakeServer(respond(400, {"error": {"message": f"odd: {KEY}"}})) as server:
        ask(window, services, server, qtbot)
    shown = details(window, qtbot)
    assert "HTTP 400" in text(shown, "Received")
    assert "odd: …" in text(shown, "Received")


def test_an_answer_of_before_says_that_nothing_is_kept(theme: Theme, qtbot: QtBot) -> None:
    shown = WireView((), theme)
    shown.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    qtbot.addWidget(shown)
    shown.show()
    said = [each.text() for each in shown.findChildren(QLabel) if each.isVisible()]
    assert len(said) == 1
    assert "Nothing is kept" in said[0]


def test_a_command_for_curl_is_one_that_the_shell_reads_back() -> None:
    headers = {"authorization": f"Bearer {KEY}", "x-api-key": KEY, "content-type": "application/json"}
    recording = Recording("POST", f"http://x/v1?key={KEY}", headers, b'{"a": "it\'s $HOME"}', lambda text: text)
    command = wire_words.curl(recording.exchange()).replace(KEY, "…")
    words = shlex.split(command)
    assert words[:5] == ["curl", "-N", "-X", "POST", words[4]]
    assert "authorization: Bearer $API_KEY" in words
    assert "x-api-key: $API_KEY" in words
    assert words[words.index("--data-binary") + 1] == '{"a": "it\'s $HOME"}'
