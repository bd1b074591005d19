"""The judge of the program: allows what is harmless or was agreed to, denies what is forbidden, asks about the rest.

Above: ``rules``, ``grants``, ``asking``, ``identity``. Below: ``toolkit`` has every call judged; the host answers the
questions.
Guarantees:

- What a model, a tool, a server, a file or a page says is never consent: only a grant, or an answer to the question
  about exactly this call (same tool, same arguments, same id, same conversation, same folder) before it expired.
- A rule that denies wins over every rule that allows, and over an answer.
- In a conversation that holds something from outside, nothing that writes, runs or talks to the network is allowed by
  itself, but the repetition of exactly what a person agreed to there.
- An answer is judged without anything remembered from the question, so that another process can take it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.judge import Verdict
from rillet.core.tools.policy.asking import question
from rillet.core.tools.policy.calls import Call, describe
from rillet.core.tools.policy.grants import Grant, GrantBook, Ruling, Scope
from rillet.core.tools.policy.identity import expiry, name_of
from rillet.core.tools.policy.places import is_secret
from rillet.core.tools.policy.rules import CallRule, CommandRule, Rule, ToolRule
from rillet.core.tools.tool import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from rillet.core.tools.tool import Tool, ToolContext
    from rillet.core.tools.workspace import Workspace
    from rillet.core.types.suspension import Answer

PATIENCE: Final = 24 * 3600.0
"""Seconds that a question waits for its answer."""
_NO_EFFECTS: Final = Verdict("allow", "it touches nothing")
_ACTING: Final = frozenset({Effect.WRITE, Effect.EXECUTE, Effect.NETWORK})


class Policy:
    """Who may run what, for the calls in one workspace. Its book of grants may be shared with others.

    Args:
        workspace: The folder that calls are to stay in; None: there is none, and every path is asked about.
        book: What was granted before; a new one, empty, if not given.
        patience: Seconds that a question waits for its answer.
        clock: The time, in seconds since the epoch.
    """

    def __init__(
        self,
        workspace: Workspace | None = None,
        book: GrantBook | None = None,
        *,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.workspace = workspace
        self.book = GrantBook() if book is None else book
        self._patience = patience
        self._clock = clock

    def grants(self) -> tuple[Grant, ...]:
        """Everything that was allowed or denied, the oldest first."""
        return self.book.grants()

    def revoke(self, id: str) -> bool:
        """Strike out a grant; whether there was one."""
        return self.book.revoke(id)

    def allow(
        self, rule: Rule, *, chat: str | None = None, folder: str | None = None, expires_at: float | None = None
    ) -> Grant:
        """Let calls run that ``rule`` surely means; in one conversation or folder only, if said so.

        Raises:
            ValueError: the rule could never allow anything but its own words.
        """
        if isinstance(rule, CommandRule) and rule.lacks:
            raise ValueError(f"{' '.join(rule.words)} does not say what it does; name one of {', '.join(rule.lacks)}")
        return self._enter(rule, "allow", chat, folder, expires_at)

    def deny(
        self, rule: Rule, *, chat: str | None = None, folder: str | None = None, expires_at: float | None = None
    ) -> Grant:
        """Never run calls that ``rule`` may mean, whatever else allows them."""
        return self._enter(rule, "deny", chat, folder, expires_at)

    def rule_for(self, tool: Tool, args: dict[str, Any] | None = None) -> ToolRule | CallRule:
        """The rule that means any call of ``tool``, or the one with exactly ``args``. Raises ValueError for no JSON."""
        call = describe(tool, args or {}, self.workspace)
        return ToolRule(call.tool, call.source, call.definition) if args is None else CallRule.of(call)

    # The judge

    def judge(self, tool: Tool, args: dict[str, Any], ctx: ToolContext) -> Verdict:
        """The verdict on a call that has not been asked about."""
        if not tool.effects and tool.source == "native" and not self.book.denies:
            return _NO_EFFECTS  # the host's own function: nothing has to be known of the call
        try:
            call = describe(tool, args, self.workspace)
        except ValueError as error:
            return Verdict("deny", str(error))
        if denied := self._denied(call, ctx):
            return Verdict("deny", f"a rule forbids it: {denied.rule}")
        if _is_harmless(call):
            return Verdict("allow", "it only reads in the workspace, or touches nothing")
        granted = self._granted(call, ctx)
        if granted is not None and self._trusts(granted, call, ctx):
            return Verdict("allow", f"a rule allows it: {granted.rule}")
        why = self._why(call, ctx, granted)
        expires_at = float(int(self._clock() + self._patience))
        request = question(
            tool,
            args,
            call,
            id=name_of(call, ctx, expires_at),
            expires_at=expires_at,
            scopes=_scopes(call, ctx),
            why=why,
        )
        return Verdict("ask", why, request=request)

    def settle(self, tool: Tool, args: dict[str, Any], ctx: ToolContext, answer: Answer) -> Verdict:
        """The verdict on a call that was asked about; what was agreed to beyond it is entered in the book."""
        try:
            call = describe(tool, args, self.workspace)
        except ValueError as error:
            return Verdict("deny", str(error))
        if denied := self._denied(call, ctx):
            return Verdict("deny", f"a rule forbids it: {denied.rule}")
        expires_at = expiry(answer.id)
        if expires_at is None or answer.id != name_of(call, ctx, expires_at):
            return Verdict("deny", "the answer was to another call, not to this one")
        if answer.ok is not True:
            return Verdict("deny", answer.reason or "the user said no")
        if self._clock() >= expires_at:
            return Verdict("deny", "the answer came too late; ask again")
        return self._agreed(call, ctx, answer)

    def _agreed(self, call: Call, ctx: ToolContext, answer: Answer) -> Verdict:
        data = answer.data or {}
        scope, until = data.get("scope", "once"), data.get("expires_at")
        if scope not in _scopes(call, ctx):
            return Verdict("deny", f"the answer is for {scope!r}, which was not offered")
        if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
            return Verdict("deny", "the answer does not say until when it holds")
        if scope != "once":
            self.book.add(
                Grant(
                    rule=CallRule.of(call),
                    chat=ctx.chat if scope == "chat" else None,
                    folder=call.folder if scope == "folder" or (scope == "always" and call.is_local) else None,
                    expires_at=until,
                    made_at=self._clock(),
                    given_in=ctx.chat,
                )
            )
        return Verdict("allow", "the user agreed")

    # The book

    def _enter(self, rule: Rule, ruling: Ruling, chat: str | None, folder: str | None, until: float | None) -> Grant:
        return self.book.add(
            Grant(rule=rule, decision=ruling, chat=chat, folder=folder, expires_at=until, made_at=self._clock())
        )

    def _denied(self, call: Call, ctx: ToolContext) -> Grant | None:
        return next((grant for grant in self._live(call, ctx, "deny") if grant.rule.touches(call)), None)

    def _granted(self, call: Call, ctx: ToolContext) -> Grant | None:
        """The grant that allows ``call``; one that holds in spite of what came from outside before all others."""
        covering = [grant for grant in self._live(call, ctx, "allow") if grant.rule.covers(call)]
        return next((grant for grant in covering if self._trusts(grant, call, ctx)), covering[0] if covering else None)

    def _why(self, call: Call, ctx: ToolContext, granted: Grant | None) -> str:
        """Why somebody is asked, although ``granted`` covers the call, if it does."""
        if granted is not None:
            return f"a rule allows it ({granted.rule}), but this conversation holds something from outside by now"
        known = [grant.rule for grant in self._live(call, ctx, "allow") if isinstance(grant.rule, ToolRule)]
        if any((rule.tool, rule.source) == (call.tool, call.source) for rule in known):
            return "a rule allows this tool as it was, but it describes itself differently by now"
        return "nobody has approved it"

    def _live(self, call: Call, ctx: ToolContext, ruling: Ruling) -> list[Grant]:
        now = self._clock()
        return [
            grant
            for grant in self.book.grants()
            if grant.decision == ruling and grant.holds(ctx.chat, call.folder, now)
        ]

    @staticmethod
    def _trusts(grant: Grant, call: Call, ctx: ToolContext) -> bool:
        if not ctx.untrusted or not call.effects & _ACTING:
            return True
        return isinstance(grant.rule, CallRule) and grant.given_in is not None and grant.given_in == ctx.chat


def _is_harmless(call: Call) -> bool:
    """Whether a call may run without anybody's consent: it touches nothing, or reads what lies in the workspace."""
    if call.effects & _ACTING or call.source == "mcp":
        return False
    if Effect.READ not in call.effects or call.source != "builtin":
        return True  # a function of the host that only reads, reads what its author meant it to
    return call.places is not None and not any(map(is_secret, call.places))


def _scopes(call: Call, ctx: ToolContext) -> tuple[Scope, ...]:
    """How far an answer may go. What means something else in another folder is never agreed to for all of them."""
    scopes: list[Scope] = ["once"]
    if ctx.chat is not None:
        scopes.append("chat")
    if call.folder is not None and not call.is_local:
        scopes.append("folder")
    if call.folder is not None or not call.is_local:
        scopes.append("always")
    return tuple(scopes)
