"""Ctrl+C and SIGTERM reach a program that sits in Qt's event loop.

Python runs signal handlers only between two of its own instructions, which may be minutes apart there; its wake-up
file descriptor tells Qt at once. Above: ``main`` and ``cli``.
"""

from __future__ import annotations

import signal
import socket
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QSocketNotifier, Slot

if TYPE_CHECKING:
    from collections.abc import Callable


class Interrupt(QObject):
    """Calls a function on the GUI thread when the program is told to stop; a second time, Python's default applies."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self._then = then
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self.onSignal)
        self._previous: dict[int, Any] = {}
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, _note)

    @Slot()
    def onSignal(self) -> None:
        """A signal has arrived."""
        self._reader.recv(64)
        self._restore()
        self._then()

    def close(self) -> None:
        """Give the signals back."""
        self._restore()
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _restore(self) -> None:
        signal.set_wakeup_fd(-1)
        while self._previous:
            number, handler = self._previous.popitem()
            signal.signal(number, handler)


def _note(_number: int, _frame: object) -> None:
    """The wake-up file descriptor does the work; without a handler of Python's it would not be written to."""
