"""Something long, done a piece at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from rillet.app.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


def test_what_is_waiting_is_dealt_with_between_two_pieces(qtbot: QtBot) -> None:
    seen: list[str] = []

    def work() -> Iterator[None]:
        for number in range(3):
            seen.append(f"piece {number}")
            QTimer.singleShot(0, lambda: seen.append("event"))
            yield
        seen.append("end")

    pieces = Pieces(work())
    assert seen == [], "nothing is done before the loop turns"
    qtbot.waitUntil(lambda: seen[-1:] == ["end"])
    assert seen == ["piece 0", "event", "piece 1", "event", "piece 2", "event", "end"]
    pieces.stop()


def test_the_rest_is_left_once_it_is_stopped(qtbot: QtBot) -> None:
    seen: list[int] = []

    def work() -> Iterator[None]:
        for number in range(100):
            seen.append(number)
            if number == 1:
                pieces.stop()
            yield

    pieces = Pieces(work())
    qtbot.waitUntil(lambda: seen == [0, 1])
    QTimer.singleShot(0, lambda: seen.append(-1))
    qtbot.waitUntil(lambda: seen[-1] == -1)
    assert seen == [0, 1, -1]


def test_a_piece_that_fails_is_told_once_and_ends_it(qtbot: QtBot) -> None:
    def work() -> Iterator[None]:
        yield
        raise ValueError

    with qtbot.captureExceptions() as caught:
        pieces = Pieces(work())
        qtbot.waitUntil(lambda: not pieces._timer.isActive())
        turned: list[bool] = []
        QTimer.singleShot(0, lambda: turned.append(True))
        qtbot.waitUntil(lambda: bool(turned))
    assert [kind for kind, *_ in caught] == [ValueError]
