"""What an answer costs, as far as that is known."""

from __future__ import annotations

import pytest

from rillet.core.chat.cost import cost
from rillet.core.providers.builtin import entry
from rillet.core.providers.facts import FactBook, ModelFacts
from rillet.core.types import Prices, Usage

OPENAI = entry("openai").provider()
BOOK = FactBook(
    {
        "openai": [
            ModelFacts(id="big", prices=Prices(input=2.0, output=10.0, cached_input=0.5)),
            ModelFacts(id="plain", prices=Prices(input=1.0, output=1.0)),
            ModelFacts(id="half", prices=Prices(input=1.0)),
            ModelFacts(id="free", prices=Prices(input=0.0, output=0.0)),
        ]
    }
)
USAGE = Usage(prompt_tokens=1_000_000, completion_tokens=100_000, cached_tokens=400_000)


@pytest.mark.parametrize(
    ("models", "dollars"),
    [
        (("big",), 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10),
        (("plain",), 1.1),
        (("an alias of ours", "big"), 0.6 * 2 + 0.4 * 0.5 + 0.1 * 10),
        (("plain", "big"), 1.1),
        (("free",), 0.0),
        (("half",), None),
        (("nobody knows", None), None),
        ((), None),
    ],
)
def test_the_price_is_that_of_the_first_known_name(models: tuple[str | None, ...], dollars: float | None) -> None:
    assert cost(BOOK, OPENAI, models, USAGE) == (None if dollars is None else pytest.approx(dollars))


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt_tokens=5), Usage(completion_tokens=5)])
def test_counts_that_nobody_told_give_no_cost(usage: Usage) -> None:
    assert cost(BOOK, OPENAI, ("big",), usage) is None
