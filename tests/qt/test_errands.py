"""Coroutines of core, run on the engine thread for the program."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject

from rillet.core.errors import Cancelled, ServerError
from rillet.qt import Engine
from rillet.qt.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


@pytest.fixture
def owner(qtbot: QtBot) -> Iterator[QObject]:
    yield QObject()
    Engine.default().shutdown()


def test_it_runs_on_the_engine_thread_and_its_result_comes_back(owner: QObject) -> None:
    async def where() -> int:
        return threading.get_ident()

    assert Errands(owner, "Test").run(where).get(5.0) != threading.get_ident()


def test_its_error_comes_back(owner: QObject) -> None:
    async def fail() -> None:
        raise ServerError("no")

    with pytest.raises(ServerError, match="no"):
        Errands(owner, "Test").run(fail).get(5.0)


@pytest.mark.parametrize("end", ["close", "destroy", "cancel"])
def test_it_ends_with_its_owner(end: str, owner: QObject, qtbot: QtBot) -> None:
    started, stopped = threading.Event(), threading.Event()

    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    errands = Errands(owner, "Test")
    resource = errands.run(wait)
    qtbot.waitUntil(started.is_set)
    if end == "close":
        errands.close()
    elif end == "cancel":
        assert resource.cancel()
    else:
        owner.deleteLater()
    qtbot.waitUntil(resource.isDone)
    assert stopped.is_set()
    with pytest.raises(Cancelled):
        resource.get(1.0)
