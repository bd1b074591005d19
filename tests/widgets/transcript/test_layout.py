from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QRect

from rillet.widgets.markdown.formats import HANG
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT, MARGIN, MEASURE
from rillet.widgets.transcript.documents import Documents
from rillet.widgets.transcript.layout import Layout
from rillet.widgets.transcript.model import Entry, Section
from support.views import answer, conversation, question

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


@pytest.fixture
def layout(qapp: QApplication) -> Layout:
    theme = Theme.of(LIGHT)
    return Layout(Documents(theme), theme)


def _measure(layout: Layout, top: int, bottom: int) -> None:
    while layout.measure(top, bottom):
        pass


@pytest.mark.parametrize(
    ("viewport", "outer", "x", "width"),
    [
        (1000, 1012, 146, MEASURE),
        (788, 800, 40, MEASURE),
        (768, 768, MARGIN, 720),
        (400, 412, 30, 352),
        (100, 100, 0, 160),
    ],
)
def test_the_column_is_in_the_middle_and_never_too_wide(
    layout: Layout, viewport: int, outer: int, x: int, width: int
) -> None:
    layout.set_width(viewport, outer)
    assert layout.column == (x, width)


def test_only_what_was_asked_for_is_measured(layout: Layout) -> None:
    layout.reset(conversation(50))
    _measure(layout, 0, 500)
    exact = [entry.index for entry in layout.entries if entry.tiles and any(tile.exact for tile in entry.tiles)]
    assert exact == list(range(exact[-1] + 1))
    assert exact[-1] < 10
    assert all(placed.tile.exact for placed in layout.visible(0, 500))


def test_measuring_stops_in_time(layout: Layout) -> None:
    layout.reset(conversation(50))
    layout.measure(0, 100_000, until=time.perf_counter())
    assert all(entry.tiles is None for entry in layout.entries)


def test_visible_tiles_are_those_that_touch_the_window(layout: Layout) -> None:
    layout.reset(conversation(12))
    _measure(layout, 0, 100_000)
    everything = list(layout.visible(0, layout.heights.total))
    assert len(everything) == sum(len(entry.tiles or ()) for entry in layout.entries)
    for top in range(0, layout.heights.total - 300, 171):
        shown = list(layout.visible(top, top + 300))
        touching = [p for p in everything if p.y < top + 300 and p.y + p.tile.height > top]
        assert shown == touching
    for above, below in pairwise(everything):
        assert above.y + above.tile.height <= below.y


def test_a_tile_is_where_visible_says(layout: Layout) -> None:
    layout.reset(conversation(6))
    _measure(layout, 0, 100_000)
    for entry, tile, y in layout.visible(0, layout.heights.total):
        assert layout.y_of(entry, tile) == y


def test_a_bubble_holds_its_text_and_stands_on_the_right(layout: Layout) -> None:
    short, long = question("Hi"), question("words " * 300)
    layout.reset([short, long, answer()])
    _measure(layout, 0, 100_000)
    for entry in (short, long):
        assert entry.tiles is not None
        bubble = layout.bubble(entry)
        assert bubble is not None
        text = layout.widths.rect(entry, entry.tiles[0], entry.offsets[0])
        assert bubble.contains(text)
        assert bubble.x() + bubble.width() == layout.column.x + layout.column.width
        assert bubble.width() <= 0.8 * layout.column.width
    narrow, wide = layout.bubble(short), layout.bubble(long)
    assert isinstance(narrow, QRect)
    assert isinstance(wide, QRect)
    assert narrow.width() < 100 < wide.width()
    assert layout.bubble(layout.entries[2]) is None


def test_reasoning_is_indented_below_its_fold(layout: Layout) -> None:
    entry = answer("Yes.", reasoning="Because.")
    entry.sections[0].expanded = True
    layout.reset([entry])
    _measure(layout, 0, 1000)
    assert entry.tiles is not None
    rects = [layout.widths.rect(entry, tile, 0) for tile in entry.tiles]
    assert rects[1].x() + HANG > rects[0].x() == rects[2].x() + HANG
    assert rects[1].right() == rects[2].right()


def test_another_width_makes_guesses_of_what_was_known(layout: Layout) -> None:
    layout.reset(conversation(4))
    _measure(layout, 0, 100_000)
    before = layout.heights.total
    assert layout.set_width(500, 500)
    layout.catch_up(math.inf)
    tiles = [tile for entry in layout.entries for tile in entry.tiles or ()]
    assert not any(tile.exact for tile in tiles if tile.kind == "text")
    assert layout.heights.total > before
    assert not layout.set_width(500, 500)


def test_after_a_change_of_width_or_fonts_only_what_one_looks_at_is_fitted_at_once(layout: Layout) -> None:
    layout.reset(conversation(60))
    _measure(layout, 0, 500)
    layout.set_width(400, 400)
    layout.set_theme(Theme.of(LIGHT).zoomed(1.5))
    _measure(layout, 0, 500)
    fits = [entry.fit for entry in layout.entries]
    assert fits.count(fits[0]) < 10
    assert fits[0] != fits[-1]
    while not layout.caught_up:
        layout.catch_up(time.perf_counter() + 0.001)
    assert len({entry.fit for entry in layout.entries}) == 1


def test_in_the_end_guesses_are_those_of_a_conversation_that_was_never_wider(layout: Layout) -> None:
    layout.set_width(400, 400)
    layout.reset(conversation(60))
    wanted = [layout.heights[index] for index in range(60)]
    layout.set_width(900, 900)
    layout.catch_up(math.inf)
    assert [layout.heights[index] for index in range(60)] != wanted
    layout.set_width(600, 600)
    layout.set_width(400, 400)
    layout.catch_up(math.inf)
    assert [layout.heights[index] for index in range(60)] == wanted


def test_a_message_that_grows_far_away_is_fitted_on_the_way(layout: Layout) -> None:
    layout.reset(conversation(60))
    last = Entry("assistant", [Section("markdown", "Words. " * 200, growing=True)])
    layout.append(last)
    layout.cut(last)
    layout.set_width(400, 400)
    layout.changed(last, last.append("markdown", "More."))
    assert last.fit == layout.entries[-1].fit != layout.entries[0].fit
    assert last.height == layout.heights[60]


def test_no_entries_have_nothing_to_show(layout: Layout) -> None:
    assert list(layout.visible(0, 500)) == []
    assert not layout.measure(0, 500)
