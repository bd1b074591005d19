"""Coroutines of the GUI, run by qasync on Qt's own event loop. Nothing of the network runs here: they await resources.

Above: ``qt``. Below: ``picker`` loads its lists this way. asyncio and qasync are imported by the first coroutine, so
that start-up does not pay for them. Guarantee: what a coroutine raises reaches ``sys.excepthook``; ``cancel_all`` lets
every coroutine run its ``finally`` before the program quits.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine

_tasks: set[asyncio.Task[Any]] = set()
_PATIENCE = 20


def start(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Run a coroutine on the GUI thread."""
    task = _loop().create_task(coroutine)
    _tasks.add(task)
    task.add_done_callback(_ended)
    return task


def cancel_all() -> None:
    """Cancel every coroutine and turn the event loop until they have ended."""
    for task in list(_tasks):
        task.cancel()
    for _ in range(_PATIENCE):
        if not _tasks:
            return
        QCoreApplication.processEvents()


def _loop() -> asyncio.AbstractEventLoop:
    import asyncio

    import qasync

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        loop: asyncio.AbstractEventLoop = qasync.QEventLoop(QCoreApplication.instance(), already_running=True)
        return loop


def _ended(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        sys.excepthook(type(error), error, error.__traceback__)
