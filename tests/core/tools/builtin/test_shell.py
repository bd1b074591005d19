"""The tool ``bash``: what it tells, what it hides, and that nothing of it is left however a call ends."""

from __future__ import annotations

import asyncio
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.builtin.shell import LONGEST, bash_tool
from rillet.core.tools.sandbox import Sandbox, find_sandbox
from rillet.core.tools.tool import Effect, Tool, ToolContext, ToolResult
from rillet.core.tools.toolkit import Toolkit
from rillet.core.types.suspension import Answer
from support.processes import alive, dead, living, word

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what lives is read from /proc")


@pytest.fixture(params=["free", "confined"])
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    if request.param == "free":
        return Sandbox("none", tmp_path, reason="a test")
    found = asyncio.run(find_sandbox(tmp_path))
    if not found.confines:
        pytest.skip(f"no sandbox here: {found.reason}")
    return found


@pytest.fixture
def bash(sandbox: Sandbox) -> Tool:
    return bash_tool(sandbox)


async def call(tool: Tool, command: str, /, **args: Any) -> ToolResult:
    assert tool.complaint({"command": command, **args}) is None
    return await tool.run({"command": command, **args}, ToolContext())


async def test_what_is_printed_comes_back_in_order(bash: Tool) -> None:
    result = await call(bash, "echo one; echo two >&2; echo three")
    assert (result.output, result.is_error) == ("one\ntwo\nthree", False)
    assert result.metadata["exit_code"] == 0


async def test_a_command_that_fails_is_an_error_with_its_exit_code(bash: Tool) -> None:
    result = await call(bash, "echo oh; exit 3")
    assert (result.output, result.is_error, result.metadata["exit_code"]) == ("oh\n[exit code 3]", True, 3)


async def test_silence_is_told(bash: Tool) -> None:
    assert (await call(bash, "true")).output == "(no output)"
    assert (await call(bash, "false")).output == "[exit code 1]"


async def test_it_starts_in_the_workspace_or_in_a_folder_of_it(bash: Tool, tmp_path: Path) -> None:
    (tmp_path / "in ner").mkdir()
    assert (await call(bash, "pwd")).output == str(tmp_path)
    assert (await call(bash, "pwd", workdir="in ner")).output == f"{tmp_path}/in ner"
    assert (await call(bash, "pwd", workdir=f"{tmp_path}/in ner")).output == f"{tmp_path}/in ner"


@pytest.mark.parametrize("workdir", ["..", "/", "link", "a/../..", "gone", "file"])
async def test_no_other_folder_will_do(bash: Tool, tmp_path: Path, workdir: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    (tmp_path / "file").touch()
    result = await call(bash, "touch here", workdir=workdir)
    assert result.is_error
    assert result.output.startswith("the command was not run")
    assert not (tmp_path.parent / "here").exists()


@pytest.mark.parametrize("command", ["echo \0", "echo \udcff\ud800", "echo " + "x" * 200_000])
async def test_what_cannot_be_run_is_an_error(bash: Tool, command: str) -> None:
    result = await call(bash, command)
    assert result.is_error


async def test_the_shell_is_bash_without_anybodys_start_up_files(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".bashrc").write_text("echo rc")
    (tmp_path / ".bash_profile").write_text("echo profile")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BASH_ENV", str(tmp_path / ".bashrc"))
    assert (await call(bash_tool(sandbox), "echo ${BASH_VERSION%%.*} $0; [[ a == a ]]")).output.split() >= ["5"]
    assert "rc" not in (await call(bash_tool(sandbox), "echo x")).output


async def test_no_variable_is_seen_but_those_that_were_declared(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "DECLARED"):
        monkeypatch.setenv(name, f"canary {name}")
    result = await call(bash_tool(sandbox, ["DECLARED"]), "env; cat /proc/self/environ | tr '\\0' '\\n'")
    assert {line for line in result.output.splitlines() if "canary" in line} == {"DECLARED=canary DECLARED"}
    names = {line.partition("=")[0] for line in result.output.splitlines()}
    assert names <= {
        *("DECLARED", "PATH", "HOME", "LANG", "LC_CTYPE", "LC_ALL", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM", "TZ"),
        *("LANGUAGE", "PWD", "OLDPWD", "SHLVL", "_"),
    }


async def test_there_is_nothing_to_read_and_no_terminal(bash: Tool) -> None:
    result = await call(bash, "cat; read -t 1 line || echo none; tty || true; : < /dev/tty || echo no terminal")
    assert result.output.splitlines()[0] == "none"
    assert result.output.endswith("no terminal")


async def test_much_output_is_cut_and_costs_no_memory(bash: Tool) -> None:
    result = await call(bash, "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert result.output.startswith("first\nx")
    assert result.output.endswith("x\nlast")
    assert len(result.output) < 31_000
    assert result.metadata["left_out"] == 20_000_000 + 6 + 6 - 30_000
    assert f"{result.metadata['left_out']:,} bytes left out" in result.output


async def test_a_command_that_floods_is_stopped(bash: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rillet.core.tools.builtin.shell.FLOOD", 5 * 1024 * 1024)
    mark = word()
    result = await call(bash, f"sleep {mark} & yes")
    assert result.is_error
    assert result.output.endswith("y\n[stopped when it had printed 5 MB]")
    assert living(mark) == []


async def test_output_that_ends_before_its_command_is_no_end(bash: Tool) -> None:
    result = await call(bash, "echo x; exec >&- 2>&-; sleep 0.2; exit 7")
    assert (result.output, result.metadata["exit_code"]) == ("x\n[exit code 7]", 7)


async def test_what_is_meant_for_a_terminal_is_gone(bash: Tool) -> None:
    result = await call(bash, "printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\n\\377'")
    assert result.output == "red\n100%\n\ufffd"


async def test_a_command_that_takes_too_long_is_stopped_and_what_it_printed_is_told(bash: Tool) -> None:
    mark = word()
    result = await call(bash, f"echo begun; sleep {mark} & sleep {mark}", timeout=300)
    assert (result.output, result.is_error) == ("begun\n[stopped after 0.3 s]", True)
    assert living(mark) == []


async def test_a_limit_beyond_the_longest_is_refused(bash: Tool) -> None:
    assert bash.complaint({"command": "x", "timeout": LONGEST + 1})
    assert bash.complaint({"command": "x", "timeout": 0})
    assert bash.complaint({"command": ""})
    assert bash.complaint({"command": "x", "shell": "zsh"})


async def test_what_runs_in_the_background_neither_holds_the_call_nor_survives(bash: Tool) -> None:
    mark = word()
    result = await call(bash, f"sleep {mark} & nohup setsid sleep {mark} >/dev/null 2>&1 & echo done")
    assert (result.output, result.is_error) == ("done", False)
    assert living(mark) == []


async def test_stopping_a_call_ends_its_whole_tree(bash: Tool, tmp_path: Path) -> None:
    mark = word()
    script = f"trap '' TERM; (setsid sleep {mark} &) ; sleep {mark} & while :; do echo x >> file; sleep {mark}; done"
    calling = asyncio.create_task(call(bash, script))
    assert await alive(mark, 3)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert await dead(mark)
    before = (tmp_path / "file").read_bytes()
    await asyncio.sleep(0)
    assert (tmp_path / "file").read_bytes() == before


async def test_fifty_random_moments_to_stop_leave_nothing_and_write_nothing(bash: Tool, tmp_path: Path) -> None:
    mark = word()
    dice = random.Random(7)
    script = f"for n in $(seq 40); do (setsid sleep {mark} & echo $n >> log); done; seq 50000; sleep {mark}"

    async def one(moment: float) -> None:
        calling = asyncio.create_task(call(bash, script))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(moment):
                await calling

    for _ in range(10):
        await asyncio.gather(*(one(dice.random() / 4) for _ in range(5)))
        assert living(mark) == []
    if (tmp_path / "log").exists():
        size = (tmp_path / "log").stat().st_size
        await asyncio.sleep(0)
        assert (tmp_path / "log").stat().st_size == size


async def test_the_runs_own_limit_stops_it_too(bash: Tool) -> None:
    mark = word()
    result = await bash.run({"command": f"sleep {mark}"}, ToolContext(timeout=0.3))
    assert result.is_error
    assert "0.3 s" in result.output
    assert living(mark) == []


async def test_how_far_a_long_command_is_is_told(bash: Tool) -> None:
    news: list[tuple[float, str]] = []
    ctx = ToolContext(progress=lambda done, total, message: news.append((done, message)))
    script = "for n in $(seq 30); do echo step $n; sleep 0.03; done"
    await bash.run({"command": script}, ctx)
    assert 1 <= len(news) <= 10
    assert all(message.startswith("step ") for _, message in news)
    assert [done for done, _ in news] == sorted(done for done, _ in news)


async def test_what_confines_it_is_told_to_the_model_the_approver_and_the_host(sandbox: Sandbox) -> None:
    tool = bash_tool(sandbox)
    assert tool.preview is not None
    for args in ({"command": "true"}, {"command": "true", "network": True}):
        said = sandbox.statement(network="network" in args)
        assert tool.preview(args) == {"sandbox": said}
        if sandbox.confines or "network" not in args:
            assert (await tool.run(args, ToolContext())).metadata["sandbox"] == said
    assert (sandbox.statement(network=False) in tool.description) is sandbox.confines
    assert tool.effects == ({Effect.EXECUTE} if sandbox.confines else {Effect.EXECUTE, Effect.NETWORK})
    assert ("network" in tool.input_schema["properties"]) is sandbox.confines
    assert not tool.trusted_output


async def test_nothing_runs_before_it_was_asked_for_with_what_confines_it(tmp_path: Path) -> None:
    args = {"command": "echo x >> file; cat file"}
    async with Toolkit(builtins=["bash"], workspace=tmp_path) as toolkit:
        asked = await toolkit.call("bash", args, ToolContext())
        assert asked.pending is not None
        assert not (tmp_path / "file").exists()
        data = asked.pending.data or {}
        assert (data["command"], data["sandbox"][:8]) in {(args["command"], "Confined"), (args["command"], "Nothing ")}
        refused = Answer(id=asked.pending.id, ok=False, reason="not now")
        assert (await toolkit.call("bash", args, ToolContext(approval=refused))).is_error
        assert not (tmp_path / "file").exists()
        allowed = Answer(id=asked.pending.id, ok=True)
        assert (await toolkit.call("bash", args, ToolContext(approval=allowed))).output == "x"


async def test_forty_calls_leave_no_task_behind(bash: Tool) -> None:
    for _ in range(4):
        results = await asyncio.gather(*(call(bash, f"echo {number}") for number in range(10)))
        assert [result.output for result in results] == [str(number) for number in range(10)]
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
