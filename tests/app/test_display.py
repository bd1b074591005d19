"""No display, no abort."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rillet.app.display import explaining


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    """The program, with nothing that names a display but ``environment``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    command = [sys.executable, "-c", "from rillet.app.main import main; main()"]
    return subprocess.run(command, env=kept | environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_a_sentence_says_what_to_do() -> None:
    done = start()
    assert done.returncode == 1
    assert done.stderr == (
        "Rillet cannot open a window: DISPLAY and WAYLAND_DISPLAY are not set.\n"
        'Start it in a desktop session, or ask in the terminal: rillet --ask "…"\n'
    )


def test_what_qt_says_is_passed_on_when_its_plugin_fails() -> None:
    done = start(QT_QPA_PLATFORM="no-such-platform")
    assert done.returncode == 1
    assert done.stderr.startswith("Rillet cannot open a window.\n")
    assert "no-such-platform" in done.stderr
    assert "Reinstalling" not in done.stderr


def test_messages_of_a_start_that_succeeds_are_not_lost(capsys: pytest.CaptureFixture[str]) -> None:
    from PySide6.QtCore import qWarning

    with explaining(lambda: None):
        qWarning("the theme is odd")
    assert capsys.readouterr().err == "the theme is odd\n"
