"""Children see what they need to run, and none of our secrets; programs are found as in a terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.environment import STANDARD, LoginPath, environment, minimal
from support.processes import dead, word

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is one PATH for all on Windows")

CANARIES = dict.fromkeys(
    (
        *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK"),
        *("HTTPS_PROXY", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR", "RILLET_HOME", "PYTHONPATH"),
        *("LD_PRELOAD", "BASH_ENV", "ENV", "LCX_KEY", "PATHS", "home"),
    ),
    "canary-4711",
)
ORDINARY = {"PATH": "/bin", "HOME": "/home/u", "LANG": "C.UTF-8", "LC_ALL": "C", "TMPDIR": "/t", "USER": "u"}


def test_only_what_is_listed_passes_and_no_canary() -> None:
    assert minimal(ORDINARY | CANARIES) == ORDINARY | {"TERM": "dumb"}


def test_what_was_declared_passes_too() -> None:
    kept = minimal(ORDINARY | CANARIES, ["GITHUB_TOKEN", "NOT_THERE"])
    assert kept == ORDINARY | {"TERM": "dumb", "GITHUB_TOKEN": "canary-4711"}


def test_a_terminal_of_ours_is_none_of_theirs_unless_declared() -> None:
    assert minimal({"TERM": "xterm"})["TERM"] == "dumb"
    assert minimal({"TERM": "xterm"}, ["TERM"])["TERM"] == "xterm"


async def test_the_environment_of_commands_holds_no_canary(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CANARIES.items():
        monkeypatch.setenv(name, value)
    assert "canary-4711" not in (await environment()).values()


@pytest.fixture(autouse=True)
def _started_from_a_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda descriptor: False)


def shell(folder: Path, text: str, name: str = "shell") -> dict[str, str]:
    """An environment whose login shell does what ``text`` says before it answers."""
    file = folder / name
    file.write_text(f'#!/bin/sh\n{text}\nshift\nexec /bin/sh -c "$1"\n')
    file.chmod(0o755)
    return {"SHELL": str(file), "PATH": "/usr/bin:/bin", "HOME": str(folder), "KEY": "canary-4711"}


async def test_the_path_of_the_login_shell_comes_first_and_nothing_is_lost(tmp_path: Path) -> None:
    environ = shell(tmp_path, 'PATH="/home/u/.nvm/bin:/opt/with space/bin:$PATH"; export PATH') | {"PATH": "/x:/bin"}
    assert (await LoginPath(environ).path()).split(":")[:4] == ["/home/u/.nvm/bin", "/opt/with space/bin", "/x", "/bin"]


async def test_a_real_shell_is_asked_with_its_start_up_files(tmp_path: Path) -> None:
    (tmp_path / ".bash_profile").write_text("echo Welcome; PATH=/from/profile:$PATH; . ~/.bashrc\n")
    (tmp_path / ".bashrc").write_text("case $- in *i*) PATH=/from/bashrc:$PATH;; esac\n")
    environ = {"SHELL": "/bin/bash", "HOME": str(tmp_path), "PATH": "/bin"}
    assert (await LoginPath(environ).path()).startswith("/from/bashrc:/from/profile:/")


@pytest.mark.parametrize(
    "text",
    [
        "exit 1",
        "kill -9 $$",
        "echo only words; exit 0",
        "exec true",
        "head -c 3000000 /dev/zero; exit 0",
        "echo $KEY >&2; exit",
    ],
)
async def test_a_shell_that_does_not_answer_costs_nothing_but_its_answer(tmp_path: Path, text: str) -> None:
    assert await LoginPath(shell(tmp_path, text)).path() == ":".join(dict.fromkeys(("/usr/bin", "/bin", *STANDARD)))


async def test_a_shell_that_is_none_costs_nothing_either(tmp_path: Path) -> None:
    environ = {"SHELL": str(tmp_path / "gone"), "PATH": "/x"}
    assert await LoginPath(environ).path() == ":".join(("/x", *STANDARD))


async def test_a_shell_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    mark = word()
    environ = shell(tmp_path, f"setsid sleep {mark} &\nsleep {mark}")
    assert (await LoginPath(environ, patience=0.3).path()).startswith("/usr/bin:")
    assert await dead(mark)


async def test_start_up_files_that_talk_are_no_matter(tmp_path: Path) -> None:
    environ = shell(tmp_path, "echo PATH=/wrong; printf '\\033[1m\\377' >&2; PATH=/right:$PATH")
    assert (await LoginPath(environ).path()).startswith("/right:/usr/bin")


async def test_folders_that_depend_on_where_one_is_are_left_out(tmp_path: Path) -> None:
    found = (await LoginPath(shell(tmp_path, "PATH=.::bin:/a:/a:$PATH")).path()).split(":")
    assert found[:3] == ["/a", "/usr/bin", "/bin"]
    assert all(folder.startswith("/") for folder in found)


async def test_it_is_asked_once_however_many_wait(tmp_path: Path) -> None:
    log = tmp_path / "asked"
    login = LoginPath(shell(tmp_path, f"echo x >> {log}; PATH=/one:$PATH"))
    paths = await asyncio.gather(*(login.path() for _ in range(8)))
    assert {path.split(":")[0] for path in (*paths, await login.path())} == {"/one"}
    assert log.read_text() == "x\n"


async def test_one_who_gives_up_waiting_does_not_spoil_the_answer(tmp_path: Path) -> None:
    login = LoginPath(shell(tmp_path, "PATH=/one:$PATH"))
    first = asyncio.create_task(login.path())
    await asyncio.sleep(0)
    first.cancel()
    assert (await login.path()).startswith("/one:")


async def test_the_shell_sees_no_canary(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    await LoginPath(shell(tmp_path, f"/usr/bin/env > {seen}")).path()
    assert "HOME=" in seen.read_text()
    assert "4711" not in seen.read_text()


async def test_from_a_terminal_the_path_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda descriptor: True)
    assert await LoginPath(shell(tmp_path, "PATH=/one:$PATH")).path() == "/usr/bin:/bin"


async def test_a_program_of_the_workspace_is_none_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal in (True, False):
        monkeypatch.setattr(os, "isatty", lambda descriptor, has_terminal=terminal: has_terminal)
        path = await LoginPath({"PATH": ".:/usr/bin::node_modules/.bin:/bin:", "SHELL": "/bin/false"}).path()
        assert [folder for folder in path.split(":") if not folder.startswith("/")] == []


async def test_without_a_variable_the_account_says_which_shell(tmp_path: Path) -> None:
    (tmp_path / ".bash_profile").write_text("PATH=/from/profile:$PATH\n")
    assert (await LoginPath({"HOME": str(tmp_path), "PATH": "/bin"}).path()).split(":")[-1] in STANDARD
