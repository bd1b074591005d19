from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QMouseEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.widgets.blocks.text import TextBlock
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.model import Entry, Foot
from rillet.widgets.transcript.selection import Selection, Spot
from support.views import answer, conversation, question, text_views, transcript

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.transcript.view import Transcript

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def _at(editor: TextView, offset: int) -> QPoint:
    """The middle of a line's height, just before a character."""
    cursor = QTextCursor(editor.document())
    cursor.setPosition(offset)
    rect = editor.cursorRect(cursor)
    return QPoint(rect.left(), rect.center().y())


def _move(widget: QWidget, place: QPoint) -> None:
    """Move the mouse with its button down; QTest cannot hold it."""
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        LEFT,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def _drag(first: TextView, start: int, last: TextView, end: int) -> None:
    QTest.mousePress(first.viewport(), LEFT, pos=_at(first, start))
    _move(first.viewport(), first.viewport().mapFromGlobal(last.viewport().mapToGlobal(_at(last, end))))
    QTest.mouseRelease(first.viewport(), LEFT, pos=_at(first, start))


def _copied(view: Transcript) -> str:
    QGuiApplication.clipboard().clear()
    view.reading.copy()
    return QGuiApplication.clipboard().text()


def _marked(editor: TextView) -> str:
    """What has the ground of selected text."""
    chosen = [
        mark.cursor.selectedText()
        for mark in editor.extraSelections()
        if mark.format.background().color() == QColor(LIGHT.selection)
    ]
    return "\n".join(chosen)


@pytest.fixture
def view(qtbot: QtBot) -> Transcript:
    shown = transcript(qtbot)
    shown.reset([question("First question here"), answer("Some words.\n\n```\ncode here\nmore\n```\n\nLast words.")])
    return shown


def test_a_drag_inside_a_block_selects_characters(view: Transcript) -> None:
    text = text_views(view, "text")[0]
    _drag(text, 2, text, 7)
    assert _copied(view) == "me wo"
    assert _marked(text) == "me wo"


def test_a_drag_across_blocks_and_messages_selects_all_between(view: Transcript) -> None:
    asked, first, code, last = text_views(view)
    _drag(asked, 6, last, 4)
    assert _copied(view) == "question here\n\nSome words.\n\n```\ncode here\nmore\n```\n\nLast"
    assert [_marked(editor) for editor in (asked, first, code, last)] == [
        "question here",
        "Some words.",
        "code here\nmore",
        "Last",
    ]


def test_a_drag_upwards_selects_the_same(view: Transcript) -> None:
    asked, _, _, last = text_views(view)
    _drag(last, 4, asked, 6)
    assert _copied(view).startswith("question here\n\nSome")
    assert _copied(view).endswith("Last")


def test_a_click_selects_nothing_any_more(view: Transcript) -> None:
    asked, *_, last = text_views(view)
    _drag(asked, 6, last, 4)
    QTest.mouseClick(last.viewport(), LEFT, pos=_at(last, 2))
    assert view.reading.selector.selection is None
    assert not any(editor.extraSelections() for editor in text_views(view))


def test_two_clicks_select_a_word_and_three_a_block(view: Transcript) -> None:
    text = text_views(view, "text")[0]
    QTest.mouseDClick(text.viewport(), LEFT, pos=_at(text, 7))
    assert _copied(view) == "words"
    QTest.mousePress(text.viewport(), LEFT, pos=_at(text, 7))
    assert _copied(view) == "Some words."


def test_a_drag_that_began_with_a_word_goes_on_by_words(view: Transcript) -> None:
    asked, text, *_ = text_views(view)
    QTest.mousePress(text.viewport(), LEFT, pos=_at(text, 7))
    QTest.mouseRelease(text.viewport(), LEFT, pos=_at(text, 7))
    QTest.mouseDClick(text.viewport(), LEFT, pos=_at(text, 7))
    view.reading.selector._pressed = True
    _move(text.viewport(), text.viewport().mapFromGlobal(asked.viewport().mapToGlobal(_at(asked, 8))))
    assert _copied(view) == "question here\n\nSome words"


def test_shift_and_a_click_move_the_end(view: Transcript) -> None:
    asked, text, *_ = text_views(view)
    QTest.mouseClick(asked.viewport(), LEFT, pos=_at(asked, 6))
    QTest.mouseClick(text.viewport(), LEFT, SHIFT, pos=_at(text, 4))
    assert _copied(view) == "question here\n\nSome"
    QTest.mouseClick(asked.viewport(), LEFT, SHIFT, pos=_at(asked, 14))
    assert _copied(view) == "question"


def test_a_drag_may_begin_and_end_beside_the_text(view: Transcript) -> None:
    inside = view.viewport()
    text = text_views(view, "text")[0]
    top = text.viewport().mapTo(inside, QPoint(0, 2)).y()
    QTest.mousePress(inside, LEFT, pos=QPoint(3, top))
    _move(inside, QPoint(inside.width() - 3, top))
    QTest.mouseRelease(inside, LEFT, pos=QPoint(inside.width() - 3, top))
    assert _copied(view) == "Some words."


def test_a_drag_over_a_link_does_not_follow_it(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("[a long link to somewhere](https://example.org/)")])
    (text,) = text_views(view)
    followed: list[object] = []
    view.linkActivated.connect(followed.append)
    _drag(text, 3, text, 9)
    assert _copied(view) == "ong li"
    assert not followed
    QTest.mouseClick(text.viewport(), LEFT, pos=_at(text, 5))
    assert len(followed) == 1


def test_a_drag_beyond_the_edge_scrolls_and_ends_wherever_the_button_goes_up(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(40))
    first = text_views(view)[-1]
    assert isinstance(first, TextBlock)
    pressed = first.tile
    bar = view.verticalScrollBar()
    start = bar.value()
    QTest.mousePress(first.viewport(), LEFT, pos=QPoint(5, 5))
    _move(first.viewport(), first.viewport().mapFromGlobal(view.viewport().mapToGlobal(QPoint(20, -50))))
    qtbot.waitUntil(lambda: bar.value() < start - 1500)
    assert first.tile is not pressed, "it shows nothing, or something else, by now"
    chosen = view.reading.selector.selection
    assert chosen is not None
    assert chosen.start.entry < chosen.end.entry
    QTest.mouseRelease(view.viewport(), LEFT, pos=QPoint(20, 20))
    assert not view.reading.selector._scroll.isActive()
    _move(view.viewport(), QPoint(20, 400))
    assert view.reading.selector.selection == chosen


def test_a_view_that_is_hidden_while_one_drags_takes_no_events_from_others(qtbot: QtBot, view: Transcript) -> None:
    text = text_views(view, "text")[0]
    QTest.mousePress(text.viewport(), LEFT, pos=_at(text, 2))
    _move(text.viewport(), _at(text, 7))
    view.hide()
    other = transcript(qtbot)
    other.reset([answer("Other words")])
    (text,) = text_views(other)
    _drag(text, 2, text, 7)
    assert _copied(other) == "her w"
    assert _copied(view) == "me wo"


def test_what_is_selected_stays_selected_out_of_sight(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(60))
    last = text_views(view)[-1]
    _drag(last, 4, last, 22)
    text, marked = _copied(view), _marked(last)
    assert len(marked) == 18
    view.verticalScrollBar().setValue(0)
    assert not any(_marked(editor) for editor in text_views(view))
    assert _copied(view) == text
    view.jump_to_latest()
    assert _marked(text_views(view)[-1]) == marked


def test_text_that_arrives_leaves_the_selection_alone(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    entry = answer("One **two** three")
    entry.sections[0].growing = True
    view.reset([question("Which?"), entry])
    asked, text = text_views(view)
    _drag(asked, 2, text, 7)
    for piece in (" four", " *fi", "ve*", "\n\nsix", "\n\n```\ncode"):
        view.grow(entry, "markdown", piece)
        assert _copied(view) == "ich?\n\nOne two"
        assert _marked(text_views(view, "text")[0]) == "One two"


def test_everything_is_selected_at_once(view: Transcript) -> None:
    QTest.keyClick(text_views(view)[1], Qt.Key.Key_A, CONTROL)
    assert _copied(view) == "\n\n".join(entry.source for entry in view.entries)
    assert all(_marked(editor) == editor.toPlainText() for editor in text_views(view))


def test_the_copy_key_copies_what_is_selected(view: Transcript) -> None:
    asked, text, *_ = text_views(view)
    _drag(asked, 6, text, 4)
    QTest.keyClick(text, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "question here\n\nSome"
    QGuiApplication.clipboard().clear()
    QTest.keyClick(view, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "question here\n\nSome"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ([Qt.Key.Key_Right] * 3, "Som"),
        ([Qt.Key.Key_Right] * 14, "Some words.\n\n```\nco\n```"),
        ([Qt.Key.Key_Left] * 4, "here"[1:]),
        ([Qt.Key.Key_End], "Some words."),
        ([Qt.Key.Key_Down] * 2, "Some words.\n\n```\ncode here\n```"),
    ],
)
def test_shift_and_an_arrow_move_the_end_into_the_next_block(view: Transcript, keys: list[Qt.Key], text: str) -> None:
    editor = text_views(view, "text")[0]
    QTest.mouseClick(editor.viewport(), LEFT, pos=_at(editor, 0))
    for key in keys:
        QTest.keyClick(editor, key, SHIFT)
    assert _copied(view) == text


def test_shift_and_a_page_key_extend_by_a_page_and_to_the_end(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(12))
    view.verticalScrollBar().setValue(0)
    editor = text_views(view)[0]
    QTest.mouseClick(editor.viewport(), LEFT, pos=_at(editor, 3))
    last = Spot(0)
    for _ in range(60):
        QTest.keyClick(view, Qt.Key.Key_PageDown, SHIFT)
        chosen = view.reading.selector.selection
        assert chosen is not None
        assert chosen.anchor == Spot(0, 0, 0, 3)
        if chosen.focus == last:
            break
        assert chosen.focus > last
        last = chosen.focus
    assert _copied(view).endswith(view.entries[-1].source)
    for _ in range(60):
        QTest.keyClick(view, Qt.Key.Key_PageUp, SHIFT)
    chosen = view.reading.selector.selection
    assert chosen == Selection(Spot(0, 0, 0, 3), Spot(0))


def test_a_selection_ends_with_the_message_that_it_ends_in(view: Transcript) -> None:
    asked, text, *_ = text_views(view)
    _drag(asked, 2, asked, 7)
    view.truncate(1)
    assert _copied(view) == "rst q"
    view.reset([question("one"), answer("two")])
    assert view.reading.selector.selection is None
    asked, text = text_views(view)
    _drag(asked, 1, text, 2)
    view.truncate(1)
    assert view.reading.selector.selection is None


def test_a_theme_change_keeps_the_selection(view: Transcript) -> None:
    asked, text, *_ = text_views(view)
    _drag(asked, 6, text, 4)
    view.set_theme(view._layout.theme.zoomed(1.4))
    assert [_marked(editor) for editor in text_views(view)[:2]] == ["question here", "Some"]


def test_the_menu_offers_copying_when_something_is_selected(view: Transcript) -> None:
    text = text_views(view, "text")[0]
    names = {action.text(): action for action in text.menu_at(QPoint(5, 5)).actions()}
    assert not names["Copy"].isEnabled()
    names["Select all"].trigger()
    names = {action.text(): action for action in text.menu_at(QPoint(5, 5)).actions()}
    names["Copy"].trigger()
    assert QGuiApplication.clipboard().text() == "\n\n".join(entry.source for entry in view.entries)


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        (Qt.Key.Key_Down, SHIFT),
        (Qt.Key.Key_Right, SHIFT),
        (Qt.Key.Key_PageDown, SHIFT),
        (Qt.Key.Key_Home, CONTROL | SHIFT),
    ],
)
def test_keys_lead_past_what_is_folded(qtbot: QtBot, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    view = transcript(qtbot)
    view.reset([answer("First answer.", reasoning="Folded thoughts."), question("A question?")])
    selector = view.reading.selector
    selector.select(Selection(Spot(1, 0, 0, 3), Spot(0)))
    QTest.keyClick(view, key, modifiers)
    assert selector.selection is not None
    assert selector.selection.focus[:3] in [place for entry in view.entries for place in entry.places()]
    assert "Folded" not in _copied(view)


@pytest.mark.parametrize("key", [Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_PageUp, Qt.Key.Key_End])
def test_keys_select_nothing_where_there_is_no_text(qtbot: QtBot, key: Qt.Key) -> None:
    view = transcript(qtbot)
    view.reset([Entry("assistant", foot=Foot(busy=True))])
    view.reading.selector.select_all()
    QTest.keyClick(view, key, SHIFT)
    assert _copied(view) == ""
