"""The tools of one agent: which there are, in which order, under which names, and every call judged before it runs.

Knows no model and no conversation. Above: ``tool``, ``judge``, and what makes tools (``native``, ``http``, ``skills``,
``mcp``, ``builtin``). Below: ``agent`` tells the model ``specs`` and calls ``call``.

Guarantees: no tool runs whose call the judge did not allow. ``call`` gives a ``ToolResult`` whatever a model, a tool or
a judge does; only a cancellation passes through. No two tools are offered whose names could be taken for each other,
and no tool of a stranger ever takes a name of ours.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Protocol

from rillet.core.tools.judge import Cautious, Verdict
from rillet.core.tools.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rillet.core.tools.judge import Judge
    from rillet.core.tools.tool import Tool
    from rillet.core.types import ToolSpec

log = logging.getLogger("rillet.tools")


class ToolSource(Protocol):
    """Where tools come from that the toolkit starts and ends: MCP servers."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What it offers now; a new tuple when that changed."""

    async def start(self) -> None:
        """Make it ready, as far as that goes: one of its servers that fails is no failure of the whole."""

    async def aclose(self) -> None:
        """End everything that it started."""


class Toolkit:
    """Tools for an agent, as an asynchronous context manager: entering it starts what has to be started."""

    def __init__(
        self,
        *,
        extra_tools: Sequence[Tool] = (),
        mcp: ToolSource | None = None,
        policy: Judge | None = None,
    ) -> None:
        self._extra = tuple(extra_tools)
        self._mcp = mcp
        self._judge: Judge = policy or Cautious()

    async def __aenter__(self) -> Toolkit:
        if self._mcp is not None:
            await self._mcp.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End everything that was started."""
        if self._mcp is not None:
            await self._mcp.aclose()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What is offered now, in order: MCP, skills, built-in, extra."""
        return (*(self._mcp.tools if self._mcp is not None else ()), *self._extra)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The same, as the model is told."""
        return tuple(tool.spec for tool in self.tools)

    @property
    def skills_prompt(self) -> str:
        """What the system prompt says of the skills; empty when there are none."""
        return ""

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name."""
        return next((tool for tool in self.tools if tool.name == name), None)

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run a tool, if the judge allows exactly this call; suspended when somebody has to be asked first."""
        tool = self.find(name)
        if tool is None:
            offered = ", ".join(tool.name for tool in self.tools) or "none"
            return ToolResult(f"there is no tool {name!r}; there is: {offered}", is_error=True)
        verdict = self._verdict(tool, args, ctx)
        if verdict.decision == "allow":
            return await tool.run(args, ctx)
        if verdict.decision == "ask" and verdict.request is not None and ctx.approval is None:
            return ToolResult.suspended(verdict.request)
        return ToolResult(f"{name} was not run: {verdict.reason}", is_error=True)

    def _verdict(self, tool: Tool, args: dict[str, Any], ctx: ToolContext) -> Verdict:
        try:
            if ctx.approval is None:
                return self._judge.judge(tool, args, ctx)
            return self._judge.settle(tool, args, ctx, ctx.approval)
        except Exception:  # a boundary: the judge may be a host's; what cannot be judged does not run
            log.exception("the policy failed on a call of %s", tool.name)
            return Verdict("deny", "the policy failed")
