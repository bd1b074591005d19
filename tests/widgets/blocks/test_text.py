from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest

from rillet.widgets.blocks.bubble import LinkBubble
from rillet.widgets.blocks.text import TextView
from rillet.widgets.links import IMAGE
from rillet.widgets.markdown.formats import HANG
from support.views import answer, question, text_views, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.transcript.view import Transcript


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


def _active(view: Transcript) -> Transcript:
    view.activateWindow()
    assert QTest.qWaitForWindowActive(view)
    return view


def _place(editor: TextView, position: int) -> QPoint:
    cursor = QTextCursor(editor.document())
    cursor.setPosition(position)
    return editor.cursorRect(cursor).center() + QPoint(3, 0)


def test_a_picture_is_asked_for_by_a_click_and_never_loaded(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("![a chart](https://example.org/c.png?q=%20a)")])
    (editor,) = text_views(view)
    followed: list[QUrl] = []
    view.linkActivated.connect(followed.append)
    with qtbot.waitSignal(view.imageRequested) as asked:
        QTest.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=_place(editor, 3))
    assert asked.args == [QUrl("https://example.org/c.png?q=%20a")]
    assert followed == []


def test_what_is_no_address_is_not_followed_even_if_a_document_says_so(qtbot: QtBot) -> None:
    editor = TextView()
    qtbot.addWidget(editor)
    heard: list[QUrl] = []
    editor.linkActivated.connect(heard.append)
    editor.imageRequested.connect(heard.append)
    for address in ("file:///etc/passwd", f"{IMAGE}file:///etc/passwd", "ms-msdt:/id", "relative", "#a"):
        editor.anchorClicked.emit(QUrl(address))
    assert heard == []


def test_a_bubble_says_where_the_link_under_the_mouse_leads(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("[here](https://xn--pple-43d.example/path)")])
    (editor,) = text_views(view)
    bubble = view.findChild(LinkBubble)
    assert isinstance(bubble, LinkBubble)
    assert not bubble.isVisible()
    QTest.mouseMove(editor.viewport(), _place(editor, 2))
    assert bubble.isVisible()
    assert bubble.text().splitlines() == [
        "\u0430pple.example (xn--pple-43d.example)",
        "The name mixes letters of several scripts",
        "https://xn--pple-43d.example/path",
    ]
    assert bubble.textFormat() is Qt.TextFormat.PlainText
    assert view.viewport().geometry().contains(bubble.geometry())
    QTest.mouseMove(editor.viewport(), QPoint(editor.width() - 2, 2))
    assert not bubble.isVisible()


def test_a_bubble_says_where_the_link_under_the_keyboard_leads_and_so_does_the_reader(qtbot: QtBot) -> None:
    view = _active(transcript(qtbot))
    view.reset([answer("[one](https://one.example/) and ![two](https://two.example/)"), answer("no link")])
    editor = text_views(view)[0]
    bubble = view.findChild(LinkBubble)
    assert isinstance(bubble, LinkBubble)
    heard: list[str] = []
    view.linkReached.connect(heard.append)
    editor.setFocus(Qt.FocusReason.TabFocusReason)
    assert bubble.text().splitlines()[0] == "one.example"
    assert editor.textCursor().selectedText() == "one"
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert bubble.text().splitlines()[0] == "Image from two.example"
    with qtbot.waitSignal(view.imageRequested):
        QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.keyClick(editor, Qt.Key.Key_Tab)
    assert not editor.hasFocus()
    assert not bubble.isVisible()
    editor.setFocus(Qt.FocusReason.BacktabFocusReason)
    assert bubble.text().splitlines()[0] == "Image from two.example"
    QTest.keyClick(editor, Qt.Key.Key_Backtab)
    assert bubble.text().splitlines()[0] == "one.example"
    assert heard == ["one.example", "Image from two.example", "Image from two.example", "one.example"]


def test_the_bubble_goes_with_the_text_it_speaks_of(qtbot: QtBot) -> None:
    view = _active(transcript(qtbot))
    view.reset([answer("[one](https://one.example/)")])
    text_views(view)[0].setFocus(Qt.FocusReason.TabFocusReason)
    bubble = view.findChild(LinkBubble)
    assert isinstance(bubble, LinkBubble)
    assert bubble.isVisible()
    view.reset([answer("nothing")])
    assert not bubble.isVisible()


def test_the_address_of_a_picture_is_not_offered_as_a_link_to_copy(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("![a chart](https://example.org/c.png) [link](https://example.org/)")])
    (editor,) = text_views(view)
    offered = []
    for position in (3, editor.toPlainText().index("link") + 2):
        menu = editor.menu_at(_place(editor, position))
        offered.append("link-copy" in [action.objectName() for action in menu.actions()])
        assert "Copy message" in [action.text() for action in menu.actions()]
    assert offered == [False, True]


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
    bar = quoted.grab().toImage().pixelColor(HANG + 3, 8)
    view.reset([answer("Not quoted")])
    (plain,) = text_views(view)
    assert bar == quoted._bar_colour
    assert plain.grab().toImage().pixelColor(3, 2) != bar


def test_the_bar_of_a_quote_goes_on_beside_its_code(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("> words\n>\n> ```c\n> int x;\n> int y;\n> ```\n>\n> behind")])
    (quoted,) = text_views(view)
    image = quoted.grab().toImage()
    column = [image.pixelColor(HANG + 3, y) for y in range(2, image.height() - 2)]
    assert set(map(QColor.name, column)) == {quoted._bar_colour.name()}


def test_the_bar_of_a_quote_stands_where_reading_begins(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer("> left\n>\n> \u05d9\u05de\u05d9\u05df\n>\n> left again")])
    (quoted,) = text_views(view)
    image = quoted.grab().toImage()
    third = image.height() // 3

    def thirds(x: int) -> set[int]:
        return {y // third for y in range(3 * third) if image.pixelColor(x, y) == quoted._bar_colour}

    assert thirds(HANG + 3) == {0, 2}
    assert thirds(image.width() - HANG - 4) == {1}


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
