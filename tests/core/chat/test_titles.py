"""Every chat gets a short name, whatever was asked."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.chat.titles import LONGEST, title_by_model, title_of
from rillet.core.types import Finished, TextDelta
from support.scripted import ScriptedModel


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("how do I tie a bowline?", "How do I tie a bowline"),
        ("Hello. What is a rillet?", "Hello"),
        ("# Plan\n\n**Write** the `code`", "Plan"),
        ("```python\nprint(1)\n```\nWhat does this do?", "What does this do"),
        ("```python\nprint(1)\n```", "Python print(1)"),
        ("look at https://example.org/a?b=c please", "Look at please"),
        ("数値積分はどうやって確認できますか？教えてください。", "数値積分はどうやって確認できますか"),
        ("a\u202eb\x07c", "A b c"),
        ("word " * 40, "Word word word word word word word word word…"),
        ("x" * 100, "X" + "x" * (LONGEST - 2) + "…"),
        ("", ""),
        ("?", ""),
    ],
)
def test_a_title_is_made_of_the_first_words_that_say_something(question: str, title: str) -> None:
    assert title_of(question) == title


@given(st.text(max_size=300))
def test_a_title_is_one_short_printable_line(question: str) -> None:
    title = title_of(question)
    assert len(title) <= LONGEST
    assert title.isprintable()


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Tying a Bowline"', "Tying a Bowline"),
        ("Title: Tying a bowline\nIt is …", "Tying a bowline"),
        ("\n\n**Knots**", "Knots"),
        ("", "How"),
        ("x" * 500, "X" + "x" * (LONGEST - 2) + "…"),
    ],
)
def test_what_a_small_model_says_becomes_a_title(said: str, title: str) -> None:
    model = ScriptedModel([TextDelta(said), Finished("stop")])
    assert asyncio.run(title_by_model(model, None, "how?", "so")) == title
