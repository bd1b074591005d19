"""The tools of one answer, out of a toolkit that serves many.

Above: ``tools/toolkit``. Below: ``workbench`` makes one for each answer. Guarantee: what is not offered can be neither
found nor called, whatever a model says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.tools.tool import ToolResult

if TYPE_CHECKING:
    from rillet.core.tools.tool import Tool, ToolContext
    from rillet.core.tools.toolkit import Toolkit
    from rillet.core.types import ToolSpec


class Selection:
    """The tools of one answer, out of a toolkit (a ``Toolbox`` of the agent)."""

    def __init__(self, toolkit: Toolkit, wanted: frozenset[str] | None, off: frozenset[str]) -> None:
        self._toolkit = toolkit
        self._wanted = wanted
        self._off = off

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told."""
        return tuple(spec for spec in self._toolkit.specs if self._offers(spec.name))

    @property
    def skills_prompt(self) -> str:
        """What the system prompt says of skills, if they can be loaded."""
        return self._toolkit.skills_prompt if self._offers("skill") else ""

    def find(self, name: str) -> Tool | None:
        """The tool of that name, if it is offered."""
        return self._toolkit.find(name) if self._offers(name) else None

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Run a tool, if it is offered and may."""
        if not self._offers(name):
            return ToolResult(f"the tool {name} is switched off in this chat", is_error=True)
        return await self._toolkit.call(name, args, ctx)

    def _offers(self, name: str) -> bool:
        return name not in self._off and (self._wanted is None or name in self._wanted)
