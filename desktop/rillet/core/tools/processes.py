"""Commands as child processes that are ended whole: with everything they started, whatever ends first.

Runs argument vectors, never text for a shell; knows no tool and no policy, and adds nothing to the environment it is
given (``environment`` makes a minimal one). Above: ``warden``, the program between us and every command. Below:
``builtin/shell``, ``sandbox`` and ``environment`` run commands to their end; ``mcp`` talks to a server's pipes.

Guarantees: once ``stop`` or ``wait`` has returned nothing of the command lives, within three seconds of being asked,
and nothing of it survives this program, also when that is killed. (But a command that kills its warden and has made a
session of its own does: confined ones cannot, see ``sandbox``.) A cancelled ``stop`` goes on. No thread is started, and
no child watcher of asyncio is needed. The ways of Windows were read, not run.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from io import FileIO
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools import warden, warden_windows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType, TracebackType

PATIENCE: Final = 2.5
"""Seconds for the warden to end everything; it needs a little more than one."""
BUFFER: Final = 256 * 1024
"""Bytes of output that wait in memory before the command has to."""


class Process:
    """A command that was started with ``Process.start``; as an async context manager it is stopped at the end.

    Attributes:
        pid: Of the command itself (on Windows: of its warden).
        stdin: Where to write to; None when it was closed from the start.
        stdout: Its output, and that of stderr if they were merged. Read it: a command waits while nobody does.
        stderr: Its errors; None when they were merged.
    """

    def __init__(self, warden: _PosixWarden | _WindowsWarden) -> None:
        self._warden = warden
        self._end: asyncio.Task[int] | None = None
        self.pid = warden.pid
        self.stdin = warden.stdin
        self.stdout = warden.stdout
        self.stderr = warden.stderr

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path | None = None,
        stdin: bool = False,
        merge_stderr: bool = False,
    ) -> Process:
        """Run ``command``, whose program is found by the PATH of ``env``, in ``cwd``.

        Raises:
            OSError: it cannot be started: there is no such program or folder, or it is not ours to run.
            ValueError: a NUL stands in it.
        """
        kind = _WindowsWarden if os.name == "nt" else _PosixWarden
        return cls(await kind.start(command, env, cwd, stdin=stdin, merge_stderr=merge_stderr))

    async def __aenter__(self) -> Process:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def wait(self) -> int:
        """Wait until the command has ended by itself and what it left running was ended; its exit code.

        Negative: the signal that ended it. Somebody has to read its output meanwhile; what is still in the pipes then
        can be read up to their end.
        """
        await self._warden.gone()
        return await self._warden.reap()

    async def stop(self, patience: float = 0.0) -> int:
        """End it, and everything it started; the exit code of the command, as for ``wait``.

        First its stdin is closed and it has ``patience`` seconds to end by itself; then it is asked (TERM) and has one
        second; then it is killed. Once begun, that goes on even if the caller is cancelled. Nothing can be read after.
        """
        if self._end is None:
            self._end = asyncio.create_task(self._stop(patience))
        return await asyncio.shield(self._end)

    async def _stop(self, patience: float) -> int:
        if self.stdin is not None:
            self.stdin.close()
        if patience:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._warden.gone(), patience)
        self._warden.tell()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._warden.gone(), PATIENCE)
        code = await self._warden.reap()
        self._warden.close()
        return code


class _PosixWarden:
    """Our end of the pipes of ``warden``."""

    def __init__(self, process: subprocess.Popen[bytes], control: FileIO, status: FileIO) -> None:
        self._process = process
        self._control = control
        self._status = status
        self._transports: list[asyncio.BaseTransport] = []
        self._watch: asyncio.Task[None] | None = None
        self._code: int | None = None
        self.pid = 0
        self.stdin: asyncio.StreamWriter | None = None
        self.stdout = asyncio.StreamReader(BUFFER)
        self.stderr: asyncio.StreamReader | None = None

    @classmethod
    async def start(
        cls, command: Sequence[str], env: Mapping[str, str], cwd: Path | None, *, stdin: bool, merge_stderr: bool
    ) -> _PosixWarden:
        started = cls(*_spawn(command, env, cwd, stdin=stdin, merge_stderr=merge_stderr))
        try:
            await started._connect(command[0])
        except BaseException:
            await asyncio.shield(asyncio.create_task(started._abandon()))
            raise
        return started

    async def _connect(self, program: str) -> None:
        """Hand the pipes to the event loop, and wait for the word that the command runs."""
        if self._process.stdin is not None:
            self.stdin = await self._to_write(self._process.stdin)
        self.stdout = await self._to_read(self._process.stdout)
        if self._process.stderr is not None:
            self.stderr = await self._to_read(self._process.stderr)
        status = await self._to_read(self._status)
        process = await status.readline()
        if not process:
            raise ChildProcessError(f"{program} was not started: its warden ended")
        self.pid = int(process.removeprefix(b"process "))
        with suppress(TimeoutError):  # a command that is quick to stop its warden was started
            async with asyncio.timeout(PATIENCE):
                word, _, number = (await status.readline()).decode().partition(" ")
                if word == "failed":
                    raise OSError(int(number), os.strerror(int(number)), program)
        self._watch = asyncio.create_task(self._listen(status))

    async def _listen(self, status: asyncio.StreamReader) -> None:
        while line := await status.readline():
            if line.startswith(b"exit "):
                self._code = int(line.removeprefix(b"exit "))

    async def _to_read(self, pipe: Any) -> asyncio.StreamReader:
        reader = asyncio.StreamReader(BUFFER)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._transports.append(transport)
        return reader

    async def _to_write(self, pipe: Any) -> asyncio.StreamWriter:
        loop = asyncio.get_running_loop()
        # Its reader is for the flow control of drain() alone.
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), pipe
        )
        self._transports.append(transport)
        return asyncio.StreamWriter(transport, protocol, None, loop)

    async def gone(self) -> None:
        """Wait until the warden says that nothing is left, or is gone itself."""
        assert self._watch is not None
        await asyncio.shield(self._watch)

    def tell(self) -> None:
        """Tell it to end everything. It notices the same when we end, however we do."""
        self._control.close()

    async def reap(self) -> int:
        """See it off, by force where it does not go (a command may have stopped or killed it), and the command too."""
        assert self._watch is not None
        if not self._watch.done() or self._code is None:
            self._kill()
        self._control.close()
        await self._ended()
        return -signal.SIGKILL if self._code is None else self._code

    def close(self) -> None:
        """Close our ends of all pipes."""
        for transport in self._transports:
            transport.close()
        self._control.close()

    async def _abandon(self) -> None:
        """Give up one that was not started, or not to its end."""
        self.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr, self._status):
            if pipe is not None:
                pipe.close()
        try:
            await asyncio.wait_for(self._ended(), PATIENCE)
        except TimeoutError:
            self._kill()
            await self._ended()

    def _kill(self) -> None:
        """Do its work for it: it is stopped, or dead. In the latter case what left the command's group escapes."""
        for process in warden.descendants(self._process.pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        self._process.kill()
        if self.pid:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    async def _ended(self) -> None:
        """It has closed its pipes and is about to exit: look often at first."""
        pause = 0.001
        while self._process.poll() is None:
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.05)


class _WindowsWarden:
    """``warden_windows``, which dies with its command, and its command with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        self._process = process
        self.pid = process.pid
        self.stdin = process.stdin
        self.stdout = process.stdout
        self.stderr = process.stderr

    @classmethod
    async def start(
        cls, command: Sequence[str], env: Mapping[str, str], cwd: Path | None, *, stdin: bool, merge_stderr: bool
    ) -> _WindowsWarden:
        process = await asyncio.create_subprocess_exec(
            *_program(warden_windows),
            str(os.getpid()),
            *command,
            limit=BUFFER,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
            env=env,
            cwd=cwd,
            creationflags=0x08000000,  # CREATE_NO_WINDOW
        )
        return cls(process)

    async def gone(self) -> None:
        """Wait until it has ended."""
        await self._process.wait()

    def tell(self) -> None:
        """End it; there is no asking on Windows."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def reap(self) -> int:
        """The exit code of the command."""
        return await self._process.wait()

    def close(self) -> None:
        """Nothing to do: asyncio closes the pipes of a process that has ended."""


def _spawn(
    command: Sequence[str], env: Mapping[str, str], cwd: Path | None, *, stdin: bool, merge_stderr: bool
) -> tuple[subprocess.Popen[bytes], FileIO, FileIO]:
    """The warden of a command, and our ends of its two pipes: to control it, and to hear how it goes."""
    theirs_to_read, ours_to_write = os.pipe()
    ours_to_read, theirs_to_write = os.pipe()
    control, status = FileIO(ours_to_write, "w"), FileIO(ours_to_read, "r")
    try:
        process = subprocess.Popen(  # noqa: S603 (what it runs was judged before)
            [*_program(warden), str(theirs_to_read), str(theirs_to_write), *command],
            bufsize=0,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
            env=env,
            cwd=cwd,
            pass_fds=(theirs_to_read, theirs_to_write),
            start_new_session=True,
        )
    except BaseException:
        control.close()
        status.close()
        raise
    finally:
        os.close(theirs_to_read)
        os.close(theirs_to_write)
    return process, control, status


def _program(module: ModuleType) -> list[str]:
    """A warden as a program: by file, without site-packages; a frozen program has no other entrance than itself."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--warden"]
    return [sys.executable, "-I", "-S", str(module.__file__)]
