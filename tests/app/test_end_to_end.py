"""The real program on the real model, and what is left of it afterwards: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rillet.core.providers.local_server import LocalServer

needs_model = pytest.mark.skipif(
    not LocalServer().is_available, reason=f"THE BUILT-IN MODEL IS NOT INSTALLED: {LocalServer().missing}"
)

DRIVER = """
import sys
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from rillet.app import main as program
from rillet.app.window import MainWindow

class Person(QObject):
    \"\"\"Types a question, reads the answer, asks another, stops that one midway, closes the window.\"\"\"

    def __init__(self):
        super().__init__()
        self.steps = [self.ask_first, self.read, self.ask_second, self.stop, self.leave]
        self.timer = QTimer(self)
        self.timer.timeout.connect(self.look)
        self.timer.start(20)

    def look(self):
        windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow) and each.isVisible()]
        if windows and self.steps and self.steps[0](windows[0]):
            self.steps.pop(0)

    def type(self, window, text):
        field = window.view.composer.focusProxy()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        return True

    def ask_first(self, window):
        return self.type(window, "Say hello.")

    def read(self, window):
        if not window.view.handles():
            return False
        handle = window.view.handles()[-1]
        if handle.entry.foot.status:
            print("status:", handle.entry.foot.status, flush=True)
        if window.view.composer.isBusy() or handle.pending:
            return False
        print("answer:", bool(window.view.history()[-1].text.strip()), repr(handle.entry.foot.error), flush=True)
        return True

    def ask_second(self, window):
        return self.type(window, "Write a very long story about a river.")

    def stop(self, window):
        if len(window.view.history()) < 4 or len(window.view.history()[-1].text) < 20:
            return False
        next(each for each in window.findChildren(QToolButton) if each.accessibleName() == "Stop").click()
        self.steps.insert(1, self.see_stopped)
        return True

    def see_stopped(self, window):
        handle = window.view.handles()[-1]
        if window.view.composer.isBusy() or handle.pending:
            return False
        print("stopped:", handle.entry.foot.note, len(window.view.history()[-1].text) >= 20, flush=True)
        return True

    def leave(self, window):
        print("child:", window._services.local_server.is_running, flush=True)
        window.close()
        return True

program.make_application()
person = Person()
sys.exit(program.main())
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "default::ResourceWarning", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=110,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        check=False,
        start_new_session=True,
    )


def servers_left() -> list[str]:
    """Command lines of local servers that belong to this test's home folder."""
    home = os.environ["RILLET_HOME"].encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:
            continue
        if b"--local-server" in command and home in environment:
            found.append(command.decode(errors="replace"))
    return found


@needs_model
def test_a_person_asks_reads_stops_and_leaves() -> None:
    done = run(DRIVER)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "status: Starting the built-in model…" in lines
    assert "answer: True ''" in lines
    assert "stopped: Stopped by you True" in lines
    assert "child: True" in lines
    assert done.stderr.replace("This plugin does not support propagateSizeHints()\n", "") == ""
    assert servers_left() == []


@needs_model
def test_ask_streams_an_answer_to_the_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rillet", "--ask", "Say hello."],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert done.stdout.endswith("\n")
    assert "small offline model" in done.stderr
    assert servers_left() == []


@needs_model
def test_ctrl_c_in_the_terminal_ends_with_130_and_leaves_no_process() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "rillet", "--ask", "Write a very long story about a river."],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert servers_left() == []


def test_ask_with_an_address_where_nobody_listens_fails_with_a_sentence(tmp_path: Path) -> None:
    home = Path(os.environ["RILLET_HOME"])
    home.mkdir(parents=True)
    (home / "settings.json").write_text(
        '{"provider": "127.0.0.1:9/v1", "endpoints": [{"url": "http://127.0.0.1:9/v1", "model": "m"}]}',
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "rillet", "--ask", "Hi"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_version_is_told_without_loading_qt() -> None:
    code = """
    import sys
    from rillet.__main__ import main
    try:
        main(["--version"])
    finally:
        print("PySide6" in sys.modules)
    """
    assert run(code).stdout.split() == ["rillet", "0.1.0", "False"]
