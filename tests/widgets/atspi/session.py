"""Runs the program and the reader on a display and a bus of their own; prints what the reader printed last.

To be started by ``dbus-run-session``. Arguments: the launcher of the accessibility bus, and a Python that knows Atspi.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).parent
PIPE = subprocess.PIPE
PATIENCE = 40


def main(launcher: str, python: str) -> None:
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(PATIENCE)
    with ExitStack() as stack:

        def start(*command: str, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
            process = stack.enter_context(subprocess.Popen(command, text=True, stdout=stdout, stdin=PIPE))
            stack.callback(process.terminate)  # not kill: the launcher has to take its bus with it
            return process

        display = start("Xvfb", "-displayfd", "1", "-screen", "0", "1000x1100x24", "-nolisten", "tcp", stdout=PIPE)
        assert display.stdout is not None
        os.environ["DISPLAY"] = f":{display.stdout.readline().strip()}"
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        os.environ["QT_LINUX_ACCESSIBILITY_ALWAYS_ON"] = "1"
        start(launcher, "--launch-immediately")
        program = start(sys.executable, str(HERE / "program.py"))
        reader = start(python, "-E", str(HERE / "reader.py"), "Answer finished", stdout=PIPE)  # -E: not our packages
        assert program.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
        program.stdin.write("stream\n")
        program.stdin.flush()
        sys.stdout.write(reader.stdout.readline())


def _give_up(_number: int, _frame: object) -> NoReturn:
    raise TimeoutError(f"nothing was heard for {PATIENCE} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
