from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.widgets.blocks.button import Button, Look
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, LIGHT, Tokens

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("look", ["flat", "outlined", "filled", "floating"])
def test_states_of_a_button_can_be_told_apart(qtbot: QtBot, tokens: Tokens, look: Look) -> None:
    button = Button("copy", "Copy", look=look)
    qtbot.addWidget(button)
    button.set_theme(Theme.of(tokens))
    button.show()
    button.activateWindow()
    qtbot.waitUntil(button.isActiveWindow)
    button.clearFocus()
    rest = button.grab().toImage()
    button.setDown(True)
    pressed = button.grab().toImage()
    button.setDown(False)
    button.setEnabled(False)
    disabled = button.grab().toImage()
    button.setEnabled(True)
    button.setFocus()
    focused = button.grab().toImage()
    images = [rest, pressed, disabled, focused]
    assert all(a != b for i, a in enumerate(images) for b in images[i + 1 :])


def test_a_button_without_text_tells_its_purpose(qtbot: QtBot) -> None:
    button = Button("copy", "", "Copy message")
    qtbot.addWidget(button)
    assert (button.accessibleName(), button.toolTip()) == ("Copy message", "Copy message")


def test_space_presses_a_button(qtbot: QtBot) -> None:
    button = Button("copy", "Copy")
    qtbot.addWidget(button)
    button.show()
    with qtbot.waitSignal(button.clicked):
        QTest.keyClick(button, Qt.Key.Key_Space)


def test_a_text_without_room_is_elided_inside_the_button(qtbot: QtBot) -> None:
    button = Button("chevron-down", "a-model-with-a-really-long-name-2026-01-01", icon_last=True)
    qtbot.addWidget(button)
    button.set_theme(Theme.of(LIGHT))
    button.resize(button.minimumSizeHint())
    button.show()
    image = button.grab().toImage()
    ground = image.pixelColor(1, 1)
    edges = [image.pixelColor(x, y) for x in (2, image.width() - 3) for y in range(2, image.height() - 2)]
    assert button.minimumSizeHint().width() < button.sizeHint().width()
    assert all(colour == ground for colour in edges)
