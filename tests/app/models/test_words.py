"""A model in a few words."""

from __future__ import annotations

import pytest

from rillet.app.models.words import describe, tokens
from rillet.core.types import Model, Prices


def test_everything_known_is_said() -> None:
    model = Model(
        "m-1",
        name="Model One",
        context_window=1_050_000,
        output_limit=128_000,
        vision=True,
        tools=True,
        reasoning=False,
        prices=Prices(input=2.0, output=10.0),
    )
    assert describe(model) == (
        "Model One\n1.05M tokens of context, answers up to 128K\nsees images, uses tools\n"
        "$2 in, $10 out per million tokens"
    )


def test_what_is_unknown_is_not_mentioned() -> None:
    assert describe(Model("m-1", name="m-1")) == ""
    assert describe(Model("m-1", context_window=200_000)) == "200K tokens of context"
    assert describe(Model("m-1", prices=Prices(input=1.0))) == ""


def test_nothing_to_pay_is_said_in_words() -> None:
    assert describe(Model("m-1", prices=Prices(input=0.0, output=0.0))) == "free of charge"


@pytest.mark.parametrize(("count", "words"), [(512, "512"), (8192, "8.19K"), (131072, "131K"), (1_048_576, "1.05M")])
def test_tokens_are_said_in_thousands_and_millions(count: int, words: str) -> None:
    assert tokens(count) == words
