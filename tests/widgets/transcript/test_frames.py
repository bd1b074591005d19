from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rillet.widgets.transcript.frames import (
    HINDERED,
    LONGEST,
    RATIO,
    SHORTEST,
    SLICE,
    Backlog,
    FrameScheduler,
    interval_after,
)

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=30))),
    st.lists(st.integers(0, 20), max_size=60),
)
def test_nothing_is_lost_or_reordered_however_it_is_taken(added: list[tuple[str, str]], limits: list[int]) -> None:
    backlog: Backlog[str] = Backlog()
    for kind, text in added:
        backlog.add(kind, text)
    taken = []
    for limit in limits:
        pieces = backlog.take(limit)
        assert sum(len(text) for _, text in pieces) <= limit
        taken += pieces
    taken += backlog.take()
    assert len(backlog) == 0
    assert [(kind, c) for kind, text in taken for c in text] == [(kind, c) for kind, text in added for c in text]


def test_a_burst_is_due_in_slices_and_a_huge_one_within_some_seconds() -> None:
    backlog: Backlog[str] = Backlog()
    backlog.add("a", "x" * 50_000)
    assert backlog.due() == SLICE
    backlog.add("a", "x" * 950_000)
    assert backlog.due() == 25_000


def test_a_frame_leaves_most_of_the_time_to_others() -> None:
    assert interval_after(0.0) == SHORTEST
    assert interval_after(0.010) == 0.010 * (1 + RATIO)
    assert interval_after(10.0) == LONGEST


def test_frames_follow_each_other_until_nothing_is_left(qtbot: QtBot) -> None:
    left = [3]

    def draw() -> bool:
        left[0] -= 1
        return left[0] > 0

    scheduler = FrameScheduler(draw)
    scheduler.request()
    qtbot.waitUntil(lambda: not scheduler.active)
    assert left == [0]


def _note(drawn: list[int]) -> bool:
    """Draw once, with nothing left."""
    drawn.append(1)
    return False


def test_many_requests_are_one_frame(qtbot: QtBot) -> None:
    drawn: list[int] = []
    scheduler = FrameScheduler(partial(_note, drawn))
    for _ in range(100):
        scheduler.request()
    qtbot.waitUntil(lambda: not scheduler.active)
    assert len(drawn) == 1


def test_a_slow_frame_puts_the_next_one_off(qtbot: QtBot) -> None:
    now = [0.0]

    def draw() -> bool:
        now[0] += 0.020
        return False

    scheduler = FrameScheduler(draw, clock=lambda: now[0])
    scheduler.request()
    qtbot.waitUntil(lambda: not scheduler.active)
    scheduler.request()
    assert scheduler._frame.interval() == 100  # 6 × 20 ms after its start, of which 20 are over


def test_a_stopped_scheduler_draws_no_more(qtbot: QtBot) -> None:
    drawn: list[int] = []
    scheduler = FrameScheduler(partial(_note, drawn))
    scheduler.request()
    scheduler.stop()
    assert not scheduler.active
    scheduler.request()
    qtbot.waitUntil(lambda: not scheduler.active)
    assert len(drawn) == 1


def test_a_frame_that_is_hindered_is_drawn_as_soon_as_it_is_not(qtbot: QtBot) -> None:
    drawn: list[int] = []
    scheduler = FrameScheduler(partial(_note, drawn), hindered=lambda: True, clock=lambda: 0.0)
    scheduler.go_on()
    scheduler.request()
    qtbot.waitUntil(lambda: scheduler._waiting)
    assert drawn == []
    scheduler.go_on()
    assert drawn == [1]
    scheduler.go_on()
    assert drawn == [1]


def test_a_frame_that_stays_hindered_is_drawn_nevertheless(qtbot: QtBot) -> None:
    drawn: list[int] = []
    scheduler = FrameScheduler(partial(_note, drawn), hindered=lambda: True)
    scheduler.request()
    qtbot.waitUntil(lambda: scheduler._waiting)
    assert scheduler._frame.interval() == HINDERED * 1000
    qtbot.waitUntil(lambda: bool(drawn))
    assert not scheduler._waiting
