"""Adding an address: what is entered stays until it has worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from rillet.app import coroutines
from rillet.app.models.endpoint_dialog import EndpointDialog
from support.fake_server import FakeServer, Script, hold, refused_port, respond

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme
    from support.key_stores import FakeKeyStore

LISTING = {"object": "list", "data": [{"id": "alpha"}, {"id": "beta"}]}


@pytest.fixture
def dialog(services: Services, theme: Theme, qtbot: QtBot) -> EndpointDialog:
    dialog = EndpointDialog(services, theme)
    dialog.open()
    return dialog


def enter(dialog: EndpointDialog, *entries: str) -> None:
    """Fill the fields (address, key, model) and press Return."""
    for field, text in zip(dialog.findChildren(QLineEdit), entries, strict=False):
        field.setText(text)
    QTest.keyClick(dialog.findChildren(QLineEdit)[0], Qt.Key.Key_Return)


def said(dialog: EndpointDialog) -> str:
    """What stands under the fields."""
    return dialog.findChildren(QLabel)[-1].text()


def add_button(dialog: EndpointDialog) -> QPushButton:
    return next(button for button in dialog.findChildren(QPushButton) if button.text() == "Add")


def test_the_first_model_that_the_server_lists_is_taken(
    dialog: EndpointDialog, services: Services, key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    with FakeServer(respond(200, LISTING)) as server, qtbot.waitSignal(dialog.added) as added:
        enter(dialog, server.url, "k")
    qtbot.waitUntil(lambda: list(key_store.secrets.values()) == ["k"] and not coroutines._tasks)
    assert added.args == [services.providers[-1], "alpha"]
    assert server.requests[0].headers["authorization"] == "Bearer k"


def test_a_named_model_needs_no_server_that_answers(dialog: EndpointDialog, services: Services, qtbot: QtBot) -> None:
    with qtbot.waitSignal(dialog.added) as added:
        enter(dialog, f"localhost:{refused_port()}", "", "gamma")
    assert added.args == [services.providers[-1], "gamma"]


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (respond(401, {"error": {"message": "no"}}), "refused the key"),
        (respond(200, {"object": "list", "data": []}), "lists no models"),
        (respond(200, "<html>"), "answers with a web page"),
    ],
)
def test_a_server_that_gives_no_models_is_not_kept(
    dialog: EndpointDialog, services: Services, qtbot: QtBot, script: Script, sentence: str
) -> None:
    before = list(services.providers)
    with FakeServer(script) as server:
        enter(dialog, server.url)
        assert not add_button(dialog).isEnabled()
        qtbot.waitUntil(lambda: add_button(dialog).isEnabled())
    assert sentence in said(dialog)
    assert dialog.isVisible() and dialog.url == server.url
    assert list(services.providers) == before
    dialog.reject()


def test_nonsense_is_told_without_asking_anybody(dialog: EndpointDialog, qtbot: QtBot) -> None:
    enter(dialog, "hello world")
    qtbot.waitUntil(lambda: said(dialog).startswith("This is not a web address."))
    dialog.reject()


def test_cancel_ends_the_attempt(dialog: EndpointDialog, services: Services, qtbot: QtBot) -> None:
    with FakeServer(hold) as server:
        enter(dialog, server.url)
        qtbot.waitUntil(lambda: bool(server.requests))
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
        qtbot.waitUntil(lambda: server.open_connections == 0)
    assert all(provider.server is not None or provider.api_key for provider in services.providers)
