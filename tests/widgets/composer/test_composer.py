from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.composer import Composer

SHIFT = Qt.KeyboardModifier.ShiftModifier


def _compose(composer: Composer, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(composer._field, event)


def test_enter_sends_and_empties_the_field(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer._field, "  Hello ")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert sent == ["Hello"]
    assert composer.text() == ""


def test_what_the_host_does_not_let_pass_stays_where_it_is(composer: Composer, sent: list[str]) -> None:
    asked: list[str] = []
    passes = [False, False, True]

    def guard(text: str) -> bool:
        asked.append(text)
        return passes.pop(0)

    composer.setSendGuard(guard)
    composer.setText(" secret ")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    composer._button.click()
    assert (composer.text(), sent) == (" secret ", [])
    composer.send()
    assert (composer.text(), sent, asked) == ("", ["secret"], ["secret"] * 3)
    composer.setSendGuard(None)
    composer.setText("more")
    composer.send()
    assert sent == ["secret", "more"]


def test_a_word_can_be_selected(composer: Composer) -> None:
    composer.setText("one two\nTWO three")
    assert composer.select("TWO")
    QTest.keyClick(composer._field, Qt.Key.Key_Delete)
    assert composer.text() == "one two\n three"
    assert not composer.select("four")
    assert composer.text() == "one two\n three"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_both_enter_keys_send(composer: Composer, sent: list[str], key: Qt.Key) -> None:
    composer.setText("x")
    keypad = Qt.KeyboardModifier.KeypadModifier if key == Qt.Key.Key_Enter else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(composer._field, key, keypad)
    assert sent == ["x"]


def test_shift_enter_breaks_the_line(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer._field, "a")
    QTest.keyClick(composer._field, Qt.Key.Key_Return, SHIFT)
    QTest.keyClicks(composer._field, "b")
    assert sent == []
    assert composer.text() == "a\nb"


def test_nothing_but_space_is_not_sent(composer: Composer, sent: list[str]) -> None:
    composer.setText(" \n ")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert sent == []


def test_pressing_twice_sends_once(composer: Composer, sent: list[str]) -> None:
    composer.setText("once")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    composer._button.click()
    assert sent == ["once"]


def test_enter_that_confirms_a_composition_sends_nothing(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer._field, "ab")
    _compose(composer, "にほん")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert sent == []
    _compose(composer, "", "日本")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert sent == ["ab日本"]


def test_the_send_button_takes_a_composition_along(
    composer: Composer, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class InputMethod:
        @staticmethod
        def commit() -> None:
            _compose(composer, "", "にほん")

    monkeypatch.setattr(QGuiApplication, "inputMethod", InputMethod)
    _compose(composer, "にほん")
    composer._button.click()
    assert sent == ["にほん"]


def test_a_composition_that_cannot_be_committed_is_not_lost(composer: Composer, sent: list[str]) -> None:
    composer.setText("ab")
    _compose(composer, "にほん")
    composer._button.click()
    assert sent == []
    _compose(composer, "", "日本")
    assert composer.text() == "ab日本"


def test_while_an_answer_is_written_the_button_stops_it_and_enter_keeps_the_text(
    composer: Composer, sent: list[str], qtbot: QtBot
) -> None:
    composer.setBusy(True)
    assert composer._button.isEnabled()
    composer.setText("next")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    with qtbot.waitSignal(composer.stopRequested):
        composer._button.click()
    assert sent == []
    assert composer.text() == "next"
    composer.setBusy(False)
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    assert sent == ["next"]


def test_a_double_click_does_not_stop_what_it_has_sent(composer: Composer, sent: list[str]) -> None:
    stopped = []
    composer.sendRequested.connect(lambda _: composer.setBusy(True))
    composer.stopRequested.connect(lambda: stopped.append(1))
    composer.setText("Hello")
    for send in (QTest.mouseClick, QTest.mouseDClick):
        send(composer._button, Qt.MouseButton.LeftButton)
    assert sent == ["Hello"]
    assert stopped == []
    QTest.mouseClick(composer._button, Qt.MouseButton.LeftButton)
    assert stopped == [1]


def test_the_button_is_off_while_there_is_nothing_to_send(composer: Composer) -> None:
    assert not composer._button.isEnabled()
    composer.setText("x")
    assert composer._button.isEnabled()
    composer.setText(" ")
    assert not composer._button.isEnabled()


def test_the_field_grows_with_its_lines_up_to_the_limit_and_then_scrolls(composer: Composer) -> None:
    one = composer._field.height()
    composer.setHeightLimit(200)
    composer.setText("\n".join("abcde"))
    five = composer._field.height()
    assert five > 3 * one
    assert composer._field.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    composer.setText("x\n" * 500)
    QApplication.processEvents()
    assert composer.sizeHint().height() <= 200
    assert composer._field.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded
    composer.setText("")
    assert composer._field.height() == one


def test_a_long_line_makes_the_field_grow_too(composer: Composer) -> None:
    one = composer._field.height()
    composer.setText("word " * 60)
    assert composer._field.height() > 2 * one


def test_right_to_left_text_stands_on_the_right(composer: Composer) -> None:
    line = composer._field.document().begin().layout
    composer.setText("שלום")
    assert line().lineAt(0).naturalTextRect().right() > composer._field.viewport().width() - 2
    composer.setText("Hello")
    assert line().lineAt(0).naturalTextRect().left() == 0


def test_pasting_takes_the_text_and_never_the_format(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b><img src='file:///etc/passwd'>")
    data.setText("bold")
    composer._field.insertFromMimeData(data)
    assert composer.text() == "bold"


def test_undo_brings_back_what_was_sent(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer._field, "precious")
    QTest.keyClick(composer._field, Qt.Key.Key_Return)
    composer._field.undo()
    assert composer.text() == "precious"


def test_a_host_can_add_widgets_to_the_row(composer: Composer) -> None:
    label = QLabel("picker")
    composer.addFootWidget(label)
    QApplication.processEvents()
    assert label.isVisible()
    assert label.y() > composer._field.geometry().bottom()
