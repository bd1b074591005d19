"""The parent of a command that a model or a server runs: nothing that the command starts outlives it.

A program of its own between us and the command, started by file (``-I -S``, twenty milliseconds) and hence made of the
standard library only. It becomes the parent of every orphan below it (Linux), so a process that daemonises is still
found, and it notices by the end of a pipe that the program has died, even of ``kill -9``. Below: ``processes`` is the
other end of its pipes; ``warden_windows`` does the same with a job object.

    warden CONTROL STATUS COMMAND …        two descriptors, then what to run, found by PATH

    CONTROL    its end, or a byte, means: stop the command. Whatever still runs is asked (TERM), then killed
    STATUS     lines: "process PID", then "started" or "failed ERRNO", then "exit CODE" (negative: a signal) when the
               command itself has ended; and the end of the pipe when everything below it has

Standard input, output and error are the command's alone, and so is the environment (to which Python adds LC_CTYPE where
nothing says a language, PEP 538). Where there is no ``/proc`` (macOS), orphans are found by
their session, and one that opened a session of its own escapes; that branch was run on Linux only. Root's processes
(``sudo``) cannot be ended by us and are left.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
"""linux/prctl.h"""
ASKED = 1.0
"""Seconds that processes have to end when the command is stopped."""
LEFT_BEHIND = 0.2
"""The same for what a command that ended left running."""
PAUSE = 0.01
HAS_PROC = sys.platform == "linux"


def main(arguments: list[str]) -> int:
    """Run the command and outlive everything that it starts."""
    control, status = int(arguments[0]), int(arguments[1])
    for descriptor in (control, status):
        os.set_inheritable(descriptor, False)
    _adopt_orphans()
    wake = _wake_up_on_signals()
    command = _start(arguments[2:], status)
    if command is None:
        return 127
    _let_go_of_standard_streams()
    stopped = _wait(command, control, wake, status)
    _end(command, ASKED if stopped else LEFT_BEHIND, status)
    return 0


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wake_up_on_signals() -> int:
    """A descriptor that is readable after a signal. What would end us does not: only the control pipe decides."""
    wake, write = os.pipe()
    os.set_blocking(write, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda number, frame: None)  # a handler, unlike SIG_IGN, is not inherited
    return wake


def _start(command: list[str], status: int) -> int | None:
    """Start the command in a session of its own, so that its ``kill 0`` does not reach us."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.setsid()
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            _tell(status, f"process {os.getpid()}")  # told before it could turn against us
            os.execvp(command[0], command)  # noqa: S606 (what it runs was judged before)
        except OSError as error:
            os.write(writing, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(writing)
    failure = os.read(reading, 16)
    os.close(reading)
    if failure:
        os.waitpid(process, 0)
        _tell(status, f"failed {failure.decode()}")
        return None
    _tell(status, "started")
    return process


def _let_go_of_standard_streams() -> None:
    """Else whoever reads the command's output would wait for our end as well."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _wait(command: int, control: int, wake: int, status: int) -> bool:
    """Wait until the command has ended; True when we were told to stop it before that."""
    while True:
        readable, _, _ = select.select([control, wake], [], [])
        if wake in readable:
            with suppress(BlockingIOError):
                os.read(wake, 512)
            if _reap(command, status):
                return False
        if control in readable:
            return True


def _reap(command: int, status: int) -> bool:
    """Take leave of children that have ended; whether the command was among them."""
    ended = False
    with suppress(ChildProcessError):
        while (child := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            if child[0] == command:
                ended = True
                _tell(status, f"exit {os.waitstatus_to_exitcode(child[1])}")
    return ended


def _end(command: int, patience: float, status: int) -> None:
    """Return when nothing is left."""
    deadline = time.monotonic() + patience
    asked: set[int] = set()
    while not _is_alone(command):
        left = _below(command)
        if time.monotonic() < deadline:
            if left - asked:
                asked |= _ask(command, asked)
        else:
            _freeze(command)
            if left and not _signal(_below(command), signal.SIGKILL):
                return
        _reap(command, status)
        time.sleep(PAUSE)


def _ask(command: int, asked: set[int]) -> set[int]:
    """Ask everything to end that was not asked yet: which.

    All at a time: a shell whose child ends first would go on with the next command before its own turn came.
    """
    _freeze(command)
    everything = _below(command)
    _signal(everything - asked, signal.SIGTERM)
    _signal(everything, signal.SIGCONT)
    return everything


def _is_alone(command: int) -> bool:
    """Whether nothing is left.

    A parent of all orphans has a child as long as anything below it lives; the list of processes is no proof, because
    what is forked while it is read can be missing.
    """
    if not HAS_PROC:
        return not _below(command)
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def _freeze(command: int) -> None:
    """Stop everything before it is asked or killed, as long as new ones turn up: what forks faster than we look."""
    seen: set[int] = set()
    for _ in range(100):
        new = _below(command) - seen
        if not _signal(new, signal.SIGSTOP):
            return
        seen |= new


def _signal(processes: set[int], number: int) -> int:
    """Send a signal; how many got it."""
    reached = 0
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)
            reached += 1
    return reached


def _below(command: int) -> set[int]:
    """Everything that lives and descends from us; without /proc also the rest of the command's session."""
    return descendants(os.getpid()) if HAS_PROC else _session(command)


def descendants(ancestor: int) -> set[int]:
    """The living processes below one."""
    return _descendants(ancestor, _parents_from_proc() if HAS_PROC else _parents_from_ps())


def _descendants(ancestor: int, parents: dict[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for process, parent in parents.items():
        children.setdefault(parent, []).append(process)
    found: set[int] = set()
    queue = [ancestor]
    while queue:
        for child in children.get(queue.pop(), ()):
            if child not in found:
                found.add(child)
                queue.append(child)
    return found


def _session(command: int) -> set[int]:
    parents = _parents_from_ps()
    found = _descendants(os.getpid(), parents)
    for process in parents:
        with suppress(ProcessLookupError, PermissionError):
            if os.getsid(process) == command:
                found.add(process)
    return found


def _parents_from_proc() -> dict[int, int]:
    """Process → its parent, without zombies, from /proc (proc(5)): the name in parentheses may hold parentheses."""
    parents: dict[int, int] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError), open(f"/proc/{entry.name}/stat", "rb") as file:  # noqa: PTH123 (no slow imports here)
                state, parent = file.read().rpartition(b")")[2].split(None, 2)[:2]
                if state != b"Z":
                    parents[int(entry.name)] = int(parent)
    return parents


def _parents_from_ps() -> dict[int, int]:
    """The same from ps (POSIX, but for "stat"), without itself."""
    import subprocess  # not where there is /proc

    with subprocess.Popen(["/bin/ps", "-A", "-o", "pid=,ppid=,stat="], stdout=subprocess.PIPE) as ps:
        listing = ps.communicate()[0].decode()
    lines = [line.split() for line in listing.splitlines()]
    parents = {int(process): int(parent) for process, parent, state in lines if not state.startswith("Z")}
    parents.pop(ps.pid, None)
    return parents


def _tell(status: int, line: str) -> None:
    with suppress(BrokenPipeError):  # nobody is there any more
        os.write(status, f"{line}\n".encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
