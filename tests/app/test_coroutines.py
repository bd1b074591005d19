"""Coroutines of the GUI: run, reported, cancelled to their end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject

from rillet.app import coroutines
from rillet.core.errors import Cancelled

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot


def test_a_coroutine_runs_on_qts_event_loop(qtbot: QtBot) -> None:
    steps: list[str] = []

    async def work() -> None:
        steps.append("begun")
        await asyncio.sleep(0)
        steps.append("done")

    coroutines.start(work())
    qtbot.waitUntil(lambda: steps == ["begun", "done"])


def test_what_it_raises_is_reported(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda _kind, error, _trace: reported.append(error))

    async def work() -> None:
        raise ValueError("broken")

    coroutines.start(work())
    qtbot.waitUntil(lambda: len(reported) == 1)
    assert isinstance(reported[0], ValueError)


def test_cancelling_all_lets_each_run_its_finally(qtbot: QtBot) -> None:
    steps: list[str] = []

    async def work(name: str) -> None:
        try:
            steps.append(f"{name} waits")
            await asyncio.Event().wait()
        finally:
            steps.append(f"{name} ends")

    for name in "ab":
        coroutines.start(work(name))
    qtbot.waitUntil(lambda: len(steps) == 2)
    coroutines.cancel_all()
    assert sorted(steps) == ["a ends", "a waits", "b ends", "b waits"]


def test_the_end_of_what_it_waited_for_is_no_failure(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda _kind, error, _trace: reported.append(error))

    async def work() -> None:
        raise Cancelled

    task = coroutines.start(work())
    qtbot.waitUntil(task.done)
    qtbot.waitUntil(lambda: task not in coroutines._tasks)
    assert reported == []


def test_what_is_let_go_is_deleted_once_nothing_runs_for_it(qtbot: QtBot) -> None:
    owner, gate, ended = QObject(), asyncio.Event(), list[str]()
    gone: list[bool] = []
    owner.destroyed.connect(lambda: gone.append(True))

    async def work() -> None:
        await gate.wait()
        ended.append(owner.objectName())  # (still there)

    owner.setObjectName("owner")
    coroutines.start(work(), owner)
    coroutines.release(owner)
    QCoreApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
    assert gone == []
    gate.set()
    qtbot.waitUntil(lambda: gone == [True])
    assert ended == ["owner"]


def test_what_is_let_go_and_used_by_nobody_is_deleted_at_once(qtbot: QtBot) -> None:
    owner = QObject()
    gone: list[bool] = []
    owner.destroyed.connect(lambda: gone.append(True))
    coroutines.release(owner)
    qtbot.waitUntil(lambda: gone == [True])
