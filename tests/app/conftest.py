"""Services without the machine's keys, and engines that leave nothing behind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rillet.app import services as services_module
from rillet.app.services import Services
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config import keychain
from rillet.core.config.paths import paths
from rillet.core.config.settings import SettingsFile
from rillet.qt import Engine
from rillet.widgets.theme import palette
from rillet.widgets.theme.tokens import LIGHT
from support.key_stores import FakeKeyStore

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from rillet.core.providers.provider import Provider
    from rillet.widgets.theme.palette import Theme


_gui_loops: list[asyncio.AbstractEventLoop] = []


@pytest.fixture(autouse=True)
def gui_loop() -> None:
    """Have the loop of the GUI's coroutines run; qasync never leaves it by itself."""
    asyncio.events._set_running_loop(_gui_loops[0] if _gui_loops else None)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Generator[None]:
    """Confine it to these tests, for ``asyncio.run`` balks: behind the last events, which may have begun it."""
    try:
        return (yield)
    finally:
        if (loop := asyncio.events._get_running_loop()) is not None:
            _gui_loops[:] = [loop]
        asyncio.events._set_running_loop(None)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return palette.apply(qapp, LIGHT)


@pytest.fixture(autouse=True)
def found_servers(monkeypatch: pytest.MonkeyPatch) -> list[Provider]:
    """What runs on this machine: nothing, unless a test puts it here."""
    found: list[Provider] = []

    async def detect_local() -> list[Provider]:
        return list(found)

    monkeypatch.setattr(services_module, "detect_local", detect_local)
    return found


@pytest.fixture(autouse=True)
def key_store(monkeypatch: pytest.MonkeyPatch) -> FakeKeyStore:
    """The key store of the system: an empty one, never the machine's."""
    store = FakeKeyStore()
    monkeypatch.setattr(keychain, "_configured", lambda: store)
    return store


@pytest.fixture
def settings_file() -> SettingsFile:
    file = SettingsFile(paths().settings)
    file.load()
    return file


@pytest.fixture
def state() -> WindowState:
    return WindowState(paths().window)


@pytest.fixture
def services(qapp: QApplication, settings_file: SettingsFile) -> Iterator[Services]:
    services = Services(settings_file, environment={"OPENAI_API_KEY": "sk-test"})
    yield services
    services.close()
    Engine.default().shutdown()


@pytest.fixture
def window(state: WindowState, services: Services, theme: Theme, qtbot: QtBot) -> Iterator[MainWindow]:
    """The program as it stands after its first start, without a welcome."""
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services)
    window.show()
    yield window
    window.leave()
