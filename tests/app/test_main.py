"""Start-up: what is loaded when the window paints, and that light and dark follow the desktop."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QWidget

from rillet.app.icon import SIZES, program_icon
from rillet.app.look import Look
from rillet.app.main import FirstPaint
from rillet.app.window_state import WindowState
from rillet.core.config.paths import paths
from rillet.core.store import drafts
from rillet.core.store.database import connect
from rillet.widgets.theme.options import ThemeOptions
from rillet.widgets.theme.tokens import DARK, HIGH_LIGHT, LIGHT

if TYPE_CHECKING:
    import pytest
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

UNWANTED = (
    *("httpx", "asyncio", "markdown_it", "pygments", "keyring", "qasync", "msgspec", "sqlite3"),
    "rillet.widgets.transcript.view",
)
"""What the first paint does without."""

PROGRAM = f"""
import sys
from rillet.app import main as program
def stop(self):
    print("painted with", [name for name in {UNWANTED!r} if name in sys.modules])
    self._window.close()
program.Program.complete = stop
sys.exit(program.main())
"""


ENDED_FROM_OUTSIDE = """
import asyncio, sys
from PySide6.QtCore import QTimer
from rillet.app import main as program
fill = program.Program._fill
async def fill_and_end(self, services):
    await fill(self, services)
    self._window.view.composer.setText("half a question")
    QTimer.singleShot(0, self._app.exit)
program.Program._fill = fill_and_end
sys.exit(program.main())
"""


def printed_by(program: str) -> str:
    """What a program prints that ends well."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_loop_that_is_ended_from_outside_ends_as_a_window_that_is_closed() -> None:
    printed_by(ENDED_FROM_OUTSIDE)
    assert not WindowState(paths().window).geometry.isEmpty()
    with closing(connect(paths().store, writable=False)) as db:
        assert drafts.load(db, drafts.NEW_CHAT).text == "half a question"


def test_the_window_paints_before_network_markdown_and_colours_are_imported() -> None:
    assert printed_by(PROGRAM) == "painted with []\n"


def test_the_first_paint_is_told_once(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    told: list[bool] = []
    FirstPaint(widget, lambda: told.append(True))
    widget.show()
    qtbot.waitUntil(lambda: bool(told))
    widget.repaint()
    widget.hide()
    widget.show()
    qtbot.waitExposed(widget)
    assert told == [True]


def test_the_program_turns_dark_and_light_with_the_desktop(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    hints = QGuiApplication.styleHints()
    look = Look(qapp)
    scheme = Qt.ColorScheme.Dark
    monkeypatch.setattr(type(hints), "colorScheme", lambda _: scheme)
    look.onSchemeChanged()
    assert look.theme.tokens is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window).name().upper() == DARK.window
    scheme = Qt.ColorScheme.Light
    look.onSchemeChanged()
    assert look.theme.tokens is LIGHT
    assert qapp.palette().color(QPalette.ColorRole.Window).name().upper() == LIGHT.window


def test_what_the_person_chose_goes_before_the_desktop(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Look(qapp, ThemeOptions(scheme="light", contrast="high", accent="#2563C9"))
    assert look.theme.tokens.text == HIGH_LIGHT.text
    chosen = look.theme
    monkeypatch.setattr(type(QGuiApplication.styleHints()), "colorScheme", lambda _: Qt.ColorScheme.Dark)
    look.onSchemeChanged()
    assert look.theme is chosen


def test_the_icon_is_there_in_every_size(qapp: QApplication) -> None:
    icon = program_icon()
    assert sorted(size.width() for size in icon.availableSizes()) == sorted(SIZES)
    image = icon.pixmap(64, 64).toImage()
    assert image.pixelColor(32, 12).alpha() == 255
    assert image.pixelColor(0, 0).alpha() == 0
