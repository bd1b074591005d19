"""The page of the first start, and that it leads to a first answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit

from rillet.app.first_run import FirstRun
from rillet.app.services import Services
from rillet.app.window import MainWindow
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.core.key_shapes import provider_of
from rillet.qt import Engine
from rillet.widgets.blocks.button import Button
from support.fake_server import FakeServer, answer, hold, respond

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.window_state import WindowState
    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme
    from support.key_stores import FakeKeyStore

KEY = "gsk_0123456789abcdef"
LISTING = respond(200, {"object": "list", "data": [{"id": "alpha"}]})


@pytest.fixture
def services(qapp: QApplication, settings_file: SettingsFile) -> Iterator[Services]:
    """Those of somebody who has no key anywhere."""
    services = Services(settings_file, environment={})
    yield services
    services.close()
    Engine.default().shutdown()


@pytest.fixture
def window(window: MainWindow) -> MainWindow:
    window.welcome()
    return window


def page_of(window: MainWindow) -> FirstRun | None:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    return window.findChild(FirstRun)


def paste(window: MainWindow, key: str) -> None:
    page = page_of(window)
    assert page is not None
    field = page.findChild(QLineEdit)
    assert field is not None
    field.setText(key)
    QTest.keyClick(field, Qt.Key.Key_Return)


def said(window: MainWindow) -> str:
    page = page_of(window)
    assert page is not None
    return "\n".join(each.text() for each in page.findChildren(QLabel) if not each.isHidden())


def lead_to(server: FakeServer, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every provider that is added be at this server."""
    add = services.add_provider
    monkeypatch.setattr(services, "add_provider", lambda id: add(id, f"{server.url}/v1"))


def ask(window: MainWindow, qtbot: QtBot) -> str:
    field = window.view.composer.focusProxy()
    assert field is not None
    QTest.keyClicks(field, "Hi")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.view.composer.isBusy() and len(window.view.history()) == 2)
    return window.view.history()[-1].text


def test_a_pasted_key_is_recognised_tried_kept_and_answers(
    window: MainWindow,
    services: Services,
    key_store: FakeKeyStore,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeServer(LISTING, LISTING, answer("Hello")) as server:
        lead_to(server, services, monkeypatch)
        paste(window, KEY)
        qtbot.waitUntil(lambda: page_of(window) is None)
        assert services.choice.provider.id == "groq"
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        qtbot.waitUntil(lambda: KEY in key_store.secrets.values())
        window.sessions.current.picker.choose(services.choice.provider, "alpha")
        assert ask(window, qtbot) == "Hello"
    services.keeper.close()
    assert SettingsFile(paths().settings).load().welcomed
    assert KEY not in paths().settings.read_text()


def test_a_key_that_is_refused_is_told_and_forgotten(
    window: MainWindow,
    services: Services,
    key_store: FakeKeyStore,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = respond(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
    with FakeServer(refused) as server:
        lead_to(server, services, monkeypatch)
        paste(window, KEY)
        qtbot.waitUntil(lambda: "refused the key" in said(window))
    assert [each.id for each in services.providers if each.server is None] == []
    assert not key_store.secrets
    assert not services.settings.added
    page = page_of(window)
    assert page is not None
    use = next(each for each in page.findChildren(Button) if each.text() == "Use this key")
    assert use.isEnabled(), "it can be tried again"


def test_who_closes_the_page_while_a_key_is_tried_is_left_with_neither(
    window: MainWindow, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(hold) as server:
        lead_to(server, services, monkeypatch)
        paste(window, KEY)
        qtbot.waitUntil(lambda: len(server.requests) == 1)
        window.endWelcome()
        assert page_of(window) is None
        qtbot.waitUntil(lambda: not services.settings.added)
        assert server.wait_closed()
    assert [each.id for each in services.providers if each.server is None] == []


def test_a_key_of_no_particular_shape_asks_whose_it_is(window: MainWindow) -> None:
    paste(window, "0123456789abcdef")
    page = page_of(window)
    assert page is not None
    use = next(each for each in page.findChildren(Button) if each.text() == "Use this key")
    assert not use.isEnabled()
    whose = page.findChild(QComboBox)
    assert whose is not None
    whose.setCurrentIndex(whose.findText("Mistral"))
    assert use.isEnabled()


def test_a_server_that_runs_here_is_offered(
    state: WindowState, services: Services, theme: Theme, qtbot: QtBot, found_servers: list[Provider]
) -> None:
    ollama = next(each for each in services._local_servers if each.id == "ollama")
    found_servers.append(ollama)
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    window.welcome()
    page = page_of(window)
    assert page is not None
    name = f"Use {ollama.label}"
    qtbot.waitUntil(lambda: any(each.text() == name for each in page.findChildren(Button)))
    next(each for each in page.findChildren(Button) if each.text() == name).click()
    assert services.choice.provider.id == "ollama"
    assert page_of(window) is None
    window.close()


def test_an_address_of_two_styles_is_offered_once(
    window: MainWindow, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(window)
    assert page is not None
    services.add_provider("openai")
    services.add_provider("openai-responses")
    page.fill()
    assert len([each for each in services.providers if "OpenAI" in each.label]) == 2
    assert [each.text() for each in page._ways] == ["Use OpenAI"]


def test_who_just_writes_is_answered_and_the_page_goes(
    window: MainWindow, services: Services, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(answer("Hello")) as server:
        window.sessions.current.picker.choose(services.enter_endpoint(f"{server.url}/v1", None, "m"))
        assert page_of(window) is not None
        assert ask(window, qtbot) == "Hello"
    assert page_of(window) is None


def test_who_has_chosen_somebody_is_told_so_and_not_offered_them_again(window: MainWindow, services: Services) -> None:
    page = page_of(window)
    assert page is not None
    window.sessions.current.picker.choose(services.enter_endpoint("http://127.0.0.1:9/v1", None, "m"), "helpful")
    assert page._now.text() == "You can write at once: helpful answers."
    assert page._ways == []


def test_without_the_built_in_model_the_page_says_so(
    state: WindowState, services: Services, theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(services.local_server), "missing", property(lambda _: "its engine is not installed"))
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.welcome()
    assert "its engine is not installed" in said(window)
    window.close()


def test_it_comes_once(window: MainWindow, state: WindowState, services: Services, theme: Theme, qtbot: QtBot) -> None:
    page = page_of(window)
    assert page is not None
    close = next(each for each in page.findChildren(Button) if each.accessibleName() == "Close this page")
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert page_of(window) is None
    window.welcome()
    assert page_of(window) is None


def test_in_a_narrow_window_it_says_less_and_leaves_the_composer_its_room(window: MainWindow, qtbot: QtBot) -> None:
    page = page_of(window)
    assert page is not None
    window.resize(420, 560)
    privacy = next(each for each in page.findChildren(QLabel) if "nowhere" in each.text())
    qtbot.waitUntil(privacy.isHidden)
    qtbot.waitUntil(lambda: page.height() >= page.heightForWidth(page.width()))
    composer = window.view.composer
    assert composer.mapTo(window, composer.rect().bottomRight()).y() < window.height()
    window.resize(1000, 700)
    qtbot.waitUntil(privacy.isVisible)


@pytest.mark.parametrize(
    ("key", "whose"),
    [
        ("sk-ant-api03-abc", "anthropic"),
        ("sk-or-v1-abc", "openrouter"),
        ("sk-proj-abc", "openai"),
        (" AIzaSyExample\n", "gemini"),
        ("sk-" + "0a" * 16, "deepseek"),
        ("sk-something", None),
        ("", None),
    ],
)
def test_the_shape_of_a_key_tells_whose_it_is(key: str, whose: str | None) -> None:
    assert provider_of(key) == whose
