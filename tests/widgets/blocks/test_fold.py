from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rillet.widgets.blocks.fold import FoldBlock
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.transcript.model import Entry, Section

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def _fold(qtbot: QtBot, section: Section) -> FoldBlock:
    """The fold above ``section``."""
    fold = FoldBlock()
    qtbot.addWidget(fold)
    fold.set_theme(Theme.of(LIGHT))
    assert section.fold is not None
    fold.bind(Entry("assistant", [section]), section.fold, None)
    return fold


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "Thought"), (0.2, "Thought for 1 s"), (6.4, "Thought for 6 s"), (125.0, "Thought for 2 min 5 s")],
)
def test_a_fold_tells_how_long_the_thought_was(qtbot: QtBot, seconds: float | None, text: str) -> None:
    section = Section("reasoning", "Hm.")
    section.seconds = seconds
    assert _fold(qtbot, section).text() == text


@pytest.mark.parametrize(
    ("gone", "text"), [(0.2, "Thinking…"), (12.5, "Thinking… 12 s"), (61.0, "Thinking… 1 min 1 s")]
)
def test_a_fold_says_that_the_thought_goes_on_and_since_when(qtbot: QtBot, gone: float, text: str) -> None:
    section = Section("reasoning", "Hm.", growing=True)
    assert _fold(qtbot, section).text() == "Thinking…"
    section.since = time.monotonic() - gone
    assert _fold(qtbot, section).text() == text


def test_a_fold_says_that_its_text_does_not_count(qtbot: QtBot) -> None:
    fold = _fold(qtbot, Section("discarded", "A first attempt."))
    assert fold.text() == "Set aside: the provider began again"
    assert fold.accessibleName() == "Set aside: the provider began again, collapsed"


def test_a_fold_counts_while_it_is_seen_and_grows_with_its_words(qtbot: QtBot) -> None:
    section = Section("reasoning", "Hm.", growing=True)
    section.since = time.monotonic()
    fold = _fold(qtbot, section)
    fold.resize(fold.sizeHint())
    fold.show()
    width = fold.width()
    qtbot.waitUntil(lambda: fold.text() == "Thinking… 1 s")
    assert fold.width() == fold.sizeHint().width() > width
    section.finish()
    section.seconds = 1.2
    assert section.fold is not None
    fold.bind(Entry("assistant", [section]), section.fold, None)
    assert fold.text() == "Thought for 1 s"
    assert [fold._ticker.running] == [False]
