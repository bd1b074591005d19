"""Garbage collection on the GUI thread only."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import TYPE_CHECKING

import pytest

from rillet.app import garbage
from rillet.app.garbage import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


@pytest.fixture
def collector(qtbot: QtBot) -> Iterator[Collector]:
    gc.enable()
    collector = Collector()
    yield collector
    collector.deleteLater()
    gc.unfreeze()
    gc.disable()


class Cycle:
    def __init__(self) -> None:
        self.me = self


def test_no_other_thread_collects(collector: Collector) -> None:
    collected_on: set[int] = set()

    def note(_phase: str, _info: object) -> None:
        collected_on.add(threading.get_ident())

    gc.callbacks.append(note)
    try:
        thread = threading.Thread(target=lambda: [Cycle() for _ in range(50_000)])
        thread.start()
        thread.join()
        assert collected_on == set()
        collector.collect()
        assert collected_on == {threading.get_ident()}
    finally:
        gc.callbacks.remove(note)


def test_the_timer_collects_what_piled_up(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "INTERVAL", 1)
    collector = Collector()
    try:
        cycle = Cycle()
        gone = weakref.ref(cycle)
        del cycle
        kept = [Cycle() for _ in range(2 * garbage.THRESHOLDS[0])]  # (what is released meanwhile counts against it)
        qtbot.waitUntil(lambda: gone() is None)
        assert kept
    finally:
        collector.deleteLater()


def test_little_garbage_is_left_for_later(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()
    collections: list[int] = []
    monkeypatch.setattr("gc.collect", collections.append)
    collector.collect()
    assert collections == []


def test_what_is_there_after_start_up_is_exempt(collector: Collector) -> None:
    before = gc.get_freeze_count()
    collector.freeze()
    assert gc.get_freeze_count() > before + 1000
