"""The one background thread: an asyncio loop on which everything of the network runs.

    GUI thread                                      engine thread
    Engine.start(job, work)  ── number, work ──▶    task: await work(worker, outbox)
    job.deliver(event)       ◀── mailbox ────       outbox.post(events)
    job.end(outcome)         ◀── mailbox ────       after the task, its sockets and its frames are gone

The engine thread holds numbers; jobs, and with them listeners, callbacks and clients of the host, stay in a registry
on the GUI thread (``jobs``) until the end arrives, so that nothing of the host is ever released over there (a QWidget
whose last reference dies on another thread is destroyed on it). Knows nothing of models or HTTP. Above: ``jobs``.

This is the only module that starts threads; blocking calls that coroutines hand to ``asyncio.to_thread``, name lookups
among them, get theirs from here too.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import contextlib
import logging
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import shiboken6
from PySide6.QtCore import QObject

from rillet.core.errors import LlmError, forget_frames
from rillet.qt.import_hook import spare_modules
from rillet.qt.jobs import SHUTDOWN_TIMEOUT, Ended, Outcome, Receipt, Registry, Stillborn, require_gui_thread

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Iterable

    from PySide6.QtCore import QCoreApplication

    from rillet.qt.jobs import Job, Work
    from rillet.qt.mailbox import Mailbox

log = logging.getLogger("rillet.qt")

UNREAD_LIMIT = 8 << 20
"""Bytes of a stream that may wait for a slow listener before the engine stops reading its socket."""
_RECEIPT_EVERY = 256 << 10


class Outbox:
    """The engine half of one job: where its work posts events. Used on the engine thread only."""

    def __init__(self, number: int, mailbox: Mailbox) -> None:
        self.partial: Any = None
        self._number = number
        self._mailbox = mailbox
        self._unread = 0
        self._unreceipted = 0
        self._room: asyncio.Future[None] | None = None

    def post(self, events: Iterable[object], size: int) -> bool:
        """Send events that took ``size`` bytes; True asks the caller to await ``room()`` before it reads on."""
        self._mailbox.post(self._number, events)
        self._unread += size
        self._unreceipted += size
        if self._unreceipted >= _RECEIPT_EVERY:
            self._mailbox.post(self._number, (Receipt(self._unreceipted),))
            self._unreceipted = 0
        return self._unread > UNREAD_LIMIT

    async def room(self) -> None:
        """Wait until the GUI thread has caught up."""
        import asyncio

        self._mailbox.post(self._number, (Receipt(self._unreceipted),))
        self._unreceipted = 0
        while self._unread > UNREAD_LIMIT:
            self._room = asyncio.get_running_loop().create_future()
            await self._room

    def receipt(self, size: int) -> None:
        """Note that ``size`` bytes were delivered."""
        self._unread -= size
        if self._room is not None and not self._room.done():
            self._room.set_result(None)


class Closable(Protocol):
    """Something that lives on the engine thread and is closed there."""

    def aclose(self) -> Coroutine[Any, Any, None]:
        """Give back sockets."""


def _plain_loop() -> asyncio.AbstractEventLoop:
    # Not what the host's policy makes: that of qasync.run makes loops of Qt events, which is no affair of this thread.
    import asyncio

    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    return asyncio.SelectorEventLoop()


class Worker:
    """The thread and its loop. Made and stopped by the GUI thread; everything else happens on the thread.

    Attributes:
        belongings: What lives on the thread longer than one job, by number; closed when the thread stops.
        cut_short: The numbers of the jobs that were still at work when the thread was told to stop.
    """

    def __init__(self, mailbox: Mailbox) -> None:
        self.belongings: dict[int, Closable] = {}
        self.cut_short: set[int] = set()
        self._mailbox = mailbox
        self._tasks: dict[int, tuple[asyncio.Task[Any], Outbox]] = {}
        self._closing: set[asyncio.Future[None]] = set()
        self._starting = threading.RLock()  # a signal handler or a __del__ may call while the same thread does
        self._early: list[tuple[Callable[..., object], tuple[object, ...]]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="rillet-engine", daemon=True)
        self._thread.start()

    @property
    def ident(self) -> int | None:
        """The thread's identity."""
        return self._thread.ident

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Run a function on the thread, soon. Calls keep their order; once the thread has stopped they do nothing."""
        with self._starting:
            if self._loop is None:
                self._early.append((function, args))
                return
        if not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # closed since
                self._loop.call_soon_threadsafe(function, *args)

    def stop(self, timeout: float) -> bool:
        """Cancel everything, close everything, end the thread. False when it did not end in ``timeout`` seconds."""
        self.call(self._begin_winding_down)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def launch(self, number: int, work: Work) -> None:
        """Start a job's work as a task."""
        outbox = Outbox(number, self._mailbox)
        task = self._running_loop.create_task(self._do(work, outbox))
        self._tasks[number] = task, outbox
        task.add_done_callback(lambda done: self._ended(number, done))

    def cancel(self, number: int) -> None:
        """Cancel a job's task, if it still runs."""
        if entry := self._tasks.get(number):
            entry[0].cancel()

    def receipt(self, number: int, size: int) -> None:
        """Tell a job's outbox that events were delivered."""
        if entry := self._tasks.get(number):
            entry[1].receipt(size)

    async def close_belonging(self, number: int) -> None:
        """Close a belonging, if there is one, to its end even when the caller is cancelled."""
        import asyncio

        if (belonging := self.belongings.pop(number, None)) is not None:
            closing = asyncio.ensure_future(belonging.aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            await asyncio.shield(closing)

    async def _do(self, work: Work, outbox: Outbox) -> Any:
        import asyncio

        try:
            return await work(self, outbox)
        except asyncio.CancelledError as error:
            forget_frames(error)  # (an error that was on its way may be part of a cycle with what the work was given)
            raise
        except (KeyboardInterrupt, SystemExit) as error:  # asyncio would leave the loop, and all other jobs with it
            raise RuntimeError(f"code of the host raised {error!r} on the engine thread") from error

    def _ended(self, number: int, task: asyncio.Task[Any]) -> None:
        _, outbox = self._tasks.pop(number)
        if task.cancelled():
            outcome = Outcome(cancelled=True, partial=outbox.partial)
        elif error := task.exception():
            _log(error)
            outcome = Outcome(error=error)
        else:
            outcome = Outcome(value=task.result())
        # In the loop's next step: until then this task holds the frames of its work, and what they hold of the host.
        self._running_loop.call_soon(self._mailbox.post, number, (Ended(outcome),))

    @property
    def _running_loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None
        return self._loop

    def _run(self) -> None:
        import asyncio

        try:
            loop = _plain_loop()
        except OSError as error:  # no file descriptor is left
            _log(error)
            self._mailbox.post(0, (Stillborn(error),))
            return
        loop.set_default_executor(_DaemonThreads())
        asyncio.set_event_loop(loop)
        self._open(loop)
        try:
            loop.run_forever()
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        # A function of its own: a variable of _run that holds a call would keep it as long as the thread lives.
        with self._starting:
            self._loop = loop
            for function, args in self._early:
                loop.call_soon(function, *args)
            self._early.clear()

    def _begin_winding_down(self) -> None:
        self._winding_down = self._running_loop.create_task(self._wind_down())

    async def _wind_down(self) -> None:
        import asyncio

        self.cut_short.update(self._tasks)
        await asyncio.sleep(0)  # what was asked for just now begins: a task cancelled before that does nothing at all
        await _end([task for task, _ in self._tasks.values()])
        # Only now: what a job does in its last moments (to save what it has) may need what lives on this thread.
        await asyncio.gather(
            *(self.close_belonging(number) for number in list(self.belongings)), *self._closing, return_exceptions=True
        )
        await _end(asyncio.all_tasks() - {asyncio.current_task()})
        await self._running_loop.shutdown_asyncgens()
        await asyncio.sleep(0)  # closed sockets are released in the loop's next turn
        self._running_loop.stop()


class Engine(QObject):
    """A background thread for requests. Most programs never name it: clients use ``Engine.default()``.

    The thread starts with the first request and stops with ``shutdown``, with the application (``aboutToQuit``) or with
    the engine's QObject parent; a request after that starts a fresh one.
    """

    _default: ClassVar[tuple[QCoreApplication, Engine] | None] = None

    def __init__(self, parent: QObject | None = None) -> None:
        """Make an engine; RuntimeError without an application or off the GUI thread."""
        app = require_gui_thread("An Engine")
        super().__init__(parent)
        spare_modules()
        self._registry = Registry(Worker)
        app.aboutToQuit.connect(self._registry.onLastCall)
        self.destroyed.connect(self._registry.onLastCall)

    @classmethod
    def default(cls) -> Engine:
        """The engine that all clients of this application share."""
        app = require_gui_thread("Engine.default()")
        if cls._default is None or cls._default[0] is not app or not shiboken6.isValid(cls._default[1]):
            cls._default = app, Engine()
        return cls._default[1]

    def shutdown(self, timeout: float = SHUTDOWN_TIMEOUT) -> None:
        """Cancel everything in flight, stop the thread, and deliver the last callbacks before returning.

        Blocks the GUI thread for at most ``timeout`` seconds. A request made by one of those callbacks raises
        RuntimeError.
        """
        require_gui_thread("Engine.shutdown()")
        self._registry.shut_down(timeout)

    def start(self, job: Job, work: Work) -> int:
        """Run ``work(worker, outbox)`` on the engine thread; returns the number that ``cancel`` takes.

        ``job`` is kept until its ``end`` was called. ``work`` must hold nothing of the host that matters where it is
        released.
        """
        return self._registry.start(job, work)

    def cancel(self, number: int) -> None:
        """Cancel the work of a job, from any thread. ``end`` is still called, after teardown."""
        self._registry.cancel(number)

    def admit(self, number: int, tenant: object) -> None:
        """Keep ``tenant`` on the GUI thread as long as the worker may hold a belonging under ``number``."""
        self._registry.tenants[number] = tenant

    def evict(self, number: int) -> None:
        """Close the belonging ``number`` on the engine thread; the tenant is released once that is done."""
        self._registry.evict(number)

    def post(self, function: Callable[[], object]) -> None:
        """Call a function on the GUI thread, later, from any thread. It must not raise."""
        self._registry.post(function)

    def is_gui_thread(self) -> bool:
        """Whether the caller is on the thread that made this engine."""
        return threading.get_ident() == self._registry.gui_ident

    def is_engine_thread(self) -> bool:
        """Whether the caller is on the background thread."""
        worker = self._registry.worker
        return worker is not None and threading.get_ident() == worker.ident


class _DaemonThreads(concurrent.futures.ThreadPoolExecutor):
    """One daemon thread per blocking call.

    asyncio insists on this base class, whose own threads are joined when the interpreter exits; a name lookup can hang
    for minutes and must not delay that.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = function(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 (a boundary: the error belongs to whoever waits)
                future.set_exception(error)
            else:
                future.set_result(result)

        threading.Thread(target=call, name="rillet-blocking", daemon=True).start()
        return future


async def _end(tasks: Iterable[asyncio.Task[Any] | None]) -> None:
    """Cancel tasks, and wait until they have ended."""
    import asyncio

    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def _log(error: BaseException) -> None:
    """Log an error that leaves the engine thread, and drop its frames: they hold whatever the work was given."""
    expected = isinstance(error, LlmError)
    log.log(logging.DEBUG if expected else logging.ERROR, "a request failed", exc_info=error)
    forget_frames(error)


@atexit.register
def _stop_threads() -> None:
    """A program that never ran an event loop gets no aboutToQuit."""
    for registry in list(Registry.with_thread):
        if (worker := registry.worker) is not None:
            worker.stop(SHUTDOWN_TIMEOUT)
            registry.worker = None  # Qt destroys its objects next: too late for callbacks
