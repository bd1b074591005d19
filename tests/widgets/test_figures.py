from __future__ import annotations

import pytest

from rillet.core.types import Usage
from rillet.widgets.figures import Figures


@pytest.mark.parametrize(
    ("figures", "line"),
    [
        (Figures(), ""),
        (Figures(first=0.3, seconds=4.0), ""),
        (Figures(tokens=412), "412 tokens"),
        (Figures(tokens=1), "1 token"),
        (Figures(tokens=12_345), "12,345 tokens"),
        (Figures(tokens=412, first=0.31, seconds=11.2), "412 tokens · 38 tok/s · first 0.3 s"),
        (Figures(tokens=20, first=0.5, seconds=10.5), "20 tokens · 2.0 tok/s · first 0.5 s"),
        (Figures(tokens=9, first=2.0, seconds=2.01), "9 tokens · first 2.0 s"),
        (Figures(tokens=412, cost="$0.0021"), "412 tokens · $0.0021"),
        (Figures(cost="$0.0021"), "$0.0021"),
    ],
)
def test_what_is_known_is_one_line(figures: Figures, line: str) -> None:
    assert str(figures) == line


def test_later_counts_replace_earlier_ones_and_silence_changes_nothing() -> None:
    figures = Figures(tokens=1).with_usage(Usage(prompt_tokens=7, completion_tokens=5))
    assert (figures.prompt_tokens, figures.tokens) == (7, 5)
    assert figures.with_usage(Usage()) == figures
