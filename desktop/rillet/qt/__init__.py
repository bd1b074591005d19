"""The thread boundary, QtCore only: the listener contract over ``rillet.core``.

In the order in which a delta passes: ``engine`` (the background thread), ``mailbox`` (the crossing), ``jobs`` (what is
in flight), ``request`` (one of them), ``listener`` (what it tells), ``resource`` (its terminal value); ``client`` joins
them, ``errands`` runs what is no request, and ``reporter`` takes what host code raises. ``agent`` is the same for the
agent loop: ``run_request`` (one run), ``gui_call`` (what the engine wants done on the GUI thread).
"""

from typing import TYPE_CHECKING

from rillet.lazy import exports

if TYPE_CHECKING:
    from rillet.qt.agent import AgentClient, AgentListener, Reply
    from rillet.qt.client import LlmClient
    from rillet.qt.engine import Engine
    from rillet.qt.listener import StreamingListener, StreamSignals
    from rillet.qt.resource import AsyncResource

__all__ = [
    "AgentClient",
    "AgentListener",
    "AsyncResource",
    "Engine",
    "LlmClient",
    "Reply",
    "StreamSignals",
    "StreamingListener",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "rillet.qt.agent": ("AgentClient", "AgentListener", "Reply"),
        "rillet.qt.client": ("LlmClient",),
        "rillet.qt.engine": ("Engine",),
        "rillet.qt.listener": ("StreamSignals", "StreamingListener"),
        "rillet.qt.resource": ("AsyncResource",),
    },
)
