from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator

from rillet.widgets.blocks.error_card import ErrorCard, height
from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.theme.typography import Typography
from rillet.widgets.transcript.model import Foot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QApplication, QWidget
    from pytestqt.qtbot import QtBot

SENTENCE = "OpenAI refused the key: Incorrect API key provided. Check the key and what it is allowed to do."
DETAILS = "Provider: OpenAI\nStatus: 401\nRequest: req_0123456789"


class Wordy(QTranslator):
    """A language that needs many words."""

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"{text}, if it may be"


@pytest.fixture
def wordy(qapp: QApplication) -> Iterator[None]:
    translator = Wordy()
    QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def _card(qtbot: QtBot, foot: Foot, width: int, points: float, *, expanded: bool) -> ErrorCard:
    theme = Theme.of(LIGHT, Typography(points=points))
    card = ErrorCard()
    qtbot.addWidget(card)
    card.set_theme(theme)
    card.resize(width, height(foot, width, theme, expanded=expanded))
    card.show_foot(foot, expanded=expanded)
    card.show()
    return card


def _parts(card: ErrorCard) -> list[QWidget]:
    """What stands in a card."""
    return [part for part in (card.sentence, card._retry, card._fold, card._details) if part.isVisible()]


@pytest.mark.parametrize("points", [9.0, 11.0, 18.0, 30.0])
@pytest.mark.parametrize("width", [240, 330, 440, 720])
@pytest.mark.parametrize("expanded", [False, True])
@pytest.mark.parametrize("language", ["", "wordy"])
def test_everything_has_its_place(
    qtbot: QtBot, request: pytest.FixtureRequest, points: float, width: int, language: str, *, expanded: bool
) -> None:
    if language:
        request.getfixturevalue(language)
    foot = Foot(error=SENTENCE, details=DETAILS, retry=True)
    card = _card(qtbot, foot, width, points, expanded=expanded)
    parts = _parts(card)
    assert len(parts) == 3 + expanded
    assert all(card.rect().contains(part.geometry()) for part in parts)
    for place, part in enumerate(parts):
        assert not any(part.geometry().intersects(other.geometry()) for other in parts[place + 1 :])
    assert card._retry.width() >= min(card._retry.sizeHint().width(), width - 20)


def test_without_details_and_retry_there_is_the_sentence_alone(qtbot: QtBot) -> None:
    card = _card(qtbot, Foot(error=SENTENCE), 720, 11.0, expanded=False)
    assert _parts(card) == [card.sentence]
    assert card.sentence.width() > 650
