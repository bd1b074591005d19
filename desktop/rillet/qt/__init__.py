"""The thread boundary, QtCore only: the listener contract over ``rillet.core``.

In the order in which a delta passes: ``engine`` (the background thread), ``mailbox`` (the crossing), ``jobs`` (what is
in flight), ``request`` (one of them), ``listener`` (what it tells), ``resource`` (its terminal value); ``client`` joins
them, ``errands`` runs what is no request, and ``reporter`` takes what host code raises.
"""

from typing import TYPE_CHECKING

from rillet.lazy import exports

if TYPE_CHECKING:
    from rillet.qt.client import LlmClient
    from rillet.qt.engine import Engine
    from rillet.qt.listener import StreamingListener, StreamSignals
    from rillet.qt.resource import AsyncResource

__all__ = ["AsyncResource", "Engine", "LlmClient", "StreamSignals", "StreamingListener"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "rillet.qt.client": ("LlmClient",),
        "rillet.qt.engine": ("Engine",),
        "rillet.qt.listener": ("StreamSignals", "StreamingListener"),
        "rillet.qt.resource": ("AsyncResource",),
    },
)
