"""A function of the host in the place of a provider.

Above: ``seams``. Below: ``Agent.in_process``. Knows no network: what the function needs to answer is its own affair.
Guarantee: the agent sees the same deltas as from a provider, the end included.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Final, TypeAlias

from rillet.core.types import (
    ChatMessage,
    ChatResponse,
    Delta,
    Finished,
    PartDelta,
    ReasoningDelta,
    ReasoningPart,
    TextDelta,
    TextPart,
    ToolCallDelta,
    ToolCallPart,
    UsageDelta,
)
from rillet.core.types.expect import expect

if TYPE_CHECKING:
    from rillet.core.types import ChatRequest

Reply: TypeAlias = str | ChatMessage | ChatResponse
Generate: TypeAlias = Callable[["ChatRequest"], "Reply | Awaitable[Reply] | AsyncIterable[str | Delta]"]
"""Answers a request: at once, later, or piece by piece. A plain function runs on a thread, so that it may compute."""

CURE: Final = "return a text or ChatMessage.assistant(…), or yield pieces from an async def"


class InProcessModel:
    """A ``ModelStream`` around ``generate``."""

    def __init__(self, generate: Generate, model: str) -> None:
        self._generate = generate
        self._model = model
        self._is_async = inspect.iscoroutinefunction(generate) or inspect.isasyncgenfunction(generate)

    @property
    def default_model(self) -> str:
        """The name that it was given."""
        return self._model

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """The answer, ended by ``Finished`` whatever it was made of."""
        answer = self._generate(request) if self._is_async else await asyncio.to_thread(self._generate, request)
        if isinstance(answer, AsyncIterable):
            async with aclosing(_pieces(answer, self._model)) as pieces:
                async for delta in pieces:
                    yield delta
            return
        if inspect.isawaitable(answer):
            answer = await answer
        expect(answer, (str, ChatMessage, ChatResponse), "an answer", CURE)
        for delta in _whole(answer, self._model):
            yield delta


async def _pieces(answer: AsyncIterable[str | Delta], model: str) -> AsyncGenerator[Delta, None]:
    calls = False
    async with AsyncExitStack() as stack:
        if inspect.isasyncgen(answer):
            await stack.enter_async_context(aclosing(answer))
        async for piece in answer:
            delta = TextDelta(piece) if isinstance(piece, str) else piece
            calls = calls or isinstance(delta, ToolCallDelta)
            yield delta
            if isinstance(delta, Finished):
                return
    yield Finished("tool_calls" if calls else "stop", model)


def _whole(answer: Reply, model: str) -> list[Delta]:
    if isinstance(answer, str):
        return [TextDelta(answer), Finished("stop", model)]
    response = answer if isinstance(answer, ChatResponse) else ChatResponse(answer)
    deltas: list[Delta] = []
    index = 0
    for part in response.message.parts:
        match part:
            case TextPart():
                deltas.append(TextDelta(part.text, dict(part.provider_metadata or {}) or None))
            case ReasoningPart():
                deltas.append(ReasoningDelta(part.text, dict(part.provider_metadata or {}) or None))
            case ToolCallPart():
                metadata = dict(part.provider_metadata or {}) or None
                deltas.append(ToolCallDelta(index, part.id or None, part.name, part.arguments, metadata))
                index += 1
            case _:
                deltas.append(PartDelta(part))
    if response.usage is not None:
        deltas.append(UsageDelta(response.usage))
    reason = response.finish_reason or ("tool_calls" if index else "stop")
    return [*deltas, Finished(reason, response.model or model, response.refusal)]
