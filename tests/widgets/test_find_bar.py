from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from rillet.widgets.blocks.button import Button
from rillet.widgets.find_bar import FindBar
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.finding import FindOptions

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    return made


@pytest.fixture
def bar(window: QWidget) -> FindBar:
    made = FindBar(window)
    made.set_theme(Theme.of(LIGHT))
    made.place_in(window.width())
    made.open()
    return made


def _field(bar: FindBar) -> QLineEdit:
    (field,) = bar.findChildren(QLineEdit)
    return field


def _button(bar: FindBar, name: str) -> Button:
    (button,) = (button for button in bar.findChildren(Button) if button.accessibleName() == name)
    return button


def test_every_letter_is_looked_for(bar: FindBar) -> None:
    asked: list[tuple[str, FindOptions]] = []
    bar.findRequested.connect(lambda text, options: asked.append((text, options)))
    QTest.keyClicks(_field(bar), "ab")
    _button(bar, "Match upper and lower case").click()
    _button(bar, "Whole words").click()
    assert asked == [
        ("a", FindOptions()),
        ("ab", FindOptions()),
        ("ab", FindOptions(case=True)),
        ("ab", FindOptions(case=True, words=True)),
    ]


def test_return_and_the_arrows_go_from_hit_to_hit(bar: FindBar) -> None:
    steps: list[int] = []
    bar.stepRequested.connect(steps.append)
    bar.show_count(1, 3)
    QTest.keyClick(_field(bar), Qt.Key.Key_Return)
    QTest.keyClick(_field(bar), Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    _button(bar, "Next hit").click()
    _button(bar, "Previous hit").click()
    assert steps == [1, -1, 1, -1]


def test_what_was_found_is_told(bar: FindBar) -> None:
    _field(bar).setText("a")
    bar.show_count(2, 17)
    assert bar._count.text() == "2 of 17"
    assert _button(bar, "Next hit").isEnabled()
    bar.show_count(0, 0)
    assert bar._count.text() == "No hits"
    assert not _button(bar, "Next hit").isEnabled()
    _field(bar).clear()
    bar.show_count(0, 0)
    assert bar._count.text() == ""


def test_escape_closes_the_bar_and_reaches_nobody_else(bar: FindBar, qtbot: QtBot) -> None:
    override = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    override.ignore()
    QApplication.sendEvent(_field(bar), override)
    assert override.isAccepted()
    with qtbot.waitSignal(bar.closed):
        QTest.keyClick(_field(bar), Qt.Key.Key_Escape)
    assert bar.isHidden()


def test_opened_again_it_offers_what_was_looked_for(bar: FindBar, qtbot: QtBot) -> None:
    _field(bar).setText("needle")
    _button(bar, "Close").click()
    with qtbot.waitSignal(bar.findRequested) as asked:
        bar.open()
    assert asked.args[0] == "needle"
    assert _field(bar).selectedText() == "needle"
