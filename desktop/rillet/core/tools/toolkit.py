"""The tools of one agent: which there are, in which order, under which names, and every call judged before it runs.

Knows no model and no conversation. Above: ``tool``, ``judge``, ``names``, and what makes tools (``native``, ``http``,
``skills``, ``mcp``, ``builtin``). Below: ``agent`` tells the model ``specs`` and calls ``call``.

Guarantees: no tool runs whose call the judge did not allow. ``call`` gives a ``ToolResult`` whatever a model, a tool or
a judge does; only a cancellation passes through. No two tools are offered whose names could be taken for each other, no
tool of a stranger ever takes a name of ours, and what is refused for that is listed with both names.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec.structs import replace

from rillet.core.tools.judge import Judge, Verdict
from rillet.core.tools.names import outline
from rillet.core.tools.skills import LoadedSkills, Skills
from rillet.core.tools.tool import Source, Tool, ToolContext, ToolResult
from rillet.core.types.expect import expect, named
from rillet.core.types.suspension import APPROVAL
from rillet.core.wire.surrogates import mend

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from types import TracebackType

    from rillet.core.tools.sandbox import Sandbox
    from rillet.core.tools.workspace import Workspace
    from rillet.core.types import ToolSpec

log = logging.getLogger("rillet.tools")

LONGEST_OUTPUT: Final = 1_000_000
"""Characters of a result that the model is given: the last net, for tools that have no limit of their own."""

POSES: Final = "%s asks with the kind 'approval', which is the policy's alone: let it choose another, as 'confirmation'"


class ToolSource(Protocol):
    """Where tools come from that the toolkit starts and ends: MCP servers."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What it offers now; a new tuple when that changed."""

    async def start(self) -> None:
        """Make it ready, as far as that goes: one of its servers that fails is no failure of the whole."""

    async def aclose(self) -> None:
        """End everything that it started."""


@dataclass(frozen=True, slots=True)
class RefusedTool:
    """A tool that is there and not offered."""

    name: str
    source: Source
    reason: str


class Toolkit:
    """Tools for an agent, as an asynchronous context manager: entering it starts what has to be started.

    Args:
        builtins: The built-in tools: all, none, or those of these names. Those that work on files are there with a
            ``workspace`` only, and ``bash`` with one once the toolkit has found out how commands can be confined. What
            reads in the workspace runs unasked, what writes, runs commands or fetches is asked about each time.
        extra_tools: The host's own. One with the name of a built-in tool takes its place.
        workspace: The folder that built-in tools may work in.
        skills: Where skills come from, or the folders they are in.
        trusts_workspace: Whether skills that lie in the workspace are offered: whoever filled that folder would speak
            to the model in the user's name.
        mcp: Servers to start, such as ``McpServers``.
        policy: Who judges calls; None: a ``Policy`` that has granted nothing.

    Raises:
        ValueError: there is no built-in tool of that name, or the workspace can be none.
    """

    def __init__(
        self,
        *,
        builtins: bool | Collection[str] = True,
        extra_tools: Iterable[Tool] = (),
        workspace: Workspace | str | os.PathLike[str] | None = None,
        skills: Skills | str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None,
        trusts_workspace: bool = False,
        mcp: ToolSource | None = None,
        policy: Judge | None = None,
    ) -> None:
        self.workspace = _workspace(workspace)
        if isinstance(skills, str | os.PathLike):
            skills = [skills]
        self._skills = skills if isinstance(skills, Skills) or skills is None else Skills(skills)
        self._distrusted = () if trusts_workspace or self.workspace is None else (self.workspace.root,)
        self._wanted = builtins
        self._builtins = _builtins(builtins, self.workspace, None)
        self._extra = tuple(extra_tools)
        for tool in self._extra:
            expect(tool, Tool, "an extra tool", "decorate a function with @tool, or use Tool.native")
        if mcp is not None and not hasattr(mcp, "tools"):
            raise TypeError(f"mcp cannot be {named(mcp)}: write McpServers.from_config(…)")
        self._mcp = mcp
        self._started = False
        self._judge = _default_policy(self.workspace) if policy is None else policy
        self._loaded = LoadedSkills(())
        self._theirs: tuple[Tool, ...] = ()
        self._arrange()

    async def __aenter__(self) -> Toolkit:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Load the skills, look for a sandbox, start the servers. May be repeated: skills are looked for again."""
        if self.workspace is not None and (self._wanted is True or (self._wanted and "bash" in self._wanted)):
            from rillet.core.tools.sandbox import find_sandbox  # a toolkit without commands pays nothing

            sandbox = await find_sandbox(self.workspace.root, self.workspace.private)
            self._builtins = _builtins(self._wanted, self.workspace, sandbox)
            self._arrange()
        if self._skills is not None:
            self._loaded = await self._skills.load(self._distrusted)
            self._arrange()
        if self._mcp is not None:
            try:
                await self._mcp.start()
            except BaseException:
                await self._mcp.aclose()
                raise
        self._started = True

    async def aclose(self) -> None:
        """End everything that was started."""
        if self._mcp is not None:
            await self._mcp.aclose()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What is offered now, in order: MCP, skills, built-in, extra."""
        self._look()
        return self._tools

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The same, as the model is told."""
        self._look()
        return self._specs

    @property
    def refused(self) -> tuple[RefusedTool, ...]:
        """What is there and not offered, and why."""
        self._look()
        return self._refused

    @property
    def skills(self) -> LoadedSkills:
        """The skills that are offered, and those that were skipped."""
        return self._loaded

    @property
    def skills_prompt(self) -> str:
        """What the system prompt says of the skills; empty when there are none."""
        if not self._started and (self._skills is not None or self._mcp is not None):
            log.warning("a toolkit that was not entered offers neither skills nor servers: async with toolkit: …")
            self._started = True
        return self._loaded.prompt

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name."""
        self._look()
        return self._by_name.get(name)

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run a tool, if the judge allows exactly this call; suspended when somebody has to be asked first."""
        tool = self.find(name)
        if tool is None:
            offered = ", ".join(self._by_name) or "none"
            return ToolResult(f"there is no tool {name!r}; there is: {offered}", is_error=True)
        if (complaint := tool.complaint(args)) is not None:  # nobody is asked about a call that cannot run
            return ToolResult(complaint, is_error=True)
        verdict = self._verdict(tool, args, ctx)
        if verdict.decision == "allow":
            result = await tool.run(args, ctx, checked=True)
            if result.pending is not None and result.pending.kind == APPROVAL:
                log.warning(POSES, name)
                return ToolResult(POSES % name, is_error=True)
            return _fitting(result)
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

    def _look(self) -> None:
        """Whether servers offer something else by now."""
        if self._mcp is not None and self._mcp.tools is not self._theirs:
            self._arrange()

    def _arrange(self) -> None:
        """Choose what is offered: ours by the order of their sources, and of theirs what collides with nothing."""
        self._theirs = () if self._mcp is None else self._mcp.tools
        names = _Names()
        own = {tool.name for tool in self._extra}
        for tool in self._builtins:
            if tool.name in own:
                names.refuse(tool, "a tool of the host takes its place")
        builtins = [tool for tool in self._builtins if tool.name not in own]
        skill = [self._loaded.tool] if self._loaded.tool is not None else []
        ours = names.admitted([*skill, *builtins, *self._extra])
        self._tools = (*names.admitted(self._theirs), *ours)
        self._specs = tuple(tool.spec for tool in self._tools)
        self._by_name = {tool.name: tool for tool in self._tools}
        self._refused = tuple(names.refused)


class _Names:
    """Gives names to those that come first."""

    def __init__(self) -> None:
        self.refused: list[RefusedTool] = []
        self._taken: dict[str, Tool] = {}

    def admitted(self, tools: Iterable[Tool]) -> list[Tool]:
        """Those whose names are free, and could not be taken for another."""
        admitted = []
        for tool in tools:
            other = self._taken.setdefault(outline(tool.name), tool)
            if other is tool:
                admitted.append(tool)
            else:
                self.refuse(tool, f"it could be taken for {other.name} ({other.source})")
        return admitted

    def refuse(self, tool: Tool, reason: str) -> None:
        log.warning("the tool %s (%s) is not offered: %s", tool.name, tool.source, reason)
        self.refused.append(RefusedTool(tool.name, tool.source, reason))


def _workspace(given: Workspace | str | os.PathLike[str] | None) -> Workspace | None:
    if given is None:
        return None
    from rillet.core.tools.workspace import Workspace  # a toolkit without one pays nothing

    return given if isinstance(given, Workspace) else Workspace(given)


def _builtins(wanted: bool | Collection[str], workspace: Workspace | None, sandbox: Sandbox | None) -> Sequence[Tool]:
    if not wanted:
        return ()
    from rillet.core.tools.builtin import builtin_tools  # a toolkit without them pays nothing

    tools = builtin_tools(workspace, sandbox)
    if wanted is True:
        return tools
    names = {wanted} if isinstance(wanted, str) else set(wanted)
    later = {"bash"} if workspace is not None else set()
    known = later | {tool.name for tool in tools}
    if unknown := names - known:
        why = "" if workspace is not None else " without a workspace"
        there = ", ".join(sorted(known))
        raise ValueError(f"there is no built-in tool {', '.join(sorted(unknown))}{why}; there is: {there}")
    return [tool for tool in tools if tool.name in names]


def _default_policy(workspace: Workspace | None) -> Judge:
    from rillet.core.tools.policy.policy import Policy  # a host with a policy of its own pays nothing

    return Policy(workspace)


def _fitting(result: ToolResult) -> ToolResult:
    """A result that can be stored and sent: of bounded length, in text that can be encoded."""
    output = mend(result.output)
    if len(output) > LONGEST_OUTPUT:
        half = LONGEST_OUTPUT // 2
        left_out = len(output) - 2 * half
        output = f"{output[:half]}\n… ({left_out} characters left out) …\n{output[-half:]}"
    return result if output is result.output else replace(result, output=output)
