"""What tests need to know of an engine's other side."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.qt import Engine
    from rillet.qt.engine import Outbox, Worker


def wait_until_idle(engine: Engine) -> None:
    """Until the engine thread has no job left, without turning Qt events here: what it posted is still undelivered."""
    idle = threading.Event()
    worker = engine._registry.worker
    assert worker is not None

    def look() -> None:
        if worker._tasks:
            worker._running_loop.call_later(0.005, look)
        else:
            idle.set()

    worker.call(look)
    assert idle.wait(10)


class Probe:
    """A job of a test's own: keeps its outcome."""

    def __init__(self) -> None:
        self.outcome: Any = None

    def deliver(self, event: object) -> None:
        """There are no events."""

    def end(self, outcome: Any) -> None:
        """Keep how it ended."""
        self.outcome = outcome

    def cancel(self) -> bool:
        """Nothing to silence."""
        return False


def on_engine(function: Callable[[], Any]) -> Callable[[Worker, Outbox], Any]:
    """Work that calls ``function`` on the engine thread."""

    async def work(_worker: Worker, _outbox: Outbox) -> Any:
        return function()

    return work
