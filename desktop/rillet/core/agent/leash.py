"""What a tool holds of its run while it is called, perhaps on a thread that no cancellation reaches.

Above: ``events``, ``outlet``. Below: ``calls`` gives one to each attempt. Guarantee: once the attempt has ended,
whatever still holds its leash learns so, and tells nothing any more.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from rillet.core.agent.events import StreamEvent

if TYPE_CHECKING:
    from rillet.core.agent.outlet import Outlet


class Leash:
    """What a tool holds of its run while it is called, perhaps on a thread that no cancellation reaches."""

    __slots__ = ("_call_id", "_loop", "_name", "_off", "_out")

    def __init__(self, loop: asyncio.AbstractEventLoop, out: Outlet, call_id: str, name: str) -> None:
        self._out = out
        self._call_id = call_id
        self._name = name
        self._loop = loop
        self._off = False

    def is_off(self) -> bool:
        """Whether nobody waits for the call any more."""
        return self._off

    def let_go(self) -> None:
        """The call has ended."""
        self._off = True

    def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell how far it is, from any thread."""
        if self._is_here():
            self._tell(done, total, message)
        else:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._tell, done, total, message)

    def _is_here(self) -> bool:
        """Whether this is the thread of the loop."""
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _tell(self, done: float, total: float | None, message: str) -> None:
        if not self._off:
            event = StreamEvent(
                StreamEvent.Kind.PROGRESS, id=self._call_id, name=self._name, done=done, total=total, output=message
            )
            self._out.post(event)
