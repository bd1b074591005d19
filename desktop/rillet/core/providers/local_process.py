"""One child process that serves a model: start it, wait until it is ready, end it.

Every call blocks and none starts a thread. Knows the three pipes described in ``local_child`` but not what is behind
them, and makes no decision: no restart, no time limit, no error of ours. Above: the standard library and
``local_child``. Below: ``local_server`` decides. Guarantee: after ``end`` the process is gone and reaped.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PATIENCE = 1.0
"""Seconds for the child to end by itself, and again after it was killed."""
LONGEST_LINE = 65536
TAIL = 2000
"""Bytes of stderr that are looked at."""


class LocalProcess:
    """A running child. Construction raises OSError when the program cannot be started.

    ``kill``, ``end`` and ``is_running`` may be called from any thread, also while another one is in ``wait_ready``.
    """

    def __init__(self, command: Sequence[str], config: Mapping[str, str]) -> None:
        self._ending = threading.Lock()
        self._last_words = ""
        # A file rather than a pipe: nobody has to drain it, and its end is there when the child has died.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed by end)
        try:
            self._process = subprocess.Popen(  # noqa: S603 (our own program)
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                # Ctrl+C in a terminal is for the program; the child follows by the end of its stdin.
                start_new_session=True,
                creationflags=_creation_flags(),
            )
        except OSError:
            self._stderr.close()
            raise
        assert self._process.stdin is not None
        with suppress(OSError):  # it has died already: wait_ready tells
            self._process.stdin.write(json.dumps(config).encode() + b"\n")
            self._process.stdin.flush()

    @property
    def is_running(self) -> bool:
        """Whether the process lives."""
        return self._process.poll() is None

    def wait_ready(self) -> str | None:
        """Wait for the ready line and return its URL, or None when stdout ended without one. Call it once.

        Lines that are something else are skipped. ``kill`` from another thread ends the wait.
        """
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            while line := stdout.readline(LONGEST_LINE):
                if url := _url(line):
                    return url
        return None

    def kill(self) -> None:
        """End the process by force, without waiting."""
        self._process.kill()

    def end(self) -> None:
        """Close stdin, wait, kill if that was not enough, and reap: at most two seconds."""
        assert self._process.stdin is not None
        with self._ending:
            if self._stderr.closed:
                return
            with suppress(OSError):  # the rest of a configuration that a dead child did not read
                self._process.stdin.close()
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(PATIENCE)
            self._last_words = self._read_tail()
            self._stderr.close()

    @property
    def obituary(self) -> str:
        """How it ended, after ``end``: the exit code and its last line on stderr."""
        code = self._process.returncode
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}, {self._last_words}" if self._last_words else how

    def _read_tail(self) -> str:
        size = self._stderr.seek(0, 2)
        self._stderr.seek(max(0, size - TAIL))
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""


def _creation_flags() -> int:
    """No console window flashes up on Windows."""
    if sys.platform == "win32":
        return subprocess.CREATE_NO_WINDOW
    return 0


def _url(line: bytes) -> str | None:
    """The address in a ready line, or None when it is not one."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    url = value.get("url") if isinstance(value, dict) else None
    return url if isinstance(url, str) and url.startswith("http://127.0.0.1:") else None
