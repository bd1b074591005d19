"""What answers took, said for a message and for a chat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rillet.app.models.figures import figures_of, money, spent
from rillet.core.store.ledger import Spending

CHAT = Spending(
    answers=3,
    prompt_tokens=12_345,
    completion_tokens=678,
    cached_tokens=1024,
    reasoning_tokens=0,
    cost=0.0123,
    unpriced=0,
    estimated=False,
)


@pytest.mark.parametrize(
    ("dollars", "said"),
    [
        (0.0, "free"),
        (0.0000004, "$0.0000004"),
        (0.0021, "$0.0021"),
        (0.0123, "$0.012"),
        (1.2, "$1.20"),
        (31.456, "$31.46"),
    ],
)
def test_money_is_as_exact_as_it_is_worth(dollars: float, said: str) -> None:
    assert money(dollars) == said


def test_an_answer_in_several_messages_is_summed_up() -> None:
    calls = {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": 64}, "cost": 0.001}
    calls |= {"seconds": 2.0, "first_token": 0.5}
    text = {"usage": {"prompt_tokens": 150, "completion_tokens": 20}, "cost": 0.002, "seconds": 1.0, "first_token": 0.2}
    figures = figures_of([calls, text])
    assert (figures.prompt_tokens, figures.tokens, figures.cached_tokens) == (250, 30, 64)
    assert (figures.first, figures.seconds, figures.cost) == (0.5, 3.0, "$0.003")


def test_a_cost_that_is_known_in_part_is_not_known() -> None:
    told = {"usage": {"completion_tokens": 10}}
    assert figures_of([told | {"cost": 0.1}, told]).cost is None
    assert figures_of([told]).prompt_tokens is None


def test_a_chat_says_what_it_took_and_what_is_not_known() -> None:
    whole = "Spent in this chat: 12,345 tokens sent, 678 written, 1,024 from the cache, $0.012."
    assert spent(CHAT) == whole
    assert spent(replace(CHAT, unpriced=2)) == whole[:-1] + ", 2 answers without a known price."
    assert spent(replace(CHAT, cost=None, unpriced=3)).endswith("from the cache, cost not known.")
    assert spent(replace(CHAT, answers=0)) == "What this chat took is not known: the provider did not tell."
