"""The page of how the program looks, as a person uses it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox

from rillet.app.look import Look
from rillet.app.settings.appearance import AppearancePage
from rillet.app.settings.fields import ChoiceBox
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.widgets.theme import palette
from rillet.widgets.theme.options import ThemeOptions
from rillet.widgets.theme.tokens import DARK, HIGH_LIGHT, LIGHT
from rillet.widgets.theme.typography import Typography

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.widgets.theme.palette import Theme


@pytest.fixture
def page(look: Look, theme: Theme, qapp: QApplication, qtbot: QtBot) -> Iterator[AppearancePage]:
    page = AppearancePage(look, theme)
    qtbot.addWidget(page)
    page.show()
    yield page
    palette.apply(qapp, LIGHT)


def choose(page: AppearancePage, name: str, words: str) -> None:
    box = next(each for each in page.findChildren(ChoiceBox) if each.accessibleName() == name)
    assert box.findText(words) >= 0, [box.itemText(row) for row in range(box.count())]
    box.setCurrentIndex(box.findText(words))


def test_dark_is_dark_at_once_and_at_the_next_start(page: AppearancePage, look: Look, qapp: QApplication) -> None:
    choose(page, "Scheme", "Dark")
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    assert WindowState(paths().window).look == ThemeOptions(scheme="dark")
    again = WindowState(paths().window)
    assert Look(qapp, again.look).theme.tokens.dark


def test_the_window_follows(page: AppearancePage, look: Look, state: WindowState, theme: Theme, qtbot: QtBot) -> None:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    look.changed.connect(window.set_theme)
    choose(page, "Contrast", "High")
    assert look.theme.tokens.text == HIGH_LIGHT.text
    assert window._theme is look.theme


def test_the_whole_of_a_window_that_is_in_use_follows(
    *, page: AppearancePage, look: Look, state: WindowState, services: Services, theme: Theme, qtbot: QtBot
) -> None:
    window = MainWindow(state, theme)
    qtbot.addWidget(window)
    window.serve(services, look)
    look.changed.connect(window.set_theme)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # (what stood in for parts is gone now)
    choose(page, "Scheme", "Dark")
    assert window._sidebar.field._theme is look.theme
    assert window.sessions.current.picker._theme is look.theme


def test_text_and_density_are_set(page: AppearancePage, look: Look) -> None:
    choose(page, "Size", "16 points")
    choose(page, "Density", "Spacious")
    assert look.theme.body.pointSizeF() == 16
    assert look.theme.tokens.gap_4 > LIGHT.gap_4
    kept = WindowState(paths().window).look
    assert kept is not None
    assert kept.typography == Typography(points=16, density="spacious")


def test_an_accent_of_ones_own_is_listed_and_kept(page: AppearancePage, look: Look) -> None:
    choose(page, "Accent", "Violet")
    assert look.options.accent == "#7C3AED"
    page.takeColour(QColor("#123456"))
    assert look.options.accent == "#123456"
    box = next(each for each in page.findChildren(ChoiceBox) if each.accessibleName() == "Accent")
    assert box.currentText() == "#123456"
    assert WindowState(paths().window).look == look.options


def test_nothing_moves_once_that_is_unwanted(page: AppearancePage, look: Look, qtbot: QtBot) -> None:
    still = page.findChild(QCheckBox)
    assert isinstance(still, QCheckBox)
    still.click()
    assert palette.movement_ms(page) == 0
    assert look.options.reduced_motion
    still.click()
    assert palette.movement_ms(page) > 0
    assert not look.options.reduced_motion


def test_everything_goes_back(page: AppearancePage, look: Look) -> None:
    choose(page, "Scheme", "Dark")
    choose(page, "Size", "16 points")
    page.reset()
    assert look.options == ThemeOptions()
    assert not look.theme.tokens.dark
    assert not page._reset.isEnabled()


def test_a_colour_that_is_none_is_refused_and_not_kept(look: Look) -> None:
    with pytest.raises(ValueError, match="colour"):
        look.choose(ThemeOptions(accent="teal-ish"))
    assert look.options == ThemeOptions()
    assert WindowState(paths().window).look is None


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("scheme", "pink", ThemeOptions(accent="#7C3AED")),
        ("points", "1e9", ThemeOptions(scheme="dark", accent="#7C3AED")),
        ("points", "large", ThemeOptions(scheme="dark", accent="#7C3AED")),
        ("density", "", ThemeOptions(scheme="dark", accent="#7C3AED")),
        ("accent", "nonsense", None),
    ],
)
def test_what_somebody_wrote_into_the_file_keeps_no_window_from_opening(
    state: WindowState, key: str, value: str, expected: ThemeOptions | None
) -> None:
    state.keep_look(replace(ThemeOptions(), scheme="dark", accent="#7C3AED"))
    state._file.setValue(f"look/{key}", value)
    assert state.look == expected
