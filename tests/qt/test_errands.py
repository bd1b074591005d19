"""Coroutines of core, run on the engine thread for the program."""

from __future__ import annotations

import asyncio
import itertools
import threading
import weakref
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject

from rillet.core.errors import Cancelled, ServerError
from rillet.qt import Engine
from rillet.qt.errands import Errands

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from pytestqt.qtbot import QtBot


@pytest.fixture
def owner(qtbot: QtBot) -> Iterator[QObject]:
    yield QObject()
    Engine.default().shutdown()


def test_it_runs_on_the_engine_thread_and_its_result_comes_back(owner: QObject) -> None:
    async def where() -> int:
        return threading.get_ident()

    assert Errands(owner, "Test").run(where).get(30) != threading.get_ident()


def test_its_error_comes_back(owner: QObject) -> None:
    async def fail() -> None:
        raise ServerError("no")

    with pytest.raises(ServerError, match="no"):
        Errands(owner, "Test").run(fail).get(30)


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


def test_what_a_generator_yields_is_told_on_this_thread_in_order(owner: QObject, qtbot: QtBot) -> None:
    told: list[tuple[int, int]] = []

    async def count() -> AsyncGenerator[int]:
        for number in range(1000):
            yield number

    resource = Errands(owner, "Test").follow(count, lambda number: told.append((number, threading.get_ident())))
    resource.get(30)
    assert told == [(number, threading.get_ident()) for number in range(1000)]


def test_a_generator_that_is_cancelled_is_closed_and_tells_nothing_more(owner: QObject, qtbot: QtBot) -> None:
    told: list[int] = []
    closed = threading.Event()

    async def count() -> AsyncGenerator[int]:
        try:
            for number in itertools.count():
                yield number
                await asyncio.sleep(0)
        finally:
            closed.set()

    resource = Errands(owner, "Test").follow(count, told.append)
    qtbot.waitUntil(lambda: len(told) > 3)
    resource.cancel()
    so_far = len(told)
    qtbot.waitUntil(closed.is_set)
    qtbot.waitUntil(resource.isDone)
    assert len(told) == so_far


def test_an_error_that_was_on_its_way_when_it_was_cancelled_keeps_nothing(owner: QObject, qtbot: QtBot) -> None:
    """Frames and errors hold each other; whatever the work was given would wait for a garbage collection."""

    class Given:
        pass

    failed = threading.Event()
    gone: list[weakref.ref[Given]] = []

    async def fail() -> None:
        given = Given()
        gone.append(weakref.ref(given))
        error = ServerError("no")
        try:
            raise error
        finally:
            failed.set()
            await asyncio.Event().wait()

    resource = Errands(owner, "Test").run(fail)
    assert failed.wait(30)
    resource.cancel()
    qtbot.waitUntil(lambda: gone[0]() is None)
