"""The seam between tools and policy: how a call is judged, and what a verdict says.

Above: ``tool``. Below: ``policy`` is the judge of the program; ``toolkit`` asks before every call and obeys.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from rillet.core.types.suspension import Request

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
