"""The name of a question whether a call may run: of that call in one conversation, and until when it may be answered.

Pure. Above: ``calls``. Below: ``policy`` names what it asks; ``chat/waiting`` takes a question along to where its
conversation goes on. Guarantee: ``moved`` changes the conversation and nothing else, and of no question that was not
asked there, so that a question that was moved is still answered for exactly the call that it showed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rillet.core.tools.policy.calls import digest

if TYPE_CHECKING:
    from rillet.core.tools.policy.calls import Call
    from rillet.core.tools.tool import ToolContext


def name_of(call: Call, ctx: ToolContext, expires_at: float) -> str:
    """Names this call and no other: ``CALL.CONVERSATION-UNTIL``."""
    until = int(expires_at)
    what = digest(call.tool, call.source, call.definition, call.arguments, ctx.call_id, call.folder, until)
    return f"{what}.{_where(what, ctx.chat)}-{until}"


def expiry(name: str) -> float | None:
    """Seconds since the epoch until which it may be answered; None: it is no name of a question."""
    _, _, until = name.partition("-")
    return float(until) if until.isascii() and until.isdigit() and len(until) < 16 else None


def moved(name: str, before: str, chat: str) -> str:
    """What the question ``name`` of the conversation ``before`` is called in ``chat``.

    Raises:
        ValueError: it was not asked there.
    """
    asked, _, until = name.partition("-")
    what, _, where = asked.partition(".")
    if where != _where(what, before):
        raise ValueError("the question was asked in another conversation")
    return f"{what}.{_where(what, chat)}-{until}"


def _where(what: str, chat: str | None) -> str:
    return digest(what, chat)
