"""Imports what the first message will need, on the engine thread, while the person looks at the window.

Each of these takes tens of milliseconds that would otherwise be paid before the first paint or as a stall in the first
answer. Above: ``main`` calls it after the first paint.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rillet.qt import Engine

if TYPE_CHECKING:
    from rillet.app.garbage import Collector
    from rillet.qt.engine import Outbox, Worker
    from rillet.qt.jobs import Outcome

MODULES = (
    "rillet.core.client",
    "rillet.core.net.transport",
    "rillet.core.wire.openai_chat",
    "httpx",
    "rillet.widgets.markdown.parse",
    "markdown_it",
    "rillet.widgets.markdown.highlight",
    "pygments.lexers",
    "mdit_py_plugins.footnote",
    "rillet.core.attachments.reading",
    "rillet.core.attachments.folder_scan",
)
"""None that names classes of Qt first: PySide makes a class when it is first asked for, and crashes now and then if a
thread does that while another one imports."""


def warm_up(collector: Collector) -> None:
    """Start importing. Returns at once."""
    Engine.default().start(_WarmUp(collector), _import_all)


class _WarmUp:
    """The GUI half: once everything is there, it is exempt from garbage collection."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    def deliver(self, event: object) -> None:
        """There are no events."""

    def end(self, outcome: Outcome) -> None:
        """Everything is imported."""
        if outcome.error is None:
            self._collector.freeze()

    def cancel(self) -> bool:
        """The program quits; an import cannot be stopped half-way."""
        return False


async def _import_all(_worker: Worker, _outbox: Outbox) -> None:
    import asyncio

    for name in MODULES:
        await asyncio.to_thread(import_module, name)

    from rillet.widgets.markdown import highlight, typeset

    await asyncio.to_thread(highlight.warm_up)
    await asyncio.to_thread(typeset.warm_up)
