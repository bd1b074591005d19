from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QFontDatabase

from rillet.widgets.theme.palette import Theme
from rillet.widgets.theme.tokens import LIGHT
from rillet.widgets.theme.typography import BODY_POINTS, Typography

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def test_without_a_wish_the_size_is_comfortable(qapp: QApplication) -> None:
    body, mono = Typography().fonts()
    assert body.pointSizeF() >= BODY_POINTS
    assert mono.pointSizeF() < body.pointSizeF()


def test_a_chosen_family_comes_first_and_keeps_its_fall_backs(qapp: QApplication) -> None:
    body, mono = Typography(family="Chosen Sans", mono_family="Chosen Mono").fonts()
    assert body.families()[0] == "Chosen Sans"
    assert mono.families()[0] == "Chosen Mono"
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).families()
    assert body.families()[1 : 1 + len(system)] == system


@pytest.mark.parametrize("points", [8.0, 16.0])
def test_a_chosen_size_is_taken_also_below_the_default(qapp: QApplication, points: float) -> None:
    assert Typography(points=points).fonts()[0].pointSizeF() == pytest.approx(points)


def test_density_changes_the_height_of_lines_and_not_of_letters(qapp: QApplication) -> None:
    compact, normal, spacious = (Typography(density=each) for each in ("compact", "comfortable", "spacious"))
    assert compact.lines()[0] < normal.lines()[0] < spacious.lines()[0]
    assert compact.fonts() == normal.fonts() == spacious.fonts()


def test_zoom_starts_from_the_persons_own_size_and_keeps_the_quiet_voice_quieter(qapp: QApplication) -> None:
    theme = Theme.of(LIGHT, Typography(points=10.0))
    large = theme.zoomed(2.0)
    assert large.body.pointSizeF() == pytest.approx(20.0)
    assert large.line > 1.8 * theme.line
    assert large.zoomed(1.0) == theme
    assert large.quiet().body.pointSizeF() == pytest.approx(20.0 * 0.93)
