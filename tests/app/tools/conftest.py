"""A window whose chats have tools, and hands for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.app.window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.app.window_state import WindowState
    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def window(state: WindowState, services: Services, theme: Theme, qtbot: QtBot) -> Iterator[MainWindow]:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    services.desk.open()
    window.serve(services)
    window.show()
    yield window
    window.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder
