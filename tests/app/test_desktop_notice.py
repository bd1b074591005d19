"""Notices on the desktop, heard by a portal on a bus of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet.app.desktop_notice import DesktopNotices

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

SESSION = Path(__file__).parent / "portal" / "session.py"
PYTHON = "/usr/bin/python3"


def _missing() -> str:
    """What is not here and has to be, or ""."""
    if sys.platform != "linux":
        return "the portal is Linux's"
    if shutil.which("dbus-run-session") is None or shutil.which("dbus-daemon") is None:
        return "dbus"
    found = subprocess.run([PYTHON, "-c", "from gi.repository import Gio"], capture_output=True, check=False)
    return "python3-gi" if found.returncode else ""


def test_a_notice_is_shown_pressed_and_withdrawn() -> None:
    if missing := _missing():
        pytest.skip(f"no desktop can be made here: {missing}")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    del environment["DBUS_SESSION_BUS_ADDRESS"]
    command = ["dbus-run-session", "--", sys.executable, str(SESSION), PYTHON]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    notice = {"title": "Rillet", "body": "Something", "default-action": "show"}
    assert ["pressed", "7"] in said
    said.remove(["pressed", "7"])
    assert said == [
        ["ready"],
        ["AddNotification", "7", notice],
        ["AddNotification", "8", notice | {"body": "Something else"}],
        ["RemoveNotification", "8"],
    ]


def test_without_a_bus_nothing_happens(qtbot: QtBot) -> None:
    notices = DesktopNotices()
    with qtbot.assertNotEmitted(notices.pressed):
        notices.show("7", "Rillet", "Something")
        notices.withdraw()
