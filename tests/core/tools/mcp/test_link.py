"""What every connection to a server has in common, whatever it is made of."""

from __future__ import annotations

import gc
from functools import partial

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from rillet.core.tools.mcp.link import Link
from rillet.core.tools.mcp.log_ring import LogRing
from support.scripted import until


class LinkThatIsLeftAtOnce(Link):
    """Goes away between the sending of a message and the first step of what waits for its answer."""

    def __init__(self) -> None:
        super().__init__(LogRing())
        self.answers_awaited = 0

    async def _open(self) -> None:
        pass

    async def _close(self) -> None:
        pass

    async def _send(self, message: SessionMessage) -> None:
        self._spawn(partial(self._wait, message)).cancel()
        self.answers_awaited += 1

    async def _wait(self, message: SessionMessage) -> None:
        raise AssertionError("it has been cancelled before")


async def test_work_that_is_cancelled_before_it_begins_leaves_nothing_behind() -> None:
    link = LinkThatIsLeftAtOnce()
    async with link as (_, outbox):
        await outbox.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")))
        await until(lambda: link.answers_awaited == 1)
    gc.collect()  # (a coroutine that nobody awaited is an error by now)
    assert link.lost.is_set()
    assert link.reason is None
