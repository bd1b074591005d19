"""What an answer costs, by its counts and the prices that are known.

Pure. Above: ``providers/facts``, ``types/usage``. Below: ``desk``, and whoever shows money. Guarantee: an unknown price
or count gives an unknown cost, never a free one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rillet.core.providers.facts import FactBook
    from rillet.core.providers.provider import Provider
    from rillet.core.types import Usage

_MILLION: Final = 1_000_000
"""Tokens that prices are told for."""


def cost(facts: FactBook, provider: Provider, models: Iterable[str | None], usage: Usage) -> float | None:
    """US dollars of an answer; None when a price or a count is not known.

    ``models`` are the names of the model, the surest first: the one that it answered with, the one that was asked for.
    """
    known = next((found for name in models if name and (found := facts.find(provider, name)) is not None), None)
    prices = known.prices if known is not None else None
    if prices is None or prices.input is None or prices.output is None:
        return None
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    cached = usage.cached_tokens or 0
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    return (
        (usage.prompt_tokens - cached) * prices.input + cached * cached_price + usage.completion_tokens * prices.output
    ) / _MILLION
