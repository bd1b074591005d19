"""The one place where anything crosses from the engine thread to the GUI thread.

Many posts become one queued wake-up; the GUI thread then takes the items in order, for at most ``BUDGET`` seconds at a
time, so that timers, input and painting run between the slices however fast a server sends. Knows nothing of streams:
an item is a number and an event, and ``receive`` is told both. Above: ``engine`` posts. Below: nothing.

Guarantee: items are received on the thread that made the mailbox, one by one, each once, in the order of posting, also
inside a nested event loop that ``receive`` opens (a dialog, ``AsyncResource.get``).
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BUDGET = 0.008
"""Seconds of one slice, and at least one item. Half a frame at 60 Hz: what is left belongs to painting."""


class Mailbox(QObject):
    """A queue that any thread may post to and that its own thread empties.

    Signals:
        _wake: Emitted by the posting thread, delivered queued; at most one is under way.
    """

    _wake = Signal()

    def __init__(self, receive: Callable[[int, object], None]) -> None:
        super().__init__()
        self._receive = receive
        self._queue: deque[tuple[int, object]] = deque()
        self._armed = False
        self._wake.connect(self._absorbSignal, Qt.ConnectionType.QueuedConnection)
        self._wake.connect(self._drainSlice, Qt.ConnectionType.QueuedConnection)

    def post(self, number: int, events: Iterable[object]) -> None:
        """Append events; callable from every thread, never blocks."""
        self._queue.extend([(number, event) for event in events])
        self._arm()

    def drain(self) -> None:
        """Receive everything that is queued, here and now, without a budget."""
        while self._queue:
            self._receive(*self._queue.popleft())

    def _arm(self) -> None:
        # No lock: the consumer disarms before it looks at the queue, the producer appends before it looks at the flag,
        # so an item can cause a wake-up too many but never one too few.
        if not self._armed:
            self._armed = True
            with suppress(RuntimeError):  # Qt destroyed the mailbox with the application: ``drain`` is still to come
                self._wake.emit()

    @Slot()
    def _absorbSignal(self) -> None:
        """Nothing. Python handles a Ctrl-C where its code runs next: out of an idle event loop, in this slot.

        In ``_drainSlice`` the KeyboardInterrupt would come before its first line, and a mailbox that stays armed is
        never woken again.
        """

    @Slot()
    def _drainSlice(self) -> None:
        self._armed = False
        queue, receive = self._queue, self._receive
        if len(queue) > 1:
            # Ask for the next slice before the first item: receiving may open a nested event loop, which must find a
            # wake-up pending or the rest would wait for it to close.
            self._arm()
        deadline = perf_counter() + BUDGET
        while queue:
            receive(*queue.popleft())
            if perf_counter() >= deadline:  # 0.05 µs; looking less often would let a slow listener overstay
                return
