"""How fast a stop is, in every phase of a request. Run: python tests/bench/stop.py

The worst of twenty, in milliseconds: from ``cancel()`` on the GUI thread to the end of the resource, and to the moment
when the other side has seen the connection closed; in the last two phases it was closed behind the answer. A connection
that was never made is looked for in the kernel's table of sockets (Linux).
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtCore import QCoreApplication, QEventLoop

from rillet.core.net.profile import NetworkProfile
from rillet.core.providers.provider import Provider
from rillet.core.types import ChatMessage, ChatRequest
from rillet.qt import Engine, LlmClient
from support.fake_server import FakeServer, Script, answer, hold, respond, sse_text, stream, unanswered_port
from support.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 20
PATIENCE = 10.0
REQUEST = ChatRequest([ChatMessage.user("Hi")])
SYN_SENT = "02"
BUSY = respond(503, {"error": {"message": "busy"}}, {"Retry-After": "50"})


def main() -> None:
    """Print the table."""
    app = QCoreApplication([])
    print(f"{'cancelled':>20} {'resource ended, ms':>20} {'connection closed, ms':>23}")
    report("before connect", connecting)
    report("before headers", lambda: serving(hold, lambda server, _: server.wait_requests(timeout=0)))
    between = stream(sse_text("a") + b'data: {"cho', hold)
    report("between bytes", lambda: serving(between, lambda _, recorder: recorder.texts == ["a"]))
    report("during back-off", lambda: serving(BUSY, lambda _, recorder: recorder.methods == ["retry"]))
    report("after the end", lambda: serving(answer("a"), None))
    Engine.default().shutdown()
    del app


def report(name: str, once: Callable[[], tuple[float, float]]) -> None:
    """Print the worst of one phase."""
    once()  # imports
    ended, closed = (max(column) * 1e3 for column in zip(*(once() for _ in range(ROUNDS)), strict=True))
    print(f"{name:>20} {ended:>20.1f} {closed:>23.1f}")


def serving(script: Script, ready: Callable[[FakeServer, Recorder], bool] | None) -> tuple[float, float]:
    """Stop a request to a server once it is ``ready`` (None: when it has ended)."""
    with FakeServer(script) as server:
        recorder = Recorder()
        when = None if ready is None else lambda: ready(server, recorder)
        return stop(server.url, recorder, when, lambda: server.open_connections == 0)


def connecting() -> tuple[float, float]:
    """Stop a request whose connection is neither accepted nor refused."""
    with unanswered_port() as port:
        url = f"http://127.0.0.1:{port}"
        others = attempts(port)
        return stop(url, Recorder(), lambda: attempts(port) > others, lambda: attempts(port) == others)


def attempts(port: int) -> int:
    """Connections to ``port`` that wait to be accepted."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(remote.endswith(f":{port:04X}") and state == SYN_SENT for _, _, remote, state, *_ in rows)


def stop(
    url: str, recorder: Recorder, ready: Callable[[], bool] | None, closed: Callable[[], bool]
) -> tuple[float, float]:
    """Seconds from the stop to the end of the resource and of the connection."""
    provider = Provider("bench", "openai", f"{url}/v1", "key", "m", network=NetworkProfile(proxy=None))
    client = LlmClient.forProvider(provider)
    resource = client.chatStream(REQUEST, recorder)
    turn_until(ready or resource.isDone)
    seen = Watcher(closed)
    started = time.perf_counter()
    resource.cancel()
    turn_until(resource.isDone)
    ended = time.perf_counter() - started
    seen.join()
    client.close()
    return ended, max(0.0, seen.at - started)


class Watcher(threading.Thread):
    """Looks, without the GUI thread's help, when the connection is closed."""

    def __init__(self, closed: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self.at = float("inf")
        self._closed = closed
        self.start()

    def run(self) -> None:
        """Look every millisecond."""
        pause, deadline = threading.Event(), time.perf_counter() + PATIENCE
        while time.perf_counter() < deadline:
            if self._closed():
                self.at = time.perf_counter()
                return
            pause.wait(0.001)


def turn_until(condition: Callable[[], bool]) -> None:
    """Turn Qt events until ``condition()`` holds."""
    deadline = time.perf_counter() + PATIENCE
    while not condition():
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 1)
        if time.perf_counter() > deadline:
            raise TimeoutError("what the phase waits for did not come")


if __name__ == "__main__":
    main()
