"""A run of an agent in flight: what stays on the GUI thread of it, and what turns on the engine thread.

Above: ``request``, ``gui_call``, ``core/agent``. Below: ``agent``. Everything of a client that lives over there longer
than one run, its agent with the doors of its conversations and the toolkits it entered, is one belonging. Guarantee: as
with every request, nothing of the host is released over there.
"""

from __future__ import annotations

import asyncio
import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from rillet.core.agent.events import StreamEvent
from rillet.core.agent.seams import require_toolbox
from rillet.qt.client import with_client
from rillet.qt.gui_call import GuiCall, on_gui_thread
from rillet.qt.request import Household, ListenedRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from PySide6.QtCore import QObject

    from rillet.core.agent.agent import Agent
    from rillet.core.agent.conversations import ConversationStore
    from rillet.core.agent.hooks import Hooks
    from rillet.core.agent.metrics import OnMetric
    from rillet.core.agent.outlet import OnEvent
    from rillet.core.agent.result import RunResult
    from rillet.core.agent.seams import Toolbox
    from rillet.core.client import AsyncLlmClient
    from rillet.core.types import ChatMessage, ChatRequest, ChatResponse
    from rillet.core.types.suspension import Answer, Request
    from rillet.qt.agent import AgentListener
    from rillet.qt.client import LlmClient
    from rillet.qt.engine import Engine, Outbox, Worker
    from rillet.qt.jobs import Outcome
    from rillet.qt.resource import AsyncResource

Kind = StreamEvent.Kind
T = TypeVar("T")
RunWork: TypeAlias = "Callable[[Agent, Lodger, OnEvent], Awaitable[RunResult]]"
"""The engine half of a run: the agent, what else lives there, and where its events go."""

_BASE_SIZE: Final = 64
"""Bytes that an event counts for beside its text."""
_numbers = itertools.count(-1_000_000, -1)  # (apart from those of clients and errands)


class Setup(NamedTuple):
    """How the agent is to behave; see ``AgentClient``."""

    system_prompt: str | None
    hooks: Hooks | None
    store: ConversationStore | None
    max_turns: int
    on_metric: OnMetric | None
    base_request: ChatRequest | None


class Resident(Household):
    """The runs of one agent client, and what its agent keeps on the engine thread."""

    def __init__(self, owner: QObject, client: LlmClient, setup: Setup) -> None:
        super().__init__(owner, next(_numbers), client.provider.label, setup)
        self.client = client
        self.setup = setup


class EventRequest(ListenedRequest[T]):
    """A request that tells an ``AgentListener`` of events, and does here what the engine wants done on this thread."""

    def __init__(self, client: QObject, household: Household, engine: Engine, listener: AgentListener) -> None:
        super().__init__(client, household, engine, listener)
        self._listener = listener
        self._calls: list[GuiCall] = []  # kept to the end: what they hold is released here

    def deliver(self, event: object) -> None:
        """Tell the listener, or do what the engine thread wants done here."""
        if self._silent:
            return
        if isinstance(event, GuiCall):
            self._calls.append(event)
            event.perform()
        elif isinstance(event, StreamEvent):
            self._call(self._listener.onEvent, event)
            if (method := _METHODS.get(event.type)) is not None:
                self._call(method, self._listener, event)

    def _call(self, function: Callable[..., object], *args: object) -> None:
        if self._silent:
            return
        try:
            function(*args)
        except Exception as error:  # noqa: BLE001 (a boundary: code of the host)
            self._reporter.report(function.__name__, error)

    def _partial(self, outcome: Outcome) -> ChatResponse | None:
        return outcome.partial or getattr(outcome.error, "partial", None)

    def _stop(self) -> bool:
        self._abandon_calls()
        return super()._stop()

    def _release(self) -> None:
        super()._release()
        self._abandon_calls()
        self._calls.clear()

    def _abandon_calls(self) -> None:
        for call in self._calls:
            call.abandon()


class RunRequest(EventRequest["RunResult"]):
    """The GUI half of one run."""

    def __init__(
        self,
        client: QObject,
        resident: Resident,
        engine: Engine,
        listener: AgentListener,
        wait_for: Callable[[Request], Any] | None,
    ) -> None:
        super().__init__(client, resident, engine, listener)
        self._resident = resident
        self._wait_for = wait_for

    def begin(self, work: RunWork) -> AsyncResource[RunResult]:
        """Hand the run to the engine."""
        resident = self._resident
        resident.client.lodge(self._engine)
        over = _Over(resident.number, resident.setup, self._wait_for, work)
        return self.start(with_client(resident.client, partial(_run, over)))


def _on_text(listener: AgentListener, event: StreamEvent) -> None:
    listener.onText(event.delta)


def _on_reasoning(listener: AgentListener, event: StreamEvent) -> None:
    listener.onReasoning(event.delta)


def _on_tool_call(listener: AgentListener, event: StreamEvent) -> None:
    listener.onToolCall(event.id or "", event.name or "", event.args or {})


def _on_tool_result(listener: AgentListener, event: StreamEvent) -> None:
    listener.onToolResult(event.id or "", event.name or "", event.output, event.is_error)


def _on_usage(listener: AgentListener, event: StreamEvent) -> None:
    assert event.usage is not None
    listener.onUsage(event.usage)


def _on_pending(listener: AgentListener, event: StreamEvent) -> None:
    assert event.request is not None
    listener.onPending(event.request)


def _on_done(listener: AgentListener, event: StreamEvent) -> None:
    assert event.result is not None
    listener.onDone(event.result)


_METHODS: Final[dict[StreamEvent.Kind, Callable[[AgentListener, StreamEvent], None]]] = {
    Kind.TEXT: _on_text,
    Kind.REASONING: _on_reasoning,
    Kind.TOOL_CALL: _on_tool_call,
    Kind.TOOL_RESULT: _on_tool_result,
    Kind.USAGE: _on_usage,
    Kind.PENDING: _on_pending,
    Kind.DONE: _on_done,
}
"""The kinds that have a method of their own."""


def run(
    prompt: str | ChatMessage, toolkit: Toolbox | None, history: Sequence[ChatMessage] | None, id: str | None
) -> RunWork:
    """The work of a run from a prompt. ``history`` None: what the store has under ``id``."""
    require_toolbox(toolkit)

    async def work(agent: Agent, lodger: Lodger, tell: OnEvent) -> RunResult:
        await lodger.enter(toolkit)
        if history is not None:
            return await agent.run(prompt, toolkit, history, on_event=tell)
        return await agent.stream(prompt, toolkit, tell, id)

    return work


def resume(pending: RunResult, answer: Answer, toolkit: Toolbox | None) -> RunWork:
    """The work of a run that goes on."""
    require_toolbox(toolkit)

    async def work(agent: Agent, lodger: Lodger, tell: OnEvent) -> RunResult:
        await lodger.enter(toolkit)
        return await agent.resume(pending, answer, toolkit, tell)

    return work


class _Over(NamedTuple):
    """What of a run goes to the engine thread."""

    number: int
    setup: Setup
    wait_for: Callable[[Request], Any] | None
    work: RunWork


async def _run(over: _Over, client: AsyncLlmClient, worker: Worker, outbox: Outbox) -> RunResult:
    """On the engine thread: everything that happens goes to the GUI thread; what nobody reads holds the model back."""
    lodger = worker.belongings.get(over.number)
    if lodger is None:
        lodger = worker.belongings[over.number] = Lodger(over.setup, client)
    assert isinstance(lodger, Lodger)
    wait_for = over.wait_for

    def tell(event: StreamEvent) -> Awaitable[None] | None:
        size = _BASE_SIZE + len(event.delta) + len(event.output)
        return outbox.room() if outbox.post((event,), size) else None

    async def ask(request: Request) -> Answer:
        assert wait_for is not None
        answer: Answer = await on_gui_thread(outbox, partial(wait_for, request))
        return answer

    agent = lodger.agent.hosted(
        client, wait_for=None if wait_for is None else ask, on_gui=partial(on_gui_thread, outbox)
    )
    return await over.work(agent, lodger, tell)


class Lodger:
    """What one agent client has on the engine thread: its agent, and the toolkits that it entered.

    Attributes:
        agent: Of all runs, so that those of one conversation follow each other.
    """

    def __init__(self, setup: Setup, client: AsyncLlmClient) -> None:
        from rillet.core.agent.agent import Agent

        self.agent = Agent(
            client,
            system_prompt=setup.system_prompt,
            hooks=setup.hooks,
            conversation_store=setup.store,
            max_turns=setup.max_turns,
            on_metric=setup.on_metric,
            base_request=setup.base_request,
        )
        self._toolkits: dict[int, tuple[Any, asyncio.Future[Any]]] = {}

    async def enter(self, toolkit: Toolbox | None) -> None:
        """Make a toolkit ready, once for all runs that want it: one that is stopped meanwhile ends only its waiting."""
        if toolkit is None or not hasattr(toolkit, "__aenter__"):
            return
        _, entering = self._toolkits.get(id(toolkit), (None, None))
        if entering is None or (entering.done() and entering.exception() is not None):
            entering = asyncio.ensure_future(toolkit.__aenter__())
            self._toolkits[id(toolkit)] = (toolkit, entering)
        await asyncio.shield(entering)

    async def aclose(self) -> None:
        """Leave the toolkits."""
        while self._toolkits:
            _, (toolkit, entering) = self._toolkits.popitem()
            entering.cancel()
            await asyncio.wait([entering])
            if not entering.cancelled() and entering.exception() is None:
                await toolkit.__aexit__(None, None, None)
