"""One model call: a request goes out, its deltas become events, the whole answer comes back.

Above: ``setup``, ``events``, ``call_ids``, ``wire/fold``. Below: ``loop``. Repeats nothing: that is the client's alone.
Guarantee: an answer that is returned is whole; one that broke off is an ``LlmError`` whose ``partial`` holds what had
arrived.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, cast

from rillet.core.agent.call_ids import CallIds
from rillet.core.agent.metrics import Metric
from rillet.core.errors import LlmError, NetworkError
from rillet.core.types import RetryNotice
from rillet.core.wire.fold import fold

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence, Set

    from rillet.core.agent.seams import BatchStream, ModelStream
    from rillet.core.agent.setup import Job
    from rillet.core.types import ChatRequest, ChatResponse, Delta


async def answer(job: Job, request: ChatRequest, turn: int, taken: Set[str] = frozenset()) -> ChatResponse:
    """Ask the model. Its tool calls get ids that are not ``taken``.

    Raises:
        LlmError: the request or the answer failed.
    """
    call = _ModelCall(job, turn, CallIds(taken))
    try:
        response = await call.response(request)
    except BaseException as error:
        call.note(status_of(error), error=error)
        raise
    call.note("ok", response)
    return response


class _ModelCall:
    """A model call under way, and what is measured of it."""

    def __init__(self, job: Job, turn: int, ids: CallIds) -> None:
        self._job = job
        self._turn = turn
        self._ids = ids
        self._started = time.perf_counter()
        self._first: float | None = None

    async def response(self, request: ChatRequest) -> ChatResponse:
        """Read the answer to its end."""
        out = self._job.out
        received: list[Delta] = []
        model: ModelStream = self._job.setup.model
        by_reads = hasattr(model, "batches")
        source: AsyncIterator[Any] = cast("BatchStream", model).batches(request) if by_reads else model.stream(request)
        try:
            async for news in source:
                deltas: Sequence[Delta] = self._ids.put_right(news.deltas if by_reads else (news,))
                received += deltas
                if self._first is None and any(not isinstance(delta, RetryNotice) for delta in deltas):
                    self._first = time.perf_counter()
                out.post_deltas(deltas)
                if out.owes:
                    await out.drain()
        except LlmError as error:
            if error.partial is None and received:
                error.partial = fold(received)
            raise
        finally:  # at once, not when it is collected
            if isinstance(source, AsyncGenerator):
                await source.aclose()
        response = fold(received)
        if response.incomplete:
            raise NetworkError("the answer stopped without its end", partial=response)
        return response

    def note(self, status: str, response: ChatResponse | None = None, error: BaseException | None = None) -> None:
        """Write the record."""
        setup = self._job.setup
        setup.metrics.add(
            Metric(
                kind="llm",
                name=setup.model_name or "default",
                status=status,
                ms=(time.perf_counter() - self._started) * 1000,
                first_token_ms=None if self._first is None else (self._first - self._started) * 1000,
                usage=response.usage if response else None,
                turns=self._turn,
                error=None if error is None else str(error) or type(error).__name__,
            )
        )


def status_of(error: BaseException) -> str:
    """How a record names what ended it: the kind of an ``LlmError``, "cancelled", or the class of anything else."""
    if isinstance(error, LlmError):
        return error.kind
    return "cancelled" if isinstance(error, asyncio.CancelledError) else type(error).__name__
