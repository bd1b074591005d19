"""One window, however often the program is started, and whatever became of the one before."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rillet.app import instance as instance_module
from rillet.app.instance import Instance, _address
from rillet.core.config.paths import paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

PROGRAM = """
import os, sys
if os.environ.get("RILLET_TEST_NO_LOCKS"):
    import errno
    from rillet.app import instance
    def no_lock(file):
        raise OSError(errno.ENOLCK, "No locks available")
    instance._lock = no_lock
from PySide6.QtCore import QTimer
from rillet.app import main as program
from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
complete, come_forward = program.Program.complete, MainWindow.comeForward
def completed(self):
    complete(self)
    print("window", flush=True)
def came_forward(self):
    come_forward(self)
    print("forward", flush=True)
program.Program.complete = completed
MainWindow.comeForward = came_forward
from rillet.__main__ import main
sys.exit(main([]))
"""


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))


@pytest.fixture
def programs() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for program in started:
        program.kill()
        program.communicate()


def start(programs: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    programs.append(program)
    return program


def line(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


def test_a_second_start_brings_the_first_window_forward_and_ends(programs: list[subprocess.Popen[str]]) -> None:
    first = start(programs)
    assert line(first) == "window"
    second = start(programs)
    assert second.wait(30) == 0
    assert line(first) == "forward"
    first.terminate()
    assert first.wait(30) == 0


def test_of_many_starts_at_once_one_opens_a_window(programs: list[subprocess.Popen[str]]) -> None:
    for _ in range(6):
        start(programs)
    codes, windows = [], 0
    for program in programs:
        if (said := line(program)) == "window":
            windows += 1
        else:
            assert said == ""
            codes.append(program.wait(60))
    assert windows == 1
    assert codes == [0] * 5


def test_one_that_was_killed_is_in_nobodys_way(programs: list[subprocess.Popen[str]]) -> None:
    first = start(programs)
    assert line(first) == "window"
    first.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    first.wait(30)
    second = start(programs)
    assert line(second) == "window"
    third = start(programs)
    assert third.wait(30) == 0
    assert line(second) == "forward"


def test_one_that_does_not_answer_is_told_of_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance_module, "PATIENCE", 0.0)
    first = Instance.claim()
    assert first is not None
    with pytest.raises(TimeoutError):
        Instance.claim()
    first.close()
    second = Instance.claim()
    assert second is not None
    second.close()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="its folders keep nobody out")
def test_where_nothing_can_be_written_the_program_starts_all_the_same() -> None:
    paths().data.parent.chmod(0o500)
    try:
        first, second = Instance.claim(), Instance.claim()
        assert first is not None
        assert second is not None
        first.listen()
    finally:
        paths().data.parent.chmod(0o700)


def test_a_file_in_the_place_of_the_folder_keeps_nobody_from_starting() -> None:
    paths().data.write_bytes(b"")
    first, second = Instance.claim(), Instance.claim()
    assert first is not None
    assert second is not None
    first.listen()


def test_the_lock_of_an_earlier_run_serves_on_a_disk_that_cannot_be_written_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(instance_module, "PATIENCE", 0.0)
    before = Instance.claim()
    assert before is not None
    before.close()
    really = Path.open

    def read_only(path: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
        if path.name == "rillet.lock" and mode != "rb":
            raise OSError(errno.EROFS, "Read-only file system")
        return really(path, mode, *args, **options)

    monkeypatch.setattr(Path, "open", read_only)
    first = Instance.claim()
    assert first is not None
    assert first.alone
    with pytest.raises(TimeoutError):
        Instance.claim()
    first.close()


def test_where_locks_cannot_be_had_nobody_writes_into_the_log_of_another(
    programs: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RILLET_TEST_NO_LOCKS", "yes")
    first, second = start(programs), start(programs)
    assert (line(first), line(second)) == ("window", "window")
    assert sorted(each.name for each in paths().data.glob("*.log")) == sorted(
        f"rillet.{program.pid}.log" for program in (first, second)
    )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes leave nothing behind")
def test_only_this_user_can_knock(qtbot: QtBot) -> None:
    first = Instance.claim()
    assert first is not None
    first.listen()
    assert Path(_address()).stat().st_mode & 0o077 == 0
    first.close()


def test_the_token_of_the_desktop_is_handed_over(
    programs: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    first = Instance.claim()
    assert first is not None
    first.listen()
    monkeypatch.setenv("XDG_ACTIVATION_TOKEN", "token-of-the-second")
    with qtbot.waitSignal(first.wanted):
        second = start(programs)
        monkeypatch.delenv("XDG_ACTIVATION_TOKEN")
    assert os.environ["XDG_ACTIVATION_TOKEN"] == "token-of-the-second"
    assert second.wait(30) == 0
    first.close()
