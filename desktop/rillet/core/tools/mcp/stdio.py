"""MCP over the standard input and output of a program: one message per line.

Knows processes, not sessions. Above: ``lines``, ``messages``, ``link``, ``processes`` (who ends whole trees, also after
``kill -9`` of this program). Below: ``server``. Guarantees: what is no message on standard output is skipped, counted
and noted; an answer beyond ``lines.LONGEST`` is refused at once instead of being waited for; standard error is always
read; nothing of the server lives when the link was left.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.tools.mcp.lines import HEAD, LONGEST, LineReader
from rillet.core.tools.mcp.link import Link
from rillet.core.tools.mcp.messages import answered_by, decode, encode
from rillet.core.tools.processes import Process

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.shared.message import SessionMessage

    from rillet.core.tools.mcp.lines import Line
    from rillet.core.tools.mcp.log_ring import LogRing

READ: Final = 64 * 1024
PATIENCE: Final = 1.0
"""Seconds for a server to end by itself when its standard input was closed; then it is asked, then killed."""
LAST_WORDS: Final = 0.5
"""Seconds that standard error of a server that ended is waited for."""
_BATCH: Final = (".cmd", ".bat")
_SPECIAL: Final = frozenset('"%&|<>^!()\r\n')


class StdioLink(Link):
    """A server that is a child process. ``env`` is all that it gets."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str | None, log: LogRing) -> None:
        super().__init__(log)
        self._command = command
        self._env = env
        self._cwd = cwd
        self._process: Process | None = None

    async def _open(self) -> None:
        cwd = _folder(self._cwd)
        program = resolve(self._command, self._env, cwd)
        try:
            self._process = await Process.start(
                [program, *self._command[1:]], env=self._env, cwd=cwd, stdin=True, merge_stderr=False
            )
        except (OSError, ValueError) as error:
            raise ServerFailure(f"{program} cannot be started: {error}") from error
        errors = self._spawn(partial(self._read_errors, self._process))
        self._spawn(partial(self._read_messages, self._process, errors))

    async def _send(self, message: SessionMessage) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(ConnectionError):  # it has ended, or closed its input: the end of its output tells
            self._process.stdin.write(encode(message.message) + b"\n")
            await self._process.stdin.drain()

    async def _close(self) -> None:
        if self._process is not None:
            await self._process.stop(PATIENCE)

    async def _read_messages(self, process: Process, errors: asyncio.Task[None]) -> None:
        reader = LineReader()
        while data := await process.stdout.read(READ):
            for line in reader.feed(data):
                await self._take(line)
            await asyncio.sleep(0)  # noise is skipped without waiting, so that a flood of it would let nobody else run
        for line in reader.finish():
            await self._take(line)
        await asyncio.wait([errors], timeout=LAST_WORDS)
        words = f": {self.log.last_words}" if self.log.last_words else ""
        self._lose(ServerFailure(f"it ended, or closed its output{words}"))

    async def _take(self, line: Line) -> None:
        if not line.is_whole:
            self.log.skip(f"a line of {line.size:,} bytes was skipped")
            if (request := answered_by(line.data, self._waiting)) is not None:
                await self._refuse(request, f"its answer is larger than {LONGEST // 1024 // 1024} MB")
            return
        messages = decode(line.data)
        if not messages:
            self.log.skip(line.data[:500].decode(errors="replace"))
            if (request := answered_by(line.data[:HEAD], self._waiting)) is not None:
                await self._refuse(request, "its answer is not what the protocol says")
        for message in messages:
            await self._deliver(message)

    async def _read_errors(self, process: Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(READ):
            self.log.feed(data)


def _folder(cwd: str | None) -> Path:
    folder = Path(cwd).expanduser() if cwd else Path.home()
    if not folder.is_dir():
        raise ServerFailure(f"there is no folder {folder}")
    return folder


def resolve(command: Sequence[str], env: Mapping[str, str], cwd: Path) -> str:
    """The file that a command names, looked for where the server would.

    Raises:
        ServerFailure: there is none, or it is a batch file and Windows would read more into its arguments.
    """
    program = command[0]
    if "/" in program or "\\" in program:
        path = Path(program).expanduser()
        found = shutil.which(str(path if path.is_absolute() else cwd / path), path=env.get("PATH", ""))
    else:
        found = shutil.which(program, path=env.get("PATH", ""))
    if found is None:
        hint = "; write the arguments in args" if len(command) == 1 and " " in program.strip() else ""
        raise ServerFailure(f"there is no program {program} on the path {env.get('PATH', '')}{hint}")
    if sys.platform == "win32" and found.lower().endswith(_BATCH) and any(_SPECIAL & set(each) for each in command[1:]):
        raise ServerFailure(f"{found} is a batch file: Windows would run parts of its arguments as commands")
    return found
