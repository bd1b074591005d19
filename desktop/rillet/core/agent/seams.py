"""What the agent needs of others, and nothing more: a model that streams, tools to call, somebody to ask.

Pure declarations. Above: ``types``, ``tools/tool``. Below: the loop. ``AsyncLlmClient`` is a ``ModelStream`` and
``Toolkit`` a ``Toolbox``; so is anything else of this shape, which is how tests and hosts put their own in place.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from rillet.core.types.expect import named
from rillet.core.types.suspension import Answer, Request

if TYPE_CHECKING:
    from rillet.core.tools.tool import Tool, ToolContext, ToolResult
    from rillet.core.types import ChatRequest, Delta, ToolSpec

WaitFor: TypeAlias = Callable[[Request], Answer | Awaitable[Answer]]
"""Gets an answer from whoever is there: a person, a policy of the host, another program."""


class ModelStream(Protocol):
    """Something that answers."""

    @property
    def default_model(self) -> str | None:
        """What answers when a request names no model."""

    def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """The answer, piece by piece; the last piece is ``Finished``.

        Raises:
            LlmError: the request or the answer failed.
        """


class DeltaBatch(Protocol):
    """What arrived together."""

    @property
    def deltas(self) -> Sequence[Delta]:
        """In the order in which they came."""


class BatchStream(Protocol):
    """A ``ModelStream`` that also hands out what arrived together at once, which costs less per delta."""

    def batches(self, request: ChatRequest) -> AsyncIterator[DeltaBatch]:
        """The same as ``stream``, read by read."""


def require_toolbox(toolkit: Toolbox | None) -> None:
    """Raise TypeError for what is no toolbox: a list of tools, above all."""
    if toolkit is not None and not hasattr(toolkit, "specs"):
        raise TypeError(f"the toolkit cannot be {named(toolkit)}: write Toolkit(extra_tools=[…])")


class Toolbox(Protocol):
    """Tools, and who runs them."""

    @property
    def specs(self) -> Sequence[ToolSpec]:
        """What the model is told, in order."""

    @property
    def skills_prompt(self) -> str:
        """What the system prompt says about skills; empty when there are none."""

    def find(self, name: str) -> Tool | None:
        """The tool of that name."""

    async def call(self, name: str, args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        """Have the call judged, and run it if it may. Only a cancellation is raised."""
