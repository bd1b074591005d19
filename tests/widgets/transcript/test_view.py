from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from rillet.widgets.blocks.button import Button
from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, MARGIN
from rillet.widgets.transcript import documents
from rillet.widgets.transcript.model import Entry, Foot
from support.views import (
    ANSWER,
    answer,
    conversation,
    on_screen,
    question,
    text_on_screen,
    text_views,
    tops,
    transcript,
)

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.blocks.text import TextView
    from rillet.widgets.transcript.view import Transcript

PARAGRAPH = "A paragraph of ordinary words that fills a line or two at the width that tests use, and then it ends.\n\n"


def _scroll_up(view: Transcript, pixels: int) -> None:
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() - pixels)


def _at_end(view: Transcript) -> bool:
    return view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_a_conversation_opens_at_its_end(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([*conversation(20), answer("The very last words.")])
    assert _at_end(view)
    assert text_on_screen(view).endswith("The very last words.")


def test_the_scroll_bar_is_there_as_soon_as_there_is_something_to_scroll(qtbot: QtBot) -> None:
    view = transcript(qtbot, width=420)
    view.reset([question()])
    bar = view.verticalScrollBar()
    assert not bar.isVisible()
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    while not bar.maximum():
        view.grow(entry, "markdown", PARAGRAPH)
    assert bar.isVisible()
    assert _at_end(view)
    assert view._layout.column.width == view.viewport().width() - 2 * MARGIN
    assert all(
        placed.tile.exact for placed in view._layout.visible(bar.value(), bar.value() + view.viewport().height())
    )
    view.truncate(1)
    assert not bar.isVisible()
    assert view._layout.column.width == view.viewport().width() - 2 * MARGIN


def test_the_end_is_followed_only_while_it_is_in_sight(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(6))
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    for _ in range(20):
        view.grow(entry, "markdown", PARAGRAPH)
        assert _at_end(view)
    _scroll_up(view, 900)
    assert not view.following
    before = tops(view)
    assert len(before) > 2
    for _ in range(20):
        view.grow(entry, "markdown", PARAGRAPH)
    assert tops(view) == before
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    view.grow(entry, "markdown", PARAGRAPH)
    assert _at_end(view)


def test_the_button_to_the_end_shows_only_away_from_it_and_goes_there(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(20))
    assert view._jump.isHidden()
    _scroll_up(view, 400)
    assert not view._jump.isHidden()
    view._jump.click()
    qtbot.waitUntil(lambda: view.following)
    assert _at_end(view)
    assert view._jump.isHidden()


def test_scrolling_up_through_unknown_text_never_jumps(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(300))
    bar = view.verticalScrollBar()
    steps = 0
    while steps < 600:
        before, value = tops(view), bar.value()
        _scroll_up(view, 120)
        after = tops(view)
        common = set(before) & set(after)
        assert common
        assert {after[tile] - before[tile] for tile in common} == {120}, f"step {steps} at {value}"
        steps += 1


def test_tiles_stand_below_each_other_as_high_as_their_text(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(60))
    for step in range(40):
        shown = sorted(tops(view).items(), key=lambda item: item[1])
        for (above, y), (below, next_y) in pairwise(shown):
            assert next_y - y - above.height >= below.gap
            if below.section is above.section:
                assert next_y - y - above.height == below.gap
        for tile, y in shown:
            editor = view._stage.blocks[tile].text_view
            if editor is not None:
                assert editor.height() == math.ceil(editor.document().size().height()), (
                    f"{tile.kind} at {y}, step {step}"
                )
        _scroll_up(view, 333)


def test_working_ahead_while_idle_moves_nothing_in_sight(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(100))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    before = tops(view)
    qtbot.waitUntil(lambda: not view._idle.isActive())
    assert tops(view) == before
    measured = len(view._documents)
    assert measured > len(before)


def test_two_thousand_messages_are_shown_by_a_few_widgets(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(2000))
    bar = view.verticalScrollBar()
    for step in range(200):
        bar.setValue(bar.maximum() * step // 200)
    assert len(view.viewport().children()) < 40
    assert view._stage.widget_count < 100


def test_documents_out_of_use_are_deleted_for_good(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    view = transcript(qtbot)
    view.reset(conversation(200))
    made = []
    build = documents.Documents._build

    def recording(self: documents.Documents, tile: object) -> object:
        built = build(self, tile)  # type: ignore[arg-type]
        made.append(built.document)
        return built

    monkeypatch.setattr(documents.Documents, "_build", recording)
    bar = view.verticalScrollBar()
    for step in range(100):
        bar.setValue(bar.maximum() * step // 100)
    alive = [document for document in made if shiboken6.isValid(document)]
    assert len(made) > documents.KEPT + 50
    assert len(alive) <= documents.KEPT


def test_a_hidden_transcript_lays_nothing_out_until_it_is_shown(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(10))
    view.hide()
    built = len(view._documents)
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    for _ in range(50):
        view.grow(entry, "markdown", PARAGRAPH)
    assert len(view._documents) <= built
    view.show()
    assert _at_end(view)
    assert PARAGRAPH.strip() in text_on_screen(view)


def test_text_that_arrives_out_of_sight_builds_no_document(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([*conversation(20), answer(PARAGRAPH * 40)])
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    view.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: not view._idle.isActive())
    built = len(view._documents)
    for _ in range(50):
        view.grow(entry, "markdown", PARAGRAPH)
    assert len(view._documents) == built


@pytest.mark.parametrize("size", [1, 7, 40, 1500])
def test_a_streamed_answer_looks_as_when_it_is_opened_again(qtbot: QtBot, size: int) -> None:
    text = (
        ANSWER * 3
        + "\n".join(f"- item {i}\n\n  more of it" for i in range(12))
        + "\n\n[last]: https://example.org/last\n"
    )
    streamed = transcript(qtbot)
    entry = Entry("assistant", foot=Foot(busy=True))
    streamed.append(entry)
    for at in range(0, len(text), size):
        streamed.grow(entry, "markdown", text[at : at + size])
    streamed.finish(entry)
    streamed.set_foot(entry, Foot())
    opened = transcript(qtbot)
    opened.reset([answer(text)])
    for view in (streamed, opened):
        view._layout.measure(0, 100_000)
        view.place()
    assert streamed.entries[0].height == opened.entries[0].height
    while True:
        assert on_screen(streamed) == on_screen(opened)
        if streamed.verticalScrollBar().value() == 0:
            break
        _scroll_up(streamed, 300)
        _scroll_up(opened, 300)


def test_a_resize_keeps_the_text_at_the_top_in_its_place(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(60))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    qtbot.waitUntil(lambda: not view._idle.isActive())
    first = min(tops(view).items(), key=lambda item: item[1] if item[1] >= 0 else 10_000)[0]
    for width in (500, 420, 1000, 800):
        view.resize(width, 600)
        assert first in tops(view)
    assert not view.following


def test_a_resize_at_the_end_stays_at_the_end(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(30))
    for size in ((500, 600), (500, 300), (900, 700)):
        view.resize(*size)
        assert _at_end(view)


def test_another_theme_recolours_what_is_shown_and_moves_nothing(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(30))
    _scroll_up(view, 700)
    before = tops(view)
    theme = Theme.of(DARK)
    view.set_theme(theme)
    assert tops(view) == before
    fresh = transcript(qtbot)
    fresh.set_theme(theme)
    fresh.reset(conversation(30))
    _scroll_up(fresh, 700)
    assert on_screen(view) == on_screen(fresh)


def test_opening_a_fold_keeps_it_in_its_place(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([*conversation(5), answer("Yes.", reasoning="Because *of this*.\n\n" + PARAGRAPH * 5), question()])
    fold = next(block for block in view._stage.blocks.values() if isinstance(block, FoldBlock))
    assert fold.tile is not None
    tile, y = fold.tile, tops(view)[fold.tile]
    fold.click()
    assert tops(view)[tile] == y
    assert "Because of this." in text_on_screen(view)
    fold.click()
    assert "Because of this." not in text_on_screen(view)


def test_truncating_takes_the_last_entries_off_the_screen(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("first"), answer("second"), question("third")])
    view.truncate(1)
    assert text_on_screen(view) == "first"
    view.append(answer("another"))
    assert text_on_screen(view) == "first\nanother"


def test_the_thumb_is_not_moved_under_the_hand_that_holds_it(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(100))
    bar = view.verticalScrollBar()
    bar.setSliderDown(True)
    maximum = bar.maximum()
    for position in range(0, maximum, maximum // 30):
        bar.setSliderPosition(position)
        assert bar.value() == position
        assert bar.maximum() == maximum
    bar.setSliderDown(False)
    assert bar.maximum() == max(0, view._layout.heights.total + 24 - view.viewport().height())


def test_keys_scroll_and_lead_from_message_to_message(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(20))
    view.setFocus()
    bar = view.verticalScrollBar()
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert bar.value() == 0
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    assert bar.value() > 0
    QTest.keyClick(view, Qt.Key.Key_End)
    assert _at_end(view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.focus_entry(-1)
    focused = next(entry for entry, frame in view._stage.frames.items() if frame.hasFocus())
    QTest.keyClick(view._stage.frames[focused], Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    after = next(entry for entry, frame in view._stage.frames.items() if frame.hasFocus())
    assert after.index == focused.index - 1


def test_a_widget_that_scrolls_away_hands_its_focus_to_the_transcript(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(20))
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    buttons = [button for button in view.findChildren(Button) if button.text() == "Copy" and button.isVisible()]
    lowest = max(buttons, key=lambda button: button.mapTo(view, button.rect().topLeft()).y())
    lowest.setFocus()
    assert QApplication.focusWidget() is lowest
    while lowest.isVisible():
        _scroll_up(view, 40)
    assert len(view._stage.blocks) > 2
    assert QApplication.focusWidget() is view


def test_children_stand_in_the_order_of_the_eye(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(40))
    for step in (300, 700, -500, 1500, -2000):
        _scroll_up(view, step)
        frames = list(view._stage.frames.values())
        order = [child for child in view.viewport().children() if child in frames]
        assert order == sorted(frames, key=lambda frame: frame.y())
        for frame in frames:
            blocks = [block for block in view._stage.blocks.values() if block.parentWidget() is frame]
            assert [child for child in frame.children() if child in blocks] == sorted(
                blocks, key=lambda block: block.y()
            )


def test_a_message_is_named_and_described_for_screen_readers(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("Why?"), answer("Because *so*.")])
    first, second = (view._stage.frames[entry] for entry in view.entries)
    assert (first.accessibleName(), first.accessibleDescription()) == ("Your message, 1 of 2", "Why?")
    assert (second.accessibleName(), second.accessibleDescription()) == ("Answer, 2 of 2", "Because *so*.")
    view.append(question("And?"))
    assert first.accessibleName() == "Your message, 1 of 3"


def test_copying_a_message_copies_its_source(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([answer(ANSWER, reasoning="Hm.")])
    view._stage.copyClicked.emit(view.entries[0])
    assert QGuiApplication.clipboard().text() == ANSWER


def test_copy_on_a_focused_message_copies_it(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("Why *so*?"), answer("Because.")])
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view._stage.frames[view.entries[0]].setFocus()
    QTest.keyClick(view._stage.frames[view.entries[0]], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Why *so*?"


def test_a_selection_takes_the_place_of_the_one_before(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("First text"), answer("Second text")])
    first, second = text_views(view)
    for editor in (first, second):
        QTest.mouseDClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=editor.cursorRect().center())
        view.reading.copy()
        assert QGuiApplication.clipboard().text() == editor.toPlainText().split()[0]
    assert not first.extraSelections()


def test_right_to_left_text_stands_inside_its_bubble(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset([question("שלום עולם")])
    for width in (800, 500, 820):
        view.resize(width, 600)
        editor = text_views(view, "plain")[0]
        assert editor.toPlainText() == "שלום עולם"
        line = editor.document().begin().layout().lineAt(0).naturalTextRect()
        assert line.left() >= 0
        assert line.right() <= editor.viewport().width()
        assert editor.width() < 200


def _wheel(editor: TextView, x: int, y: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> bool:
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(x, y),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(editor.viewport(), event)
    return event.isAccepted()


def test_the_wheel_over_code_moves_it_sideways_and_leaves_the_rest_to_the_transcript(qtbot: QtBot) -> None:
    view = transcript(qtbot, width=500)
    view.reset([answer("```\n" + "x" * 200 + "\n```")])
    code = text_views(view, "code")[0]
    bar = code.horizontalScrollBar()
    assert not _wheel(code, 0, -120)
    assert bar.value() == 0
    assert _wheel(code, -120, 0)
    assert bar.value() == 120
    assert _wheel(code, 0, -120, Qt.KeyboardModifier.ShiftModifier)
    assert bar.value() == 240


def test_all_parts_of_a_long_fence_scroll_sideways_together(qtbot: QtBot) -> None:
    view = transcript(qtbot, width=500, height=3000)
    view.reset([answer("```\n" + ("x" * 200 + "\n") * 70 + "```")])
    first, second = text_views(view, "code")
    first.horizontalScrollBar().setValue(90)
    assert second.horizontalScrollBar().value() == 90


def test_deleting_the_view_while_it_streams_leaves_nothing_behind(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    entry = Entry("assistant", foot=Foot(busy=True))
    view.append(entry)
    view.grow(entry, "markdown", ANSWER)
    made = [view._documents.get(tile) for tile in entry.sections[0].tiles()]
    view.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.processEvents()
    assert not shiboken6.isValid(view)
    assert len(made) > 3
    assert not any(shiboken6.isValid(document) for document in made)
