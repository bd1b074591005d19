"""A button that is seen only by who may be looking for it, and is there for everybody else all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from rillet.widgets.blocks.attentive import AttentiveButton
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


@pytest.fixture
def button(qtbot: QtBot) -> Iterator[AttentiveButton]:
    window = QWidget()
    qtbot.addWidget(window)
    made = AttentiveButton("copy", "Copy table", window, checkable=True)
    made.set_theme(Theme.of(LIGHT))
    made.resize(made.sizeHint())
    made.move(50, 50)
    window.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    window.show()
    window.setFocus()
    yield made
    window.close()  # kept until here: the button ends with it


def colours(button: AttentiveButton) -> set[int]:
    image = button.grab().toImage()
    return {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}


def test_it_draws_nothing_until_the_mouse_is_near(button: AttentiveButton) -> None:
    assert len(colours(button)) == 1
    button.set_shown(shown=True)
    assert len(colours(button)) > 1


def test_it_stays_to_be_seen_while_it_is_on(button: AttentiveButton) -> None:
    button.click()
    assert len(colours(button)) > 1
    button.click()
    assert len(colours(button)) == 1


def test_the_keyboard_finds_it_while_it_is_hidden(button: AttentiveButton) -> None:
    button.window().activateWindow()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert button.accessibleName() == "Copy table"
    assert button.hasFocus()
    assert len(colours(button)) > 1
