"""What is in flight, seen from the GUI thread.

The registry keeps, for every job, all that belongs to the host, until the engine says that the job has ended and its
frames are gone over there. Knows nothing of asyncio or models. Above: ``mailbox`` brings what the engine thread posts.
Below: ``engine`` starts the thread and owns a registry.

Guarantee: each job's ``end`` is called exactly once, after its last ``deliver``, on the GUI thread, also when the
engine thread had to be left behind.
"""

from __future__ import annotations

import itertools
import logging
import threading
import weakref
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias

from PySide6.QtCore import QCoreApplication, QObject, QThread, Slot

from rillet.qt.mailbox import Mailbox

if TYPE_CHECKING:
    from rillet.qt.engine import Outbox, Worker

log = logging.getLogger("rillet.qt")

SHUTDOWN_TIMEOUT = 2.0
"""Seconds that the GUI thread waits for the engine thread to end."""
_NO_JOB = 0

Work: TypeAlias = Callable[["Worker", "Outbox"], Awaitable[Any]]
"""The engine half of a job."""


class Outcome(NamedTuple):
    """How the work of a job ended: with a value (None is one), with an error, or cancelled."""

    value: Any = None
    error: BaseException | None = None
    cancelled: bool = False
    partial: Any = None
    """What a cancelled job had achieved (``Outbox.partial``)."""


class Job(Protocol):
    """The GUI half of something in flight. All methods are called on the GUI thread."""

    def deliver(self, event: object) -> None:
        """Take the next event. Must not raise."""

    def end(self, outcome: Outcome) -> None:
        """Take the last word. Must not raise."""

    def cancel(self) -> bool:
        """Be silent from now on; the engine is told separately."""


class _Word:
    """Something the engine says about a job, as opposed to an event for it."""

    def apply(self, registry: Registry, number: int) -> None:
        """Act on it, on the GUI thread."""
        raise NotImplementedError


class Receipt(_Word):
    """Posted behind a stretch of events: when it is received, that many bytes have been delivered."""

    def __init__(self, size: int) -> None:
        self._size = size

    def apply(self, registry: Registry, number: int) -> None:
        """Pass it back to the engine thread, which may be waiting for room."""
        registry.receipt(number, self._size)


class Ended(_Word):
    """Always the last of a job."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def apply(self, registry: Registry, number: int) -> None:
        """End the job."""
        registry.end(number, self._outcome)


class Stillborn(_Word):
    """The only word of a thread that could not begin."""

    def __init__(self, error: OSError) -> None:
        self._error = error

    def apply(self, registry: Registry, number: int) -> None:
        """Fail all jobs; the next one tries again with a fresh thread."""
        registry.bury(self._error)


class _Call(_Word):
    """A function to be called on the GUI thread; belongs to no job."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function

    def apply(self, registry: Registry, number: int) -> None:
        self._function()


class Registry(QObject):
    """What is in flight, on the GUI thread. Outlives the Engine object until its thread has stopped."""

    with_thread: ClassVar[set[Registry]] = set()

    def __init__(self, start_worker: Callable[[Mailbox], Worker]) -> None:
        super().__init__()
        self.gui_ident = threading.get_ident()
        self.worker: Worker | None = None
        self.closing = False
        self.tenants: dict[int, object] = {}
        # Qt destroys this object with the application, and may do so before the Engine: the last moment to stop.
        self.destroyed.connect(partial(_last_call, weakref.ref(self)))
        self._start_worker = start_worker
        # Weakly: a cycle of QObjects may be collected on any thread, while Qt delivers to them on this one.
        self._mailbox = Mailbox(partial(_receive, weakref.ref(self)))
        self.jobs: dict[int, Job] = {}
        self._numbers = itertools.count(_NO_JOB + 1)

    def start(self, job: Job, work: Work) -> int:
        """See ``Engine.start``."""
        if self.closing:
            raise RuntimeError("The engine is shutting down: nothing can be started any more.")
        require_gui_thread("A request")
        if self.worker is None:
            self.worker = self._start_worker(self._mailbox)
            self.with_thread.add(self)
        number = next(self._numbers)
        self.jobs[number] = job
        self.worker.call(self.worker.launch, number, work)
        return number

    def post(self, function: Callable[[], object]) -> None:
        """See ``Engine.post``."""
        self._mailbox.post(_NO_JOB, (_Call(function),))

    def cancel(self, number: int) -> None:
        """See ``Engine.cancel``."""
        if (worker := self.worker) is not None:
            worker.call(worker.cancel, number)

    def receipt(self, number: int, size: int) -> None:
        """Tell the engine thread that so many bytes of a job were delivered."""
        if (worker := self.worker) is not None:
            worker.call(worker.receipt, number, size)

    def end(self, number: int, outcome: Outcome) -> None:
        """Forget a job and tell it how it ended."""
        if job := self.jobs.pop(number, None):
            job.end(outcome)

    def bury(self, error: OSError) -> None:
        """Forget the worker, whose thread never began, and with it all jobs."""
        self.worker = None
        self.tenants.clear()
        self.with_thread.discard(self)
        for number in list(self.jobs):
            self.end(number, Outcome(error=error))

    def evict(self, number: int) -> None:
        """See ``Engine.evict``."""
        if self.worker is None or self.closing:
            return
        tenant = self.tenants.pop(number, None)
        if tenant is not None:
            self.start(_Eviction(tenant), partial(_close_belonging, number))

    def shut_down(self, timeout: float) -> None:
        """See ``Engine.shutdown``."""
        if self.worker is None or self.closing:
            return
        self.closing = True
        try:
            stopped = self.worker.stop(timeout)
            if not stopped:
                log.warning("the engine thread did not stop within %s s and is left behind", timeout)
            for number, job in list(self.jobs.items()):
                if number in self.worker.cut_short or not stopped:
                    job.cancel()
            self._mailbox.drain()
            for number in list(self.jobs):
                self.end(number, Outcome(cancelled=True))
            self._mailbox.drain()
        finally:
            self.worker = None
            self.closing = False
            self.tenants.clear()
            self.with_thread.discard(self)

    @Slot()
    def onLastCall(self) -> None:
        """The application quits, or the engine object is gone."""
        self.shut_down(SHUTDOWN_TIMEOUT)


def _receive(registry: weakref.ref[Registry], number: int, event: object) -> None:
    if (ours := registry()) is None:
        return
    if isinstance(event, _Word):
        event.apply(ours, number)
    elif (job := ours.jobs.get(number)) is not None:
        job.deliver(event)


def _last_call(registry: weakref.ref[Registry], _destroyed: QObject | None = None) -> None:
    if (bereft := registry()) is not None:
        bereft.onLastCall()


class _Eviction:
    """A job that keeps a tenant until its belonging is closed."""

    def __init__(self, tenant: object) -> None:
        self._tenant: object | None = tenant

    def deliver(self, event: object) -> None:
        """There are no events."""

    def end(self, outcome: Outcome) -> None:
        """Release the tenant, on the GUI thread."""
        self._tenant = None
        if outcome.error is not None:
            log.warning("closing a client failed: %r", outcome.error)

    def cancel(self) -> bool:
        """Closing goes on: the engine closes what is left when it stops."""
        return False


async def _close_belonging(number: int, worker: Worker, _outbox: Outbox) -> None:
    await worker.close_belonging(number)


def require_gui_thread(what: str) -> QCoreApplication:
    """The application, if it exists and this is its thread; RuntimeError otherwise."""
    app = QCoreApplication.instance()
    if app is None:
        raise RuntimeError(f"{what} needs a QCoreApplication: create one first.")
    if QThread.currentThread() != app.thread():
        raise RuntimeError(f"{what} belongs on the GUI thread (that of the QCoreApplication).")
    return app
