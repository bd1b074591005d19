"""Commands end whole: whatever they start, whoever ends first, and however we go."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
from pathlib import Path

import pytest

from rillet.core.tools import warden
from rillet.core.tools.processes import Process
from support.processes import ENV, alive, dead, living, word

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what lives is read from /proc")

DAEMON = (
    "import os, sys\n"
    "if os.fork(): os._exit(0)\n"
    "os.setsid()\n"
    "if os.fork(): os._exit(0)\n"
    "os.closerange(0, 64)\n"
    "os.execvp('sleep', ['sleep', sys.argv[1]])\n"
)
"""A daemon by the book: forked twice, in a session of its own, with nothing open."""


async def start(script: str, *arguments: str, stdin: bool = False) -> Process:
    return await Process.start(["bash", "-c", script, "bash", *arguments], env=ENV, stdin=stdin, merge_stderr=True)


async def run(script: str, *arguments: str) -> tuple[int, bytes]:
    async with await start(script, *arguments) as process:
        code = await process.wait()
        return code, await process.stdout.read()


async def test_output_and_exit_code_are_the_commands_own() -> None:
    assert await run("echo out; echo err >&2; exit 7") == (7, b"out\nerr\n")


async def test_stdout_and_stderr_come_apart_unless_they_are_merged() -> None:
    async with await Process.start(["bash", "-c", "echo out; echo err >&2"], env=ENV) as process:
        assert process.stderr is not None
        assert await process.stdout.read() == b"out\n"
        assert await process.stderr.read() == b"err\n"


async def test_a_signal_is_told_as_a_negative_code() -> None:
    assert await run("kill -KILL $$") == (-signal.SIGKILL, b"")


async def test_signals_are_as_a_shell_expects_them() -> None:
    code, output = await run("grep -E 'Sig(Blk|Ign)' /proc/self/status")
    assert code == 0
    glibc_keeps_for_itself = 0b11 << 31  # (signals 32 and 33: no program can set or clear them)
    assert [int(line.split()[1], 16) & ~glibc_keeps_for_itself for line in output.splitlines()] == [0, 0]


async def test_stdin_is_closed_unless_it_is_asked_for() -> None:
    assert await run("cat; echo end") == (0, b"end\n")


async def test_what_is_written_arrives_and_what_is_answered_comes_back() -> None:
    async with await start("cat", stdin=True) as process:
        assert process.stdin is not None
        process.stdin.write(b"there\n")
        assert await process.stdout.readline() == b"there\n"
        assert await process.stop(patience=5) == 0, "the end of its stdin was enough"


async def test_the_environment_is_what_was_given_and_no_terminal_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "key")
    code, output = await run("/usr/bin/env; : </dev/tty")
    names = {line.partition("=")[0] for line in output.decode().splitlines()}
    assert code
    assert names >= {"PATH"}
    assert "CANARY" not in names


async def test_no_descriptor_of_ours_is_inherited(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        _, output = await run("ls -l /proc/self/fd")
    shown = [line for line in output.decode().splitlines() if "->" in line and "/proc/" not in line]
    assert [line.split()[-3] for line in shown] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("command", "kind"), [(["no-such-program"], FileNotFoundError), (["/etc/passwd"], PermissionError)]
)
async def test_what_cannot_be_started_raises(command: list[str], kind: type[OSError]) -> None:
    with pytest.raises(kind) as caught:
        await Process.start(command, env=ENV)
    assert caught.value.filename == command[0]


async def test_a_folder_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await Process.start(["true"], env=ENV, cwd=tmp_path / "gone")


async def test_a_nul_raises() -> None:
    with pytest.raises(ValueError, match="null"):
        await Process.start(["echo", "a\0b"], env=ENV)


async def test_output_that_nobody_reads_makes_the_command_wait_and_costs_no_memory() -> None:
    async with await start("yes") as process:
        assert await process.stdout.readexactly(2) == b"y\n"
        seen = -1
        while (held := len(process.stdout._buffer)) != seen:  # type: ignore[attr-defined]
            seen = held
            for _ in range(100):
                await asyncio.sleep(0)
        assert seen < 2_000_000


@pytest.mark.parametrize(
    "left",
    [
        "sleep {mark} &",
        "nohup sleep {mark} >/dev/null 2>&1 &",
        "(sleep {mark} &)",
        "setsid sleep {mark} &",
        "setsid --fork sleep {mark}",
        "(trap '' TERM INT HUP; exec sleep {mark}) &",
        f'{sys.executable} -c "$0" {{mark}}',
        "sleep {mark} & disown; exec 1>&- 2>&-",
    ],
)
async def test_what_a_command_left_running_neither_holds_the_call_nor_survives(left: str) -> None:
    mark = word()
    script = f"{left.format(mark=mark)}\necho done; exit 4"
    async with await Process.start(["bash", "-c", script, DAEMON], env=ENV, merge_stderr=True) as process:
        assert await process.wait() == 4
        assert living(mark) == []


@pytest.mark.parametrize(
    "script",
    [
        "sleep {mark}",
        "sleep {mark} & sleep {mark} & wait",
        "trap '' TERM; sleep {mark}; sleep {mark}",
        "bash -c 'trap \"\" TERM; sleep {mark} & sleep {mark}' | cat",
        "setsid bash -c '(sleep {mark} &); sleep {mark}' & sleep {mark}",
        f'{sys.executable} -c "$0" {{mark}}; sleep {{mark}}',
        "(while :; do sleep {mark} & wait; done)",
        "sleep {mark} & kill -STOP $$; sleep {mark}",
    ],
)
async def test_stopped_is_stopped_down_to_the_last_grandchild(script: str) -> None:
    mark = word()
    process = await Process.start(["bash", "-c", script.format(mark=mark), DAEMON], env=ENV, merge_stderr=True)
    assert await alive(mark, 1)
    assert await process.stop() in {-signal.SIGTERM, -signal.SIGKILL, 128 + signal.SIGTERM}
    assert living(mark) == []


async def test_what_forks_faster_than_we_look_is_ended_too() -> None:
    mark = word()
    process = await start('spawn() { while :; do sleep "$1" & sleep 0.001; done; }; spawn $1 & spawn $1', mark)
    assert await alive(mark, 20)
    await process.stop()
    assert living(mark) == []


async def test_a_command_that_wants_to_can_end_in_order() -> None:
    process = await start("trap 'echo saved; exit 5' TERM; echo ready; while :; do sleep 0.01; done")
    assert await process.stdout.readline() == b"ready\n"
    assert await process.stop() == 5
    assert b"saved\n" in await process.stdout.read()


async def test_its_kill_0_ends_it_and_not_its_warden() -> None:
    code, output = await run("trap '' TERM; sleep 300 & kill 0; echo here")
    assert (code, output) == (0, b"here\n")


@pytest.mark.parametrize("blow", ["kill -KILL", "kill -STOP"])
async def test_a_command_that_turns_against_its_warden_is_ended_nevertheless(blow: str) -> None:
    mark = word()
    escape = f"setsid sleep {mark} &" if "STOP" in blow else ""
    process = await start(f"{escape} sleep {mark} & {blow} $PPID; echo there; sleep {mark}")
    assert await process.stdout.readline() == b"there\n"
    await process.stop()
    assert await dead(mark)


async def test_a_command_that_stops_its_warden_before_that_could_say_that_it_runs_is_ended_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mark = word()
    line = '    _tell(status, "started")\n'
    file = changed_warden(tmp_path, line, f"    os.kill(os.getpid(), signal.SIGSTOP)\n{line}")
    monkeypatch.setattr(warden, "__file__", str(file))
    monkeypatch.setattr("rillet.core.tools.processes.PATIENCE", 0.5)
    process = await start(f"sleep {mark}")
    assert await alive(mark, 1)
    assert await process.stop() == -signal.SIGKILL
    assert await dead(mark)
    starting = asyncio.create_task(start(f"sleep {mark}"))
    assert await alive(mark, 1)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert await dead(mark)
    assert await dead(str(file))


async def test_a_stop_that_is_cancelled_goes_on() -> None:
    mark = word()
    process = await start(f"trap '' TERM; sleep {mark}; sleep {mark}")
    assert await alive(mark, 1)
    stopping = asyncio.create_task(process.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert await dead(mark)
    await process.stop()


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    mark = word()
    for turns in range(12):
        starting = asyncio.create_task(start(f"sleep {mark}"))
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert await dead(mark)


async def test_after_a_stop_nothing_can_be_read() -> None:
    process = await start("yes")
    await process.stdout.readexactly(2)
    await process.stop()
    rest = await process.stdout.read()
    assert len(rest) < 2_000_000
    assert process.stdout.at_eof()


async def test_nothing_survives_this_program_even_when_it_is_killed(tmp_path: Path) -> None:
    mark = word()
    program = (
        "import asyncio, sys\n"
        "from rillet.core.tools.processes import Process\n"
        "async def main():\n"
        "    script = 'setsid sleep $0 & (sleep $0 &); trap \"\" TERM; sleep $0; sleep $0'\n"
        f"    process = await Process.start(['bash', '-c', script, {mark!r}], env={ENV!r})\n"
        "    print(process.pid, flush=True)\n"
        "    await process.wait()\n"
        "asyncio.run(main())\n"
    )
    file = tmp_path / "program.py"
    file.write_text(program)
    victim = await asyncio.create_subprocess_exec(sys.executable, str(file))
    try:
        assert await alive(mark, 3)
    finally:
        victim.kill()
        await victim.wait()
    assert await dead(mark)


async def test_fifty_random_moments_to_stop_leave_nothing() -> None:
    mark = word()
    dice = random.Random(13)
    script = "for n in 1 2 3; do (setsid sleep $0 &); sleep $0 & done; echo x; seq 100000; sleep $0"

    async def one(turns: int) -> None:
        process = await Process.start(["bash", "-c", script, mark], env=ENV, merge_stderr=True)
        reading = asyncio.create_task(process.stdout.read())
        for _ in range(turns):
            await asyncio.sleep(0.0005)
        await process.stop()
        await reading

    for _ in range(10):
        await asyncio.gather(*(one(dice.randrange(60)) for _ in range(5)))
        assert living(mark) == []


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_loop_off_the_main_thread_will_do_and_no_thread_is_started_for_it() -> None:
    found: list[tuple[int, bytes]] = []
    names: list[list[str]] = []

    async def main() -> None:
        found.append(await run("echo there; exit 6"))
        process = await start("sleep 300")
        names.append([thread.name for thread in threading.enumerate()])
        await process.stop()

    thread = threading.Thread(target=asyncio.run, args=(main(),), name="engine")
    before = [each.name for each in threading.enumerate()]
    thread.start()
    thread.join(30)
    assert found == [(6, b"there\n")]
    assert names == [[*before, "engine"]]


async def test_descriptors_and_tasks_are_given_back() -> None:
    await run("true")
    before = descriptors()
    for _ in range(5):
        await run("echo x")
        with pytest.raises(OSError):
            await Process.start(["no-such-program"], env=ENV)
        await (await start("sleep 300")).stop()
    await asyncio.sleep(0)
    assert descriptors() == before
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="macOS has ps; this machine does not")
async def test_without_proc_what_shares_the_session_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of macOS, as far as it can be gone here: only an orphan with a session of its own escapes there."""
    mark = word()
    monkeypatch.setattr(
        warden, "__file__", str(changed_warden(tmp_path, 'HAS_PROC = sys.platform == "linux"', "HAS_PROC = False"))
    )
    script = f"(sleep {mark} &); setsid sleep {mark} & trap '' TERM; sleep {mark} & sleep {mark}; sleep {mark}"
    process = await start(script)
    assert await alive(mark, 4)
    await process.stop()
    assert living(mark) == []


def changed_warden(folder: Path, line: str, other: str) -> Path:
    source = Path(warden.__file__).read_text()
    assert line in source
    file = folder / "warden.py"
    file.write_text(source.replace(line, other))
    return file
