from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rillet.widgets.blocks import tool_card
from rillet.widgets.blocks.tool_card import ToolCard, name_of, status_of
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import DARK, LIGHT
from rillet.widgets.transcript.model import Entry
from rillet.widgets.transcript.tool import ToolSection

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from rillet.widgets.theme.tokens import Tokens
    from rillet.widgets.transcript.tool import ToolStatus


def _card(qtbot: QtBot, section: ToolSection, tokens: Tokens = LIGHT) -> ToolCard:
    card = ToolCard()
    qtbot.addWidget(card)
    theme = Theme.of(tokens)
    card.set_theme(theme)
    card.resize(600, tool_card.height(section.card, theme))
    card.bind(Entry("assistant", [section]), section.card, None)
    card.show()
    return card


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("written", "Not run"),
        ("waiting", "Waiting for approval"),
        ("running", "Running"),
        ("done", "0.2 s"),
        ("failed", "Failed · 0.2 s"),
        ("denied", "Denied · 0.2 s"),
        ("stopped", "Stopped · 0.2 s"),
    ],
)
def test_the_status_is_told_in_words(status: ToolStatus, words: str) -> None:
    section = ToolSection("read", "a", "{}")
    section.set_status(status)
    section.seconds = 0.2
    assert status_of(section) == words


def test_a_long_run_tells_how_long_it_has_been_running() -> None:
    section = ToolSection("read", "a", "{}")
    section.set_status("running")
    section.since = time.monotonic() - 12.5
    assert status_of(section) == "Running · 12 s"


def test_the_time_that_somebody_took_to_answer_is_no_time_of_the_tool() -> None:
    section = ToolSection("read", "a", "{}")
    section.set_status("running")
    section.since = time.monotonic() - 12.5
    section.set_status("waiting")
    section.set_status("running")
    assert status_of(section) == "Running"
    section.set_result("", "done", None)
    assert section.seconds is not None
    assert section.seconds < 12


def test_long_arguments_tell_how_long_they_are() -> None:
    section = ToolSection("write", growing=True)
    section.append("x" * 12_400)
    assert status_of(section) == "Writing · 12 kB"
    section.append("x" * 5_000_000)
    assert status_of(section) == "Writing · 5.0 MB"


def test_only_long_arguments_are_shown_below_the_head_and_only_while_they_arrive(qtbot: QtBot) -> None:
    theme = Theme.of(LIGHT)
    section = ToolSection("write", growing=True)
    section.append('{"path": "a.py"')
    low = tool_card.height(section.card, theme)
    section.append(', "content": "' + "x" * 200)
    assert tool_card.height(section.card, theme) > low
    section.finish()
    assert tool_card.height(section.card, theme) == low


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_a_card_looks_different_in_every_state(qtbot: QtBot, tokens: Tokens) -> None:
    pictures = set()
    statuses: tuple[ToolStatus, ...] = ("written", "waiting", "running", "done", "failed", "denied", "stopped")
    for status in statuses:
        section = ToolSection("read", "a", '{"path":"notes.md"}')
        section.set_status(status)
        image = _card(qtbot, section, tokens).grab().toImage()
        pictures.add(bytes(image.constBits()))
    assert len(pictures) == len(statuses)


def test_lines_are_drawn_while_arguments_arrive(qtbot: QtBot) -> None:
    section = ToolSection("write", growing=True)
    section.append('{"content": "' + "some text " * 20)
    while section.draw():
        pass
    card = _card(qtbot, section)
    before = card.grab().toImage()
    section.append("\\nanother line")
    while section.draw():
        pass
    card.bind(Entry("assistant", [section]), section.card, None)
    assert card.grab().toImage() != before
    assert not card.isEnabled()


def test_a_name_cannot_pretend(qtbot: QtBot) -> None:
    assert name_of(ToolSection("re\u202edaer", "a")) == "re⟨U+202E⟩daer"
    assert len(name_of(ToolSection("x" * 5000, "a"))) < 60


def test_a_card_is_told_to_a_screen_reader(qtbot: QtBot) -> None:
    section = ToolSection("read", "a", "{}")
    section.set_result("text", "done", 0.2)
    card = _card(qtbot, section)
    assert card.accessibleName() == "Tool read, 0.2 s, collapsed"
    section.expanded = True
    card.bind(Entry("assistant", [section]), section.card, None)
    assert card.accessibleName() == "Tool read, 0.2 s, expanded"


def test_a_running_card_counts(qtbot: QtBot) -> None:
    section = ToolSection("read", "a", "{}")
    section.set_status("running")
    card = _card(qtbot, section)
    assert [card._ticker.running] == [True]
    section.set_result("text", "done", 0.2)
    card.bind(Entry("assistant", [section]), section.card, None)
    assert [card._ticker.running] == [False]
