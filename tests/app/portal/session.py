"""Runs a desktop and a program that shows notices on one bus; prints what either did, a line of JSON each.

To be started by ``dbus-run-session``. Argument: a Python that has gi.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from rillet.app.desktop_notice import DesktopNotices


def main(python: str) -> None:
    desktop = subprocess.Popen([python, "-E", str(Path(__file__).with_name("desktop.py"))], text=True, stdout=-1)
    assert desktop.stdout is not None
    try:
        sys.stdout.write(desktop.stdout.readline())
        app = QCoreApplication([])
        notices = DesktopNotices()
        notices.pressed.connect(lambda name: sys.stdout.write(f'["pressed", "{name}"]\n'))
        notices.pressed.connect(app.quit)
        notices.show("7", "Rillet", "Something")
        app.exec()
        notices.show("8", "Rillet", "Something else")
        notices.withdraw()  # (before it can be pressed)
        sys.stdout.writelines(desktop.stdout.readline() for _ in range(3))
    finally:
        desktop.terminate()
        desktop.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
