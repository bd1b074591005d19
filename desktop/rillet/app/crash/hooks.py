"""Has everything that nobody handles written into the log: errors of any thread, of coroutines, and what Qt says.

Above: ``log``, ``scrub``. Below: ``main`` installs it. Guarantee: what stood in these places before is called as well,
so errors are still seen on standard error.
"""

from __future__ import annotations

import sys
import threading
from logging import WARNING, Handler, getLogger
from typing import TYPE_CHECKING

from PySide6.QtCore import qInstallMessageHandler

from rillet.app.crash.scrub import described, place, unquoted

if TYPE_CHECKING:
    from logging import LogRecord
    from types import TracebackType

    from PySide6.QtCore import QMessageLogContext, QtMsgType

    from rillet.app.crash.log import CrashLog

_QUIET = ("QtDebugMsg", "QtInfoMsg")


class Hooks:
    """The hooks of one run."""

    def __init__(self, log: CrashLog) -> None:
        self._log = log
        self._excepthook = sys.excepthook
        self._threads = threading.excepthook
        self._unraisable = sys.unraisablehook
        self._records = _Records(log)

    def install(self) -> None:
        """Write down what comes from now on."""
        sys.excepthook = self._raised
        threading.excepthook = self._raised_on_thread
        sys.unraisablehook = self._ignored
        getLogger().addHandler(self._records)
        self._qt = qInstallMessageHandler(self._said)

    def remove(self) -> None:
        """Leave everything as it was."""
        sys.excepthook = self._excepthook
        threading.excepthook = self._threads
        sys.unraisablehook = self._unraisable
        getLogger().removeHandler(self._records)
        qInstallMessageHandler(self._qt)

    def _raised(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self._log.note("error", *described(error))
        self._excepthook(kind, error, trace)

    def _raised_on_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._log.note("error on another thread", *described(args.exc_value))
        self._threads(args)

    def _ignored(self, unraisable: sys.UnraisableHookArgs) -> None:
        if unraisable.exc_value is not None:
            self._log.note("error that could not be raised", *described(unraisable.exc_value))
        self._unraisable(unraisable)

    def _said(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind.name not in _QUIET:
            self._log.note(f"{kind.name}: {unquoted(text)}")
        if self._qt is not None:
            self._qt(kind, context, text)
        else:
            sys.stderr.write(f"{text}\n")


class _Records(Handler):
    """Warnings of the program and its libraries: who wrote them where, and the error. What they say may hold data."""

    def __init__(self, log: CrashLog) -> None:
        super().__init__(WARNING)
        self._log = log

    def emit(self, record: LogRecord) -> None:
        """Write one down."""
        error = record.exc_info[1] if record.exc_info else None
        where = f"{place(record.pathname)}:{record.lineno} in {record.funcName}"
        self._log.note(f"{record.levelname} of {record.name}, {where}", *(described(error) if error else ()))
