"""The tool calls of one answer: run together, told in order, suspended where somebody has to be asked.

Above: ``call``, ``leash``, ``setup``, ``events``, ``tools/tool``. Below: ``loop`` runs one ``Calls`` per answer. Knows
no policy: the toolbox has each call judged, and a call that must not run unasked comes back suspended like any other.

Guarantees: what does not parse, or stands in an answer that was cut, never runs. TOOL_CALL comes in call order, each
just before its call runs; results are returned in call order, whatever ended first. A request is told before it is
asked, one at a time. No task outlives ``run``.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rillet.core.agent.call import Begun, Call, Ended, Reply, Suspended
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.hooks import settled
from rillet.core.agent.leash import Leash
from rillet.core.agent.metrics import Metric
from rillet.core.agent.result import ToolCallRecord
from rillet.core.agent.turn import status_of
from rillet.core.tools.tool import ToolContext, ToolResult
from rillet.core.types import ToolResultPart
from rillet.core.types.expect import expect
from rillet.core.types.suspension import APPROVAL, Answer, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.agent.setup import Job

Kind = StreamEvent.Kind

DENIED: Final = "denied"
"""Stands in the metadata of the result of a call that somebody refused."""
BREATH: Final = 0.005
"""Seconds after which hands that never had to wait let others have the event loop, whoever stops the run above all."""


class Calls:
    """Carries the calls of one turn out.

    Hands take one call after the other. The task of the run is one pair; whenever that waits for something, so that
    the event loop comes by, another joins, up to ``max_parallel``. Calls that wait for nothing cost no task.
    """

    def __init__(self, job: Job, turn: int, *, untrusted: bool) -> None:
        self._job = job
        self._turn = turn
        self._untrusted = untrusted
        self._left: deque[tuple[int, Call]] = deque()
        self._outcomes: list[Ended | Suspended | None] = []
        self._loop = asyncio.get_running_loop()
        self._group = asyncio.TaskGroup()
        self._hands = 1
        self._joining = False
        self._beginning = False
        self._asking = asyncio.Lock()
        self._suspended = 0

    async def run(self, calls: Sequence[Call], reply: Reply | None = None) -> list[Ended | Suspended | None]:
        """Carry out ``calls``; ``reply`` is for the first. One outcome per call, in their order.

        None stands for a call that was not begun: those that wait hold their places, and none was left.
        """
        self._left.extend(enumerate(calls))
        self._outcomes = [None] * len(calls)
        try:
            async with self._group:
                await self._work(reply)
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        if None in self._outcomes and not self._suspended:
            raise asyncio.CancelledError("a tool has cancelled the task that called it")
        return self._outcomes

    async def _work(self, reply: Reply | None = None) -> None:
        """Carry out call after call, until none is left, or somebody else is about to begin the next."""
        breath = time.perf_counter()
        try:
            while (taken := self._next()) is not None:
                place, call = taken
                begun = await self._begun(call, reply)
                self._outcomes[place] = await self._carry_out(begun, reply)
                reply = None
                if time.perf_counter() - breath > BREATH:
                    await asyncio.sleep(0)
                    breath = time.perf_counter()
        except BaseException:  # (also cancelled: no other hand begins a call)
            self._left.clear()
            raise
        finally:
            self._hands -= 1

    def _next(self) -> tuple[int, Call] | None:
        """The call to begin now, and its place."""
        while self._left and not self._beginning:
            place, call = self._left.popleft()
            if self._suspended < self._job.setup.max_parallel or call.obstacle is not None:
                return place, call
        return None

    async def _begun(self, call: Call, reply: Reply | None) -> Begun:
        """Up to TOOL_CALL, one call at a time. Whenever this has to wait afterwards, others may begin the next."""
        self._beginning = True
        begun = Begun(call) if reply else await self._prepared(call)
        out, part = self._job.out, call.part
        out.post(StreamEvent(Kind.TOOL_CALL, id=part.id, name=part.name, args=begun.call.args))
        if out.owes:
            await out.drain()
        self._beginning = False
        if self._left and self._hands < self._job.setup.max_parallel and not self._joining:
            self._joining = True
            self._loop.call_soon(self._join)
        return begun

    def _join(self) -> None:
        """Bring another pair of hands: those that are there wait for something."""
        self._joining = False
        if self._left and not self._beginning:
            work = self._work()
            try:
                self._group.create_task(work)
            except RuntimeError:  # the run is being stopped at this very moment
                work.close()
            else:
                self._hands += 1

    async def _prepared(self, call: Call) -> Begun:
        """The call as the hook wants it, or the result that stands instead."""
        hook = self._job.setup.hooks.before_tool
        if call.obstacle is not None:
            return Begun(call, ToolResult(call.obstacle, is_error=True))
        if hook is None or call.args is None:
            return Begun(call)
        reply = await settled(hook(call.name, call.args, call.part.id, self._turn))
        if isinstance(reply, ToolResult):
            if reply.pending is not None:
                raise ValueError("before_tool returned a suspended result: only a tool can be suspended")
            return Begun(call, reply)
        return Begun(call if reply is None else replace(call, args=dict(reply)))

    async def _carry_out(self, begun: Begun, reply: Reply | None) -> Ended | Suspended:
        """From TOOL_CALL to TOOL_RESULT."""
        call = begun.call
        started = time.perf_counter()
        try:
            outcome = await self._run(call, reply) if begun.result is None else begun.result
        except BaseException as error:
            self._note(call, started, status_of(error), str(error))
            raise
        if isinstance(outcome, Suspended):
            self._suspended += 1
            self._note(call, started, "pending")
            return outcome
        result = outcome
        hook = self._job.setup.hooks.after_tool
        if hook is not None and call.obstacle is None:
            assert call.args is not None
            replaced = await settled(hook(call.name, call.args, result, call.part.id, self._turn))
            result = result if replaced is None else replaced
        ms = self._note(call, started, _status(result), result.output if result.is_error else None)
        ended = self._ended(call, result, ms)
        if self._job.out.owes:
            await self._job.out.drain()
        return ended

    def _ended(self, call: Call, result: ToolResult, ms: float) -> Ended:
        id, name = call.part.id, call.part.name
        output, is_error, metadata, images = result.output, result.is_error, result.metadata, result.images
        self._job.out.post(
            StreamEvent(
                Kind.TOOL_RESULT,
                id=id,
                name=name,
                output=output,
                is_error=is_error,
                metadata=metadata,
                images=images,
            )
        )
        record = ToolCallRecord(id, name, call.args, output, is_error=is_error, metadata=metadata, ms=ms)
        return Ended(ToolResultPart(id, output, is_error=is_error, images=images), record)

    async def _run(self, call: Call, reply: Reply | None) -> ToolResult | Suspended:
        """Call the tool, and again for each answer it waits for: one to the policy, one to the tool itself."""
        approval = reply.approval if reply else None
        answer: Answer | None = None
        given = reply.answer if reply else None
        result = ToolResult.suspended(reply.request) if reply else await self._attempt(call, None, None)
        while (request := result.pending) is not None:
            if answer is not None:
                return ToolResult("Failed: the tool asked again after it was answered.", is_error=True)
            if given is None:
                if self._job.setup.wait_for is None:
                    return Suspended(call, request, approval)
                given = await self._ask(call, request)
            if given.ok is not True:
                return _refused(request, given)
            if request.kind == APPROVAL and approval is None:
                approval = given
            else:
                answer = given
            given = None
            result = await self._attempt(call, approval, answer)
        return result

    async def _attempt(self, call: Call, approval: Answer | None, answer: Answer | None) -> ToolResult:
        """Call the tool once. Only a cancellation of the run gets out; a tool that cancels itself has failed."""
        toolbox = self._job.toolbox
        if toolbox.find(call.name) is None:
            return ToolResult(_unknown(call.name, [spec.name for spec in toolbox.specs]), is_error=True)
        leash = Leash(self._loop, self._job.out, call.part.id, call.part.name)
        wait_for = self._job.setup.wait_for
        ctx = ToolContext(
            call_id=call.part.id,
            chat=self._job.chat,
            untrusted=self._untrusted,
            approval=approval,
            answer=answer,
            ask=None if wait_for is None else partial(self._ask, call),
            progress=leash.progress,
            on_gui=self._job.setup.on_gui,
            cancelled=leash.is_off,
        )
        try:
            return await toolbox.call(call.name, dict(call.args or {}), ctx)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return ToolResult(f"{call.name} was cancelled from within", is_error=True)
        finally:
            leash.let_go()

    async def _ask(self, call: Call, request: Request) -> Answer:
        """Have a request answered: told first, asked then, one at a time."""
        wait_for = self._job.setup.wait_for
        assert wait_for is not None
        async with self._asking:
            self._job.out.post(StreamEvent(Kind.PENDING, id=call.part.id, name=call.part.name, request=request))
            await self._job.out.drain()
            left = None if request.expires_at is None else request.expires_at - time.time()
            try:
                async with asyncio.timeout(left) as clock:
                    answer = await settled(wait_for(request))
            except TimeoutError:
                if not clock.expired():
                    raise
                return too_late(request)
        expect(answer, Answer, "what wait_for returns", "write Answer(id=request.id, ok=True)")
        if answer.id != request.id:
            raise ValueError(f"wait_for was asked {request.id!r} and answered {answer.id!r}")
        return answer

    def _note(self, call: Call, started: float, status: str, error: str | None = None) -> float:
        """Write the record; how many milliseconds it took."""
        ms = (time.perf_counter() - started) * 1000
        self._job.setup.metrics.add(
            Metric(kind="tool", name=call.part.name, status=status, ms=ms, turns=self._turn, error=error)
        )
        return ms


def too_late(request: Request) -> Answer:
    """What counts as the answer to a request that has expired."""
    return Answer(id=request.id, ok=False, reason="nobody answered in time")


def _refused(request: Request, answer: Answer) -> ToolResult:
    what = (
        "Not run: the call was not allowed" if request.kind == APPROVAL else "Not carried out: the request was declined"
    )
    reason = f": {answer.reason}" if answer.reason else "."
    return ToolResult(f"{what}{reason}", is_error=True, metadata={DENIED: True})


def _unknown(name: str, known: Sequence[str]) -> str:
    return f"There is no tool {name!r}. There are: {', '.join(known)}." if known else f"There is no tool {name!r}."


def _status(result: ToolResult) -> str:
    if result.metadata.get(DENIED):
        return "denied"
    return "error" if result.is_error else "ok"
