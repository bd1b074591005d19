"""Six secrets go every way that settings offer, well and badly: they are found in the key store and nowhere else."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from rillet.app import coroutines
from rillet.app.models.endpoint_dialog import EndpointDialog
from rillet.app.services import Services
from rillet.app.settings.network import NetworkPage
from rillet.app.settings.providers import ProvidersPage
from rillet.app.window import MainWindow
from rillet.core.config import keychain
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.qt import Engine
from rillet.widgets.blocks.button import Button
from support.fake_server import FakeServer, redirect, respond
from support.key_stores import FakeKeyStore, PlainStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme
    from support.fake_server import Exchange

TYPED, DIALOG, PROXY, ENVIRONMENT, MOVED, REFUSED = CANARIES = [f"sk-canary-{number}-9f3e7a" for number in range(6)]


@pytest.fixture
def services(qapp: QApplication) -> Iterator[Services]:
    file = SettingsFile(paths().settings)
    file.load()
    services = Services(file, environment={"OPENAI_API_KEY": ENVIRONMENT})
    services.desk.open()
    yield services
    services.close()
    Engine.default().shutdown()


def echo(exchange: Exchange) -> None:
    """Refuse a request, and quote the key in every place where servers do."""
    key = exchange.request.headers.get("authorization", "nothing")
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {key}", "code": key, "type": key}}).encode()
    exchange.head(401, {"Content-Type": "application/json", "X-Request-Id": key}, chunked=False)
    exchange.send(body)


def press(page: QWidget, text: str) -> None:
    next(each for each in page.findChildren(Button) if each.text() == text).click()


def field(page: QWidget, name: str) -> QLineEdit:
    return next(each for each in page.findChildren(QLineEdit) if each.accessibleName() == name)


def choose(page: QWidget, name: str) -> None:
    items = page.findChild(QListWidget)
    assert isinstance(items, QListWidget)
    items.setCurrentItem(items.findItems(name, Qt.MatchFlag.MatchStartsWith)[0])


def save_key(page: ProvidersPage, server: FakeServer, key: str) -> None:
    choose(page, server.url.removeprefix("http://"))
    field(page, "Key").setText(key)
    press(page, "Save")


def everything_shown(roots: list[QWidget]) -> str:
    """All that can be read on the screen, by a screen reader, or in a tool tip."""
    said = []
    for root in roots:
        for each in root.findChildren(QWidget):
            for name in ("text", "toolTip", "accessibleName", "accessibleDescription", "placeholderText"):
                value = getattr(each, name, None)
                if callable(value) and isinstance(each, QLabel | QLineEdit | Button | QComboBox):
                    said.append(str(value()))
            if isinstance(each, QPlainTextEdit | QTextEdit):
                said.append(each.toPlainText())
            if isinstance(each, QListWidget):
                said += [each.item(row).text() for row in range(each.count())]
    return "\n".join(said)


def test_six_secrets_are_found_in_the_key_store_and_nowhere_else(
    *,
    services: Services,
    state: WindowState,
    theme: Theme,
    key_store: FakeKeyStore,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    providers, network = ProvidersPage(services, theme), NetworkPage(services, theme)
    for page in (providers, network):
        qtbot.addWidget(page)
        page.resize(680, 1200)
        page.show()
    with FakeServer(echo) as server, FakeServer(respond(200, {"data": []})) as decoy:
        address = f"{server.url}/v1"
        # A key that is typed, and refused by a server that quotes it.
        services.choose(services.enter_endpoint(address, None, "m"))
        save_key(providers, server, TYPED)
        qtbot.waitUntil(lambda: key_store.secrets.get(address) == TYPED)
        for button in ("Test the connection", "List the models"):
            press(providers, button)
            qtbot.waitUntil(lambda: "refused the key" in providers._result.text())
        # The same in a chat.
        composer = window.view.composer.focusProxy()
        assert composer is not None
        QTest.keyClicks(composer, "Hi")
        QTest.keyClick(composer, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(window.view.handles()[-1].entry.foot.error))
        # One that is entered with an address, and one for a server that sends people elsewhere.
        dialog = EndpointDialog(services, theme)
        dialog.open()
        for entry, text in zip(dialog.findChildren(QLineEdit), ("http://localhost:9/v1", DIALOG, "m"), strict=False):
            entry.setText(text)
        with qtbot.waitSignal(dialog.accepted):
            QTest.keyClick(dialog.findChildren(QLineEdit)[0], Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: DIALOG in key_store.secrets.values())
        with FakeServer(redirect(f"{decoy.url}/v1/models")) as elsewhere:
            services.enter_endpoint(f"{elsewhere.url}/v1", None, "m")
            save_key(providers, elsewhere, MOVED)
            qtbot.waitUntil(lambda: MOVED in key_store.secrets.values())
            press(providers, "List the models")
            qtbot.waitUntil(lambda: "Asking" not in providers._result.text() != "")
            # The address moves to another server.
            field(providers, "Address").setText(f"{decoy.url}/v1")
            press(providers, "List the models")
            qtbot.waitUntil(lambda: MOVED not in key_store.secrets.values())
        # The password of a proxy.
        proxy = next(each for each in network.findChildren(QComboBox) if each.accessibleName() == "Proxy")
        proxy.setCurrentIndex(2)
        field(network, "Address").setText("http://proxy.example:3128")
        field(network, "User").setText("me")
        field(network, "Password").setText(PROXY)
        press(network, "Save")
        qtbot.waitUntil(lambda: PROXY in key_store.secrets.values())
    shown = everything_shown([window, providers, network])
    window.close()
    coroutines.cancel_all()
    kept = {TYPED, DIALOG, PROXY}
    assert kept <= set(key_store.secrets.values())
    assert any(TYPED in each.headers.get("authorization", "") for each in server.requests), "it was used"
    sent = "\n".join(f"{each.path}{dict(each.headers)}{each.body!r}" for each in decoy.requests)
    files = {file: file.read_bytes() for file in paths().config.rglob("*") if file.is_file()}
    assert files
    output = capfd.readouterr()
    places = {
        "on the screen": shown,
        "in logs": caplog.text,
        "in the output": output.out + output.err,
        "at another server": sent,
        "in a repr": f"{services.providers!r}{services.choice!r}{services.settings!r}{vars(services.keys)['_file']!r}",
        **{f"in {file.name}": content.decode("latin-1") for file, content in files.items()},
    }
    found = {place: canary for place, text in places.items() for canary in CANARIES if canary in text}
    assert found == {}


@pytest.mark.parametrize("kind", ["locked", "plain", "quoting"])
def test_a_store_that_refuses_tells_no_secret(
    kind: str,
    *,
    services: Services,
    key_store: FakeKeyStore,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Quoting(FakeKeyStore):
        def set_password(self, service: str, username: str, password: str) -> None:
            raise OSError(5, password, password)

    Quoting.__module__ = FakeKeyStore.__module__
    store = {"locked": key_store, "plain": PlainStore(), "quoting": Quoting()}[kind]
    store.locked = kind == "locked"
    monkeypatch.setattr(keychain, "_configured", lambda: store)
    caplog.set_level(logging.DEBUG)
    task = coroutines.start(services.keys.keep("account", REFUSED))
    qtbot.waitUntil(task.done)
    trouble = services.keys.trouble
    assert trouble is not None
    assert REFUSED not in f"{trouble!r} {trouble.user_message} {trouble.__cause__!r} {caplog.text}"
    assert trouble.__context__ is None or trouble.__suppress_context__
    assert store.secrets == {}
