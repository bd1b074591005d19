"""What pages are made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.app.look import Look

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from rillet.app.window_state import WindowState


@pytest.fixture
def look(qapp: QApplication, state: WindowState) -> Look:
    return Look(qapp, state.look, state.keep_look)
