"""A model that says what a test wrote down, and tools to go with it: an agent without any network.

A *script* is one answer: text, or pieces in order: deltas, exceptions to raise, and gates
(``asyncio.Event``) to wait for. The first request is answered by the first script, the second by the second, and so on;
more requests than scripts fail the test.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rillet.core.agent.events import StreamEvent
from rillet.core.tools.tool import Tool, ToolContext, ToolResult
from rillet.core.types import (
    ChatMessage,
    ChatRequest,
    Delta,
    Finished,
    FinishReason,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
    Usage,
    UsageDelta,
)

Kind = StreamEvent.Kind
Piece: TypeAlias = Delta | BaseException | asyncio.Event
Script: TypeAlias = str | Sequence[Piece]


class ScriptedModel:
    """A ``ModelStream``.

    Attributes:
        requests: What it was asked.
        open: How many answers are being given.
    """

    def __init__(self, *scripts: Script, default_model: str | None = "scripted") -> None:
        self.default_model = default_model
        self.requests: list[ChatRequest] = []
        self.open = 0
        self._scripts = list(scripts)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        script = self._scripts[len(self.requests) - 1]
        self.open += 1
        try:
            for piece in says(script) if isinstance(script, str) else script:
                if isinstance(piece, asyncio.Event):
                    await piece.wait()
                elif isinstance(piece, BaseException):
                    raise piece
                else:
                    yield piece
        finally:
            self.open -= 1


@dataclass
class Batch:
    """What arrived together."""

    deltas: Sequence[Delta]


class BatchModel(ScriptedModel):
    """The same, in batches of ``size``."""

    def __init__(self, *scripts: Script, size: int = 3) -> None:
        super().__init__(*scripts)
        self._size = size

    async def batches(self, request: ChatRequest) -> AsyncIterator[Batch]:
        batch: list[Delta] = []
        async for delta in self.stream(request):
            batch.append(delta)
            if len(batch) == self._size:
                yield Batch(batch)
                batch = []
        yield Batch(batch)


def says(text: str, *, usage: Usage | None = None, finish: FinishReason = "stop") -> list[Delta]:
    """An answer in words, a delta for each."""
    words = [TextDelta(word) for word in text.replace(" ", " \0").split("\0") if word]
    return [*words, *([UsageDelta(usage)] if usage else []), Finished(finish, "scripted-1")]


def calls(
    *wanted: tuple[str, str, str], text: str = "", usage: Usage | None = None, finish: FinishReason = "tool_calls"
) -> list[Delta]:
    """An answer with tool calls: ``(id, name, arguments)`` each."""
    deltas: list[Delta] = [TextDelta(text)] if text else []
    deltas += [ToolCallDelta(index, id, name, arguments) for index, (id, name, arguments) in enumerate(wanted)]
    return [*deltas, *([UsageDelta(usage)] if usage else []), Finished(finish, "scripted-1")]


@dataclass
class Shelf:
    """A ``Toolbox`` without a judge.

    Attributes:
        called: ``(name, args, ctx)`` of every call, in the order in which they came.
    """

    tools: list[Tool]
    skills_prompt: str = ""
    called: list[tuple[str, dict[str, Any], ToolContext]] = field(default_factory=list)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools)

    def find(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        self.called.append((name, args, ctx))
        tool = self.find(name)
        assert tool is not None
        return await tool.run(args, ctx)


def tool(
    name: str,
    run: Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult] | ToolResult | str] = lambda args, ctx: "ok",
    *,
    trusted: bool = False,
) -> Tool:
    """A tool of one function, which may be async."""

    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        result = run(args, ctx)
        if isinstance(result, str):
            return ToolResult(result)
        return result if isinstance(result, ToolResult) else await result

    return Tool(name, f"does {name}", {"type": "object"}, execute, trusted_output=trusted)


def shelf(*tools: Tool, skills_prompt: str = "") -> Shelf:
    """A toolbox of these tools."""
    return Shelf(list(tools), skills_prompt)


def kinds(events: Sequence[StreamEvent]) -> list[Kind]:
    """Their kinds, neighbours of one kind once."""
    found: list[Kind] = []
    for event in events:
        if not found or found[-1] is not event.type:
            found.append(event.type)
    return found


def of_kind(events: Sequence[StreamEvent], kind: Kind) -> list[StreamEvent]:
    """Those of one kind."""
    return [event for event in events if event.type is kind]


def conversation(*turns: tuple[str, str]) -> tuple[ChatMessage, ...]:
    """Questions and answers."""
    return tuple(message for asked, said in turns for message in (ChatMessage.user(asked), ChatMessage.assistant(said)))


async def until(condition: Callable[[], bool]) -> None:
    """Let other tasks run until it holds; a test that waits for ever is stopped by its timeout."""
    while not condition():  # noqa: ASYNC110 (what it waits for has no event)
        await asyncio.sleep(0)
