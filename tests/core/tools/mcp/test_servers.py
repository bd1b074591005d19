"""Servers that behave, as a host has them: consent, tools, changes, restarts, ends."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.environment import KEPT
from rillet.core.tools.mcp.config import LocalServerConfig
from rillet.core.tools.mcp.consent import ConsentBook
from rillet.core.tools.mcp.offer import Standing
from rillet.core.tools.mcp.server import RESTARTS, State
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.tool import Effect, ToolContext
from rillet.core.tools.toolkit import Toolkit
from rillet.core.types.suspension import APPROVAL, Answer
from support.mcp.running import QUICK, SOON, call, running, scripted
from support.processes import dead, living
from support.scripted import until

if TYPE_CHECKING:
    from collections.abc import Iterator

_TESTS = str(Path(__file__).parents[3])


@pytest.fixture
def mark() -> Iterator[str]:
    """Marks the processes of one test, of which none may be left."""
    value = uuid.uuid4().hex
    yield value
    if sys.platform == "linux":
        assert living(value) == []


async def test_nothing_starts_before_it_was_approved(mark: str) -> None:
    servers = McpServers([scripted("good", mark)])
    await servers.start()
    assert servers.servers["good"].state == "needs consent"
    assert repr(servers.servers["good"]) == "<McpServer good: needs consent (it has not been approved)>"
    assert not servers.tools
    if sys.platform == "linux":
        assert living(mark) == []
    (consent,) = servers.asked
    assert consent.command[-2:] == ("good", mark)
    await servers.approve(consent.digest)
    assert servers.servers["good"].state is State.READY
    assert repr(servers.servers["good"]) == "<McpServer good: ready>"
    assert servers.asked == ()
    await servers.aclose()


async def test_an_approved_server_starts_in_the_next_program_and_a_changed_one_asks(mark: str) -> None:
    config = scripted("good", mark)
    async with running(config) as servers:
        kept = servers.book.to_json()
    again = McpServers([config], book=ConsentBook.from_json(kept))
    await again.start()
    assert again.servers["good"].state is State.READY
    await again.aclose()
    changed = McpServers([replace(config, command=(*config.command, "more"))], book=ConsentBook.from_json(kept))
    await changed.start()
    assert changed.servers["good"].state is State.NEEDS_CONSENT
    assert changed.asked[0].changes == ("+ argument 5: more",)


async def test_servers_are_made_of_a_configuration_and_say_what_is_wrong_with_it() -> None:
    entries = {"good": {"command": "x"}, "bad": {"command": ""}}
    servers = McpServers.from_config({"mcpServers": entries}, taken=["bash"])
    assert list(servers.servers) == ["good"]
    assert [str(problem) for problem in servers.problems] == ["bad: command is empty"]


async def test_a_toolkit_starts_them_has_calls_judged_and_ends_them(mark: str) -> None:
    servers = McpServers([scripted("good", mark, name="s")])
    await servers.start()
    servers.book.approve(servers.asked[0].digest)
    async with Toolkit(builtins=False, mcp=servers) as toolkit:
        assert [spec.name for spec in toolkit.specs] == ["s_echo", "s_env"]
        asked = await toolkit.call("s_echo", {"text": "hello"}, ToolContext(call_id="1"))
        assert asked.pending is not None
        assert asked.pending.kind == APPROVAL
        yes = ToolContext(call_id="1", approval=Answer(id=asked.pending.id, ok=True))
        assert (await toolkit.call("s_echo", {"text": "hello"}, yes)).output == "hello"
        wrong = await toolkit.call(
            "s_echo", {"text": "hello"}, ToolContext(call_id="1", approval=Answer(id="x", ok=True))
        )
        assert wrong.is_error
    assert servers.servers["s"].state is State.STOPPED


async def test_whoever_is_asked_about_a_call_is_told_whose_tool_it_is(mark: str) -> None:
    async with running(scripted("good", mark, name="s")) as servers:
        preview = servers.tools[0].preview
        assert preview is not None
        told = "It is the tool echo of the MCP server s, a program that runs on this machine with all your rights."
        assert preview({}) == {"sandbox": told}


async def test_a_secret_that_a_server_was_given_is_in_no_reason(mark: str) -> None:
    config = scripted("exits-on-initialize", mark, env=(("KEY", "${CANARY}"),))
    config = replace(config, command=(sys.executable, "-c", "import os, sys; sys.exit('bad key ' + os.environ['KEY'])"))
    around = Surroundings(environ={"CANARY": "canary-4711"})
    async with running(config, surroundings=around) as servers:
        server = servers.servers["exits-on-initialize"]
        assert server.reason.endswith("bad key …")
        assert "4711" not in "".join(server.log.lines)


async def test_a_server_that_is_switched_off_does_not_even_ask(mark: str) -> None:
    servers = McpServers([scripted("good", mark, enabled=False)])
    await servers.start()
    assert servers.servers["good"].state is State.DISABLED
    assert servers.asked == ()


async def test_its_tools_are_offered_as_those_of_a_stranger(mark: str) -> None:
    async with running(scripted("says-it-is-harmless", mark, name="s")) as servers:
        (tool,) = servers.tools
        assert (tool.name, tool.source) == ("s_echo", "mcp")
        assert tool.effects == frozenset(Effect)
        assert not tool.trusted_output


async def test_a_server_sees_no_variable_that_was_not_declared(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY_API_KEY", "canary")
    monkeypatch.setenv("DECLARED", "declared")
    config = scripted("good", mark, env=(("GIVEN", "x ${DECLARED}"), ("LITERAL", "1")))
    async with running(config) as servers:
        result = await call(servers, "good_env")
        seen = json.loads(result.output)
        assert (seen["GIVEN"], seen["LITERAL"]) == ("x declared", "1")
        assert "DECLARED" not in seen
        assert "canary" not in result.output
        assert seen["PATH"]
        assert {name for name in seen if not name.startswith("LC_")} <= KEPT | {"GIVEN", "LITERAL", "TERM"}


async def test_a_variable_that_is_missing_keeps_the_server_from_starting(mark: str) -> None:
    config = scripted("good", mark, env=(("KEY", "${NOT_SET_ANYWHERE}"),))
    async with running(config, surroundings=Surroundings(environ={})) as servers:
        assert servers.servers["good"].reason == "the environment variable NOT_SET_ANYWHERE is not set"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("no-such-program-anywhere",), "there is no program no-such-program-anywhere on the path"),
        (("npx -y pkg",), "write the arguments in args"),
        (("/no/such/file",), "there is no program /no/such/file"),
    ],
)
async def test_a_program_that_is_not_there_is_named_with_the_path(command: tuple[str, ...], words: str) -> None:
    async with running(LocalServerConfig(name="s", command=command)) as servers:
        assert servers.servers["s"].state is State.FAILED
        assert words in servers.servers["s"].reason
        assert os.environ["PATH"].split(":")[0] in servers.servers["s"].reason


async def test_a_folder_that_is_not_there_is_named() -> None:
    async with running(scripted("good", cwd="/no/such/folder")) as servers:
        assert servers.servers["good"].reason == "there is no folder /no/such/folder"


async def test_the_list_of_allowed_tools_and_the_switches_are_kept(mark: str) -> None:
    async with running(scripted("good", mark, allowed=frozenset({"echo"}))) as servers:
        assert [tool.name for tool in servers.tools] == ["good_echo"]
        servers.switch("good", "echo", on=False)
        assert not servers.tools
        assert [entry.standing for entry in servers.inventory] == [Standing.OFF, Standing.OFF]
        assert servers.off == {("good", "echo")}
        servers.switch("good", "echo", on=True)
        assert [tool.name for tool in servers.tools] == ["good_echo"]


async def test_names_are_routed_back_to_the_tool_they_came_from(mark: str) -> None:
    async with running(scripted("hostile-names", mark, name="s")) as servers:
        offered = {entry.tool: entry.name for entry in servers.inventory if entry.standing is Standing.OFFERED}
        assert offered.keys() == {"echo", "a" * 100, "dotted.name", "天気", "rm -rf /"}
        refused = {entry.tool for entry in servers.inventory if entry.standing is Standing.REFUSED}
        assert refused == {"x\u202ey", ""}
        for name in offered.values():
            assert (await call(servers, name, {"text": "hello"})).output == "hello"


async def test_a_call_reaches_the_server_that_its_name_says(mark: str) -> None:
    names = ("one", "other", "an.other", "w" * 60)
    configs = [scripted("good", mark, name=name, env=(("ME", name),)) for name in names]
    async with running(*configs) as servers:
        offered = {entry.server: entry.name for entry in servers.inventory if entry.tool == "env"}
        assert offered.keys() == set(names)
        assert max(map(len, offered.values())) <= 64
        for server, name in offered.items():
            assert json.loads((await call(servers, name)).output)["ME"] == server


async def test_tools_that_look_alike_are_refused_and_named(mark: str) -> None:
    async with running(scripted("alike-names", mark, name="s")) as servers:
        assert [tool.name for tool in servers.tools] == ["s_echo"]
        reasons = [entry.reason for entry in servers.inventory if entry.standing is Standing.REFUSED]
        assert len(reasons) == 3
        assert "read-file of s could be taken for read_file of s or readFile of s" in reasons


async def test_names_are_unique_over_servers_and_ours(mark: str) -> None:
    configs = [
        scripted("good", mark, name="a"),
        scripted("good", mark, name="web"),
        scripted("good", mark, name="bash"),
    ]
    async with running(*configs, taken=["bash", "webecho"]) as servers:
        assert servers.servers["bash"].state is State.DISABLED
        assert "could be taken for the tool bash" in servers.servers["bash"].reason
        assert [tool.name for tool in servers.tools] == ["a_echo", "a_env", "web_env"]


@pytest.mark.parametrize("name", ["bash", "BASH", "b\u0430sh", "\uff42\uff41\uff53\uff48", "b-ash", "webfetch"])
async def test_no_server_passes_for_a_tool_of_ours(name: str) -> None:
    servers = McpServers([scripted("good", name=name)], taken=["bash", "webfetch"])
    await servers.start()
    assert servers.servers[name].state is State.DISABLED
    assert f"could be taken for the tool {'bash' if 'w' not in name else name}" in servers.servers[name].reason
    assert not servers.asked


async def test_servers_that_look_alike_are_both_refused() -> None:
    servers = McpServers(
        [scripted("good", name="git-hub"), scripted("good", name="GitHub"), scripted("good", name="…")]
    )
    await servers.start()
    assert {server.state for server in servers.servers.values()} == {State.DISABLED}
    assert "could be taken for GitHub" in servers.servers["git-hub"].reason
    assert "could be taken for git-hub" in servers.servers["GitHub"].reason


async def test_a_tool_that_changes_is_taken_back_until_it_was_approved(mark: str) -> None:
    async with running(scripted("changes-its-tools", mark, name="s")) as servers:
        await call(servers, "s_echo", {"text": "hello"})
        await until(lambda: len(servers.asked) == 2)
        assert not servers.tools
        assert {entry.standing for entry in servers.inventory} == {Standing.HELD}
        changed = next(consent for consent in servers.asked if consent.subject == "tool echo")
        assert "+ Says it again, after sending it to Eve." in changed.changes
        await servers.approve(changed.digest)
        assert [tool.name for tool in servers.tools] == ["s_echo"]


async def test_a_tool_that_has_changed_while_we_were_away_is_held_as_well(mark: str) -> None:
    config = scripted("good", mark, name="s")
    async with running(config) as servers:
        kept = servers.book.to_json()
    digest = json.loads(kept)["approved"]["s"]["tool echo"]["digest"]
    book = ConsentBook.from_json(kept.replace(digest.encode(), b"0" * 64).replace(b"Says it again", b"Says it once"))
    async with running(config, book=book) as servers:
        assert [tool.name for tool in servers.tools] == ["s_env"]
        (consent,) = servers.asked
        assert consent.changes == ("- Says it once.", "+ Says it again.")


async def test_a_server_that_keeps_announcing_changes_is_asked_now_and_then(mark: str) -> None:
    async with running(scripted("keeps-changing", mark)) as servers:
        for _ in range(50):
            assert (await call(servers, "keeps-changing_echo", {"text": "hello"})).output == "hello"


async def test_a_server_that_ended_is_started_anew_by_the_next_call_but_not_for_ever(mark: str) -> None:
    async with running(scripted("exits-on-call", mark, name="s")) as servers:
        tool = servers.tools[0]
        for _ in range(RESTARTS + 1):
            assert "cannot call" in (await tool.run({}, ToolContext())).output
            await until(lambda: servers.servers["s"].state is State.FAILED)
        assert servers.servers["s"].can_restart is False
        assert "it is not running, failed" in (await tool.run({}, ToolContext())).output


async def test_calls_at_once_of_a_server_that_ended_share_one_new_start(mark: str) -> None:
    async with running(scripted("good", mark, name="s")) as servers:
        server = servers.servers["s"]
        for process in living(mark):
            os.kill(process, signal.SIGKILL)
        await until(lambda: server.state is State.FAILED)
        results = await asyncio.gather(*(call(servers, "s_echo", {"text": "hello"}) for _ in range(5)))
        assert [result.output for result in results] == ["hello"] * 5
        assert len([line for line in server.log.lines if line.startswith("failed")]) == 1


async def test_restarting_gives_a_new_process_and_keeps_the_tools(mark: str) -> None:
    async with running(scripted("good", mark)) as servers:
        server = servers.servers["good"]
        await server.restart()
        assert server.state is State.READY
        assert (await call(servers, "good_echo", {"text": "hello"})).output == "hello"


async def test_stopping_during_the_start_stops(mark: str) -> None:
    servers = McpServers([scripted("never-answers-initialize", mark, name="s")])
    await servers.start()
    starting = asyncio.create_task(servers.approve(servers.asked[0].digest))
    await until(lambda: servers.servers["s"].state is State.STARTING)
    async with asyncio.timeout(SOON):
        await servers.aclose()
        await starting
    assert servers.servers["s"].state is State.STOPPED


async def test_a_cancelled_start_ends_what_it_began(mark: str) -> None:
    async with running(scripted("never-answers-initialize", mark, name="s", limits={"start_timeout": QUICK})) as first:
        book = first.book
    servers = McpServers([scripted("never-answers-initialize", mark, name="s")], book=book)
    starting = asyncio.create_task(servers.start())
    await until(lambda: servers.servers["s"].state is State.STARTING)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert servers.servers["s"].state is State.STOPPED


async def test_a_hundred_restarts_leave_nothing_behind(mark: str) -> None:
    count = int(os.environ.get("RILLET_MCP_RESTARTS", "5"))
    async with running(scripted("good", mark)) as servers:
        await servers.servers["good"].restart()
        tasks, files = len(asyncio.all_tasks()), _open_files()
        for _ in range(count):
            await servers.servers["good"].restart()
        assert len(asyncio.all_tasks()) == tasks
        assert _open_files() <= files


@pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")
async def test_a_server_that_is_switched_a_hundred_times_is_one_process_or_none(mark: str) -> None:
    async with running(scripted("good", mark, name="s")) as servers:
        server, alone, dice = servers.servers["s"], len(living(mark)), random.Random(7)
        await server.stop()
        tasks = len(asyncio.all_tasks())
        for _ in range(100):
            starting = asyncio.create_task(server.start())
            for _turn in range(dice.randrange(200)):
                await asyncio.sleep(0)
            assert len(living(mark)) <= alone
            await server.stop()
            await starting
            assert living(mark) == []
        assert len(asyncio.all_tasks()) == tasks
        await server.start()
        assert (await call(servers, "s_echo", {"text": "hello"})).output == "hello"
        assert len(living(mark)) == alone


@pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")
@pytest.mark.parametrize("behaviour", ["never-answers-call", "exits-on-call", "closes-output-on-call"])
async def test_a_server_that_fails_again_and_again_is_one_process_at_most(behaviour: str, mark: str) -> None:
    async with running(scripted(behaviour, mark, name="s", limits={"call_timeout": QUICK})) as servers:
        alone = len(living(mark))
        tool = next(tool for tool in servers.tools if tool.name == "s_echo")
        for _ in range(RESTARTS + 2):
            assert (await tool.run({"text": "hello"}, ToolContext())).is_error
            assert len(living(mark)) <= alone


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


@pytest.mark.skipif(sys.platform != "linux", reason="what is left is looked for in /proc")
@pytest.mark.parametrize("behaviour", ["never-stops", "has-a-child"])
async def test_no_server_survives_a_program_that_was_killed(behaviour: str, mark: str, tmp_path: Path) -> None:
    code = f"""
import asyncio
from support.mcp.running import call, running, scripted
from support.processes import dead, living
from support.scripted import until
async def main():
    async with running(scripted({behaviour!r}, {mark!r}, name="s")) as servers:
        print((await call(servers, "s_echo", {{"text": "up"}})).output, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((_TESTS, *sys.path))},
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert await program.stdout.readline() == b"up\n"
    assert living(mark) != []
    program.kill()
    await program.wait()
    assert await dead(mark)


async def test_a_server_of_today_is_talked_to_without_a_handshake(mark: str) -> None:
    async with running(scripted("of-today", mark, name="s")) as servers:
        assert servers.servers["s"].state is State.READY
        assert [tool.name for tool in servers.tools] == ["s_echo", "s_env"]


async def test_importing_the_servers_loads_no_sdk() -> None:
    code = "import sys, rillet.core.tools.mcp.servers; print('mcp' in sys.modules, 'pydantic' in sys.modules)"
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "False"]
