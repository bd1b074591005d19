"""A clock for what says how long something has been going on.

It wakes up once a second, and only while its widget can be seen and asked for it. Below: the fold of reasoning and the
card of a tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

_SECOND_MS = 1000


class Ticker(QObject):
    """Calls ``tick`` every second while ``widget`` is visible and the ticker is on."""

    def __init__(self, widget: QWidget, tick: Callable[[], None]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._on = False
        self._timer = QTimer(self, interval=_SECOND_MS)
        self._timer.timeout.connect(tick)
        widget.installEventFilter(self)

    @property
    def running(self) -> bool:
        """Whether it wakes up."""
        return self._timer.isActive()

    def set_on(self, on: bool) -> None:
        """Whether there is anything to count."""
        self._on = on
        self._fit()

    def _fit(self) -> None:
        wanted = self._on and self._widget.isVisible()
        if wanted != self._timer.isActive():
            self._timer.start() if wanted else self._timer.stop()

    # Qt overrides

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stop with the widget that goes out of sight."""
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._fit()
        return super().eventFilter(watched, event)


def duration(seconds: float) -> str:
    """``seconds`` for people: "0.2 s", "6 s", "2 min 5 s"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
