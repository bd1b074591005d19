"""Where a host looks into a run, changes what goes through, or says no.

Above: ``types``, ``tools/tool``. Below: the loop calls hooks, ``compaction`` makes one. Each is optional and may be a
plain function or a coroutine function; they run on the loop's thread. Guarantee: a hook that raises ends the run with
what it raised, never half-silently.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias, TypeVar, cast

from rillet.core.tools.tool import ToolResult
from rillet.core.types import ChatMessage, ChatResponse, ToolSpec

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Compaction:
    """How a conversation was made shorter."""

    summary: str
    before: int
    """Estimated tokens before."""
    after: int
    """And after."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """What takes the place of what the model would have got."""

    messages: Sequence[ChatMessage] | None = None
    """The conversation, the system prompt at its head. It replaces the transcript for the rest of the run and in its
    result; only the system prompt is made anew with each turn."""
    tools: Sequence[ToolSpec] | None = None
    """The tools that the model is offered in this turn."""
    _: KW_ONLY
    compaction: Compaction | None = None
    """There when the messages are shorter because they were summarized."""


BeforeLlm: TypeAlias = Callable[
    [Sequence[ChatMessage], Sequence[ToolSpec], str | None, int],
    Replacement | Awaitable[Replacement | None] | None,
]
"""``(messages, tools, model, turn)``: may replace, or raise to veto."""
AfterLlm: TypeAlias = Callable[[ChatResponse, str | None, int], Awaitable[None] | None]
"""``(response, model, turn)``: looks on."""
BeforeToolReply: TypeAlias = Mapping[str, Any] | ToolResult | None
BeforeTool: TypeAlias = Callable[
    [str, Mapping[str, Any], str, int],
    BeforeToolReply | Awaitable[BeforeToolReply],
]
"""``(name, args, id, turn)``: other arguments, or a result, which then stands instead of the call."""
AfterTool: TypeAlias = Callable[
    [str, Mapping[str, Any], ToolResult, str, int],
    ToolResult | Awaitable[ToolResult | None] | None,
]
"""``(name, args, result, id, turn)``: may replace the result. Not called for a suspension."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """The four places. Each is a function or a coroutine function; what it raises ends the run.

    Args:
        before_llm: ``(messages, tools, model, turn)``: None, or a ``Replacement`` of what the model would get.
            ``model`` is the configured name, ``turn`` counts from 1.
        after_llm: ``(response, model, turn)``: looks on.
        before_tool: ``(name, args, id, turn)``: None, other arguments, or a ``ToolResult`` that stands instead.
        after_tool: ``(name, args, result, id, turn)``: None, or the ``ToolResult`` that takes its place.
    """

    before_llm: BeforeLlm | None = None
    after_llm: AfterLlm | None = None
    before_tool: BeforeTool | None = None
    after_tool: AfterTool | None = None


async def settled(value: T | Awaitable[T]) -> T:
    """What a function of the host gave, whether it was a coroutine function or not."""
    if inspect.isawaitable(value):
        return cast("T", await value)
    return value
