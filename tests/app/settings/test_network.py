"""The page of the network, as a person uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from rillet.app.settings.fields import ChoiceBox
from rillet.app.settings.network import NetworkPage
from rillet.core.config.paths import paths
from rillet.core.config.settings import NetworkSettings
from rillet.widgets.blocks.button import Button

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme
    from support.key_stores import FakeKeyStore


@pytest.fixture
def page(services: Services, theme: Theme, qtbot: QtBot) -> NetworkPage:
    page = NetworkPage(services, theme)
    qtbot.addWidget(page)
    page.resize(680, 1200)
    page.show()
    return page


def enter(page: NetworkPage, **fields: str) -> None:
    named = {each.accessibleName(): each for each in page.findChildren(QLineEdit)}
    for name, text in fields.items():
        named[name.replace("_", " ")].setText(text)


def choose(page: NetworkPage, name: str, words: str) -> None:
    box = next(each for each in page.findChildren(ChoiceBox) if each.accessibleName() == name)
    box.setCurrentIndex(box.findText(words))


def save(page: NetworkPage) -> str:
    button = next(each for each in page.findChildren(Button) if each.text() == "Save")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    return page._result.text()


def test_a_proxy_holds_for_every_provider_and_its_password_stands_in_no_file(
    page: NetworkPage, services: Services, key_store: FakeKeyStore, qtbot: QtBot
) -> None:
    client = services.client(services.providers[1])
    choose(page, "Proxy", "This one")
    enter(page, Address="http://proxy.example:3128", User="me", Password="pw-canary", Not_for="a.example, 10.0.0.0/8")
    assert "Saved" in save(page)
    qtbot.waitUntil(lambda: services.providers[1].network.proxy == "http://me:pw-canary@proxy.example:3128")
    assert services.providers[1].network.no_proxy == ("a.example", "10.0.0.0/8")
    assert services.client(services.providers[1]) is not client
    assert "proxy.example" not in str(services.providers[0].network.proxy), "the built-in model is on this machine"
    qtbot.waitUntil(lambda: key_store.secrets == {"proxy me@http://proxy.example:3128": "pw-canary"})
    services.keeper.close()
    assert "canary" not in paths().settings.read_text(encoding="utf-8")
    assert not [each for each in page.findChildren(QLineEdit) if "canary" in each.text()]


def test_the_password_goes_with_the_proxy(page: NetworkPage, key_store: FakeKeyStore, qtbot: QtBot) -> None:
    choose(page, "Proxy", "This one")
    enter(page, Address="http://proxy.example:3128", User="me", Password="pw")
    save(page)
    qtbot.waitUntil(lambda: key_store.secrets != {})
    enter(page, User="")
    save(page)
    qtbot.waitUntil(lambda: key_store.secrets == {})


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("", "It should look like"),
        ("proxy.example", "It should look like"),
        ("http://me:secret@proxy.example:3128", "their own fields"),
        ("http://proxy.example:port", "no address"),
    ],
)
def test_a_proxy_that_is_none_is_told_and_changes_nothing(
    page: NetworkPage, services: Services, address: str, sentence: str
) -> None:
    choose(page, "Proxy", "This one")
    enter(page, Address=address)
    assert sentence in save(page)
    assert services.settings.network == NetworkSettings()


def test_a_file_of_authorities_must_be_there(page: NetworkPage, services: Services, tmp_path: Path) -> None:
    enter(page, Own_authorities=str(tmp_path / "absent.pem"))
    assert "There is no file" in save(page)
    (tmp_path / "ca.pem").touch()
    enter(page, Own_authorities=str(tmp_path / "ca.pem"))
    assert "Saved" in save(page)
    assert services.providers[1].network.ca_file == str(tmp_path / "ca.pem")


def test_patience_is_set(page: NetworkPage, services: Services) -> None:
    choose(page, "To connect", "5 seconds")
    choose(page, "For the next words", "30 minutes")
    save(page)
    network = services.providers[1].network
    assert (network.connect_timeout, network.idle_timeout, network.first_event_timeout) == (5, 1800, 1800)


def test_what_stands_in_the_file_is_shown_even_where_it_is_not_offered(page: NetworkPage, services: Services) -> None:
    services.change(network=NetworkSettings(connect_timeout=7.5))
    page.showSettings()
    assert "7.5 seconds" in [each.currentText() for each in page.findChildren(ChoiceBox)]
    save(page)
    assert services.settings.network.connect_timeout == 7.5
