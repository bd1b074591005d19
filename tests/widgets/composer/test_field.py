"""Keys of the field: the one that sends, and the arrows that fetch what was sent before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from rillet.widgets.composer import SendKey

if TYPE_CHECKING:
    from rillet.widgets.composer import Composer

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.mark.parametrize(
    ("choice", "modifier", "sends"),
    [
        (SendKey.ENTER, NONE, True),
        (SendKey.ENTER, CONTROL, True),
        (SendKey.ENTER, SHIFT, False),
        (SendKey.CTRL_ENTER, NONE, False),
        (SendKey.CTRL_ENTER, CONTROL, True),
        (SendKey.CTRL_ENTER, SHIFT, False),
    ],
)
def test_the_chosen_key_sends_and_the_other_breaks_the_line(
    composer: Composer, sent: list[str], choice: SendKey, modifier: Qt.KeyboardModifier, sends: bool
) -> None:
    composer.setSendKey(choice)
    assert composer.sendKey() is choice
    composer.setText("a")
    QTest.keyClick(composer._field, Qt.Key.Key_Return, modifier)
    assert (sent, composer.text().count("\n")) == ((["a"], 0) if sends else ([], 1))


def test_arrows_in_the_empty_field_fetch_what_was_sent(composer: Composer, sent: list[str]) -> None:
    for text in ("first", "second"):
        composer.setText(text)
        QTest.keyClick(composer._field, Qt.Key.Key_Return)
    shown = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(composer._field, key)
        shown.append(composer.text())
    assert shown == ["second", "first", "first", "second", "", ""]
    assert sent == ["first", "second"]


def test_an_arrow_moves_within_several_lines_before_it_fetches(composer: Composer) -> None:
    composer.setHistory(["older", "two\nlines"])
    QTest.keyClick(composer._field, Qt.Key.Key_Up)
    assert composer.text() == "two\nlines"
    QTest.keyClick(composer._field, Qt.Key.Key_Up)
    assert composer.text() == "two\nlines"
    assert composer._field.textCursor().blockNumber() == 0
    QTest.keyClick(composer._field, Qt.Key.Key_Up)
    assert composer.text() == "older"


def test_an_arrow_never_replaces_what_was_typed(composer: Composer) -> None:
    composer.setHistory(["old"])
    QTest.keyClicks(composer._field, "new")
    QTest.keyClick(composer._field, Qt.Key.Key_Up)
    assert composer.text() == "new"


def test_what_was_fetched_can_be_undone(composer: Composer) -> None:
    composer.setHistory(["old"])
    QTest.keyClick(composer._field, Qt.Key.Key_Up)
    composer._tray.undo()
    assert composer.text() == ""
