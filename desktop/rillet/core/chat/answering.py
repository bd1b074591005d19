"""An answer, from the conversation in the store back into the store, told to whoever listens.

Above: ``agent``, ``recorder``, ``plan``. Below: ``desk`` starts answers. Knows neither windows nor how providers are
reached. Guarantees: what arrived is in the store, whether the answer ends, fails, is stopped or waits; a call that
waits for somebody is written down with all that it needs, so that another process can go on with it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from rillet.core.agent.agent import Agent
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.hooks import Hooks
from rillet.core.agent.result import Limit, RunResult
from rillet.core.chat.fitting import Fitting
from rillet.core.chat.outside import sent_as
from rillet.core.chat.recorder import Recorder
from rillet.core.errors import LlmError
from rillet.core.store import ledger, messages
from rillet.core.types import (
    ChatMessage,
    PartDelta,
    ReasoningDelta,
    Restarted,
    TextDelta,
    ToolCallDelta,
    ToolResultPart,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rillet.core.agent.seams import ModelStream, Toolbox
    from rillet.core.chat.events import ChatEvent
    from rillet.core.chat.plan import Plan
    from rillet.core.providers.provider import Provider
    from rillet.core.store.keeping import Keeping
    from rillet.core.tools.tool import ToolResult
    from rillet.core.types import ChatResponse, Delta
    from rillet.core.types.suspension import Answer

Kind = StreamEvent.Kind
Ending: TypeAlias = Literal["done", "pending", "incomplete"]

PENDING: Final = messages.PENDING

GO_ON: Final = ChatMessage.user(
    "Your last answer was cut off. Go on with it exactly where it stopped, be it in the middle of a word. "
    "Repeat nothing of it, and do not mention this request."
)
"""What is asked instead of a question that an answer was broken off to. It is sent, and kept nowhere. (An answer as the
last message would do for some providers; others refuse it, or answer as if it were whole.)"""

_CUT_SHORT: Final = ("length", "pause")
"""Reasons to end after which there is more to say."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How an answer ended that was neither stopped nor failed."""

    ending: Ending
    head: int | None
    """The message that the chat ends with now."""
    limit: Limit | None = None
    """Why an ``incomplete`` one is that."""


class Answering:
    """One answer. Use it once."""

    def __init__(
        self,
        store: Keeping,
        chat_id: int,
        plan: Plan,
        *,
        model: ModelStream,
        toolbox: Toolbox | None,
        tell: Callable[[ChatEvent], None],
        price: Callable[[Provider, Sequence[str | None], Usage], float | None],
        summarizer: ModelStream | None = None,
    ) -> None:
        """``summarizer`` None: ``model`` writes summaries, too."""
        self._store = store
        self._chat_id = chat_id
        self._plan = plan
        self._model = model
        self._toolbox = toolbox
        self._fitting = Fitting(
            store, chat_id, plan, toolbox=toolbox, summarizer=summarizer or model, tell=tell, price=price
        )
        self._tell = tell
        self._price = price
        self._images: dict[str, ToolResult] = {}
        self._recorder: Recorder | None = None
        self._started = 0.0
        self._first: float | None = None

    async def answer(self) -> Answered:
        """Answer what the chat ends with: a question, or an answer that broke off, which is gone on with.

        Raises:
            LlmError: a model call failed; the message that was being written says so in the store.
            SummaryFailed: there should be a summary of what has no room, and there is none; the store says so, too.
            ValueError: the chat ends with nothing that could be answered.
        """
        everything = await self._store.read(messages.line, self._chat_id)
        line = [node for node in everything if not node.is_deleted]
        if not line:
            raise ValueError("there is nothing to answer")
        goes_on = is_cut_short(line[-1])
        if not goes_on and line[-1].message.role != "user":
            raise ValueError("there is nothing to answer")

        async def run() -> RunResult:
            sent = await self._fitting.sent(line, then=GO_ON if goes_on else None)
            if self._toolbox is not None:
                sent = sent_as(sent, everything, self._toolbox.find)
            agent = self._agent(_Known(sent[:-1]))
            return await agent.stream(sent[-1], self._toolbox, self._on_event, str(self._chat_id))

        return await self._record(line[-1].id, run)

    async def resume(self, node: messages.Node, reply: Answer) -> Answered:
        """Go on with the run that waits at ``node`` (see ``PENDING``).

        Raises:
            LlmError: as ``answer``.
            ValueError: nothing waits there, or it waits for another answer or in another chat, or the chat does not
                end there any more.
        """
        line = await self._store.read(messages.path, self._chat_id)
        pending = line[-1].details.get(PENDING) if line and line[-1].id == node.id else None
        if not isinstance(pending, str):
            raise ValueError("nothing waits for this answer: the chat went on, or it was answered already")
        result = RunResult.from_json(pending.encode())
        if result.pending is None or result.pending.request.id != reply.id:
            raise ValueError("the run waits for another answer")
        if result.id != str(self._chat_id):
            raise ValueError("the run waits in another chat")
        # From here on it has been answered, however the run ends: what was agreed to once must not run twice.
        await self._store.write_durably(messages.annotate, node.id, {PENDING: None})
        agent = self._agent(_Known(None))
        return await self._record(node.id, lambda: agent.resume(result, reply, self._toolbox, self._on_event))

    def _agent(self, known: _Known) -> Agent:
        return Agent(
            self._model,
            system_prompt=None if "system" in self._plan.without else self._plan.system_prompt,
            hooks=Hooks(before_llm=self._fitting.before_llm, after_llm=self._after_llm, after_tool=self._after_tool),
            conversation_store=known,
            max_turns=self._plan.max_turns,
            base_request=self._plan.request,
        )

    async def _record(self, head: int, start: Callable[[], Any]) -> Answered:
        recorder = self._recorder = Recorder(
            self._store, self._chat_id, head, self._tell, provider=self._plan.provider.id
        )
        try:
            result: RunResult = await start()
            if result.status == "pending":
                self._recorder.annotate({PENDING: result.to_json().decode()})
            elif result.status == "incomplete":
                self._recorder.annotate({"limit": result.limit})
        except asyncio.CancelledError:
            recorder.begin_unless_open(self._plan.model)
            recorder.settle(status="cancelled", details=self._details())
            raise
        except Exception as error:  # (noted, and raised again)
            self._fail(error)
            raise
        finally:
            await recorder.close()
        if recorder.failure is not None:
            raise recorder.failure
        return Answered(result.status, recorder.head, result.limit)

    def _fail(self, error: Exception) -> None:
        assert self._recorder is not None
        said: dict[str, Any] = {"message": str(error), "kind": type(error).__name__}
        if isinstance(error, LlmError):
            said = {"message": error.user_message, "kind": error.kind, "retryable": error.retryable}
        self._recorder.begin_unless_open(self._plan.model)
        self._recorder.settle(status="failed", details={**self._details(), "error": said})

    def _on_event(self, event: StreamEvent) -> None:
        recorder = self._recorder
        assert recorder is not None
        if event.type is Kind.TURN:
            self._started, self._first = asyncio.get_running_loop().time(), None
            recorder.begin(self._plan.model)
        elif (delta := _delta(event)) is not None:
            if self._first is None:
                self._first = asyncio.get_running_loop().time()
            recorder.add(delta)
        elif event.type is Kind.TOOL_RESULT:
            recorder.put(_result_message(event, self._images.pop(event.id or "", None)))
        self._tell(event)

    def _after_llm(self, response: ChatResponse, model: str | None, turn: int) -> None:
        assert self._recorder is not None
        details = self._details()
        details["finish_reason"] = response.finish_reason
        if response.refusal:
            details["refusal"] = response.refusal
        named = response.model or model
        if response.usage is not None:
            cost = self._price(self._plan.provider, (named, self._plan.model), response.usage)
            details["usage"] = {
                name: count for name, count in msgspec.to_builtins(response.usage).items() if count is not None
            }
            if cost is not None:
                details["cost"] = cost
            self._recorder.spend(
                lambda db, message_id: ledger.enter(
                    db,
                    response.usage or Usage(),
                    provider=self._plan.provider.id,
                    model=named or "",
                    chat_id=self._chat_id,
                    message_id=message_id,
                    cost=cost,
                )
            )
        self._recorder.settle(response.message, model=named, details=details)

    def _after_tool(self, name: str, args: Mapping[str, Any], result: ToolResult, id: str, turn: int) -> None:
        if result.images:
            self._images[id] = result

    def _details(self) -> dict[str, Any]:
        """Timings of the turn, in seconds."""
        now = asyncio.get_running_loop().time()
        details: dict[str, Any] = {"seconds": round(now - self._started, 3)} if self._started else {}
        if self._first is not None:
            details["first_token"] = round(self._first - self._started, 3)
        return details


class _Known:
    """The conversation of one run, for the agent. What comes of it is written down by the recorder."""

    def __init__(self, history: list[ChatMessage] | None) -> None:
        self._history = history

    async def get(self, id: str) -> tuple[ChatMessage, ...] | None:
        return None if self._history is None else tuple(self._history)

    async def save(self, id: str, messages: Any) -> None:
        """The recorder has done that."""


def is_cut_short(node: messages.Node) -> bool:
    """Whether this is an answer that has a beginning and no end, so that a model can go on with it."""
    unfinished = node.status in ("incomplete", "cancelled", "failed") or node.details.get("finish_reason") in _CUT_SHORT
    return node.message.role == "assistant" and unfinished and bool(node.message.text)


def _delta(event: StreamEvent) -> Delta | None:
    match event.type:
        case Kind.TEXT:
            return TextDelta(event.delta)
        case Kind.REASONING:
            return ReasoningDelta(event.delta)
        case Kind.TOOL_CALL_DELTA:
            return ToolCallDelta(event.index, event.id, event.name, event.delta)
        case Kind.PART:
            return None if event.part is None else PartDelta(event.part)
        case Kind.RESTARTED:
            return Restarted()
        case _:
            return None


def _result_message(event: StreamEvent, result: ToolResult | None) -> ChatMessage:
    images = () if result is None else result.images
    part = ToolResultPart(event.id or "", event.output, is_error=event.is_error, images=images)
    return ChatMessage("tool", (part,))
