"""How long the GUI loop is held up, by what, and while the person did what.

A tick is due every 5 ms. What the GUI thread does between two ticks is a slice: its CPU time is measured, which no busy
machine can stretch much, and how late the tick is. Of long slices a second thread notes where the GUI thread stands.
``IdleLoop`` is a loop in a process of its own that has nothing to do: as late as its ticks are, anybody's would be.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from array import array
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer

TICK = 0.005
NOTED = 0.05
"""Seconds of CPU or of lateness from which a slice is a block that is told of."""
_SAMPLED = 0.02
"""Seconds without a tick from which on it is noted where the thread stands."""
_DEPTH = 12
_HERE = Path(__file__).parents[1]

IDLE = r"""
import sys, time
from array import array
from PySide6.QtCore import QCoreApplication, QTimer, Qt, QSocketNotifier
app, late, expected = QCoreApplication([]), array("f"), time.perf_counter() + 0.005
def tick():
    global expected
    now = time.perf_counter()
    late.append(max(0.0, now - expected))
    expected = now + 0.005
timer = QTimer()
timer.setTimerType(Qt.TimerType.PreciseTimer)
timer.timeout.connect(tick)
timer.start(5)
told = QSocketNotifier(0, QSocketNotifier.Type.Read)
told.activated.connect(app.quit)
app.exec()
sys.stdout.buffer.write(late.tobytes())
"""


@dataclass(frozen=True, slots=True)
class Block:
    """A slice that was long: seconds of CPU, seconds that the next tick was late, and where the thread stood."""

    doing: str
    cpu: float
    late: float
    places: tuple[tuple[str, int], ...]
    """Stacks, innermost call first, and how often each was seen."""

    def __str__(self) -> str:
        places = "".join(f"\n      {count} × {stack}" for stack, count in self.places)
        return f"{self.cpu * 1e3:6.0f} ms of CPU, {self.late * 1e3:6.0f} ms late, while: {self.doing}{places}"


class LoopWatch:
    """Watches the loop of the thread that makes it.

    Attributes:
        doing: What the person does, for the blocks.
        cpu: Seconds of CPU of each slice.
        late: Seconds that each tick was late.
        blocks: The slices that were long.
    """

    def __init__(self) -> None:
        self.doing = ""
        self.cpu = array("f")
        self.late = array("f")
        self.blocks: list[Block] = []
        self._thread = threading.get_ident()
        self._stacks: list[str] = []
        self._held: list[list[Any]] = []
        """Frames that were looked at."""
        self._collections: list[str] = []
        gc.callbacks.append(self._collect)
        self._ended = threading.Event()
        self._expected = time.perf_counter() + TICK
        self._spent = time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(5)
        self._sampler = threading.Thread(target=self._sample, name="watch of the GUI loop", daemon=True)
        self._sampler.start()

    def stop(self) -> None:
        """Watch no longer."""
        self._timer.stop()
        gc.callbacks.remove(self._collect)
        self._ended.set()
        self._sampler.join()
        self._let_go()

    def _tick(self) -> None:
        now, spent = time.perf_counter(), time.thread_time()
        self._let_go()
        cpu, late = spent - self._spent, max(0.0, now - self._expected)
        stacks, self._stacks = self._stacks + self._collections, []
        self._collections = []
        self.cpu.append(cpu)
        self.late.append(late)
        if max(cpu, late) > NOTED:
            self.blocks.append(Block(self.doing, cpu, late, tuple(Counter(stacks).most_common(4))))
        self._spent = time.thread_time()  # (what it takes to note this is not the program's)
        self._expected = time.perf_counter() + TICK

    def _collect(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._collecting = time.perf_counter(), gc.get_count()[0]
        else:
            began, young = self._collecting
            self._collections.append(
                f"collection of generation {info['generation']} after {young} allocations: {info['collected']} were "
                f"garbage, {(time.perf_counter() - began) * 1e3:.0f} ms"
            )

    def _sample(self) -> None:
        while not self._ended.wait(TICK):
            if time.perf_counter() - self._expected > _SAMPLED:
                self._look()

    def _look(self) -> None:
        """Note where the thread stands, and leave it to that thread to let go of the frames that were looked at.

        Whoever does so last destroys what the variables in them hold, and a document of Qt that dies on another thread
        than the GUI's is a crash there a moment later. (``faulthandler`` holds none, and crashed itself.) So there is
        no name for a frame here, and once the list is handed over nothing of it is touched.
        """
        held: list[Any] = [sys._current_frames()]
        held.append(held[0].get(self._thread))
        calls: list[str] = []
        while held[-1] is not None and len(calls) < _DEPTH:
            path = Path(held[-1].f_code.co_filename)
            if "rillet" in path.parts or not calls:
                calls.append(f"{path.parent.name}/{path.name}:{held[-1].f_lineno} {held[-1].f_code.co_name}")
            held.append(held[-1].f_back)
        self._stacks.append(" < ".join(calls))
        self._held.append(held)

    def _let_go(self) -> None:
        while self._held:
            self._held.pop().clear()


class IdleLoop:
    """A loop beside ours that has nothing to do."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", IDLE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_HERE
        )

    def stop(self) -> array[float]:
        """End it; seconds that each of its ticks was late."""
        out, _ = self._process.communicate(b"end\n")
        late = array("f")
        late.frombytes(out)
        return late


def percentile(values: array[float], share: float) -> float:
    """The value that this share of them does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
