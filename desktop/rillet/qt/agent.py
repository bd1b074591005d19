"""Run an agent from the GUI thread: the loop turns on the engine thread, what happens in it is told here.

Above: ``core/agent`` does the work, ``client`` says through whom. Below: the host and its listeners. Tools and hooks
run on the engine thread, or in its pool; what has to touch widgets says ``run_on="gui"``. Guarantees: those of the
listener contract (``tests/qt/test_contract.py``), for events as for deltas; a question that a tool or the policy asks
is answered on the GUI thread, and no longer waited for once its run has ended.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QObject, Signal

from rillet.core.types.expect import expect
from rillet.core.types.suspension import Answer
from rillet.qt.client import LlmClient
from rillet.qt.engine import Engine
from rillet.qt.gui_call import Later
from rillet.qt.jobs import require_gui_thread
from rillet.qt.run_request import Resident, RunRequest, Setup, resume, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rillet.core.agent.conversations import ConversationStore
    from rillet.core.agent.events import StreamEvent
    from rillet.core.agent.hooks import Hooks
    from rillet.core.agent.metrics import OnMetric
    from rillet.core.agent.result import RunResult
    from rillet.core.agent.seams import Toolbox
    from rillet.core.types import ChatMessage, ChatRequest, Usage
    from rillet.core.types.suspension import Request
    from rillet.qt.resource import AsyncResource
    from rillet.qt.run_request import RunWork


class AgentListener:
    """Override what you need: every method does nothing.

    Each event is one call of ``onEvent``, in order, and one of the method of its kind, if it has one.
    """

    Adapter: ClassVar[type[AgentListener]]
    """The same class, as with ``StreamingListener``."""

    def onEvent(self, event: StreamEvent) -> None:
        """Anything that happened, kinds included that have no method of their own."""

    def onText(self, textDelta: str) -> None:
        """The next piece of the visible text."""

    def onReasoning(self, textDelta: str) -> None:
        """The next piece of the model's reasoning."""

    def onToolCall(self, id: str, name: str, args: Mapping[str, Any]) -> None:
        """A call that runs now."""

    def onToolResult(self, id: str, name: str, output: str, isError: bool) -> None:
        """What a call gave."""

    def onUsage(self, usage: Usage) -> None:
        """Token counts of the run so far."""

    def onPending(self, request: Request) -> None:
        """A call waits for an answer; told before anybody is asked."""

    def onDone(self, result: RunResult) -> None:
        """The run has ended; the resource brings the same object."""

    def onError(self, error: Exception) -> None:
        """The run failed; called once, before the resource fails with the same object. Not called after a cancel."""


AgentListener.Adapter = AgentListener


class Reply(Later):
    """A question that waits for its answer, as ``AgentClient.asked`` brings it.

    Attributes:
        request: What is asked.
    """

    def __init__(self, request: Request) -> None:
        super().__init__()
        self.request = request

    def answer(self, ok: bool, data: Mapping[str, Any] | None = None, reason: str | None = None) -> bool:
        """Answer; False when that was done already, or the run has ended."""
        return self.settle(Answer(id=self.request.id, ok=ok, data=data, reason=reason))


class AgentClient(QObject):
    """An agent for the GUI thread. Dropping it cancels nothing; ``close()`` or the end of its QObject parent does.

    Args:
        client: Through whom models are called; it stays the caller's to close.
        systemPrompt: Stands before every conversation.
        hooks: Run on the engine thread.
        conversationStore: Keeps conversations that have an id; used on the engine thread. None: in memory.
        waitFor: Answers requests, on the GUI thread: gets the ``Request``, returns an ``Answer``, a coroutine (where
            qasync turns) or a ``Reply`` that is answered later. None: see ``asked``.
        maxTurns: How often one run may call the model.
        onMetric: Gets a record per model call, tool call and run, on the engine thread.
        baseRequest: What every request starts from: temperature, reasoning, limits.

    Signals:
        asked(object): A ``Reply`` that has to be answered. When nobody is connected as a run starts, and there is no
            ``waitFor``, a run that would have to ask returns ``pending``.
    """

    asked = Signal(object)

    def __init__(
        self,
        client: LlmClient,
        *,
        systemPrompt: str | None = None,
        hooks: Hooks | None = None,
        conversationStore: ConversationStore | None = None,
        waitFor: Callable[[Request], Any] | None = None,
        maxTurns: int = 10,
        onMetric: OnMetric | None = None,
        baseRequest: ChatRequest | None = None,
        engine: Engine | None = None,
        parent: QObject | None = None,
    ) -> None:
        require_gui_thread("An AgentClient")
        expect(client, LlmClient, "the client", "write LlmClient.openai(key) or another of its class methods")
        super().__init__(parent)
        self._client = client
        self._engine = engine
        self._wait_for = waitFor
        self._resident = Resident(
            self,
            client,
            Setup(systemPrompt, hooks, conversationStore, maxTurns, onMetric, baseRequest),
        )

    def run(
        self,
        prompt: str | ChatMessage,
        toolkit: Toolbox | None = None,
        history: Iterable[ChatMessage] = (),
        listener: AgentListener | None = None,
    ) -> AsyncResource[RunResult]:
        """The loop to its end. Remembers nothing: ``history`` is what was said before.

        A ``Toolkit`` is entered on the engine thread by the first run that gets it, and left with this client.
        """
        return self._start(listener, run(prompt, toolkit, tuple(history), None))

    def ask(
        self,
        prompt: str | ChatMessage,
        toolkit: Toolbox | None = None,
        id: str | None = None,
        onText: Callable[[str], object] | None = None,
    ) -> AsyncResource[RunResult]:
        """As ``run``; with an ``id`` it goes on with that conversation, and saves it. ``onText`` gets the text."""
        return self.stream(prompt, toolkit, None if onText is None else _TextListener(onText), id)

    def stream(
        self,
        prompt: str | ChatMessage,
        toolkit: Toolbox | None = None,
        listener: AgentListener | None = None,
        id: str | None = None,
    ) -> AsyncResource[RunResult]:
        """The same run, told as it happens. A listener that is a QObject ends the run with its own end."""
        return self._start(listener, run(prompt, toolkit, None, id))

    def resume(
        self,
        pendingResult: RunResult,
        answer: Answer,
        toolkit: Toolbox | None = None,
        listener: AgentListener | None = None,
    ) -> AsyncResource[RunResult]:
        """Go on with a run that waits for an answer."""
        return self._start(listener, resume(pendingResult, answer, toolkit))

    def close(self) -> None:
        """Cancel every run, and leave the toolkits that were entered."""
        self._resident.dissolve()

    def _start(self, listener: AgentListener | None, work: RunWork) -> AsyncResource[RunResult]:
        if listener is not None:
            expect(
                listener, AgentListener, "the listener", "it is an object of a class that derives from AgentListener"
            )
        request = RunRequest(
            self, self._resident, self._engine or Engine.default(), listener or AgentListener(), self._asker()
        )
        return request.begin(work)

    def _asker(self) -> Callable[[Request], Any] | None:
        """Who answers, on the GUI thread; None: nobody."""
        if self._wait_for is not None:
            return self._wait_for
        if self.receivers("2asked(PyObject)"):
            return partial(_ask_by_signal, self)
        return None


def _ask_by_signal(client: AgentClient, request: Request) -> Reply:
    reply = Reply(request)
    client.asked.emit(reply)
    return reply


class _TextListener(AgentListener):
    """Hands on the text alone."""

    def __init__(self, onText: Callable[[str], object]) -> None:
        self._on_text = onText

    def onText(self, textDelta: str) -> None:
        self._on_text(textDelta)
