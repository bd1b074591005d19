"""The terminal value of something in flight: like a future, but its callbacks run on the GUI thread.

Knows nothing of models. Above: ``engine`` runs the work, ``client`` settles the resource. Below: the host.

Guarantee: a resource ends exactly once (finished, failed or cancelled), on the GUI thread, after the work was torn
down. Callbacks are queued onto the GUI thread, in the order of registration, and never run inside the registration.
"""

from __future__ import annotations

import concurrent.futures
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from PySide6.QtCore import QEventLoop, QThread, QTimer

from rillet.core.errors import Cancelled
from rillet.core.types.expect import expect_callable
from rillet.qt.engine import Engine
from rillet.qt.reporter import Reporter

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

T = TypeVar("T")

_LONGEST_TIMEOUT = 2_000_000.0
"""Seconds; a QTimer counts milliseconds in 32 bits."""
_BREATH = 200
"""Milliseconds after which Python comes by between two turns of an event loop of Qt: until then it sees no Ctrl+C."""
_NESTED_LOOPS = 50
"""Event loops inside each other; twice as many exhaust Python's stack, and then no slot runs any more."""
_NO_EVENT_LOOPS_OF_QT = ("asyncio", "uvloop", "winloop")
"""Modules whose loops do not turn Qt events: a resource awaited on one of them on the GUI thread would never end."""


class AsyncResource(Generic[T]):
    """What ``LlmClient.chat`` and ``chatStream`` return. Not constructed by hosts."""

    def __init__(self, engine: Engine, canceller: Callable[[], bool]) -> None:
        self._engine = engine
        self._canceller: Callable[[], bool] | None = canceller
        self._lock = threading.RLock()  # a signal handler or a __del__ may call while the same thread does
        self._done = False
        self._cancelled = False
        self._value: T | None = None
        self._error: Exception | None = None
        self._waiters: list[Callable[[], object]] = []
        self._reporter = Reporter()

    # State

    def isDone(self) -> bool:
        """Whether it has ended, in whichever way, teardown included."""
        return self._done

    def isReady(self) -> bool:
        """Whether it has ended with a value."""
        return self._done and self._error is None

    def isCancelled(self) -> bool:
        """Whether it was cancelled by us; true at once, while teardown may still go on. A server's 499 is a failure."""
        return self._cancelled

    # Callbacks

    def ready(self, callback: Callable[[T], object]) -> AsyncResource[T]:
        """Call ``callback(value)`` when it finishes; never after a failure or a cancel."""
        return self._register("ready", callback, lambda: self._error is None and callback(cast("T", self._value)))

    def except_(self, callback: Callable[[Exception], object]) -> AsyncResource[T]:
        """Call ``callback(error)`` when it fails; after a cancel the error is ``Cancelled``.

        Nearly always it is an ``LlmError``, with a ``user_message``; what a hook or a transform raised comes as it is.
        """
        return self._register("except_", callback, lambda: self._error is not None and callback(self._error))

    def onResult(self, callback: Callable[[T | None, Exception | None], object]) -> AsyncResource[T]:
        """Call ``callback(value, error)`` when it ends; one of the two is None."""
        return self._register("onResult", callback, lambda: callback(self._value, self._error))

    # Ending it, and waiting for its end

    def cancel(self) -> bool:
        """Stop it, from any thread. True only for the call that did."""
        with self._lock:
            if self._done or self._cancelled or self._canceller is None:
                return False
            self._cancelled = self._canceller()
            return self._cancelled

    def get(self, timeout: float | None = None) -> T:
        """The value, waiting at most ``timeout`` seconds for it.

        On the GUI thread a nested event loop turns meanwhile and delivers what is pending; Ctrl+C ends the waiting.
        Raises the error that ended it, ``Cancelled`` also when the application quits meanwhile, TimeoutError when time
        is up (it goes on), RuntimeError where waiting would hang: on the engine thread and inside an asyncio task, and
        RecursionError when every delta waits inside the one before.
        """
        if not self._done:
            if self._engine.is_engine_thread():
                raise RuntimeError("get() on the engine thread would wait for itself: await the resource instead.")
            if _in_asyncio_task():
                raise RuntimeError("get() inside an asyncio task would block its loop: await the resource instead.")
            if timeout is not None and timeout > _LONGEST_TIMEOUT:
                timeout = None
            if self._engine.is_gui_thread():
                self._turn_events(timeout)
            else:
                self._block(timeout)
        return self._result()

    def asFuture(self) -> concurrent.futures.Future[T]:
        """The same as a standard future, whose ``result()`` is for other threads. Cancelling it cancels this."""
        future: concurrent.futures.Future[T] = concurrent.futures.Future()

        def copy() -> None:
            if not future.set_running_or_notify_cancel():
                return
            if self._error is not None:
                future.set_exception(self._error)
            else:
                future.set_result(cast("T", self._value))

        def pass_on_cancel(done: concurrent.futures.Future[T]) -> None:
            if done.cancelled():
                self.cancel()

        future.add_done_callback(pass_on_cancel)
        self._when_done(copy)
        return future

    def __await__(self) -> Generator[Any, None, T]:
        """Wait on a loop that turns Qt events, or on the loop of another thread.

        Cancelling the awaiting task cancels this.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        if not self._done and self._engine.is_gui_thread() and not _turns_qt_events(loop):
            raise RuntimeError("Awaiting on the GUI thread needs a loop that turns Qt events, such as qasync's.")
        ended = asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(ended.set)

        self._when_done(wake)
        try:
            yield from ended.wait().__await__()
        except asyncio.CancelledError:
            self._stop_waiting(wake)
            self.cancel()
            raise
        return self._result()

    @staticmethod
    def all(*resources: AsyncResource[Any]) -> AsyncResource[list[Any]]:
        """All values in order. The first failure fails it while the others go on; cancelling it cancels them all."""
        engine = resources[0]._engine if resources else Engine.default()
        together: AsyncResource[list[Any]] = AsyncResource(engine, lambda: _cancel_all(resources))
        missing = len(resources)

        def one_ended(resource: AsyncResource[Any]) -> None:
            nonlocal missing
            missing -= 1
            error = resource._error
            if error is None and missing:
                return
            if together._seal() and not isinstance(error, Cancelled):
                return  # those that were cancelled with it have yet to say so
            if error is not None:
                together._settle(error=error)
            else:
                together._settle([each._value for each in resources])

        for resource in resources:
            resource._when_done(partial(engine.post, partial(one_ended, resource)))
        if not resources:
            together._settle([])
        return together

    # For the modules that settle a resource

    def _seal(self) -> bool:
        """From now on ``cancel`` comes too late; whether it came in time."""
        with self._lock:
            self._canceller = None
            return self._cancelled

    def _settle(self, value: T | None = None, error: Exception | None = None) -> None:
        """End it; a second call is ignored. GUI thread only."""
        with self._lock:
            if self._done:
                return
            self._value, self._error = value, error
            self._canceller = None
            self._done = True
            waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter()

    def _when_done(self, waiter: Callable[[], object]) -> None:
        """Call ``waiter`` once it has ended: on the GUI thread, or at once if it has. It must not raise."""
        with self._lock:
            if not self._done:
                self._waiters.append(waiter)
                return
        waiter()

    def _stop_waiting(self, waiter: Callable[[], object]) -> None:
        with self._lock:
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    # Private

    def __repr__(self) -> str:
        state = "pending" if not self._done else "finished" if self._error is None else f"failed: {self._error!r}"
        return f"<AsyncResource {'cancelled' if self._cancelled else state}>"

    def _register(self, kind: str, callback: object, call: Callable[[], object]) -> AsyncResource[T]:
        expect_callable(callback, f"what {kind}() calls")
        self._when_done(lambda: self._engine.post(lambda: self._reporter.call(kind, call)))
        return self

    def _turn_events(self, timeout: float | None) -> None:
        if QThread.currentThread().loopLevel() > _NESTED_LOOPS:
            raise RecursionError("get() is called inside get() too often: await the resource, or use ready().")
        loop = QEventLoop()
        self._when_done(loop.quit)
        timer = QTimer()
        timer.setSingleShot(True)
        timer.timeout.connect(loop.quit)
        if timeout is not None:
            timer.start(max(0, round(timeout * 1000)))
        timed = timer.isActive()
        breath = QTimer()
        breath.setSingleShot(True)
        breath.timeout.connect(loop.quit)
        try:
            while not self.isDone():
                breath.start(_BREATH)
                loop.exec()
                if self.isDone():
                    return
                if timed and not timer.isActive():
                    raise TimeoutError(f"No result within {timeout} s.")
                if breath.isActive():
                    self.cancel()
                    raise Cancelled("the application is quitting")
        finally:
            self._stop_waiting(loop.quit)

    def _block(self, timeout: float | None) -> None:
        ended = threading.Event()
        self._when_done(ended.set)
        if not ended.wait(timeout):
            self._stop_waiting(ended.set)
            raise TimeoutError(f"No result within {timeout} s.")

    def _result(self) -> T:
        if self._error is not None:
            raise self._error
        return cast("T", self._value)


def _cancel_all(resources: tuple[AsyncResource[Any], ...]) -> bool:
    cancelled = [resource.cancel() for resource in resources]
    return any(cancelled)


def _in_asyncio_task() -> bool:
    # The engine thread may be importing asyncio at this moment; then no task runs here.
    current_task = getattr(sys.modules.get("asyncio"), "current_task", None)
    if current_task is None:
        return False
    try:
        return current_task() is not None
    except RuntimeError:
        return False


def _turns_qt_events(loop: object) -> bool:
    home = type(loop).__module__.partition(".")[0]
    if home == "qasync":
        return True  # its coroutines are steps of Qt's loop, also of one that processEvents turns
    return QThread.currentThread().loopLevel() > 0 and home not in _NO_EVENT_LOOPS_OF_QT
