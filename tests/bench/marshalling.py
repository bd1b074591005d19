"""What it costs the GUI thread to be told of every delta, and how long the window may not react meanwhile.

    python tests/bench/marshalling.py

A job on the engine thread posts text deltas at a given rate, without a network, to a listener that counts them. Cost is
main-thread CPU per delta beyond the same listener called in a plain loop and beyond an idle event loop; a stall is the
worst lateness of a precise 5 ms timer, beyond an idle loop's in the same run (machines are noisy: best of three).
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatResponse, TextDelta
from rillet.qt import Engine, LlmClient, StreamingListener
from rillet.qt.request import Household, StreamRequest

if TYPE_CHECKING:
    from rillet.qt.engine import Outbox, Worker

TICK = 0.005
SECONDS = 2.0
BURST = 20_000


class Counter(StreamingListener):
    """The cheapest listener that still looks at what it is told."""

    def __init__(self) -> None:
        self.count = 0
        self.in_order = True

    def onContentDelta(self, textDelta: str) -> None:
        self.in_order = self.in_order and textDelta == str(self.count)
        self.count += 1


class Lateness:
    """The worst lateness of a 5 ms timer, and the main thread's CPU, while ``run`` turns the event loop."""

    def __init__(self) -> None:
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self.worst = 0.0
        self.cpu = 0.0
        self._expected = 0.0

    def run(self, loop: QEventLoop) -> None:
        self.worst = 0.0
        self._expected = time.perf_counter() + TICK
        self._timer.start(5)
        started = time.thread_time()
        loop.exec()
        self.cpu = time.thread_time() - started
        self._timer.stop()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.worst = max(self.worst, now - self._expected)
        self._expected = now + TICK


def stream(rate: float | None, total: int) -> Any:
    """Work that posts ``total`` deltas: at ``rate`` per second in batches a millisecond apart, or all at once."""

    async def work(_worker: Worker, outbox: Outbox) -> ChatResponse:
        import asyncio

        sent, started = 0, time.perf_counter()
        while sent < total:
            due = total if rate is None else min(total, int((time.perf_counter() - started) * rate) + 1)
            if due > sent:
                outbox.post([TextDelta(str(number)) for number in range(sent, due)], 0)
                sent = due
            await asyncio.sleep(0.001)
        return ChatResponse(ChatMessage.assistant(""))

    return work


def measure(client: LlmClient, rate: float | None, total: int) -> tuple[float, float, Counter]:
    """Main-thread CPU in seconds and worst lateness of one stream."""
    counter, lateness, loop = Counter(), Lateness(), QEventLoop()
    household = Household(client, 0, "bench")
    request = StreamRequest(client, household, Engine.default(), counter)
    request.resource.onResult(lambda _value, _error: loop.quit())
    request.start(stream(rate, total))
    lateness.run(loop)
    assert counter.count == total, (counter.count, total)
    assert counter.in_order
    return lateness.cpu, lateness.worst, counter


def idle(seconds: float) -> tuple[float, float]:
    """The same for a loop in which nothing happens."""
    lateness, loop = Lateness(), QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    lateness.run(loop)
    return lateness.cpu, lateness.worst


def listener_alone(total: int) -> float:
    """CPU of the listener called in a plain loop."""
    counter = Counter()
    texts = [str(number) for number in range(total)]
    started = time.thread_time()
    for text in texts:
        counter.onContentDelta(text)
    return time.thread_time() - started


def main() -> None:
    """Print the table."""
    app = QApplication([])
    client = LlmClient.forProvider(
        Provider("bench", "openai", "http://127.0.0.1:9/v1", network=NetworkProfile(proxy=None))
    )
    measure(client, None, 1000)  # imports
    print(f"{'load':>16} {'deltas':>8} {'GUI µs/delta':>13} {'beyond listener and idle':>26} {'worst stall ms':>15}")
    for rate in (1_000, 10_000, 100_000):
        report(client, f"{rate:,}/s", rate, int(rate * SECONDS))
    report(client, "burst", None, BURST)
    app.quit()


def report(client: LlmClient, name: str, rate: float | None, total: int) -> None:
    """Print the best of three runs of one load."""
    seconds = SECONDS if rate else 0.2
    runs = []
    for _ in range(3):
        idle_cpu, idle_late = idle(seconds)
        cpu, late, _ = measure(client, rate, total)
        own = max(0.0, cpu - listener_alone(total) - idle_cpu)
        runs.append((cpu / total * 1e6, own / total * 1e6, max(0.0, late - idle_late) * 1e3))
    gui, own, stall = (min(column) for column in zip(*runs, strict=True))
    print(f"{name:>16} {total:>8,} {gui:>13.2f} {own:>26.2f} {stall:>15.1f}")


if __name__ == "__main__":
    main()
