"""The page of providers, as a person uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QListWidget
from pytestqt.qtbot import QtBot

from rillet.app.services import Services
from rillet.app.settings.examination import Examination
from rillet.app.settings.providers import ProvidersPage
from rillet.core.config import keychain
from rillet.core.config.paths import paths
from rillet.core.providers.builtin import entry
from rillet.widgets.blocks.button import Button
from support.fake_server import FakeServer, respond
from support.key_stores import FakeKeyStore, NullStore, PlainStore

if TYPE_CHECKING:
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme

LISTING = {"object": "list", "data": [{"id": "alpha"}, {"id": "beta"}]}


@dataclass
class Desk:
    """The page, and hands for it."""

    page: ProvidersPage
    services: Services
    qtbot: QtBot

    def field(self, name: str) -> QLineEdit:
        return next(each for each in self.page.findChildren(QLineEdit) if each.accessibleName() == name)

    def button(self, text: str) -> Button:
        return next(each for each in self.page.findChildren(Button) if each.text() == text)

    def press(self, text: str) -> None:
        QTest.mouseClick(self.button(text), Qt.MouseButton.LeftButton)

    def listed(self) -> list[str]:
        items = self.page.findChild(QListWidget)
        assert items is not None
        return [items.item(row).text() for row in range(items.count())]

    def choose(self, name: str) -> None:
        items = self.page.findChild(QListWidget)
        assert items is not None
        row = next(row for row, text in enumerate(self.listed()) if text.startswith(name))
        items.setCurrentRow(row)

    def said(self) -> list[str]:
        return [each.text() for each in self.page.findChildren(QLabel) if not each.isHidden() and each.text()]

    def wait_for(self, sentence: str) -> None:
        self.qtbot.waitUntil(lambda: any(sentence in each for each in self.said()))

    def provider(self, id: str) -> Provider:
        return next(each for each in self.services.providers if each.id == id)


@pytest.fixture
def desk(services: Services, theme: Theme, qtbot: QtBot) -> Desk:
    page = ProvidersPage(services, theme)
    qtbot.addWidget(page)
    page.resize(680, 720)
    page.show()
    return Desk(page, services, qtbot)


def test_the_list_says_where_each_key_is(desk: Desk) -> None:
    desk.choose("OpenAI")
    assert any("OPENAI_API_KEY" in text for text in desk.listed())
    assert "The key comes from the environment variable OPENAI_API_KEY." in desk.said()
    assert desk.field("Key").text() == ""


def test_a_provider_is_added_with_a_key_that_goes_to_the_key_store(desk: Desk, key_store: FakeKeyStore) -> None:
    desk.page.begin(entry("mistral"))
    QTest.keyClicks(desk.field("Key"), "sk-canary-1")
    QTest.keyClick(desk.field("Key"), Qt.Key.Key_Return)
    desk.wait_for("Saved.")
    desk.wait_for("The key is in the key store of this system.")
    assert key_store.secrets == {"https://api.mistral.ai/v1": "sk-canary-1"}
    assert desk.provider("mistral").api_key == "sk-canary-1"
    assert desk.field("Key").text() == ""
    desk.services.keeper.close()
    assert "canary" not in paths().settings.read_text(encoding="utf-8")


def test_looking_at_another_provider_gives_up_adding(desk: Desk) -> None:
    desk.page.begin(entry("mistral"))
    assert any("new" in text for text in desk.listed())
    desk.choose("OpenAI")
    assert not any("Mistral" in text for text in desk.listed())


def test_without_a_key_store_the_key_is_kept_until_quitting_and_that_is_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keychain, "_configured", NullStore)
    desk.page.begin(entry("mistral"))
    desk.field("Key").setText("sk")
    desk.press("Save")
    desk.wait_for("This system has no key store")
    desk.wait_for("The key is kept until you quit.")
    assert not desk.button("Use this key store anyway").isVisible()


def test_a_store_that_may_write_plain_text_waits_for_a_word_of_the_person(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = PlainStore()
    monkeypatch.setattr(keychain, "_configured", lambda: plain)
    desk.page.begin(entry("mistral"))
    desk.field("Key").setText("sk")
    desk.press("Save")
    desk.wait_for("may not encrypt")
    assert plain.secrets == {}
    desk.press("Use this key store anyway")
    desk.qtbot.waitUntil(lambda: plain.secrets != {})


def test_another_server_is_not_sent_the_key_of_the_first(desk: Desk, key_store: FakeKeyStore) -> None:
    with FakeServer(respond(200, LISTING)) as first, FakeServer(respond(200, LISTING)) as second:
        desk.services.choose(desk.services.enter_endpoint(f"{first.url}/v1", None, "alpha"))
        desk.choose(first.url.removeprefix("http://"))
        desk.field("Key").setText("sk-first")
        desk.press("Save")
        desk.wait_for("The key is in the key store")
        desk.field("Address").setText(f"{second.url}/v1")
        assert any("another server" in each for each in desk.said())
        desk.press("List the models")
        desk.wait_for("Models, listed")
        assert "authorization" not in second.requests[0].headers
        assert desk.services.choice.provider.base_url == f"{second.url}/v1", "the choice goes along"
        desk.qtbot.waitUntil(lambda: key_store.secrets == {})


def test_another_path_of_the_same_server_keeps_its_key(desk: Desk, key_store: FakeKeyStore) -> None:
    desk.services.enter_endpoint("http://localhost:8080/v1", None, "m")
    desk.choose("localhost:8080")
    desk.field("Key").setText("sk-same")
    desk.press("Save")
    desk.wait_for("The key is in the key store")
    desk.field("Address").setText("http://localhost:8080/v2")
    desk.press("Save")
    desk.qtbot.waitUntil(lambda: key_store.secrets == {"http://localhost:8080/v2": "sk-same"})


def test_what_an_address_speaks_stays_and_its_scheme_can_change(desk: Desk) -> None:
    desk.services.choose(desk.services.enter_endpoint("http://box.lan:8000/v1/messages", None, "m"))
    desk.choose("box.lan:8000")
    desk.field("Address").setText("https://box.lan:8000/v1")
    desk.press("Save")
    desk.wait_for("Saved.")
    (endpoint,) = desk.services.settings.endpoints
    assert (endpoint.url, endpoint.style) == ("https://box.lan:8000/v1", "anthropic")
    assert desk.services.choice.provider.base_url == "https://box.lan:8000/v1"


def test_the_test_shows_every_hop_and_says_how_it_ended(desk: Desk) -> None:
    with FakeServer(*[respond(200, LISTING)] * 4) as server:
        desk.services.enter_endpoint(f"{server.url}/v1", None, "alpha")
        desk.choose(server.url.removeprefix("http://"))
        desk.press("Test the connection")
        desk.wait_for("It works. It lists 2 models.")
    hops = desk.page.findChild(Examination)
    assert hops is not None
    assert len(hops.findChildren(QLabel)) == 16, "eight hops, each with its sentence"


def test_a_test_that_fails_says_why(desk: Desk) -> None:
    with FakeServer(*[respond(401, {"error": {"message": "Incorrect API key provided"}})] * 4) as server:
        desk.services.enter_endpoint(f"{server.url}/v1", None, "alpha")
        desk.choose(server.url.removeprefix("http://"))
        desk.field("Key").setText("sk-canary-wrong")
        desk.press("Test the connection")
        desk.wait_for("Not reached.")
        desk.qtbot.waitUntil(lambda: desk.page._result.text().count("refused the key") == 1)
        assert not any("canary" in each for each in desk.said())


def test_the_models_are_listed_as_the_provider_tells_them(desk: Desk) -> None:
    with FakeServer(respond(200, LISTING)) as server:
        desk.services.enter_endpoint(f"{server.url}/v1", None, "mine")
        desk.choose(server.url.removeprefix("http://"))
        desk.press("List the models")
        desk.wait_for("Models, listed under “Usual model”: 2")
        models = desk.page.findChild(QComboBox)
        assert models is not None
        desk.qtbot.waitUntil(lambda: models.count() == 2)
    assert [models.itemText(row) for row in range(2)] == ["alpha", "beta"]
    assert models.currentText() == "mine"


@pytest.mark.parametrize("url", ["", "no address", "ftp://x", "https://me:secret@x.example/v1"])
def test_nonsense_is_told_and_changes_nothing(desk: Desk, url: str) -> None:
    desk.services.enter_endpoint("http://localhost:8080/v1", None, "m")
    desk.choose("localhost:8080")
    before = desk.services.settings
    desk.field("Address").setText(url)
    desk.press("Save")
    desk.qtbot.waitUntil(lambda: any("address" in each for each in desk.said() if each != "&Address"))
    assert desk.services.settings == before


def test_a_saved_address_can_be_removed_with_its_key(desk: Desk, key_store: FakeKeyStore) -> None:
    desk.services.enter_endpoint("http://localhost:8080/v1", None, "m")
    desk.choose("localhost:8080")
    desk.field("Key").setText("sk")
    desk.press("Save")
    desk.qtbot.waitUntil(lambda: key_store.secrets != {})
    desk.press("Remove")
    assert not any("localhost" in text for text in desk.listed())
    assert desk.services.settings.endpoints == ()
    desk.qtbot.waitUntil(lambda: key_store.secrets == {})


def test_a_key_can_be_deleted(desk: Desk, key_store: FakeKeyStore) -> None:
    desk.page.begin(entry("mistral"))
    desk.field("Key").setText("sk")
    desk.press("Save")
    desk.wait_for("The key is in the key store")
    desk.press("Delete the key")
    desk.wait_for("The key was deleted.")
    assert key_store.secrets == {}
    assert desk.provider("mistral").api_key is None


def test_saving_what_was_not_changed_changes_no_settings(desk: Desk) -> None:
    desk.choose("OpenAI")
    before = desk.services.settings
    desk.press("Save")
    desk.wait_for("Saved.")
    assert desk.services.settings == before


def test_what_comes_with_the_machine_cannot_be_removed(desk: Desk) -> None:
    for name in desk.listed():
        desk.choose(name)
        assert not desk.button("Remove").isEnabled()
