"""Scenes of the settings, a page each; ``app_scenes`` renders them. The key store is one of memory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bench.scenes_look import wait
from rillet.core.config import keychain

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

PAGES = ("providers", "network", "appearance", "shortcuts", "chats", "data", "privacy")


def _page(id: str, window: MainWindow, services: Services) -> QWidget:
    from PySide6.QtWidgets import QApplication

    from rillet.app import coroutines
    from rillet.app.look import Look
    from rillet.app.settings.dialog import SettingsDialog
    from rillet.widgets.theme.options import ThemeOptions
    from support.key_stores import FakeKeyStore

    store = FakeKeyStore()
    keychain._configured = lambda: store
    services.add_provider("mistral")
    services.enter_endpoint("http://localhost:8080/v1", None, "llama-3.3-70b")
    coroutines.start(services.keys.keep("https://api.mistral.ai/v1", "sk-example"))
    services.desk.do(lambda desk: desk.store.back_up())
    services.choose(services.providers[1], "gpt-5")
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    window._look = Look(app, ThemeOptions(scheme="dark" if window._theme.tokens.dark else "light"))
    wait(300)
    window.openSettings(id)
    dialog = window.findChild(SettingsDialog)
    assert isinstance(dialog, SettingsDialog)
    return dialog


def _tested(window: MainWindow, services: Services) -> QWidget:
    """The connection doctor, at an address where nobody is."""
    dialog = _page("providers", window, services)
    page = dialog.page  # type: ignore[attr-defined]  # (a SettingsDialog)
    page.fill("localhost:8080/v1")
    page.test()
    wait(1500)
    return dialog


def _locked(window: MainWindow, services: Services) -> QWidget:
    """Keys are behind a key store that nobody has opened."""
    dialog = _page("providers", window, services)
    store = keychain._configured()
    store.locked = True  # type: ignore[attr-defined]  # (a FakeKeyStore)
    dialog.page.openKeyStore()  # type: ignore[attr-defined]  # (of the providers)
    wait(500)
    return dialog


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    **{f"settings-{id}": partial(_page, id) for id in PAGES},
    "settings-doctor": _tested,
    "settings-key-locked": _locked,
}
