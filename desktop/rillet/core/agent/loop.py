"""The loop: ask the model, run the tools it wants, ask again, until it has an answer.

Above: ``turn`` (one model call), ``calls`` (the tools of one answer), ``history``, ``trust``. Below: ``session`` gives
it a prompt and saves what comes of it. Knows neither stores nor time limits. Guarantee: the transcript grows by whole
turns only, so that it is one that a provider accepts at every moment, however the run ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rillet.core.agent.call import Call, Ended, Reply, Suspended, calls_of
from rillet.core.agent.calls import Calls
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.history import NOT_RUN, call_ids, repair, tidy
from rillet.core.agent.hooks import settled
from rillet.core.agent.result import Limit, Pending, RunResult, Status, ToolCallRecord
from rillet.core.agent.trust import is_untrusted, marked
from rillet.core.agent.turn import answer
from rillet.core.types import ChatMessage, ChatRequest, FinishReason, ToolResultPart, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.core.agent.hooks import Compaction, Replacement
    from rillet.core.agent.setup import Job
    from rillet.core.types import ChatResponse, ToolSpec
    from rillet.core.types.suspension import Answer

Kind = StreamEvent.Kind

_CUT = {"length": "the limit of tokens", "content_filter": "a content filter", "error": "an error of the provider"}
"""Reasons to stop after which the last call may be a part of one, and nobody can say which."""


@dataclass(slots=True)
class _State:
    """How far the run is."""

    messages: list[ChatMessage] = field(default_factory=list)
    records: list[ToolCallRecord] = field(default_factory=list)
    turns: int = 0
    usage: Usage | None = None
    text: str = ""
    model: str | None = None
    finish_reason: FinishReason | None = None
    refusal: str | None = None
    repairs: tuple[str, ...] = ()
    ids: set[str] = field(default_factory=set)
    """Of all tool calls in the messages."""
    untrusted: bool = False
    judged: int = 0
    """How many messages ``untrusted`` knows already."""


class Loop:
    """One run. Use it once: ``run`` or ``resume``."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._state = _State()
        self._paused = False

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The transcript as far as its turns are whole."""
        return tuple(self._state.messages)

    @property
    def turns(self) -> int:
        """How often the model was called."""
        return self._state.turns

    async def run(self, prompt: ChatMessage, history: Iterable[ChatMessage]) -> RunResult:
        """From a prompt to the end."""
        self._begin((*history, prompt))
        return await self._go_on()

    async def resume(self, result: RunResult, reply: Answer) -> RunResult:
        """From the answer to a request to the end."""
        pending = result.pending
        assert pending is not None
        self._begin(result.messages)
        state = self._state
        state.records = list(result.tool_calls)
        state.turns, state.usage, state.text, state.model = result.turns, result.usage, result.text, result.model
        state.finish_reason, state.repairs = result.finish_reason, result.repairs + state.repairs
        state.untrusted = state.untrusted or is_untrusted(
            [pending.answer, *(ChatMessage("tool", (part,)) for part in pending.results)], self._job.toolbox.find
        )
        known = {part.call_id: part for part in pending.results}
        first = Call(pending.call, pending.call.name, pending.args)
        others = calls_of(pending.answer.tool_calls, pending.answer.tool_calls, None)
        calls = [first, *(call for call in others if call.part.id not in known and call.part.id != pending.call.id)]
        result_now = await self._carry_out(
            pending.answer, calls, known, Reply(pending.request, reply, pending.approval)
        )
        return result_now or await self._go_on()

    async def translate(self, request: ChatRequest) -> ChatResponse:
        """One model call as it is asked for."""
        setup = self._job.setup
        model = request.model or setup.model_name
        if setup.hooks.before_llm is not None:
            replacement = await settled(setup.hooks.before_llm(request.messages, request.tools, model, 1))
            if replacement is not None:
                messages, tools = replacement.messages, replacement.tools
                request = replace(
                    request,
                    messages=request.messages if messages is None else messages,
                    tools=request.tools if tools is None else tools,
                )
        response = await answer(self._job, request, 1)
        if setup.hooks.after_llm is not None:
            await settled(setup.hooks.after_llm(response, model, 1))
        return response

    def _begin(self, messages: Iterable[ChatMessage]) -> None:
        repaired = repair(messages)
        self._state.messages = list(repaired.messages)
        self._state.ids = call_ids(repaired.messages)
        self._state.repairs = repaired.repairs
        if repaired.repairs:
            self._job.out.post(StreamEvent(Kind.REPAIRED, repairs=repaired.repairs))

    async def _go_on(self) -> RunResult:
        """Turn after turn."""
        state, setup = self._state, self._job.setup
        while state.turns < setup.max_turns:
            state.turns += 1
            request = await self._request()
            self._job.out.post(StreamEvent(Kind.TURN, turn=state.turns))
            await self._job.out.drain()
            response = await answer(self._job, request, state.turns)
            self._take(response)
            if setup.hooks.after_llm is not None:
                await settled(setup.hooks.after_llm(response, setup.model_name, state.turns))
            tidied = tidy(response.message, state.ids)
            self._paused = response.finish_reason == "pause" and not tidied.tool_calls
            if not tidied.tool_calls:
                self._append(tidied)
                if response.finish_reason == "length":
                    return self._result("incomplete", limit="max_tokens")
                if not self._paused:
                    return self._result("done")
                continue
            calls = calls_of(response.tool_calls, tidied.tool_calls, _CUT.get(response.finish_reason or ""))
            if (result := await self._carry_out(tidied, calls, {})) is not None:
                return result
        return self._result("incomplete", limit="max_turns")

    async def _request(self) -> ChatRequest:
        """What goes out in this turn, after the hook has had its say."""
        state, setup, toolbox = self._state, self._job.setup, self._job.toolbox
        state.untrusted = state.untrusted or is_untrusted(state.messages[state.judged :], toolbox.find)
        state.judged = len(state.messages)
        system = _system_prompt(setup.system_prompt, toolbox.skills_prompt)
        messages: Sequence[ChatMessage] = [*system, *state.messages]
        tools: Sequence[ToolSpec] = tuple(toolbox.specs)
        if setup.hooks.before_llm is not None:
            replacement = await settled(setup.hooks.before_llm(tuple(messages), tools, setup.model_name, state.turns))
            if replacement is not None:
                messages, tools = self._replaced(messages, tools, replacement, system)
        return replace(setup.base_request, messages=messages, tools=tools)

    def _replaced(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec],
        replacement: Replacement,
        system: Sequence[ChatMessage],
    ) -> tuple[Sequence[ChatMessage], Sequence[ToolSpec]]:
        """What the model gets instead. The conversation is repaired: hooks cut where they like."""
        if replacement.tools is not None:
            tools = tuple(replacement.tools)
        if replacement.messages is None:
            return messages, tools
        state = self._state
        head = tuple(replacement.messages[: len(system)]) if _begins_with_system(replacement.messages) else ()
        rest = list(repair(replacement.messages[len(head) :]).messages)
        if not is_untrusted(rest, self._job.toolbox.find):
            rest = marked(rest) if state.untrusted else rest
        else:
            state.untrusted = True
        state.messages, state.ids, state.judged = rest, call_ids(rest), len(rest)
        if replacement.compaction is not None:
            self._tell_of(replacement.compaction)
        return [*head, *rest], tools

    def _tell_of(self, compaction: Compaction) -> None:
        self._job.out.post(
            StreamEvent(Kind.COMPACTED, before=compaction.before, after=compaction.after, output=compaction.summary)
        )

    def _take(self, response: ChatResponse) -> None:
        """Note what an answer says beside its message."""
        state = self._state
        state.text = state.text + response.text if self._paused else response.text
        state.model = response.model or state.model
        state.finish_reason, state.refusal = response.finish_reason, response.refusal
        if response.usage is not None:
            state.usage = summed(state.usage, response.usage)
            self._job.out.post(StreamEvent(Kind.USAGE, usage=state.usage))

    def _append(self, message: ChatMessage) -> None:
        """Add an answer; one that goes on with the one before becomes one with it, one that says nothing is none."""
        messages = self._state.messages
        if not message.parts:
            return
        if messages and messages[-1].role == "assistant":
            messages[-1] = ChatMessage("assistant", (*messages[-1].parts, *message.parts))
        else:
            messages.append(message)

    async def _carry_out(
        self,
        message: ChatMessage,
        calls: Sequence[Call],
        known: dict[str, ToolResultPart],
        reply: Reply | None = None,
    ) -> RunResult | None:
        """Run the calls of an answer and append the turn; a result if the run ends here, because one waits.

        ``known`` are results of earlier calls of the same answer.
        """
        state = self._state
        work = Calls(self._job, state.turns, untrusted=state.untrusted)
        outcomes = await work.run(calls, reply)
        ended = [outcome for outcome in outcomes if isinstance(outcome, Ended)]
        begun = len(state.records) - len(known)
        known = known | {outcome.part.call_id: outcome.part for outcome in ended}
        order = [call.id for call in message.tool_calls]
        records = [*state.records[begun:], *(outcome.record for outcome in ended)]
        state.records[begun:] = sorted(records, key=lambda record: order.index(record.id))
        waiting = next((outcome for outcome in outcomes if isinstance(outcome, Suspended)), None)
        if waiting is not None:
            return await self._suspend(message, waiting, tuple(known[id] for id in order if id in known))
        self._append(message)
        state.ids.update(order)
        state.messages += [
            ChatMessage("tool", (known.get(id) or ToolResultPart(id, NOT_RUN, is_error=True),)) for id in order
        ]
        return None

    async def _suspend(
        self, message: ChatMessage, waiting: Suspended, results: tuple[ToolResultPart, ...]
    ) -> RunResult:
        call = waiting.call
        self._job.out.post(StreamEvent(Kind.PENDING, id=call.part.id, name=call.part.name, request=waiting.request))
        pending = Pending(
            request=waiting.request,
            call=call.part,
            args=dict(call.args or {}),
            answer=message,
            results=results,
            approval=waiting.approval,
        )
        return self._result("pending", pending=pending)

    def _result(self, status: Status, *, limit: Limit | None = None, pending: Pending | None = None) -> RunResult:
        state = self._state
        return RunResult(
            text=state.text,
            messages=tuple(state.messages),
            status=status,
            tool_calls=tuple(state.records),
            turns=state.turns,
            usage=state.usage,
            model=state.model,
            finish_reason=state.finish_reason,
            refusal=state.refusal,
            limit=limit,
            pending=pending,
            repairs=state.repairs,
            id=self._job.chat,
        )


def summed(first: Usage | None, second: Usage) -> Usage:
    """Two counts together; what one of them does not tell, the other tells alone."""
    if first is None:
        return second
    return Usage(
        prompt_tokens=_sum(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
        total_tokens=_sum(first.total_tokens, second.total_tokens),
        cached_tokens=_sum(first.cached_tokens, second.cached_tokens),
        reasoning_tokens=_sum(first.reasoning_tokens, second.reasoning_tokens),
    )


def _sum(first: int | None, second: int | None) -> int | None:
    return first if second is None else second if first is None else first + second


def _system_prompt(own: str | None, skills: str) -> list[ChatMessage]:
    """The host's prompt, a blank line, what the toolkit says about skills; whichever there is."""
    text = "\n\n".join(text for text in (own, skills) if text)
    return [ChatMessage.system(text)] if text else []


def _begins_with_system(messages: Sequence[ChatMessage]) -> bool:
    return bool(messages) and messages[0].role == "system"
