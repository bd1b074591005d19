"""One theme for all documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    return Theme.of(LIGHT)
