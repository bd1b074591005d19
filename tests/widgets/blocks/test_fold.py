from __future__ import annotations

import pytest

from rillet.widgets.blocks.fold import title
from rillet.widgets.transcript.model import Section


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "Thought"), (0.2, "Thought for 1 s"), (6.4, "Thought for 6 s"), (125.0, "Thought for 2 min 5 s")],
)
def test_a_fold_tells_how_long_the_thought_was(seconds: float | None, text: str) -> None:
    section = Section("reasoning", "Hm.")
    section.seconds = seconds
    assert title(section) == text


def test_a_fold_says_that_the_thought_goes_on() -> None:
    assert title(Section("reasoning", "Hm.", growing=True)) == "Thinking…"
