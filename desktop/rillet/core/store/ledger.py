"""What was spent: tokens and money, answer by answer. It outlives the chats.

Above: ``types/usage``. Guarantee: what a provider did not tell stays unknown (None), never zero; an estimate says that
it is one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

    from rillet.core.types import Usage


@dataclass(frozen=True, slots=True)
class Spending:
    """A sum over answers.

    Attributes:
        cost: US dollars; None: no answer had a known price.
        unpriced: Answers whose price is not known: ``cost`` is too low by them.
        estimated: Whether an estimate is among the counts.
    """

    answers: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost: float | None
    unpriced: int
    estimated: bool


def enter(
    db: Connection,
    usage: Usage,
    *,
    provider: str,
    model: str,
    chat_id: int | None = None,
    message_id: int | None = None,
    cost: float | None = None,
    estimated: bool = False,
) -> None:
    """Note what an answer took."""
    db.execute(
        "INSERT INTO ledger (at, chat_id, message_id, provider, model, prompt_tokens, completion_tokens, cached_tokens,"
        " reasoning_tokens, cost, estimated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            time.time(),
            chat_id,
            message_id,
            provider,
            model,
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.cached_tokens,
            usage.reasoning_tokens,
            cost,
            int(estimated),
        ),
    )


def spent(db: Connection, chat_id: int | None = None, *, since: float = 0.0) -> Spending:
    """The sum over a chat (None: over all), from ``since`` (seconds since the epoch) on."""
    row = db.execute(
        """
        SELECT count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0),
               coalesce(sum(cached_tokens), 0), coalesce(sum(reasoning_tokens), 0), sum(cost),
               count(*) - count(cost), coalesce(max(estimated), 0)
        FROM ledger WHERE (?1 IS NULL OR chat_id = ?1) AND at >= ?2
        """,
        (chat_id, since),
    ).fetchone()
    answers, prompt, completion, cached, reasoning, cost, unpriced, estimated = row
    return Spending(answers, prompt, completion, cached, reasoning, cost, unpriced, bool(estimated))
