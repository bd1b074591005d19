"""The calls that run at one server, and whom to ask when it has a question in the middle of one.

Above: ``patience``, ``elicitation``. Below: ``session``. The protocol does not say which call a question belongs to:
where that could be the wrong chat, or the wrong call to repeat, it is declined. Guarantees: a question is gone when its
call is; without anybody to ask, the call suspends, and what was answered meanwhile is given when it is repeated; one
question at a time.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import mcp_types as protocol

from rillet.core.tools.mcp.elicitation import Declined, question, reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rillet.core.tools.mcp.log_ring import LogRing
    from rillet.core.tools.mcp.patience import Patience
    from rillet.core.tools.tool import ToolContext
    from rillet.core.types.suspension import Answer, Request

PROGRESS_PAUSE: Final = 0.05
"""Seconds between two reports of progress: a server may send thousands."""
MOST_PROGRESS: Final = 10
"""Progress makes a call last at most this many times its limit."""
_CANCEL: Final = protocol.ElicitResult(action="cancel")
_DECLINE: Final = protocol.ElicitResult(action="decline")


class RunningCall:
    """One call of a tool, from the first byte that is sent to its result."""

    def __init__(
        self, server: str, tool: str, args: Mapping[str, Any], ctx: ToolContext, limit: float, *, is_local: bool = True
    ) -> None:
        self.ctx = ctx
        self.suspended_on: Request | None = None
        """What nobody was there to answer."""
        self._server = server
        self._tool = tool
        self._args = args
        self._limit = limit
        self._is_local = is_local
        self._patience: Patience | None = None
        self._answer = ctx.answer
        self._asking: asyncio.Task[Answer] | None = None
        self._is_over = False
        self._told = 0.0
        self._has_ended = False
        """Whether its progress was told to be complete, which is told at once, but once."""

    def limited_by(self, patience: Patience) -> None:
        """The clock that stands still while somebody is asked."""
        self._patience = patience

    def end(self) -> None:
        """The call is over, and what it asks as well."""
        self._is_over = True
        if self._asking is not None:
            self._asking.cancel()

    async def on_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass on what the server tells of its progress."""
        if self._is_over:
            return
        if self._patience is not None:
            self._patience.renew(MOST_PROGRESS * self._limit)
        now = asyncio.get_running_loop().time()
        ends = progress == total and not self._has_ended
        if now - self._told >= PROGRESS_PAUSE or ends:
            self._told = now
            self._has_ended |= ends
            self.ctx.progress(progress, total, message or "")

    def has_answer_to(self, params: protocol.ElicitRequestParams) -> bool:
        """Whether this very question was answered before the call was repeated."""
        return self._answer is not None and self._answer.id == self._question(params).id

    def _question(self, params: protocol.ElicitRequestParams) -> Request:
        return question(self._server, self._tool, self._args, params, is_local=self._is_local)

    async def elicit(self, params: protocol.ElicitRequestParams) -> protocol.ElicitResult:
        """Answer a question of the server.

        Raises:
            Declined: it is not put to anybody.
        """
        request = self._question(params)
        if self.has_answer_to(params):
            assert self._answer is not None
            answer, self._answer = self._answer, None
            return reply(request, answer)
        if self.ctx.ask is None:
            self.suspended_on = self.suspended_on or request
            return _CANCEL
        if self._asking is not None or self._is_over:
            return _CANCEL
        assert self._patience is not None
        self._asking = asyncio.ensure_future(self.ctx.ask(request))
        try:
            with self._patience.pause():
                await asyncio.wait([self._asking])
            if self._asking.cancelled():
                return _CANCEL
            if (error := self._asking.exception()) is not None:
                raise Declined("nobody could be asked") from error
            return reply(request, self._asking.result())
        finally:
            self._asking.cancel()
            self._asking = None


class Calls:
    """Those of one session."""

    def __init__(self, log: LogRing) -> None:
        self._running: list[RunningCall] = []
        self._log = log

    def add(self, call: RunningCall) -> None:
        """It begins."""
        self._running.append(call)

    def remove(self, call: RunningCall) -> None:
        """It has ended."""
        call.end()
        self._running.remove(call)

    async def elicit(self, params: protocol.ElicitRequestParams) -> protocol.ElicitResult:
        """Answer a question that the server asks of nobody in particular."""
        try:
            return await self._asker(params).elicit(params)
        except Declined as refused:
            self._log.note(f"a question of the server was declined: {refused}")
            return _DECLINE

    def _asker(self, params: protocol.ElicitRequestParams) -> RunningCall:
        """The call that a question belongs to, or one of the same chat that can have it answered.

        Raises:
            Declined: that cannot be said. A call that did not ask must not be suspended, and so repeated.
        """
        expecting = next((call for call in self._running if call.has_answer_to(params)), None)
        if expecting is not None:
            return expecting
        if not self._running:
            raise Declined("there is no call it could belong to")
        if len({call.ctx.chat for call in self._running}) > 1:
            raise Declined("calls of several chats are running")
        if len(self._running) > 1 and self._running[-1].ctx.ask is None:
            raise Declined("several calls are running, and nobody is there to be asked")
        return self._running[-1]
