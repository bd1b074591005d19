"""How long the window stands still while formulas are laid out: ``python tests/bench/formulas.py [formulas]``.

An answer full of formulas, each another one, streams through a chat view in a live event loop. Printed are the worst
lateness of a precise 5 ms timer (beside that of an idle loop in the same run: a busy machine shows there too), its 99th
percentile, and the longest CPU of the GUI thread between two ticks. Then what opening a message of 0.8 MB costs that is
nothing but formulas, CPU of the GUI thread, and the stalls while those in sight are drawn.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from rillet.core.types import ChatMessage
from rillet.qt import Engine
from rillet.widgets.chat_view import ChatView
from rillet.widgets.markdown import Formulas
from rillet.widgets.theme.palette import apply
from rillet.widgets.theme.tokens import LIGHT

if TYPE_CHECKING:
    from rillet.widgets.message_handle import MessageHandle

TICK = 0.005
PIECE = 8
"""Characters in a delta; one comes every tick, 1,600 characters a second."""


def formulas(count: int) -> str:
    """Prose with ``count`` formulas, inline and displayed."""
    pairs = (
        f"For \\(x_{{{number}}}^2 + y\\) it is known that\n\n"
        f"$$\n\\int_0^{{{number}}} \\frac{{-b \\pm \\sqrt{{b^2 - {number}ac}}}}{{2a}}\\,dx = "
        f"\\begin{{pmatrix}} a_{{{number}}} & b \\\\ c & d \\end{{pmatrix}}\n$$\n\n"
        for number in range(count // 2)
    )
    return "".join(pairs)


class Watch:
    """Lateness of a 5 ms timer, and the GUI thread's CPU between two ticks. Each tick sends a piece of ``text``."""

    def __init__(self, handle: MessageHandle | None = None, text: str = "") -> None:
        self.late: list[float] = []
        self.busy: list[float] = []
        self._handle = handle
        self._text = text
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._expected = time.perf_counter() + TICK
        self._spent = time.thread_time()
        self._timer.start(5)

    @property
    def done(self) -> bool:
        """Whether all the text was sent."""
        return not self._text

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now, spent = time.perf_counter(), time.thread_time()
        self.late.append(max(0.0, now - self._expected))
        self.busy.append(spent - self._spent)
        if self._text and self._handle is not None:
            self._handle.onContentDelta(self._text[:PIECE])
            self._text = self._text[PIECE:]
        self._expected, self._spent = time.perf_counter() + TICK, time.thread_time()


def turn(milliseconds: int) -> None:
    """Turn the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def settle() -> None:
    """Turn the event loop until nothing is laid out any more."""
    turn(100)
    while Formulas.shared()._asked:
        turn(100)


def report(name: str, watch: Watch) -> None:
    watch.stop()
    late = sorted(watch.late)
    print(
        f"  {name:26} worst lateness {late[-1] * 1e3:6.1f} ms   p99 {late[len(late) * 99 // 100] * 1e3:5.1f}   "
        f"longest CPU of one slice {max(watch.busy) * 1e3:5.1f}   ticks {len(late)}"
    )


def main(count: int) -> None:
    """Print the figures."""
    app = QApplication(sys.argv[:1])
    apply(app, LIGHT)
    view = ChatView()
    view.resize(800, 900)
    view.show()
    view.addMessage(ChatMessage.assistant("Warm \\(u^2\\)\n\n$$\n\\frac{1}{u}\n$$\n"))
    settle()
    gc.collect()
    gc.freeze()
    idle = Watch()
    turn(1_000)
    report("idle", idle)
    handle = view.beginAssistantStream()
    watch = Watch(handle, formulas(count))
    while not watch.done:
        turn(100)
    settle()
    report(f"{count} formulas streaming", watch)
    handle.finish()
    settle()
    view.clear()
    large = formulas(800_000 // (len(formulas(2_000)) // 2_000))
    watch, start = Watch(), time.thread_time()
    view.addMessage(ChatMessage.assistant(large))
    view.grab()
    opened = (time.thread_time() - start) * 1e3
    settle()
    report(f"{len(large) / 1e6:.1f} MB opened in {opened:.0f} ms", watch)
    Engine.default().shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
