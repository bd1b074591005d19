"""Something that the engine thread wants done on the GUI thread, and the way back for what comes of it.

Above: ``jobs`` delivers a ``GuiCall`` in its turn among the events of a job. Below: ``agent``: tools that touch
widgets, and questions that a person answers. Guarantees: the function runs on the GUI thread; a coroutine that it
returns runs there too; what it gives, or raises, arrives on the engine thread once; nothing of the host is released
over there.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from rillet.qt.engine import Outbox


class Later:
    """A value that the GUI thread will have later; a function may return one instead of the value."""

    def __init__(self) -> None:
        self._call: GuiCall | None = None
        self._value: tuple[Any] | None = None

    @property
    def isSettled(self) -> bool:
        """Whether there is a value, or nobody waits for one any more."""
        return self._value is not None

    def settle(self, value: Any) -> bool:
        """Give the value; False when there was one already, or nobody waits any more."""
        if self._value is not None:
            return False
        self._value = (value,)
        if self._call is not None:
            self._call.reply(value)
        return True

    def attach(self, call: GuiCall) -> None:
        """Say who waits."""
        self._call = call
        if self._value is not None:
            call.reply(self._value[0])


class GuiCall:
    """One call. Made on the engine thread; ``perform`` and ``abandon`` belong to the GUI thread."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._function = function
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Future[Any] | None = None
        self._later: Later | None = None

    def perform(self) -> None:
        """Do it."""
        try:
            value = self._function()
            if isinstance(value, Later):
                self._later = value
                value.attach(self)
            elif inspect.isawaitable(value):
                self._await(value)
            else:
                self.reply(value)
        except Exception as error:  # noqa: BLE001 (a boundary: it belongs to whoever waits)
            self._fail(error)

    def abandon(self) -> None:
        """Nobody waits for it any more."""
        if self._task is not None:
            self._task.cancel()
        if self._later is not None:
            self._later.settle(None)

    def reply(self, value: Any) -> None:
        """Send back what came of it."""
        self._send(_set_result, value)

    def _fail(self, error: BaseException) -> None:
        self._send(_set_exception, error)

    def _send(self, function: Callable[[asyncio.Future[Any], Any], None], value: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the engine's loop is closed: nobody waits
            self._loop.call_soon_threadsafe(function, self.done, value)

    def _await(self, awaitable: Awaitable[Any]) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            if inspect.iscoroutine(awaitable):
                awaitable.close()
            raise RuntimeError(
                "A coroutine needs an event loop that turns asyncio on the GUI thread: qasync."
            ) from None
        self._task = asyncio.ensure_future(awaitable)
        self._task.add_done_callback(self._awaited)

    def _awaited(self, task: asyncio.Future[Any]) -> None:
        if task.cancelled():
            self._fail(RuntimeError("The coroutine on the GUI thread was cancelled."))
        elif error := task.exception():
            self._fail(error)
        else:
            self.reply(task.result())


async def on_gui_thread(outbox: Outbox, function: Callable[[], Any]) -> Any:
    """Call ``function`` on the GUI thread, behind everything that was posted before: what it gives.

    Raises:
        whatever it raises.
    """
    call = GuiCall(function)
    outbox.post((call,), 0)
    return await call.done


def _set_result(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def _set_exception(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
