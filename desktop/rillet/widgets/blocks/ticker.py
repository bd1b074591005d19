"""A clock for what says how long something has been going on.

It wakes up once a second, and only while its widget can be seen and there is something to count. Below: the fold of
reasoning and the card of a tool, which say when they are shown and hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

_SECOND_MS = 1000


class Ticker:
    """Calls ``tick`` every second while it is seen and on."""

    def __init__(self, widget: QWidget, tick: Callable[[], None]) -> None:
        self._on = False
        self._seen = False
        self._timer = QTimer(widget, interval=_SECOND_MS)
        self._timer.timeout.connect(tick)

    @property
    def running(self) -> bool:
        """Whether it wakes up."""
        return self._timer.isActive()

    def set_on(self, on: bool) -> None:
        """Whether there is anything to count."""
        self._on = on
        self._fit()

    def set_seen(self, seen: bool) -> None:
        """Whether anybody can see it."""
        self._seen = seen
        self._fit()

    def _fit(self) -> None:
        wanted = self._on and self._seen
        if wanted != self._timer.isActive():
            self._timer.start() if wanted else self._timer.stop()


def duration(seconds: float) -> str:
    """``seconds`` for people: "0.2 s", "6 s", "2 min 5 s"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return whole_seconds(round(seconds))


def whole_seconds(seconds: int) -> str:
    """The same without tenths."""
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60} s"
