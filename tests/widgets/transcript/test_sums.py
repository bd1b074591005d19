from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.transcript.sums import Sums

_lists = st.lists(st.integers(0, 500), max_size=400)


@given(_lists, st.lists(st.tuples(st.integers(0, 399), st.integers(0, 500))))
def test_sums_stay_right_whatever_changes(start: list[int], changes: list[tuple[int, int]]) -> None:
    heights = Sums(start[: len(start) // 2])
    for height in start[len(start) // 2 :]:
        heights.append(height)
    plain = list(start)
    for index, height in changes:
        if index < len(plain):
            plain[index] = heights[index] = height
    assert [heights.before(i) for i in range(len(plain) + 1)] == [sum(plain[:i]) for i in range(len(plain) + 1)]
    assert heights.total == sum(plain)


@given(_lists, st.integers(0, 400))
def test_truncating_leaves_what_building_anew_gives(start: list[int], count: int) -> None:
    heights = Sums(start)
    heights.truncate(min(count, len(start)))
    heights.append(7)
    kept = [*start[:count], 7]
    assert len(heights) == len(kept)
    assert [heights.before(i) for i in range(len(kept) + 1)] == [sum(kept[:i]) for i in range(len(kept) + 1)]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=400), st.data())
def test_every_pixel_of_a_row_is_found_in_that_row(start: list[int], data: st.DataObject) -> None:
    heights = Sums(start)
    row = data.draw(st.integers(0, len(start) - 1))
    pixel = data.draw(st.integers(0, start[row] - 1))
    assert heights.at(heights.before(row) + pixel) == row


def test_a_pixel_outside_belongs_to_the_nearest_row() -> None:
    heights = Sums([10] * 300)
    assert heights.at(-5) == 0
    assert heights.at(3000) == 299


def test_no_rows_have_no_pixels() -> None:
    with pytest.raises(IndexError):
        Sums().at(0)


def test_a_negative_index_changes_nothing() -> None:
    heights = Sums([1, 2])
    with pytest.raises(IndexError):
        heights[-1] = 5
    assert heights.total == 3
