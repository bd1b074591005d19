"""The tool calls of one answer: run together, told in order, suspended where somebody has to be asked.

Above: ``setup``, ``events``, ``result``, ``tools/tool``. Below: ``loop`` runs one ``Calls`` per answer. Knows no
policy: the toolbox has each call judged, and a call that must not run unasked comes back suspended like any other.

Guarantees: what does not parse, or stands in an answer that was cut, never runs. TOOL_CALL comes in call order, each
just before its call runs; results are returned in call order, whatever ended first. A request is told before it is
asked, one at a time. No task outlives ``run``.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from rillet.core.agent.events import StreamEvent
from rillet.core.agent.hooks import settled
from rillet.core.agent.metrics import Metric
from rillet.core.agent.result import ToolCallRecord
from rillet.core.agent.turn import status_of
from rillet.core.tools.tool import NAME, ToolContext, ToolResult
from rillet.core.types import ToolCallPart, ToolResultPart
from rillet.core.types.suspension import APPROVAL, Answer, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.agent.setup import Job

Kind = StreamEvent.Kind

CUT: Final = "Not run: the answer was cut off by {reason}, so the arguments may be truncated. Call again, shorter."
NO_OBJECT: Final = "Not run: the arguments are not a JSON object, probably truncated: {arguments}"
NO_NAME: Final = "Not run: {name!r} is no name of a tool."
QUOTED: Final = 500
"""How much of broken arguments the model is shown again."""
DENIED: Final = "denied"
"""Stands in the metadata of the result of a call that somebody refused."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call to be carried out."""

    part: ToolCallPart
    """As it stands in the transcript."""
    name: str
    """As the model wrote it."""
    args: Mapping[str, Any] | None
    obstacle: str | None = None
    """Why it must not run, for the model."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a call that was suspended in an earlier run."""

    request: Request
    answer: Answer
    approval: Answer | None


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that has a result."""

    part: ToolResultPart
    record: ToolCallRecord


@dataclass(frozen=True, slots=True)
class Suspended:
    """A call that waits, with nobody there to ask."""

    call: Call
    request: Request
    approval: Answer | None


def calls_of(wanted: Sequence[ToolCallPart], tidied: Sequence[ToolCallPart], cut: str | None) -> list[Call]:
    """The calls that the model wants, each with its place in the transcript. ``cut`` says why the answer broke off."""
    calls = []
    for call, part in zip(wanted, tidied, strict=True):
        args = call.parsed
        obstacle = None
        if cut is not None:
            obstacle = CUT.format(reason=cut)
        elif args is None:
            obstacle = NO_OBJECT.format(arguments=call.arguments[:QUOTED] or "nothing arrived")
        elif not NAME.fullmatch(call.name):
            obstacle = NO_NAME.format(name=call.name[:QUOTED])
        calls.append(Call(part, call.name, args, obstacle))
    return calls


class Calls:
    """Carries the calls of one turn out."""

    def __init__(self, job: Job, turn: int, *, untrusted: bool) -> None:
        self._job = job
        self._turn = turn
        self._untrusted = untrusted
        self._gate = asyncio.Semaphore(job.setup.max_parallel)
        self._asking = asyncio.Lock()
        self._halted = False

    async def run(self, calls: Sequence[Call], reply: Reply | None = None) -> list[Ended | Suspended | None]:
        """Carry out ``calls``; ``reply`` is for the first. One outcome per call, in their order.

        None stands for a call that was not begun, because one before it was suspended.
        """
        outcomes: list[Ended | Suspended | None] = [None] * len(calls)

        async def carry_out(place: int, call: Call, result: ToolResult | None, reply: Reply | None) -> None:
            try:
                outcomes[place] = await self._carry_out(call, result, reply)
            finally:
                self._gate.release()

        try:
            async with asyncio.TaskGroup() as group:
                for place, call in enumerate(calls):
                    await self._gate.acquire()
                    if self._halted and call.obstacle is None:
                        self._gate.release()
                        continue
                    its_reply = reply if place == 0 else None
                    ready, result = (call, None) if its_reply else await self._prepared(call)
                    self._job.out.post(
                        StreamEvent(Kind.TOOL_CALL, id=ready.part.id, name=ready.part.name, args=ready.args)
                    )
                    await self._job.out.drain()
                    group.create_task(carry_out(place, ready, result, its_reply))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return outcomes

    async def _prepared(self, call: Call) -> tuple[Call, ToolResult | None]:
        """The call as the hook wants it, or the result that stands instead."""
        hook = self._job.setup.hooks.before_tool
        if call.obstacle is not None:
            return call, ToolResult(call.obstacle, is_error=True)
        if hook is None or call.args is None:
            return call, None
        reply = await settled(hook(call.name, call.args, call.part.id, self._turn))
        if isinstance(reply, ToolResult):
            if reply.pending is not None:
                raise ValueError("before_tool returned a suspended result: only a tool can be suspended")
            return call, reply
        return (call if reply is None else replace(call, args=dict(reply))), None

    async def _carry_out(self, call: Call, result: ToolResult | None, reply: Reply | None) -> Ended | Suspended:
        """From TOOL_CALL to TOOL_RESULT."""
        started = time.perf_counter()
        try:
            outcome = result or await self._run(call, reply)
        except BaseException as error:
            self._note(call, started, status_of(error), str(error))
            raise
        if isinstance(outcome, Suspended):
            self._halted = True
            self._note(call, started, "pending")
            return outcome
        result = outcome
        hook = self._job.setup.hooks.after_tool
        if hook is not None and call.obstacle is None:
            assert call.args is not None
            result = await settled(hook(call.name, call.args, result, call.part.id, self._turn)) or result
        self._note(call, started, _status(result), result.output if result.is_error else None)
        return await self._ended(call, result, started)

    async def _ended(self, call: Call, result: ToolResult, started: float) -> Ended:
        id, name = call.part.id, call.part.name
        self._job.out.post(
            StreamEvent(
                Kind.TOOL_RESULT,
                id=id,
                name=name,
                output=result.output,
                is_error=result.is_error,
                metadata=result.metadata,
                images=result.images,
            )
        )
        await self._job.out.drain()
        record = ToolCallRecord(
            id,
            name,
            call.args,
            result.output,
            is_error=result.is_error,
            metadata=result.metadata,
            ms=(time.perf_counter() - started) * 1000,
        )
        return Ended(ToolResultPart(id, result.output, is_error=result.is_error, images=result.images), record)

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
            if not given.ok:
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
        leash = _Leash(self._job, call)
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
        if answer.id != request.id:
            raise ValueError(f"wait_for was asked {request.id!r} and answered {answer.id!r}")
        return answer

    def _note(self, call: Call, started: float, status: str, error: str | None = None) -> None:
        self._job.setup.metrics.add(
            Metric(
                kind="tool",
                name=call.part.name,
                status=status,
                ms=(time.perf_counter() - started) * 1000,
                turns=self._turn,
                error=error,
            )
        )


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


class _Leash:
    """What a tool holds of its run while it is called, perhaps on a thread that no cancellation reaches."""

    def __init__(self, job: Job, call: Call) -> None:
        self._job = job
        self._call = call
        self._loop = asyncio.get_running_loop()
        self._off = False

    def is_off(self) -> bool:
        """Whether nobody waits for the call any more."""
        return self._off

    def let_go(self) -> None:
        """The call has ended."""
        self._off = True

    def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell how far it is, from any thread."""
        if asyncio._get_running_loop() is self._loop:
            self._tell(done, total, message)
        else:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._tell, done, total, message)

    def _tell(self, done: float, total: float | None, message: str) -> None:
        if not self._off:
            part = self._call.part
            self._job.out.post(
                StreamEvent(Kind.PROGRESS, id=part.id, name=part.name, done=done, total=total, output=message)
            )
