"""Signals reach a program that sits in Qt's event loop, once; then Python's own ways apply again."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from rillet.app.interrupt import Interrupt

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_calls_the_function_on_the_gui_thread(number: int, qtbot: QtBot) -> None:
    before = signal.getsignal(number)
    told: list[bool] = []
    interrupt = Interrupt(lambda: told.append(True))
    os.kill(os.getpid(), number)
    qtbot.waitUntil(lambda: told == [True])
    assert signal.getsignal(number) == before
    interrupt.close()


def test_closing_gives_the_signals_back(qtbot: QtBot) -> None:
    before = signal.getsignal(signal.SIGINT)
    interrupt = Interrupt(lambda: None)
    assert signal.getsignal(signal.SIGINT) != before
    interrupt.close()
    assert signal.getsignal(signal.SIGINT) == before
    assert signal.set_wakeup_fd(-1) == -1
