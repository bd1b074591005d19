"""What goes along with the next question, how much room it takes, and what is left out when the window is full.

Pure. Above: ``plan``, ``compaction``, ``store/messages``. Below: ``answering`` sends what this says, the window shows
it. The rule: turns (a question with all that answered it) are left out whole, the oldest first, until the rest fits;
pinned ones and the last one stay. Guarantees: a call is never parted from its result; every figure is an estimate, and
what cannot even be estimated is None.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from rillet.core.agent.compaction import estimate, part_tokens
from rillet.core.token_estimate import estimate_tokens
from rillet.core.types import FilePart, ImagePart, ReasoningPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rillet.core.agent.seams import Toolbox
    from rillet.core.chat.plan import Plan
    from rillet.core.store.messages import Node
    from rillet.core.types import ToolSpec

Standing: TypeAlias = Literal["sent", "off", "left out"]
"""Whether a turn goes along; ``off``: the person said that it does not, ``left out``: there is no room for it."""

ANSWER_SHARE: Final = 4
"""Which part of the window is kept for an answer whose length nobody has limited: a quarter."""
MARGIN: Final = 0.1
"""Share of the window that stays empty, because estimates are too low at times."""


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
        window: Tokens that the model has room for. None: not known, and nothing is left out.
        answer: Tokens of the window that are kept for the answer.
        counted: Tokens that the provider counted when it was asked last. None: it has not told.
    """

    system: int
    skills: int | None
    tools: int | None
    turns: tuple[Turn, ...]
    window: int | None = None
    answer: int = 0
    counted: int | None = None

    @property
    def used(self) -> int:
        """Tokens of everything that goes along, as far as that is known."""
        fixed = self.system + (self.skills or 0) + (self.tools or 0)
        return fixed + sum(turn.tokens for turn in self.turns if turn.standing == "sent")

    @property
    def share(self) -> float | None:
        """The part of the window that is taken; None where the window is not known."""
        return None if not self.window else self.used / self.window

    @property
    def hidden(self) -> frozenset[int]:
        """The messages that do not go along."""
        return frozenset(id for turn in self.turns if turn.standing != "sent" for id in turn.ids)


def weigh(nodes: Sequence[Node], plan: Plan, toolbox: Toolbox | None) -> Ledger:
    """What goes along with the next question of a chat that shows ``nodes``.

    ``toolbox`` None: there are no tools, or nobody has asked them yet (see ``Ledger.tools``).
    """
    skills: int | None
    tools: int | None
    if toolbox is not None:
        skills, tools = estimate_tokens(toolbox.skills_prompt), sum(map(_spec_tokens, toolbox.specs))
    else:
        skills = tools = 0 if plan.tools is not None and not plan.tools else None
    grouped = _in_turns(nodes)
    turns = [_turn(each, plan, is_last=each is grouped[-1]) for each in grouped]
    system = estimate_tokens(plan.system_prompt or "")
    answer = plan.request.max_tokens or (plan.window or 0) // ANSWER_SHARE
    if plan.window is not None:
        answer = min(answer, plan.window // 2)
        room = round(plan.window * (1 - MARGIN)) - answer - system - (skills or 0) - (tools or 0)
        turns = _trimmed(turns, room)
    return Ledger(
        system=system,
        skills=skills,
        tools=tools,
        turns=tuple(turns),
        window=plan.window,
        answer=answer,
        counted=_counted(nodes),
    )


def _in_turns(nodes: Sequence[Node]) -> list[list[Node]]:
    turns: list[list[Node]] = []
    for node in nodes:
        if node.message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(node)
    return turns


def _turn(nodes: Sequence[Node], plan: Plan, *, is_last: bool) -> Turn:
    parts = [part for node in nodes for part in node.message.parts]
    attachments = sum(part_tokens(part) for part in parts if isinstance(part, ImagePart | FilePart))
    reasoning = sum(part_tokens(part) for part in parts if isinstance(part, ReasoningPart))
    return Turn(
        ids=tuple(node.id for node in nodes),
        text=nodes[0].message.text,
        history=estimate([node.message for node in nodes]) - attachments - reasoning,
        attachments=attachments,
        reasoning=reasoning,
        is_pinned=nodes[0].id in plan.pinned,
        standing="off" if nodes[0].id in plan.hidden and not is_last else "sent",
    )


def _trimmed(turns: Sequence[Turn], room: int) -> list[Turn]:
    """The same, the oldest left out until the rest has room."""
    trimmed = list(turns)
    used = sum(turn.tokens for turn in turns if turn.standing == "sent")
    for at, turn in enumerate(trimmed[:-1]):
        if used <= room:
            break
        if turn.standing == "sent" and not turn.is_pinned:
            trimmed[at] = replace(turn, standing="left out")
            used -= turn.tokens
    return trimmed


def _spec_tokens(spec: ToolSpec) -> int:
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
