"""The loop: ask the model, run the tools it wants, ask again, until it has an answer.

Above: ``state``, ``turn`` (one model call), ``calls`` (the tools of one answer), ``history``. Below: ``session`` gives
it a prompt and saves what comes of it. Knows neither stores nor time limits. Guarantee: the transcript grows by whole
turns only, so that it is one that a provider accepts at every moment, however the run ends.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from rillet.core.agent.call import Call, Ended, Reply, Suspended, calls_of
from rillet.core.agent.calls import Calls
from rillet.core.agent.events import StreamEvent
from rillet.core.agent.history import repair, tidy
from rillet.core.agent.hooks import settled
from rillet.core.agent.result import Pending, RunResult
from rillet.core.agent.state import State
from rillet.core.agent.trust import is_untrusted, marked
from rillet.core.agent.turn import answer
from rillet.core.errors import InvalidRequestError
from rillet.core.types import ChatMessage, ChatRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rillet.core.agent.hooks import Replacement
    from rillet.core.agent.setup import Job
    from rillet.core.types import ChatResponse, ToolResultPart, ToolSpec
    from rillet.core.types.suspension import Answer

log = logging.getLogger("rillet.agent")

Kind = StreamEvent.Kind

_CUT = {"length": "the limit of tokens", "content_filter": "a content filter", "error": "an error of the provider"}
"""Reasons to stop after which the last call may be a part of one, and nobody can say which."""


class Loop:
    """One run. Use it once: ``run`` or ``resume``."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._state = State()

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
        state.go_on_from(result)
        state.judge(self._job.toolbox.find)
        open_turn = (pending.answer, *(ChatMessage("tool", (part,)) for part in pending.results))
        state.untrusted = state.untrusted or is_untrusted(open_turn, self._job.toolbox.find)
        known = {part.call_id: part for part in pending.results}
        first = Call(pending.call, pending.call.name, pending.args)
        others = calls_of(pending.answer.tool_calls, pending.answer.tool_calls, None)
        calls = [first, *(call for call in others if call.part.id not in (*known, pending.call.id))]
        ended = await self._carry_out(pending.answer, calls, known, Reply(pending.request, reply, pending.approval))
        return ended or await self._go_on()

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
        if all(message.role == "system" for message in repaired.messages):
            raise InvalidRequestError("there is nothing to answer", advice="Write a message.")
        self._state.begin(repaired.messages)
        self._state.repairs = repaired.repairs
        if repaired.repairs:
            log.info("the conversation was repaired: %s", "; ".join(repaired.repairs))
            self._job.out.post(StreamEvent(Kind.REPAIRED, repairs=repaired.repairs))

    async def _go_on(self) -> RunResult:
        """Turn after turn."""
        state, setup, chat = self._state, self._job.setup, self._job.chat
        while state.turns < setup.max_turns:
            state.turns += 1
            response = await self._answer()
            tidied = tidy(response.message, state.ids)
            if tidied.tool_calls:
                calls = calls_of(response.tool_calls, tidied.tool_calls, _CUT.get(response.finish_reason or ""))
                if (result := await self._carry_out(tidied, calls, {})) is not None:
                    return result
                continue
            state.append(tidied)
            if response.finish_reason == "length":
                return state.result("incomplete", chat, limit="max_tokens")
            if not state.paused:
                return state.result("done", chat)
        return state.result("incomplete", chat, limit="max_turns")

    async def _answer(self) -> ChatResponse:
        """One model call."""
        state, setup, out = self._state, self._job.setup, self._job.out
        request = await self._request()
        out.post(StreamEvent(Kind.TURN, turn=state.turns))
        if out.owes:
            await out.drain()
        response = await answer(self._job, request, state.turns, state.ids)
        state.take(response)
        if response.usage is not None:
            out.post(StreamEvent(Kind.USAGE, usage=state.usage))
        if setup.hooks.after_llm is not None:
            await settled(setup.hooks.after_llm(response, setup.model_name, state.turns))
        return response

    async def _request(self) -> ChatRequest:
        """What goes out in this turn, after the hook has had its say."""
        state, setup, toolbox = self._state, self._job.setup, self._job.toolbox
        state.judge(toolbox.find)
        system = _system_prompt(setup.system_prompt, toolbox.skills_prompt)
        messages: Sequence[ChatMessage] = (*system, *state.messages)
        tools: Sequence[ToolSpec] = tuple(toolbox.specs)
        if setup.hooks.before_llm is not None:
            replacement = await settled(setup.hooks.before_llm(messages, tools, setup.model_name, state.turns))
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
        head = tuple(replacement.messages[: len(system)]) if _begins_with_system(replacement.messages) else ()
        rest = repair(replacement.messages[len(head) :]).messages
        if self._state.untrusted and not is_untrusted(rest, self._job.toolbox.find):
            rest = tuple(marked(rest))
        self._state.begin(rest)
        self._state.judge(self._job.toolbox.find)
        if (made := replacement.compaction) is not None:
            event = StreamEvent(Kind.COMPACTED, before=made.before, after=made.after, output=made.summary)
            self._job.out.post(event)
        return (*head, *rest), tools

    async def _carry_out(
        self,
        message: ChatMessage,
        calls: Sequence[Call],
        known: Mapping[str, ToolResultPart],
        reply: Reply | None = None,
    ) -> RunResult | None:
        """Run the calls of an answer and append the turn; a result if the run ends here, because one waits.

        ``known`` are results of earlier calls of the same answer.
        """
        state = self._state
        outcomes = await Calls(self._job, state.turns, untrusted=state.untrusted).run(calls, reply)
        ended = [outcome for outcome in outcomes if isinstance(outcome, Ended)]
        state.record(message, [outcome.record for outcome in ended], known=len(known))
        results = {**known, **{outcome.part.call_id: outcome.part for outcome in ended}}
        waiting = next((outcome for outcome in outcomes if isinstance(outcome, Suspended)), None)
        if waiting is not None:
            return self._suspended(message, waiting, results)
        state.append_turn(message, results)
        return None

    def _suspended(self, message: ChatMessage, waiting: Suspended, results: Mapping[str, ToolResultPart]) -> RunResult:
        """The run ends here, until somebody answers."""
        call = waiting.call
        self._job.out.post(StreamEvent(Kind.PENDING, id=call.part.id, name=call.part.name, request=waiting.request))
        pending = Pending(
            request=waiting.request,
            call=call.part,
            args=dict(call.args or {}),
            answer=message,
            results=tuple(results[call.id] for call in message.tool_calls if call.id in results),
            approval=waiting.approval,
        )
        return self._state.result("pending", self._job.chat, pending=pending)


def _system_prompt(own: str | None, skills: str) -> list[ChatMessage]:
    """The host's prompt, a blank line, what the toolkit says about skills; whichever there is."""
    text = "\n\n".join(text for text in (own, skills) if text)
    return [ChatMessage.system(text)] if text else []


def _begins_with_system(messages: Sequence[ChatMessage]) -> bool:
    return bool(messages) and messages[0].role == "system"
