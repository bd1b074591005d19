"""Scenes of the settings, a page each; ``app_scenes`` renders them. The key store is one of memory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

PAGES = ("providers", "network", "appearance", "shortcuts", "data", "privacy")


def _page(id: str, window: MainWindow, services: Services) -> QWidget:
    from PySide6.QtWidgets import QApplication

    from bench.scenes_look import wait
    from rillet.app import coroutines
    from rillet.app.look import Look
    from rillet.app.settings.dialog import SettingsDialog
    from rillet.core.config import keychain
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


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    f"settings-{id}": partial(_page, id) for id in PAGES
}
