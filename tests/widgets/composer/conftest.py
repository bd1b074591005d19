"""A composer on the screen, and a record of what it sends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.widgets.composer import Composer
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.core.types import ChatMessage


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer()
    qtbot.addWidget(made)
    made.setTheme(Theme.of(LIGHT))
    made.resize(400, 90)
    made.show()
    made.activateWindow()
    made.setFocus()
    return made


@pytest.fixture
def messages(composer: Composer) -> list[ChatMessage]:
    """The messages that were sent."""
    found: list[ChatMessage] = []
    composer.sendRequested.connect(found.append)
    return found


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    """The texts that were sent."""
    texts: list[str] = []
    composer.sendRequested.connect(lambda message: texts.append(message.text))
    return texts
