"""Commands and mentions are offered while they are typed, and the keyboard never leaves the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QAccessible, QInputMethodEvent, QKeyEvent, QShortcut
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from rillet.widgets.composer import Composer
from rillet.widgets.composer.completion import Completion, _Popup
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

COMMANDS = [("explain", "Say it in simple words"), ("new", "Start a new chat"), ("summarise", ""), ("renew", "")]
MENTIONS = ["notes.md", "Namen 😀.txt"]


@pytest.fixture
def composer(qtbot: QtBot) -> Iterator[Composer]:
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    column.addStretch(1)
    made = Composer()
    made.setTheme(Theme.of(LIGHT))
    made.setCommands(COMMANDS)
    made.setMentions(MENTIONS)
    column.addWidget(made)
    window.resize(500, 500)
    window.show()
    window.activateWindow()
    made.setFocus()
    yield made


def _offered(composer: Composer) -> list[str]:
    popup = composer.window().findChild(_Popup)
    if popup is None or not popup.isVisible():
        return []
    return [popup.model().index(row, 0).data() for row in range(popup.model().rowCount())]


def _type(composer: Composer, text: str) -> None:
    QTest.keyClicks(composer._field, text)


def _press(composer: Composer, key: Qt.Key) -> None:
    QTest.keyClick(composer._field, key)


def test_a_slash_at_the_start_offers_commands_best_first(composer: Composer) -> None:
    _type(composer, "/")
    assert _offered(composer) == ["explain", "new", "summarise", "renew"]
    _type(composer, "NE")
    assert _offered(composer) == ["new", "renew"]
    _type(composer, "x")
    assert _offered(composer) == []


@pytest.mark.parametrize("text", ["a /", "a\n/", "x/y", "a@b", " "])
def test_nothing_is_offered_within_text(composer: Composer, text: str) -> None:
    composer.setText(text)
    assert _offered(composer) == []


def test_an_at_sign_offers_mentions_at_the_start_of_any_word(composer: Composer) -> None:
    _type(composer, "see @")
    assert _offered(composer) == MENTIONS


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_enter_and_tab_write_the_offer_and_send_nothing(composer: Composer, key: Qt.Key) -> None:
    sent: list[object] = []
    chosen: list[str] = []
    composer.sendRequested.connect(sent.append)
    composer.completed.connect(lambda index: chosen.append(index.data()))
    _type(composer, "/su")
    _press(composer, key)
    assert composer.text() == "/summarise "
    assert chosen == ["summarise"]
    assert sent == []
    assert _offered(composer) == []
    assert composer._field.hasFocus()
    _press(composer, Qt.Key.Key_Return)
    assert len(sent) == 1


def test_arrows_choose_and_go_round(composer: Composer) -> None:
    _type(composer, "/")
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Return):
        _press(composer, key)
    assert composer.text() == "/summarise "


def test_a_mention_replaces_its_word_only_beyond_the_basic_plane_too(composer: Composer) -> None:
    composer.setText("😀 read ")
    _type(composer, "@na")
    _press(composer, Qt.Key.Key_Return)
    _type(composer, "now")
    assert composer.text() == "😀 read @Namen 😀.txt now"


def test_escape_closes_until_the_word_ends_and_is_no_shortcut_meanwhile(composer: Composer) -> None:
    pressed: list[bool] = []
    shortcut = QShortcut(Qt.Key.Key_Escape, composer.window())
    shortcut.activated.connect(lambda: pressed.append(True))
    _type(composer, "/")
    _press(composer, Qt.Key.Key_Escape)
    assert _offered(composer) == []
    assert pressed == []
    _type(composer, "ne")
    assert _offered(composer) == []
    composer.setText("")
    _type(composer, "/n")
    assert _offered(composer) == ["new", "explain", "renew"]


def test_while_it_is_closed_escape_belongs_to_the_window(composer: Composer) -> None:
    event = QKeyEvent(QKeyEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    QApplication.sendEvent(composer._field, event)
    assert not event.isAccepted()


def test_a_screen_reader_is_told_each_offer(composer: Composer, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: said.append(event.message()))
    _type(composer, "/")
    _press(composer, Qt.Key.Key_Down)
    assert said == ["explain Say it in simple words", "new Start a new chat"]


def test_the_mouse_chooses_too(composer: Composer) -> None:
    _type(composer, "/")
    popup = composer.window().findChild(_Popup)
    assert popup is not None
    place = popup.visualRect(popup.model().index(1, 0)).center()
    QTest.mouseClick(popup.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert composer.text() == "/new "


def test_the_offers_stand_above_the_word_within_the_window(composer: Composer) -> None:
    _type(composer, "/")
    popup = composer.window().findChild(_Popup)
    assert popup is not None
    assert composer.window().rect().contains(popup.geometry())
    assert popup.geometry().bottom() < composer.y()


def test_the_offers_move_with_the_composer_into_another_window(composer: Composer, qtbot: QtBot) -> None:
    _type(composer, "/")
    other = QWidget()
    qtbot.addWidget(other)
    QVBoxLayout(other).addWidget(composer)
    other.resize(500, 500)
    other.show()
    other.activateWindow()
    composer.setFocus()
    qtbot.waitUntil(composer._field.hasFocus)
    _type(composer, "n")
    assert _offered(composer) == ["new", "explain", "renew"]
    assert composer.window() is other


def test_nothing_is_offered_while_an_input_method_composes(composer: Composer) -> None:
    _type(composer, "/")
    assert _offered(composer)
    QApplication.sendEvent(composer._field, QInputMethodEvent("に", []))
    assert _offered(composer) == []
    composer.setCommands(["other"])
    assert _offered(composer) == []


def test_leaving_the_field_closes_the_offers(composer: Composer) -> None:
    _type(composer, "/")
    composer._button.setEnabled(True)
    composer._button.setFocus()
    assert _offered(composer) == []


def test_a_model_of_the_host_is_followed(composer: Composer) -> None:
    model = QStringListModel(["alpha"])
    composer.setCommands(model)
    _type(composer, "/")
    assert _offered(composer) == ["alpha"]
    model.setStringList(["beta", "gamma"])
    _type(composer, "g")
    assert _offered(composer) == ["gamma"]
    composer.setCommands(None)
    assert _offered(composer) == []


def test_the_offers_are_a_sound_model(composer: Composer) -> None:
    completion = composer.findChild(Completion)
    assert completion is not None
    tester = QAbstractItemModelTester(completion._offers, QAbstractItemModelTester.FailureReportingMode.Fatal)
    _type(composer, "/ne")
    assert tester.model().rowCount() == 2
