"""Programs as servers: found where a terminal finds them, and read however much, and whatever else, they write."""

from __future__ import annotations

import os
import sys
import tracemalloc
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.environment import LoginPath
from rillet.core.tools.mcp import stdio
from rillet.core.tools.mcp.failure import ServerFailure
from rillet.core.tools.mcp.server import State
from support.mcp.running import SCRIPTS, SOON, call, running, scripted

if TYPE_CHECKING:
    from pathlib import Path

BARE = "/usr/bin:/bin"
"""The path of a program that was started from a dock."""
MOST = 64 * 1024 * 1024
"""Bytes that may be held at once, whatever a server writes: two lines of the longest, and what is made of them."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="made of scripts of a POSIX shell")


def program(folder: Path, name: str, text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


@posix
def test_a_program_is_found_also_where_a_blank_stands_in_its_path(tmp_path: Path) -> None:
    file = program(tmp_path / "my tools", "n px")
    env = {"PATH": f"{BARE}:{file.parent}"}
    for command in ("n px", str(file), "my tools/n px"):
        assert stdio.resolve([command, "-y"], env, tmp_path) == str(file)


@posix
def test_a_program_that_is_not_on_the_path_is_named_with_the_path(tmp_path: Path) -> None:
    program(tmp_path, "npx-of-a-version-manager")
    with pytest.raises(ServerFailure) as failure:
        stdio.resolve(["npx-of-a-version-manager"], {"PATH": BARE}, tmp_path)
    assert str(failure.value) == f"there is no program npx-of-a-version-manager on the path {BARE}"


@posix
@pytest.mark.parametrize("name", ["npx.cmd", "npx.CMD", "npx.bat"])
def test_on_windows_a_batch_file_gets_no_argument_that_it_would_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(stdio, "sys", SimpleNamespace(platform="win32"))
    file = program(tmp_path, name)
    env = {"PATH": str(tmp_path)}
    assert stdio.resolve([name, "-y", "@scope/server@1.0", "C:\\a folder"], env, tmp_path) == str(file)
    for argument in ("a&calc", "a|calc", "%PATH%", 'a"b', "a^b", "a>b", "a<b", "!a!", "(a)", "a\ncalc"):
        with pytest.raises(ServerFailure, match="is a batch file"):
            stdio.resolve([name, argument], env, tmp_path)


@posix
async def test_a_program_that_only_the_login_shell_finds_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "version manager"
    program(folder, "npx-of-a-version-manager", f'exec "{sys.executable}" -S "{SCRIPTS}" good')
    shell = program(tmp_path, "shell", f'PATH="{folder}:$PATH"; export PATH\nshift\nexec /bin/sh -c "$1"')
    environ = {"SHELL": str(shell), "PATH": BARE, "HOME": str(tmp_path)}
    monkeypatch.setattr(os, "isatty", lambda descriptor: False)
    monkeypatch.setattr("rillet.core.tools.environment._LOGIN", LoginPath(environ, patience=SOON))
    config = replace(scripted("good", name="s"), command=("npx-of-a-version-manager",))
    async with running(config) as servers:
        assert (servers.servers["s"].state, servers.servers["s"].reason) == (State.READY, "")
        assert (await call(servers, "s_echo", {"text": "hello"})).output == "hello"


@posix
@pytest.mark.parametrize(
    ("behaviour", "skipped"),
    [
        *(("banner", 2), ("bom", 0), ("carriage-returns", 0), ("invalid-utf8", 1), ("half-json", 1)),
        *(("line-of-100-mb", 1), ("good", 0)),
    ],
)
async def test_what_is_no_message_is_skipped_and_counted(behaviour: str, skipped: int) -> None:
    async with running(scripted(behaviour, name="s")) as servers:
        await call(servers, "s_echo", {"text": "hello"})
        assert servers.servers["s"].log.skipped == skipped


@posix
@pytest.mark.parametrize(
    ("behaviour", "said"), [("gigabyte-of-errors", "hello"), ("line-of-100-mb", "larger than 10 MB")]
)
async def test_however_much_a_server_writes_little_is_held(behaviour: str, said: str) -> None:
    async with running(scripted("good")) as servers:  # which loads what every server needs
        assert servers.servers["good"].state is State.READY
    tracemalloc.start()
    try:
        async with running(scripted(behaviour, name="s")) as servers:
            assert said in (await call(servers, "s_echo", {"text": "hello"})).output
            if behaviour == "gigabyte-of-errors":
                assert servers.servers["s"].log.written >= 1024**3
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()
