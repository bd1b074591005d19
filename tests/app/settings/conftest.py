"""What pages are made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.app import coroutines
from rillet.app.look import Look

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QApplication

    from rillet.app.services import Services
    from rillet.app.window_state import WindowState


@pytest.fixture
def look(qapp: QApplication, state: WindowState) -> Look:
    return Look(qapp, state.look, state.keep_look)


@pytest.fixture(autouse=True)
def end_coroutines(services: Services) -> Iterator[None]:
    """What a page was reading ends before what it reads from, as when the window is closed."""
    yield
    coroutines.cancel_all()
