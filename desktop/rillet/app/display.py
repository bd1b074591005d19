"""Where no window can open, the person reads why and what to do, instead of Qt's abort.

Qt ends the process with SIGABRT when none of its platform plugins can start: there is no display, or the plugin lacks a
system library. All it gives before that is messages. Below: ``main`` makes the application inside ``explaining``.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import qInstallMessageHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PySide6.QtCore import QMessageLogContext, QtMsgType

FAILED = 1
VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY")


@contextmanager
def explaining(leave: Callable[[], object]) -> Iterator[None]:
    """End the process with a sentence and exit code 1 if Qt is about to abort it; ``leave`` is called before."""
    said: list[str] = []

    def note(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind.name == "QtFatalMsg":  # Qt calls abort() as soon as this returns
            _say(reason(said))
            leave()
            os._exit(FAILED)
        said.append(text)

    previous = qInstallMessageHandler(note)
    try:
        yield
    finally:
        qInstallMessageHandler(previous)
    for text in said:
        _say(text)


def reason(said: Sequence[str]) -> str:
    """What to tell, after Qt ``said`` this much."""
    has_choice = any(os.environ.get(name) for name in (*VARIABLES, "QT_QPA_PLATFORM"))
    why = "" if has_choice or sys.platform in ("win32", "darwin") else f": {' and '.join(VARIABLES)} are not set"
    lines = [
        f"Rillet cannot open a window{why}.",
        'Start it in a desktop session, or ask in the terminal: rillet --ask "…"',
    ]
    if said and not why:
        lines += ["Qt says:", *(f"  {line}" for text in said for line in text.splitlines() if line.strip())]
    return "\n".join(lines)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
