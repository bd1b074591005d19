from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QWidget

from rillet.widgets.blocks.ticker import Ticker, duration

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.0 s"), (0.24, "0.2 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (125.0, "2 min 5 s")],
)
def test_durations_are_short(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_it_ticks_only_while_it_is_on_and_seen(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    ticker = Ticker(widget, lambda: None)
    states = [ticker.running]
    ticker.set_on(True)
    states.append(ticker.running)
    ticker.set_seen(True)
    states.append(ticker.running)
    ticker.set_seen(False)
    states.append(ticker.running)
    ticker.set_seen(True)
    ticker.set_on(False)
    states.append(ticker.running)
    assert states == [False, False, True, False, False]


def test_a_tick_calls(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    ticks: list[None] = []
    ticker = Ticker(widget, lambda: ticks.append(None))
    ticker.set_seen(True)
    ticker.set_on(True)
    qtbot.waitUntil(lambda: len(ticks) > 0)
