"""When streamed text is drawn: often enough to flow, seldom enough to leave the window live.

A ``Backlog`` collects what has arrived; a ``FrameScheduler`` says when the next piece of it is due. Knows neither
messages nor documents. Below: ``chat_view`` fills backlogs, ``view`` draws. Guarantees: nothing added to a backlog is
lost or reordered, and drawing takes at most about a sixth of the GUI thread's time, however slow one frame is.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = TypeVar("Kind")

SLICE = 1500
"""Characters drawn in one frame: with more, the worst frame of a burst grows past 30 ms (measured)."""
SHORTEST, LONGEST = 0.033, 0.250
"""Bounds of the time between the starts of two frames, in seconds."""
RATIO = 5
"""A frame that took t is followed by at least RATIO × t without one."""
HINDERED = LONGEST
"""Seconds at most that a frame waits for what would make it slow."""


class Backlog(Generic[Kind]):
    """Text that has arrived and is not shown yet, in order; neighbours of one kind are joined."""

    __slots__ = ("_pieces", "_size")

    def __init__(self) -> None:
        self._pieces: deque[tuple[Kind, list[str]]] = deque()
        self._size = 0

    def __len__(self) -> int:
        """Characters waiting."""
        return self._size

    def add(self, kind: Kind, text: str) -> None:
        """Append ``text``; empty text changes nothing."""
        if not text:
            return
        if self._pieces and self._pieces[-1][0] == kind:
            self._pieces[-1][1].append(text)
        else:
            self._pieces.append((kind, [text]))
        self._size += len(text)

    def take(self, limit: int | None = None) -> list[tuple[Kind, str]]:
        """Remove and return what is due in one frame: at most ``limit`` characters, all of it when None."""
        room = self._size if limit is None else min(limit, self._size)
        self._size -= room
        taken = []
        while room:
            kind, texts = self._pieces.popleft()
            text = "".join(texts)
            if len(text) > room:
                self._pieces.appendleft((kind, [text[room:]]))
                text = text[:room]
            taken.append((kind, text))
            room -= len(text)
        return taken

    def due(self) -> int:
        """Characters for the next frame: one slice, or a fortieth of a backlog that slices would take seconds for."""
        return max(SLICE, self._size // 40)


class FrameScheduler(QObject):
    """Calls ``draw`` on the GUI thread, paced by what the last call and the painting after it have cost.

    ``draw`` returns whether there is more to draw. Only requests and a True answer cause a frame: an idle scheduler
    wakes nobody up. While ``hindered`` says so a frame waits for ``go_on``, ``HINDERED`` at most.
    """

    def __init__(
        self,
        draw: Callable[[], bool],
        parent: QObject | None = None,
        *,
        hindered: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__(parent)
        self._draw = draw
        self._hindered = hindered
        self._clock = clock
        self._wanted = False
        self._waiting = False
        self._started = float("-inf")
        self._due = float("-inf")
        self._frame = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._frame.timeout.connect(self._run)
        # Qt sends the paint that a frame causes before it looks at timers: this one fires after the painting.
        self._painted = QTimer(self, singleShot=True, interval=0)
        self._painted.timeout.connect(self._account)

    @property
    def active(self) -> bool:
        """Whether a frame is coming or being accounted for."""
        return self._wanted or self._frame.isActive() or self._painted.isActive()

    def request(self) -> None:
        """Ask for a frame. It comes at once when the last one lies far enough back."""
        self._wanted = True
        if not self._frame.isActive() and not self._painted.isActive():
            self._frame.start(round(max(0.0, self._due - self._clock()) * 1000))

    def stop(self) -> None:
        """Forget the pending request."""
        self._wanted = self._waiting = False
        self._frame.stop()

    @Slot()
    def go_on(self) -> None:
        """Draw the frame that waited, if one did: nothing hinders it now."""
        if self._waiting:
            self._frame.stop()
            self._run()

    def _run(self) -> None:
        if not self._waiting and self._hindered():
            self._waiting = True
            self._frame.start(round(HINDERED * 1000))
            return
        self._wanted = self._waiting = False
        self._started = self._clock()
        self._painted.start()
        if self._draw():
            self._wanted = True

    def _account(self) -> None:
        self._due = self._started + interval_after(self._clock() - self._started)
        if self._wanted:
            self.request()


def interval_after(cost: float) -> float:
    """Seconds from the start of a frame that took ``cost`` seconds to the start of the next."""
    return min(LONGEST, max(SHORTEST, cost * (1 + RATIO)))
