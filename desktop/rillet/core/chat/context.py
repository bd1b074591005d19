"""What goes along with the next question, how much room it takes, and what is done when the window is full.

Pure. Above: ``plan``, ``compaction``, ``store/messages``, ``store/summaries``. Below: ``fitting`` sends what this says,
the window shows it. The rules concern turns (a question with all that answered it): the oldest are left out whole until
the rest fits, or are due to be summarized, or nothing happens; pinned ones and the last one stay as they are.
Guarantees: a call is never parted from its result; a summary is used only where every message that it covers is shown
and wanted; every figure is an estimate, and what cannot even be estimated is None.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from rillet.core.agent.compaction import HEADING, estimate, part_tokens
from rillet.core.chat.lean import as_sent
from rillet.core.chat.plan import Rule
from rillet.core.store.summaries import Summary
from rillet.core.token_estimate import estimate_tokens
from rillet.core.types import FilePart, ImagePart, ReasoningPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.core.agent.seams import Toolbox
    from rillet.core.chat.plan import Plan
    from rillet.core.store.messages import Node
    from rillet.core.types import ToolSpec

Standing: TypeAlias = Literal["sent", "off", "left out", "summarized", "due"]
"""How a turn goes along. ``off``: not, as the person said. ``left out``: not, for there is no room. ``summarized``: as
part of the summary. ``due``: as it is, unless it is summarized before."""

ANSWER_SHARE: Final = 4
"""Which part of the window is kept for an answer whose length nobody has limited: a quarter."""
MARGIN: Final = 0.1
"""Share of the window that stays empty, because estimates are too low at times."""
TAIL_SHARE: Final = 2
"""Which part of the room is left to turns as they are when others are summarized: half, so that it is not done anew
with every question."""
_HIDDEN: Final = frozenset({"off", "left out", "summarized"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question and what answered it.

    Attributes:
        ids: The messages that it consists of.
        text: What was asked.
        history: Tokens of what was written.
        attachments: Tokens of images and files.
        reasoning: Tokens of what was thought, where a provider wants that back.
    """

    ids: tuple[int, ...]
    text: str
    history: int
    attachments: int
    reasoning: int
    is_pinned: bool = False
    standing: Standing = "sent"

    @property
    def id(self) -> int:
        """The message that it begins with."""
        return self.ids[0]

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.history + self.attachments + self.reasoning


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All that goes along.

    Attributes:
        system: Tokens of the system prompt.
        skills: Tokens of what is said about skills.
        tools: Tokens of the descriptions of tools. None: nobody has asked the tools yet; ``skills`` is None then, too.
        turns: The oldest first.
        rule: What is done when they do not fit.
        summary: What stands for the turns that are ``summarized``.
        window: Tokens that the model has room for. None: not known, and nothing is left out.
        answer: Tokens of the window that are kept for the answer.
        question: Tokens of what is about to be asked.
        counted: Tokens that the provider counted when it was asked last. None: it has not told.
    """

    system: int
    skills: int | None
    tools: int | None
    turns: tuple[Turn, ...]
    rule: Rule = "trim"
    summary: Summary | None = None
    window: int | None = None
    answer: int = 0
    question: int = 0
    counted: int | None = None

    @property
    def summed(self) -> int:
        """Tokens of the summary."""
        return 0 if self.summary is None else estimate_tokens(self.summary.text) + estimate_tokens(HEADING)

    @property
    def fixed(self) -> int:
        """Tokens of everything but turns and the question, as far as that is known."""
        return self.system + (self.skills or 0) + (self.tools or 0) + self.summed

    @property
    def used(self) -> int:
        """Tokens of everything that goes along, as far as that is known."""
        return self.fixed + self.question + sum(turn.tokens for turn in self.turns if turn.standing not in _HIDDEN)

    @property
    def limit(self) -> int | None:
        """Tokens that may go along: what of the window is left beside the answer, and with a margin."""
        return _limit(self.window, self.answer)

    @property
    def excess(self) -> int:
        """Tokens that go along although there is no room for them."""
        return 0 if self.limit is None else max(0, self.used - self.limit)

    @property
    def share(self) -> float | None:
        """The part of the window that is taken; None where the window is not known."""
        return None if not self.window else self.used / self.window

    @property
    def hidden(self) -> frozenset[int]:
        """The messages that do not go along."""
        return frozenset(id for turn in self.turns if turn.standing in _HIDDEN for id in turn.ids)

    @property
    def due(self) -> tuple[Turn, ...]:
        """The turns that are to be summarized before the question is asked."""
        return self.standing("due")

    def standing(self, *standings: Standing) -> tuple[Turn, ...]:
        """The turns that stand so."""
        return tuple(turn for turn in self.turns if turn.standing in standings)


def weigh(nodes: Sequence[Node], plan: Plan, toolbox: Toolbox | None, summaries: Iterable[Summary] = ()) -> Ledger:
    """What goes along with the next question of a chat that shows ``nodes``.

    ``toolbox`` None: there are no tools, or nobody has asked them yet (see ``Ledger.tools``).
    """
    skills: int | None
    tools: int | None
    if toolbox is not None:
        skills, tools = estimate_tokens(toolbox.skills_prompt), sum(map(spec_tokens, toolbox.specs))
    else:
        skills = tools = 0 if plan.tools is not None and not plan.tools else None
    grouped = _in_turns(nodes)
    turns = [_turn(each, plan, is_last=each is grouped[-1]) for each in grouped]
    summary = in_force(turns, summaries)
    if summary is not None:
        turns = [_summed(turn, summary) for turn in turns]
    ledger = Ledger(
        system=0 if "system" in plan.without else estimate_tokens(plan.system_prompt or ""),
        skills=skills,
        tools=tools,
        turns=tuple(turns),
        rule=plan.rule,
        summary=summary,
        window=plan.window,
        answer=_answer_room(plan),
        counted=_counted(nodes),
    )
    return _ruled(ledger, last_stays=True)


def limit_of(plan: Plan) -> int | None:
    """Tokens that may go along with a question of this plan; see ``Ledger.limit``."""
    return _limit(plan.window, _answer_room(plan))


def facing(ledger: Ledger, question: int) -> Ledger:
    """The same when a question of so many tokens is about to be asked."""
    return _ruled(replace(ledger, question=question, turns=_undecided(ledger)), last_stays=False)


def grown(ledger: Ledger, tokens: int) -> Ledger:
    """The same when the last turn has become longer by so many tokens."""
    *others, last = _undecided(ledger)
    return _ruled(replace(ledger, turns=(*others, replace(last, history=last.history + tokens))), last_stays=True)


def spared(ledger: Ledger) -> Ledger:
    """The same with the oldest turns ``due``, though they might fit: as many as a summary is worth its while for."""
    room = ledger.used if ledger.limit is None else min(ledger.limit, ledger.used)
    undecided = replace(ledger, turns=_undecided(ledger))
    return replace(undecided, turns=_passed_over(undecided, room // TAIL_SHARE, "due", last_stays=True))


def in_force(turns: Iterable[Turn], summaries: Iterable[Summary]) -> Summary | None:
    """The summary that reaches furthest of those that hold here; None: none does.

    One that covers a message of another version, one that was deleted, or one that is switched off does not hold.
    """
    wanted = {id for turn in turns if turn.standing != "off" for id in turn.ids}
    holding = [each for each in summaries if each.covers and not each.is_withdrawn and each.covers <= wanted]
    return max(holding, key=lambda each: (max(each.covers), each.id), default=None)


def _limit(window: int | None, answer: int) -> int | None:
    return None if window is None else round(window * (1 - MARGIN)) - answer


def _answer_room(plan: Plan) -> int:
    answer = plan.request.max_tokens or (plan.window or 0) // ANSWER_SHARE
    return answer if plan.window is None else min(answer, plan.window // 2)


def _in_turns(nodes: Sequence[Node]) -> list[list[Node]]:
    turns: list[list[Node]] = []
    for node in nodes:
        if node.message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(node)
    return turns


def _turn(nodes: Sequence[Node], plan: Plan, *, is_last: bool) -> Turn:
    sent = [as_sent(node.message, plan, is_last=is_last, by=node.provider) for node in nodes]
    parts = [part for message in sent for part in message.parts]
    attachments = sum(part_tokens(part) for part in parts if isinstance(part, ImagePart | FilePart))
    reasoning = sum(part_tokens(part) for part in parts if isinstance(part, ReasoningPart))
    return Turn(
        ids=tuple(node.id for node in nodes),
        text=nodes[0].message.text,
        history=estimate(sent) - attachments - reasoning,
        attachments=attachments,
        reasoning=reasoning,
        is_pinned=nodes[0].id in plan.pinned,
        standing="off" if nodes[0].id in plan.hidden and not is_last else "sent",
    )


def _summed(turn: Turn, summary: Summary) -> Turn:
    """A turn that the summary covers is not sent itself, unless it is pinned."""
    covered = turn.standing == "sent" and not turn.is_pinned and summary.covers.issuperset(turn.ids)
    return replace(turn, standing="summarized") if covered else turn


def _undecided(ledger: Ledger) -> tuple[Turn, ...]:
    return tuple(
        replace(turn, standing="sent") if turn.standing in ("left out", "due") else turn for turn in ledger.turns
    )


def _ruled(ledger: Ledger, *, last_stays: bool) -> Ledger:
    """The same as its rule wants it."""
    if not ledger.excess or ledger.rule == "keep":
        return ledger
    assert ledger.limit is not None
    room = ledger.limit - ledger.fixed - ledger.question
    if ledger.rule == "trim":
        return replace(ledger, turns=_passed_over(ledger, room, "left out", last_stays=last_stays))
    return replace(ledger, turns=_passed_over(ledger, room // TAIL_SHARE, "due", last_stays=last_stays))


def _passed_over(ledger: Ledger, room: int, standing: Standing, *, last_stays: bool) -> tuple[Turn, ...]:
    """The turns, the oldest standing so until the rest has room."""
    turns = list(ledger.turns)
    used = sum(turn.tokens for turn in turns if turn.standing == "sent")
    for at, turn in enumerate(turns[:-1] if last_stays else turns):
        if used <= room:
            break
        if turn.standing == "sent" and not turn.is_pinned:
            turns[at] = replace(turn, standing=standing)
            used -= turn.tokens
    return tuple(turns)


def spec_tokens(spec: ToolSpec) -> int:
    """About how many tokens the description of a tool takes."""
    return estimate_tokens(spec.name) + estimate_tokens(spec.description) + estimate_tokens(_json(spec.input_schema))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _counted(nodes: Iterable[Node]) -> int | None:
    """What the provider counted as sent for the last answer of all."""
    for node in reversed(list(nodes)):
        usage = node.details.get("usage")
        if isinstance(usage, dict) and isinstance(count := usage.get("prompt_tokens"), int):
            return count
    return None
