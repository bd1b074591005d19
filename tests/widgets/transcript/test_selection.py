from __future__ import annotations

import pytest

from rillet.widgets.transcript.selection import END, Selection, Spot

FIRST, LAST = Spot(1, 0, 2, 5), Spot(3, 1, 0, 7)


@pytest.mark.parametrize("selection", [Selection(FIRST, LAST), Selection(LAST, FIRST)])
@pytest.mark.parametrize(
    ("tile", "span"),
    [
        ((0, 9, 9), None),
        ((1, 0, 1), None),
        ((1, 0, 2), (5, 20)),
        ((1, 0, 3), (0, 20)),
        ((2, 0, 0), (0, 20)),
        ((3, 0, 9), (0, 20)),
        ((3, 1, 0), (0, 7)),
        ((3, 1, 1), None),
    ],
)
def test_a_tile_is_selected_as_far_as_it_lies_between_the_ends(
    selection: Selection, tile: tuple[int, int, int], span: tuple[int, int] | None
) -> None:
    assert selection.span(tile, 20) == span


def test_what_lies_behind_the_end_of_a_shortened_text_is_not_selected() -> None:
    assert Selection(FIRST, LAST).span((3, 1, 0), 3) == (0, 3)
    assert Selection(FIRST, LAST).span((1, 0, 2), 5) is None


def test_the_end_of_everything_lies_behind_all_text() -> None:
    everything = Selection(Spot(0), Spot(2, END, END, END))
    assert everything.span((2, 7, 9), 11) == (0, 11)
    assert everything.span((3, 0, 0), 11) is None


def test_a_selection_without_text_is_none() -> None:
    assert not Selection(FIRST, FIRST)
    assert Selection(FIRST, LAST)
