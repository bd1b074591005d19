"""The real program is crashed; its next start says so, shows all that was kept, and there is no secret in it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from rillet.core.config.paths import paths

CANARY = "sk-canary-0815-9f3e7a"

PROGRAM = """
import faulthandler, json, logging, os, signal, sys, threading
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit
from rillet import __main__
from rillet.app import coroutines
from rillet.app.crash.report_dialog import ReportDialog
from rillet.app.main import Program
from rillet.app.window import MainWindow
from rillet.widgets.blocks.button import Button

way, canary = sys.argv[1:]
del sys.argv[1:]
real = Program._tell_of_crash

def wrong():
    raise KeyError(canary)

async def wrong_coroutine():
    raise ValueError(canary)

def go_wrong(window):
    window.view.composer.setText(canary)
    QTimer.singleShot(0, wrong)
    coroutines.start(wrong_coroutine())
    thread = threading.Thread(target=wrong)
    thread.start()
    thread.join()
    logging.getLogger("library").warning("refused %s", canary, exc_info=KeyError(canary))
    qWarning(f'Could not parse "{canary}"')
    QTimer.singleShot(100, lambda: crash(window))

def crash(_window):
    if way == "segfault":
        faulthandler._sigsegv()
    os.kill(os.getpid(), signal.SIGKILL)

def look(window):
    banner = window._banner.text
    shown = words = copied = ""
    if banner:
        next(each for each in window.findChildren(Button) if each.text() == "Show report").click()
        dialog = window.findChild(ReportDialog)
        shown = dialog.findChild(QPlainTextEdit).toPlainText()
        next(each for each in dialog.findChildren(Button) if each.text() == "Copy").click()
        words = " ".join(each.text() for each in dialog.findChildren(QLabel))
        copied = QGuiApplication.clipboard().text()
        QGuiApplication.clipboard().clear()
        dialog.close()
    print(json.dumps({"banner": banner, "shown": shown, "words": words, "copied": copied}), flush=True)
    window.close()

def told(self):
    real(self)
    window = next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))
    QTimer.singleShot(0, lambda: {"look": look, "segfault": go_wrong, "killed": crash}[way](window))

Program._tell_of_crash = told
sys.exit(__main__.main([]))
"""


NOTHING = {"banner": "", "shown": "", "words": "", "copied": ""}


def run(way: str) -> tuple[int, dict[str, Any]]:
    paths().settings.parent.mkdir(parents=True, exist_ok=True)
    paths().settings.write_text(json.dumps({"welcomed": True}), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, way, CANARY],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else {"errors": done.stderr}


def test_an_ordinary_end_is_not_spoken_of() -> None:
    for _ in range(2):
        assert run("look") == (0, NOTHING)


@pytest.mark.skipif(sys.platform == "win32", reason="it ends in another way there")
def test_a_crash_is_told_once_with_all_that_is_known_and_no_secret() -> None:
    code, _ = run("segfault")
    assert code == -signal.SIGSEGV
    kept = paths().log.read_text(encoding="utf-8")
    assert "canary" not in kept
    code, said = run("look")
    assert code == 0
    assert said["banner"] == "Rillet ended unexpectedly last time."
    assert said["copied"] == said["shown"]
    assert "nobody is sent it" in said["words"]
    assert "no trace" not in said["words"]
    for words in (
        "Segmentation fault",
        "in crash",
        "KeyError",
        "ValueError",
        "in wrong_coroutine",
        "WARNING of library",
    ):
        assert words in said["shown"], said["shown"]
    assert "QtWarningMsg: Could not parse “…”" in said["shown"]
    assert "error on another thread" in said["shown"]
    assert "canary" not in said["shown"]
    assert str(paths().data) not in said["shown"]
    assert run("look") == (0, NOTHING)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_program_that_was_killed_says_that_there_is_no_trace() -> None:
    code, _ = run("killed")
    assert code == -signal.SIGKILL
    _, said = run("look")
    assert said["banner"] == "Rillet ended unexpectedly last time."
    assert said["shown"].startswith("=== Rillet")
    assert "\n" not in said["shown"]
    assert "There is no trace of an error" in said["words"]
