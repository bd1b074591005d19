"""Tools and verdicts for tests of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rillet.core.tools.tool import Effect, Source, Tool, ToolContext, ToolResult
from rillet.core.types.suspension import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rillet.core.tools.judge import Judge, Verdict

CHAT = ToolContext(call_id="call-1", chat="chat-1")
TAINTED = ToolContext(call_id="call-1", chat="chat-1", untrusted=True)


async def _never(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
    raise AssertionError("a judged tool ran")


def tool(
    name: str,
    *effects: Effect,
    source: Source = "builtin",
    description: str = "",
    preview: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
) -> Tool:
    """A tool that must not run."""
    return Tool(name, description, {}, _never, source=source, effects=frozenset(effects), preview=preview)


BASH = tool("bash", Effect.EXECUTE)
READ = tool("read", Effect.READ)
WRITE = tool("write", Effect.READ, Effect.WRITE)
PATCH = tool("apply_patch", Effect.READ, Effect.WRITE)
FETCH = tool("webfetch", Effect.NETWORK)


def run(judge: Judge, command: str, ctx: ToolContext = CHAT, **args: Any) -> Verdict:
    """The verdict on a command of the shell."""
    return judge.judge(BASH, {"command": command, **args}, ctx)


def answer(verdict: Verdict, scope: str | None = None, *, ok: bool = True, **data: Any) -> Answer:
    """What a person says to the question of ``verdict``."""
    assert verdict.request is not None
    return Answer(id=verdict.request.id, ok=ok, data=data | ({"scope": scope} if scope is not None else {}))
