"""The seam between tools and policy: how a call is judged, and what a verdict says.

Above: ``tool``. Below: ``policy`` is the judge of the program; ``toolkit`` asks before every call and obeys, and falls
back on ``Cautious`` where no policy was given.
"""

from __future__ import annotations

import hashlib
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import msgspec

from rillet.core.tools.tool import Effect
from rillet.core.types.suspension import APPROVAL, Request

if TYPE_CHECKING:
    from rillet.core.tools.tool import Tool, ToolContext
    from rillet.core.types.suspension import Answer

Decision: TypeAlias = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may run."""

    decision: Decision
    reason: str
    """Why, for people and, of a denied call, for the model."""
    _: KW_ONLY
    request: Request | None = None
    """What to ask; there whenever the decision is "ask". Its id names exactly this call with these arguments."""


class Judge(Protocol):
    """Who decides whether a call runs. Sync and quick: grants are kept in memory."""

    def judge(self, tool: Tool, args: dict[str, Any], ctx: ToolContext) -> Verdict:
        """The verdict on a call that has not been asked about."""

    def settle(self, tool: Tool, args: dict[str, Any], ctx: ToolContext, answer: Answer) -> Verdict:
        """The verdict on a call that was asked about: allow or deny, and a grant remembered if the answer says so."""


class Cautious:
    """Asks about every call that may do more than read, and remembers nothing."""

    def judge(self, tool: Tool, args: dict[str, Any], ctx: ToolContext) -> Verdict:
        """Allow what only reads; ask about all else."""
        if tool.effects <= {Effect.READ}:
            return Verdict("allow", "it only reads")
        request = _approval(tool, args, ctx)
        return Verdict("ask", "nobody has approved it", request=request)

    def settle(self, tool: Tool, args: dict[str, Any], ctx: ToolContext, answer: Answer) -> Verdict:
        """Allow what was approved, provided that it is this call which was asked about."""
        if not answer.ok:
            return Verdict("deny", answer.reason or "it was not approved")
        if answer.id != _approval(tool, args, ctx).id:
            return Verdict("deny", "another call was approved, not this one")
        return Verdict("allow", "it was approved")


def _approval(tool: Tool, args: dict[str, Any], ctx: ToolContext) -> Request:
    call = {"tool": tool.name, "arguments": args}
    exact = msgspec.json.encode([call, ctx.call_id, ctx.chat], order="sorted")
    return Request(
        id=hashlib.sha256(exact).hexdigest(),
        kind=APPROVAL,
        prompt=f"Run {tool.name}?",
        data=call | {"effects": sorted(tool.effects)},
    )
