"""One look everywhere, whatever the platform thinks of colour schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo, QFontMetricsF, QPalette
from PySide6.QtWidgets import QScrollBar, QWidget

from rillet.widgets.theme.accent import with_accent
from rillet.widgets.theme.palette import (
    Theme,
    applied,
    apply,
    movement_ms,
    palette,
    system_contrast,
    system_scheme,
    tokens_for,
)
from rillet.widgets.theme.tokens import DARK, HIGH_DARK, HIGH_LIGHT, LIGHT, Tokens
from rillet.widgets.theme.typography import Typography

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

THEMES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    """The application, given back with the look it had."""
    font, colours, sheet, style = qapp.font(), qapp.palette(), qapp.styleSheet(), qapp.style().objectName()
    yield qapp
    qapp.setStyleSheet(sheet)
    qapp.setStyle(style)
    qapp.setPalette(colours)
    qapp.setFont(font)
    qapp.setProperty("_rillet_theme", None)
    qapp.setProperty("_rillet_still", None)


@THEMES
def test_no_role_of_the_palette_is_left_to_the_platform(qapp: QApplication, tokens: Tokens) -> None:
    made = palette(tokens)
    roles = [
        role for role in QPalette.ColorRole if role not in (QPalette.ColorRole.NoRole, QPalette.ColorRole.NColorRoles)
    ]
    assert len(roles) > 15
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Disabled):
        assert [role for role in roles if not made.isBrushSet(group, role)] == []


@THEMES
def test_applying_a_theme_colours_the_application_even_where_the_scheme_is_ignored(
    app: QApplication, tokens: Tokens
) -> None:
    apply(app, tokens)
    assert app.style().name().lower() == "fusion" or app.style().inherits("QStyleSheetStyle")
    assert app.palette().color(QPalette.ColorRole.Window) == QColor(tokens.window)
    assert app.palette().color(QPalette.ColorRole.WindowText) == QColor(tokens.text)


def test_a_theme_can_be_switched_while_running(app: QApplication) -> None:
    apply(app, LIGHT)
    dark = apply(app, DARK)
    assert dark.foreground == DARK.text
    assert app.palette().color(QPalette.ColorRole.Base) == QColor(DARK.surface)


def test_scroll_bars_follow_although_the_style_sheet_stays_the_same(app: QApplication, qtbot: QtBot) -> None:
    bar = QScrollBar(Qt.Orientation.Vertical)
    qtbot.addWidget(bar)
    bar.setRange(0, 10)
    bar.setPageStep(1000)  # (its handle takes nearly all of it)
    bar.resize(12, 100)
    bar.show()
    sheets = set()
    for tokens in (LIGHT, DARK, LIGHT):
        apply(app, tokens)
        sheets.add(app.styleSheet())
        assert bar.grab().toImage().pixelColor(6, 50) == QColor(tokens.outline)
    assert len(sheets) == 1


def test_nothing_moves_where_motion_is_unwanted(app: QApplication, qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    apply(app, LIGHT, reduced_motion=True)
    assert movement_ms(widget) == 0
    apply(app, LIGHT)
    assert movement_ms(widget) > 0


def test_lines_leave_room_for_reading(qapp: QApplication) -> None:
    theme = Theme.of(LIGHT)
    assert theme.body.pointSizeF() >= 11
    assert 1.45 <= theme.line / QFontInfo(theme.body).pixelSize() <= 1.6
    assert theme.mono.pointSizeF() == pytest.approx(theme.body.pointSizeF() * 0.92)


def test_fonts_name_their_fall_backs_and_only_such_as_exist(qapp: QApplication) -> None:
    theme = Theme.of(LIGHT)
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).families()
    assert theme.body.families()[: len(system)] == system
    assert all(QFontDatabase.hasFamily(name) for name in theme.body.families()[len(system) :])
    mono = QFontMetricsF(theme.mono)
    assert mono.horizontalAdvance("iiii") == mono.horizontalAdvance("WWWW")


def test_the_quiet_voice_is_smaller_and_muted(qapp: QApplication) -> None:
    theme = Theme.of(LIGHT)
    quiet = theme.quiet()
    assert quiet.foreground == LIGHT.muted
    assert quiet.body.pointSizeF() < theme.body.pointSizeF()
    assert quiet.line < theme.line


def test_the_style_sheet_stays_small(app: QApplication) -> None:
    apply(app, LIGHT)
    assert 0 < app.styleSheet().count("{") < 20


def test_the_scheme_of_the_desktop_is_a_known_one(qapp: QApplication) -> None:
    assert tokens_for(system_scheme()) in (LIGHT, DARK)
    assert tokens_for("dark") is DARK
    assert tokens_for("dark", high_contrast=True) is HIGH_DARK
    assert tokens_for("light", high_contrast=True) is HIGH_LIGHT
    assert system_contrast() in (True, False)


def test_a_widget_finds_the_theme_that_was_applied_with_its_accent_and_its_fonts(app: QApplication) -> None:
    theme = apply(app, with_accent(DARK, "#FF0000"), Typography(points=20.0))
    assert applied(app.palette()) is theme


def test_a_widget_with_another_palette_gets_the_nearer_theme(app: QApplication) -> None:
    apply(app, DARK)
    assert applied(palette(LIGHT)).tokens is LIGHT
    assert applied(QPalette(QColor("#222222"))).tokens is DARK
