"""How far a run is: its transcript, and everything that its result will say.

Above: ``result``, ``history``, ``trust``. Below: ``loop`` moves it on. Asks nobody, runs nothing. Guarantee: the
transcript is one that a provider accepts, after every method.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rillet.core.agent.history import call_ids, says_something
from rillet.core.agent.result import Limit, Pending, RunResult, Status, ToolCallRecord
from rillet.core.agent.trust import is_untrusted
from rillet.core.types import ChatMessage, FinishReason, ToolResultPart, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rillet.core.tools.tool import Tool
    from rillet.core.types import ChatResponse


@dataclass(slots=True)
class State:
    """One run under way."""

    messages: list[ChatMessage] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    """Of all tool calls in the messages."""
    records: list[ToolCallRecord] = field(default_factory=list)
    turns: int = 0
    usage: Usage | None = None
    text: str = ""
    model: str | None = None
    finish_reason: FinishReason | None = None
    refusal: str | None = None
    repairs: tuple[str, ...] = ()
    untrusted: bool = False
    paused: bool = False
    """Whether the last answer is to go on."""
    _judged: int = 0
    """How many messages ``untrusted`` knows already."""

    def begin(self, messages: Sequence[ChatMessage]) -> None:
        """Put a transcript, which keeps the rules, in the place of what there was."""
        self.messages = list(messages)
        self.ids = call_ids(messages)
        self._judged = 0

    def go_on_from(self, result: RunResult) -> None:
        """Take up the figures of an earlier run."""
        self.records = list(result.tool_calls)
        self.turns, self.usage, self.text, self.model = result.turns, result.usage, result.text, result.model
        self.finish_reason, self.repairs = result.finish_reason, result.repairs + self.repairs

    def judge(self, find: Callable[[str], Tool | None]) -> None:
        """Look at what is new in the transcript: does it hold what nobody here wrote?"""
        self.untrusted = self.untrusted or is_untrusted(self.messages[self._judged :], find)
        self._judged = len(self.messages)

    def take(self, response: ChatResponse) -> None:
        """Note what an answer says beside its message."""
        self.text = self.text + response.text if self.paused else response.text
        self.model = response.model or self.model
        self.finish_reason, self.refusal = response.finish_reason, response.refusal
        self.paused = response.finish_reason == "pause" and not response.tool_calls
        if response.usage is not None:
            self.usage = _summed(self.usage, response.usage)

    def append(self, answer: ChatMessage) -> None:
        """Add an answer; one that goes on with the one before becomes one with it, one that says nothing is none."""
        if not says_something(answer.parts):
            return
        if self.messages and self.messages[-1].role == "assistant":
            answer = ChatMessage("assistant", (*self.messages.pop().parts, *answer.parts))
            self._judged = min(self._judged, len(self.messages))
        self.messages.append(answer)

    def append_turn(self, answer: ChatMessage, results: Mapping[str, ToolResultPart]) -> None:
        """Add an answer with calls, and the result of each."""
        ids = [call.id for call in answer.tool_calls]
        self.append(answer)
        self.ids.update(ids)
        self.messages += [ChatMessage("tool", (results[id],)) for id in ids]

    def record(self, answer: ChatMessage, ended: Sequence[ToolCallRecord], *, known: int) -> None:
        """Note the calls of an answer that have ended, given in call order; ``known`` others were noted before."""
        begun = len(self.records) - known
        self.records += ended
        if known:
            order = {call.id: place for place, call in enumerate(answer.tool_calls)}
            self.records[begun:] = sorted(self.records[begun:], key=lambda record: order[record.id])

    def result(
        self, status: Status, chat: str | None, *, limit: Limit | None = None, pending: Pending | None = None
    ) -> RunResult:
        """What the run comes to, if it ends here."""
        return RunResult(
            text=self.text,
            messages=tuple(self.messages),
            status=status,
            tool_calls=tuple(self.records),
            turns=self.turns,
            usage=self.usage,
            model=self.model,
            finish_reason=self.finish_reason,
            refusal=self.refusal,
            limit=limit,
            pending=pending,
            repairs=self.repairs,
            id=chat,
        )


def _summed(first: Usage | None, second: Usage) -> Usage:
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
