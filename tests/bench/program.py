"""A long answer at reading speed through the whole program: how much of one core, and the longest stall of the window.

    xvfb-run -a python tests/bench/program.py [tokens] [tokens per second]

The server runs in a process of its own. CPU is that of this process (all threads) from the first token to the last,
beyond an idle window's in the same run; a stall is the lateness of a precise 5 ms timer, and beside it the longest
stretch of CPU that the GUI thread spent between two ticks, which no busy machine can stretch.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, Qt, QTimer

from rillet.app.main import make_application
from rillet.app.services import Services
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.settings import SettingsFile
from rillet.qt import Engine
from rillet.widgets.theme import palette

if TYPE_CHECKING:
    from rillet.widgets import ChatView

TICK = 0.005
SERVER = r"""
import asyncio, json, sys, time
tokens, rate = int(sys.argv[1]), float(sys.argv[2])
PIECES = ("# Rivers\n\n", "A ", "*rillet* ", "is ", "a ", "**small** ", "stream", ". ", "It ", "runs ", "down ", "the ",
          "hill ", "and ", "sings", ".\n\n", "- clear\n", "- quick\n", "- cold\n\n", "```python\n", "for ", "drop ",
          "in ", "stream:\n", "    sing(drop)\n", "```\n\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n\n", "And ",
          "on", " it ", "goes", ".\n\n")
async def serve(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    started = time.perf_counter()
    for number in range(tokens):
        chunk = {"choices": [{"index": 0, "delta": {"content": PIECES[number % len(PIECES)]}}]}
        writer.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        await writer.drain()
        await asyncio.sleep(max(0.0, started + (number + 1) / rate - time.perf_counter()))
    writer.write(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    await writer.drain()
    writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class Watch:
    """Lateness of a 5 ms timer, and the GUI thread's CPU between two ticks."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self.busy: list[float] = []
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._expected = time.perf_counter() + TICK
        self._spent = time.thread_time()
        self._timer.start(5)

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now, spent = time.perf_counter(), time.thread_time()
        self.late.append(max(0.0, now - self._expected))
        self.busy.append(spent - self._spent)
        self._expected, self._spent = now + TICK, spent


def turn(milliseconds: int) -> None:
    """Turn the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def is_writing(view: ChatView) -> bool:
    """Whether an answer comes, or is not drawn to its end."""
    return view.composer.isBusy() or any(each.pending for each in view.handles())


def main(tokens: int, rate: float) -> None:
    """Print the figures."""
    command = [sys.executable, "-c", SERVER, str(tokens), str(rate)]
    with tempfile.TemporaryDirectory() as home, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        app = make_application()
        services = Services(SettingsFile(Path(home) / "settings.json"), environment={})
        window = MainWindow(WindowState(Path(home) / "window.ini"), palette.apply(app, palette.tokens_for("light")))
        window.resize(920, 760)
        window.serve(services)
        window.show()
        services.choose(services.enter_endpoint(f"http://127.0.0.1:{port}/v1", None, "m"))
        for text in ("warm up", "measure"):
            idle_watch, idle_cpu, idle_from = Watch(), time.process_time(), time.perf_counter()
            turn(2_000)
            idle_watch.stop()
            idle = (time.process_time() - idle_cpu) / (time.perf_counter() - idle_from)
            watch, cpu, started = Watch(), time.process_time(), time.perf_counter()
            window.view.composer.setText(text)
            window.view.composer.send()
            turn(500)  # the question is kept before it is asked
            limit = 3.0 if text == "warm up" else float("inf")
            while is_writing(window.view) and time.perf_counter() - started < limit:
                turn(100)
            watch.stop()
            seconds = time.perf_counter() - started
            share = (time.process_time() - cpu) / seconds - idle
            if text == "warm up":
                window.stop()
                window.newChat()
                turn(500)
        late, idle_late = max(watch.late), max(idle_watch.late)
        print(
            f"{tokens} tokens at {rate:g}/s: {share:.1%} of one core beyond idle ({idle:.1%}), worst lateness "
            f"{late * 1e3:.1f} ms (idle loop {idle_late * 1e3:.1f}), longest CPU of one slice "
            f"{max(watch.busy) * 1e3:.1f} ms"
        )
        window.close()
        services.close()
        Engine.default().shutdown()
        server.terminate()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, float(sys.argv[2]) if len(sys.argv) > 2 else 100.0)
