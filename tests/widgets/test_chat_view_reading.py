from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.core.types import ChatMessage
from rillet.widgets import ChatView
from rillet.widgets.find_bar import FindBar
from rillet.widgets.transcript.finding import FindOptions
from support.views import ANSWER, text_views

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def view(qtbot: QtBot) -> ChatView:
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    messages = [ChatMessage.user("A *needle*?"), ChatMessage.assistant(ANSWER), ChatMessage.user("The Needle.")]
    made.addMessages(messages)
    return made


def test_a_program_finds_and_goes_on(view: ChatView, qtbot: QtBot) -> None:
    finder = view.transcript.reading.finder
    told: list[tuple[int, int]] = []
    view.findChanged.connect(lambda current, count: told.append((current, count)))

    def last_told() -> tuple[int, int]:
        qtbot.waitUntil(lambda: finder.complete and not finder.coming)
        return told[-1]

    view.find("needle")
    first = last_told()
    assert first[1] == 2
    view.findNext()
    assert last_told() == (3 - first[0], 2)
    view.findPrevious()
    assert last_told() == first
    view.find("Needle", FindOptions(case=True))
    assert last_told()[1] == 1
    view.find("")
    assert last_told() == (0, 0)


def test_the_find_key_opens_the_bar_and_escape_brings_back_the_composer(view: ChatView, qtbot: QtBot) -> None:
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.setFocus()
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, Qt.Key.Key_F, CONTROL)
    (bar,) = view.findChildren(FindBar)
    assert bar.isVisible()
    assert view.rect().contains(bar.geometry())
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, "needle")
    qtbot.waitUntil(lambda: bar._count.text().endswith("of 2"))
    assert any(editor.found for editor in text_views(view.transcript))
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert bar.isHidden()
    assert not any(editor.found for editor in text_views(view.transcript))
    assert QApplication.focusWidget() is focused


def test_keys_and_the_wheel_change_the_size_of_the_text(view: ChatView, qtbot: QtBot) -> None:
    usual = text_views(view.transcript)[0].document().defaultFont().pointSizeF()
    with qtbot.waitSignal(view.zoomChanged) as changed:
        QTest.keyClick(view, Qt.Key.Key_Plus, CONTROL)
    assert changed.args == [1.1]
    assert text_views(view.transcript)[0].document().defaultFont().pointSizeF() == pytest.approx(usual * 1.1)
    QTest.keyClick(view, Qt.Key.Key_Minus, CONTROL)
    QTest.keyClick(view, Qt.Key.Key_Minus, CONTROL)
    assert view.zoom() == 0.9
    QTest.keyClick(view, Qt.Key.Key_Equal, CONTROL)
    QTest.keyClick(view, Qt.Key.Key_Plus, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert view.zoom() == 1.1
    QTest.keyClick(view, Qt.Key.Key_0, CONTROL)
    assert view.zoom() == 1.0
    wheel = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        CONTROL,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, wheel)
    assert view.zoom() == 1.2
    for wish, zoom in ((9.0, 3.0), (0.01, 0.5), (1.0, 1.0)):
        view.setZoom(wish)
        assert view.zoom() == zoom
    assert text_views(view.transcript)[0].document().defaultFont().pointSizeF() == pytest.approx(usual)


def test_a_zoom_set_before_the_first_message_holds_for_it(qtbot: QtBot) -> None:
    view = ChatView()
    qtbot.addWidget(view)
    view.setZoom(2.0)
    view.show()
    view.addMessage(ChatMessage.user("Large"))
    body = view._theme.body.pointSizeF()
    assert text_views(view.transcript)[0].document().defaultFont().pointSizeF() == pytest.approx(2 * body)


def test_the_conversation_and_the_selection_are_copied(view: ChatView) -> None:
    view.copyConversation()
    assert QGuiApplication.clipboard().text() == f"A *needle*?\n\n{ANSWER}\n\nThe Needle."
    text = text_views(view.transcript)[-1]
    QTest.mouseDClick(text.viewport(), Qt.MouseButton.LeftButton, pos=text.cursorRect().center())
    view.copySelection()
    assert QGuiApplication.clipboard().text() == "The"


def test_messages_may_tell_when_they_were_written(view: ChatView) -> None:
    view.addMessage(ChatMessage.user("Later"), datetime(2026, 3, 4, 10))
    view.addMessages(
        [ChatMessage.assistant("Same day"), ChatMessage.user("Next day"), ChatMessage.assistant("Unknown")],
        [datetime(2026, 3, 4, 11), datetime(2026, 3, 5, 1)],
    )
    view.beginAssistantStream(datetime(2026, 3, 6, 1))
    days = [entry.day for entry in view.transcript.entries]
    assert days == [None, None, None, date(2026, 3, 4), None, date(2026, 3, 5), None, date(2026, 3, 6)]
    assert len(view.handles()) == 8


def test_the_bar_covers_no_hit(view: ChatView) -> None:
    view.showFindBar()
    (bar,) = view.findChildren(FindBar)
    field = bar.focusProxy()
    assert field is not None
    QTest.keyClicks(field, "a *needle")
    first = text_views(view.transcript)[0]
    assert first.toPlainText() == "A *needle*?"
    assert first.mapTo(view, QPoint()).y() > bar.geometry().bottom()
    bar.close()
    assert view.transcript.viewport().y() == 0


def test_the_line_that_is_read_stays_where_it_is_when_the_bar_comes_and_goes(view: ChatView) -> None:
    view.addMessage(ChatMessage.assistant(ANSWER * 5))
    scroll = view.transcript.verticalScrollBar()
    scroll.setValue(scroll.maximum() // 2)
    read = next(editor for editor in text_views(view.transcript) if editor.mapTo(view, QPoint()).y() > 150)
    places = [read.mapTo(view, QPoint()).y()]
    view.showFindBar()
    places.append(read.mapTo(view, QPoint()).y())
    (bar,) = view.findChildren(FindBar)
    bar.close()
    places.append(read.mapTo(view, QPoint()).y())
    assert places == [places[0]] * 3
