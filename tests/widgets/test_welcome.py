"""The empty chat: prompts that fill the composer, as many as there is room for."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from rillet.widgets.blocks.button import Button
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.welcome import Welcome

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def shown(welcome: Welcome) -> list[Button]:
    return [button for button in welcome.findChildren(Button) if button.isVisible()]


@pytest.mark.parametrize(("height", "count"), [(600, 3), (240, 3), (170, 1), (100, 0)])
def test_prompts_give_way_rather_than_overlap(qtbot: QtBot, height: int, count: int) -> None:
    welcome = Welcome()
    qtbot.addWidget(welcome)
    welcome.set_theme(Theme.of(LIGHT))
    welcome.resize(800, 600)  # (the sentence takes one line in every font)
    welcome.show()
    welcome.resize(800, height)
    qtbot.waitUntil(lambda: len(shown(welcome)) == count)
    for above, below in pairwise(shown(welcome)):
        assert above.geometry().bottom() < below.geometry().top()
    assert all(button.geometry().bottom() < height for button in shown(welcome))


def test_a_long_prompt_is_elided_in_a_narrow_window(qtbot: QtBot) -> None:
    welcome = Welcome()
    qtbot.addWidget(welcome)
    welcome.set_theme(Theme.of(LIGHT))
    welcome.setPrompts(["A prompt that is far too long for a window as narrow as this one"])
    welcome.resize(300, 400)
    welcome.show()
    (button,) = shown(welcome)
    assert button.geometry().left() >= 0
    assert button.geometry().right() < 300


def test_a_prompt_is_told_whole(qtbot: QtBot) -> None:
    welcome = Welcome()
    qtbot.addWidget(welcome)
    with qtbot.waitSignal(welcome.promptChosen) as chosen:
        welcome.findChildren(Button)[1].click()
    assert chosen.args == [welcome.prompts()[1]]
