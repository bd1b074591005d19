from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript import estimate
from rillet.widgets.transcript.documents import Documents
from rillet.widgets.transcript.layout import Layout
from support.views import ANSWER, answer, question

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from rillet.widgets.transcript.model import Entry

PROSE = "A sentence of ordinary prose, with a few words more in it than it needs to make its point. " * 5
CJK = "これは、ごく普通の長さの日本語の文章です。" * 20


def _error(entry: Entry) -> float:
    """How far the estimate of an entry lies from its measured height, as a share of it."""
    theme = Theme.of(LIGHT)
    layout = Layout(Documents(theme), theme)
    layout.reset([entry])
    guess = entry.height
    while layout.measure(0, 1_000_000):
        pass
    return abs(guess - entry.height) / entry.height


@pytest.mark.parametrize(
    "entry",
    [
        answer(f"{PROSE}\n\n" * 8),
        answer(f"- {PROSE}\n" * 8),
        answer(ANSWER * 4),
        answer(f"{CJK}\n\n" * 6),
        question(PROSE * 3),
        question("one\ntwo\nthree\n" * 20),
    ],
    ids=["prose", "list", "mixed", "cjk", "question", "lines"],
)
def test_a_message_is_about_as_high_as_guessed(qapp: QApplication, entry: Entry) -> None:
    assert _error(entry) < 0.25


@pytest.mark.parametrize("text", ["x", "x\ny", "x\n" * 63 + "x", "\n", "\n\n"])
def test_code_is_exactly_as_high_as_guessed(qapp: QApplication, text: str) -> None:
    theme = Theme.of(LIGHT)
    documents = Documents(theme)
    layout = Layout(documents, theme)
    entry = answer(f"```\n{text}\n```")
    layout.reset([entry])
    layout.cut(entry)
    (tile,) = [tile for tile in entry.tiles or () if tile.kind == "code"]
    guess = tile.height
    layout.measure(0, 100_000)
    assert tile.exact
    assert tile.height == guess


def test_a_line_is_never_less_than_a_line(qapp: QApplication) -> None:
    metrics = estimate.Metrics.of(Theme.of(LIGHT).body, 23)
    assert estimate.markdown("", 700, metrics) == 23
    assert estimate.plain("", 700, metrics) == 23
    assert estimate.lines(0, 700, metrics.advance) == 1


def test_wide_characters_take_more_room(qapp: QApplication) -> None:
    metrics = estimate.Metrics.of(Theme.of(LIGHT).body, 23)
    assert estimate.advance_of("永" * 50, metrics) == pytest.approx(metrics.wide)
    assert estimate.advance_of("a" * 50, metrics) == metrics.advance
