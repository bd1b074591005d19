from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextCursor

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK
from rillet.widgets.transcript.holding import hold, top_of
from support.views import answer, conversation, tops, transcript

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.transcript.holding import Held
    from rillet.widgets.transcript.view import Transcript


def _scrolled(qtbot: QtBot, share: float = 0.43) -> Transcript:
    """A conversation, somewhere in its midst."""
    view = transcript(qtbot)
    view.reset(conversation(60))
    bar = view.verticalScrollBar()
    bar.setValue(int(bar.maximum() * share))
    bar.setValue(bar.value() + 17)
    return view


def _held(view: Transcript) -> Held:
    held = hold(view._layout, view._documents, view.verticalScrollBar().value(), view.viewport().height())
    assert held is not None
    return held


def _on_screen(view: Transcript, held: Held) -> int:
    """Where the line of a character is in the viewport, as its widget has it."""
    editor = view._stage.blocks[held.tile].text_view
    assert editor is not None
    cursor = QTextCursor(editor.document())
    cursor.setPosition(held.offset)
    return editor.viewport().mapTo(view.viewport(), editor.cursorRect(cursor).topLeft()).y()


@pytest.mark.parametrize("share", [0.1, 0.43, 0.77])
def test_a_line_that_is_held_is_where_its_widget_is(qtbot: QtBot, share: float) -> None:
    view = _scrolled(qtbot, share)
    held = _held(view)
    assert _on_screen(view, held) == held.y
    assert 0 <= held.y < 60


@pytest.mark.parametrize("share", [0.1, 0.43, 0.77])
@pytest.mark.parametrize("width", [560, 640, 1100])
def test_the_first_line_stays_when_the_width_changes(qtbot: QtBot, share: float, width: int) -> None:
    view = _scrolled(qtbot, share)
    held = _held(view)
    view.resize(width, 600)
    assert _on_screen(view, held) == held.y


@pytest.mark.parametrize("share", [0.1, 0.43, 0.77])
@pytest.mark.parametrize("zoom", [0.7, 1.1, 1.6, 2.4])
def test_the_first_line_stays_when_the_fonts_change(qtbot: QtBot, share: float, zoom: float) -> None:
    view = _scrolled(qtbot, share)
    held = _held(view)
    view.set_theme(view._layout.theme.zoomed(zoom))
    assert _on_screen(view, held) == held.y


@pytest.mark.parametrize("zoom", [0.7, 1.6])
def test_blocks_are_as_high_as_their_text_when_the_fonts_have_changed(qtbot: QtBot, zoom: float) -> None:
    view = _scrolled(qtbot)
    view.set_theme(view._layout.theme.zoomed(zoom))
    kinds = set()
    for tile, block in view._stage.blocks.items():
        if block.text_view is not None:
            assert block.text_view.height() == math.ceil(block.text_view.document().size().height()), tile.kind
            kinds.add(tile.kind)
    assert "code" in kinds


def test_nothing_moves_when_the_colours_change(qtbot: QtBot) -> None:
    view = _scrolled(qtbot)
    before = tops(view)
    view.set_theme(Theme.of(DARK))
    assert tops(view) == before


def test_many_small_changes_of_width_do_not_let_the_text_creep(qtbot: QtBot) -> None:
    view = _scrolled(qtbot)
    held = _held(view)
    for width in [*range(800, 500, -7), *range(500, 800, 7), 800]:
        view.resize(width, 600)
        assert _on_screen(view, held) == held.y


@pytest.mark.parametrize("move", ["walk", "scroll", "reveal"])
def test_the_line_that_stays_is_the_one_that_was_moved_to(qtbot: QtBot, move: str) -> None:
    view = _scrolled(qtbot)
    view.resize(700, 600)
    if move == "walk":
        view.activateWindow()
        qtbot.waitUntil(view.isActiveWindow)
        for _ in range(6):
            view.focus_entry(1)
    elif move == "scroll":
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 1000)
    else:
        view.reveal_line(view.entries[51], view.entries[51].sections[0].tiles()[0], 0)
    held = _held(view)
    view.resize(600, 600)
    assert _on_screen(view, held) == held.y


def test_the_end_stays_the_end_when_everything_changes(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(30))
    bar = view.verticalScrollBar()
    for zoom in (1.5, 0.8, 1.0):
        view.set_theme(view._layout.theme.zoomed(zoom))
        assert bar.value() == bar.maximum()
    view.resize(500, 400)
    assert bar.value() == bar.maximum()
    assert view.following


def test_a_fold_stays_where_it_is_when_it_opens_and_closes(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    folded = answer("A short answer.", reasoning="A thought.\n\n" * 30)
    view.reset([*conversation(20), folded, *conversation(6)])
    view.focus_entry(-1)
    bar = view.verticalScrollBar()
    while folded.sections[0].fold not in view._stage.blocks:
        bar.setValue(bar.value() - 100)
    bar.setValue(bar.value() - 100)
    fold = folded.sections[0].fold
    assert fold is not None
    y = tops(view)[fold]
    for _ in range(3):
        view.toggle_fold(folded, folded.sections[0])
        assert tops(view)[fold] == y


def test_a_line_is_brought_into_sight_wherever_it_is(qtbot: QtBot) -> None:
    view = transcript(qtbot)
    view.reset(conversation(80))
    for index in (0, 61, 5, 79, 33):
        entry = view.entries[index]
        tile = entry.sections[0].tiles()[-1]
        view.reveal_line(entry, tile, 3)
        y = top_of(view._layout, view._documents, entry, tile, 3) - view.verticalScrollBar().value()
        assert 0 <= y < view.viewport().height() - 20
        assert tile in view._stage.blocks


def test_messages_that_come_below_are_counted_until_they_are_seen(qtbot: QtBot) -> None:
    view = _scrolled(qtbot)
    assert view._jump.text() == ""
    view.append(answer("One more."))
    view.append(answer("And another."))
    assert view._jump.text() == "2 new"
    assert view._jump.accessibleName() == "Jump to the latest message, 2 new"
    wide = view._jump.width()
    view.truncate(61)
    assert view._jump.text() == "1 new"
    view.jump_to_latest()
    view.verticalScrollBar().setValue(0)
    assert view._jump.text() == ""
    assert view._jump.width() < wide


def test_what_is_read_stays_while_all_that_is_far_away_is_fitted_to_another_width(qtbot: QtBot) -> None:
    view = _scrolled(qtbot)
    held = _held(view)
    view.resize(560, 600)
    before = view._layout.heights.total
    qtbot.waitUntil(lambda: view._layout.caught_up)
    assert view._layout.heights.total != before
    assert _on_screen(view, held) == held.y
