from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest

from rillet.widgets.blocks.check_box import CheckBox
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("state", list(Qt.CheckState))
def test_a_check_box_is_drawn_in_every_state_and_takes_clicks_on_its_text_only(
    qtbot: QtBot, state: Qt.CheckState
) -> None:
    box = CheckBox(whole="Fish & chips")
    qtbot.addWidget(box)
    box.setTristate(state is Qt.CheckState.PartiallyChecked)
    box.setCheckState(state)
    box.resize(400, box.sizeHint().height())
    box.show()
    edge = box.grab().toImage().pixelColor(4, box.height() // 2)
    unmarked = state is Qt.CheckState.Unchecked
    assert edge.name() != LIGHT.surface.lower(), "the box can be seen"
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=box.rect().center())
    assert box.checkState() is state, "the empty space is not part of it"
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=box.rect().topLeft() + box.rect().bottomLeft() / 2)
    assert box.checkState() is not state or not unmarked


@pytest.mark.parametrize("points", [8.3, 9.57, 11.0, 12.1, 13.7])
@pytest.mark.parametrize("text", ["On", "&Reduce movement", "Illustration"])
def test_a_text_is_whole_in_the_room_that_it_asks_for(qtbot: QtBot, text: str, points: float) -> None:
    box = CheckBox(text)
    qtbot.addWidget(box)
    font = QFont()
    font.setPointSizeF(points)
    box.setFont(font)
    asked = box.sizeHint()
    box.resize(asked)
    exact = box.grab().toImage()
    box.resize(asked.width() + 100, asked.height())
    roomy = box.grab().toImage().copy(exact.rect())
    assert exact == roomy
    box.resize(asked.width() - 8, asked.height())
    assert box.grab().toImage() != roomy.copy(box.rect())


def test_a_name_of_others_has_no_key(qtbot: QtBot) -> None:
    box = CheckBox(whole="a&b")
    qtbot.addWidget(box)
    assert box.shortcut().isEmpty()
    assert box.text() == "a&&b"
