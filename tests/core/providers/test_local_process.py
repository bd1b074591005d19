"""One child process, from its start to its last words."""

from __future__ import annotations

import signal
import sys
import threading

import pytest

from rillet.core.providers.local_process import LONGEST_LINE, LocalProcess


def start(script: str, **config: str) -> LocalProcess:
    return LocalProcess([sys.executable, "-c", f"import os, sys\n{script}"], config)


def test_the_child_gets_its_configuration_as_one_line() -> None:
    process = start("print(input().replace('key', 'url'), flush=True); sys.stdin.read()", key="http://127.0.0.1:7")
    assert process.wait_ready() == "http://127.0.0.1:7"
    was_running = process.is_running
    process.end()
    assert (was_running, process.is_running) == (True, False)
    assert process.obituary == "exit code 0"


@pytest.mark.parametrize(
    ("script", "obituary"),
    [
        ("sys.exit(3)", "exit code 3"),
        ("print('first\\nno such tensor\\n', file=sys.stderr); sys.exit(1)", "exit code 1, no such tensor"),
        ("os.write(2, b'x' * 100_000 + b'\\n\\xff last'); sys.exit(1)", "exit code 1, \ufffd last"),
        ("os.kill(os.getpid(), 9)", f"signal {signal.SIGKILL:d}"),
    ],
)
def test_the_obituary_says_how_it_ended_and_its_last_line(script: str, obituary: str) -> None:
    process = start(script)
    assert process.wait_ready() is None
    process.end()
    assert process.obituary == obituary


def test_a_child_that_does_not_read_its_configuration_is_no_error() -> None:
    process = start("sys.exit(0)", model="x" * 50_000)
    assert process.wait_ready() is None
    process.end()


def test_a_line_that_never_ends_is_read_in_pieces_and_skipped() -> None:
    process = start(f"print('x' * {LONGEST_LINE * 4}, flush=True)")
    assert process.wait_ready() is None
    process.end()


def test_kill_wakes_the_thread_that_waits() -> None:
    process = start("sys.stdin.read()")
    waiting = threading.Thread(target=process.wait_ready)
    waiting.start()
    process.kill()
    waiting.join()
    process.end()
    assert process.obituary == f"signal {signal.SIGKILL:d}"


def test_ending_it_from_several_threads_is_ending_it_once() -> None:
    process = start('import time; print(\'{"url": "http://127.0.0.1:7"}\', flush=True); sys.stdin.read()')
    process.wait_ready()
    threads = [threading.Thread(target=process.end) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    process.end()
    assert process.obituary == "exit code 0"


def test_a_program_that_does_not_exist_leaves_nothing_open() -> None:
    with pytest.raises(OSError, match="nonexistent"):
        LocalProcess(["/nonexistent/program"], {})
