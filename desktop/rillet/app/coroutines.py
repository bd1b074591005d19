"""Coroutines of the GUI, run by qasync on Qt's own event loop. Nothing of the network runs here: they await resources.

Above: ``qt``. Below: ``picker`` loads its lists this way. asyncio and qasync are imported by the first coroutine, so
that start-up does not pay for them. Guarantees: what a coroutine raises reaches ``sys.excepthook``, or a trouble of the
store whoever said ``hear_trouble``; ``cancel_all`` lets every coroutine run its ``finally`` before the program quits;
what is let go by ``release`` outlives the coroutines that were started for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QCoreApplication, QObject

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine

    from rillet.core.store.trouble import StoreError

T = TypeVar("T")

_tasks: dict[asyncio.Task[Any], QObject | None] = {}
"""What runs, and for whom."""
_released: set[QObject] = set()
"""What is let go, and still in use."""
_PATIENCE = 20
_hearers: list[Callable[[StoreError], object]] = []
"""One, or none."""


def start(coroutine: Coroutine[Any, Any, T], owner: QObject | None = None) -> asyncio.Task[T]:
    """Run a coroutine on the GUI thread. It may rely on ``owner`` to its end; see ``release``."""
    task = _loop().create_task(coroutine)
    _tasks[task] = owner
    task.add_done_callback(_ended)
    return task


def release(owner: QObject) -> None:
    """Have Qt delete ``owner`` once nothing that was started for it runs any more."""
    _released.add(owner)
    _delete_unused(owner)


def cancel_all() -> None:
    """Cancel every coroutine and turn the event loop until they have ended."""
    for task in list(_tasks):
        task.cancel()
    for _ in range(_PATIENCE):
        if not _tasks:
            return
        QCoreApplication.processEvents()


def hear_trouble(hearer: Callable[[StoreError], object] | None) -> None:
    """Tell ``hearer`` of what the store refused and nobody else dealt with; None: nobody any more."""
    _hearers[:] = [] if hearer is None else [hearer]


def _loop() -> asyncio.AbstractEventLoop:
    import asyncio

    import qasync

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        loop: asyncio.AbstractEventLoop = qasync.QEventLoop(QCoreApplication.instance(), already_running=True)
        return loop


def _ended(task: asyncio.Task[Any]) -> None:
    if (owner := _tasks.pop(task)) is not None:
        _delete_unused(owner)
    if not task.cancelled() and (error := task.exception()) is not None:
        _tell(error)


def _tell(error: BaseException) -> None:
    from rillet.core.errors import Cancelled
    from rillet.core.store.trouble import StoreError

    if isinstance(error, Cancelled):
        return  # (what it waited for was closed, which is the end of the program as a rule)
    if isinstance(error, StoreError) and _hearers:
        _hearers[0](error)
    else:
        sys.excepthook(type(error), error, error.__traceback__)


def _delete_unused(owner: QObject) -> None:
    if owner in _released and owner not in _tasks.values():
        _released.discard(owner)
        owner.deleteLater()
