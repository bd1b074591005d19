from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from support.views import answer, question, text_views, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_a_click_on_a_link_is_reported_and_opens_nothing(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("[here](https://example.org/)")])
    (editor,) = text_views(view)
    with qtbot.waitSignal(view.linkActivated) as followed:
        QTest.mouseClick(
            editor.viewport(),
            Qt.MouseButton.LeftButton,
            pos=editor.viewport().rect().topLeft() + editor.cursorRect().center(),
        )
    assert followed.args[0].toString() == "https://example.org/"
    assert editor.toPlainText() == "here"


@pytest.mark.parametrize(("text", "stops"), [("plain words", False), ("a [link](https://example.org/)", True)])
def test_only_text_with_links_is_a_tab_stop(qtbot: QtBot, text: str, stops: bool) -> None:
    view = transcript(qtbot)
    view.reset([answer(text)])
    (editor,) = text_views(view)
    assert bool(editor.focusPolicy() & Qt.FocusPolicy.TabFocus) == stops


def test_what_is_copied_is_plain_text(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("Some **bold** text\n\n- item")])
    (editor,) = text_views(view)
    editor.selectAll()
    editor.copy()
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == "Some bold text\nitem"
    assert not data.hasHtml()


def test_a_quote_has_a_bar_and_other_text_has_none(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("> quoted")])
    (quoted,) = text_views(view)
    bar = quoted.grab().toImage().pixelColor(3, 8)
    view.reset([answer("Not quoted")])
    (plain,) = text_views(view)
    assert bar == quoted._bar_colour
    assert plain.grab().toImage().pixelColor(3, 2) != bar


def test_a_person_s_text_is_shown_as_typed(qtbot: QtBot) -> None:
    text = "# not a heading\n\n  *not* <b>bold</b> \n\ttab"
    view = transcript(qtbot)
    view.reset([question(text)])
    (editor,) = text_views(view)
    assert editor.toPlainText() == text


def test_keys_of_scrolling_are_left_to_the_transcript(qtbot: QtBot) -> None:
    view = transcript(qtbot, height=200)
    view.reset([answer("Words.\n\n" * 40)])
    editor = text_views(view)[0]
    value = view.verticalScrollBar().value()
    QTest.keyClick(editor, Qt.Key.Key_PageUp)
    assert view.verticalScrollBar().value() < value
