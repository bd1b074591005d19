"""What a confined command can reach: its own folder, and nothing that is anybody's secret or anybody's service."""

from __future__ import annotations

import asyncio
import itertools
import os
import shlex
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools import bubblewrap, seatbelt
from rillet.core.tools.hidden import hidden_in_home
from rillet.core.tools.processes import Process
from rillet.core.tools.sandbox import Sandbox, find_sandbox
from support.apart import run_apart
from support.processes import ENV, Family, alive, comes_true, dead, word

if TYPE_CHECKING:
    from collections.abc import Iterator

linux = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a secret everywhere, in a ``/tmp`` that is not emptied for once."""
    monkeypatch.setattr(bubblewrap, "EMPTY", ("/run", "/var/tmp"))
    folder = tmp_path.resolve() / "home"
    for place in (
        *(".ssh/id_ed25519", ".aws/credentials", ".bashrc", ".netrc", ".some-new-tool/token", ".config/rillet/x"),
        *(".config/git/config", ".cargo/credentials.toml", ".cargo/bin/tool", ".local/share/rillet/chats.db"),
        *(".local/share/keyrings/login", ".local/bin/tool", ".pyenv/shims/python", ".bash_history", "Documents/text"),
        *("snap/firefox/profile", "project/file", "project/.ssh/key", "project/.git/config", "data/rillet.db"),
    ):
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"canary {place}")
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def sandbox(home: Path) -> Sandbox:
    return confining(home / "project", home / "data")


def confining(root: Path, *private: Path) -> Sandbox:
    found = asyncio.run(find_sandbox(root, private))
    if not found.confines:
        pytest.skip(f"no sandbox here: {found.reason}")
    return found


async def run(sandbox: Sandbox, script: str, *, network: bool = False) -> tuple[int, str]:
    command = sandbox.command(["/bin/bash", "-c", script], sandbox.root, network=network)
    env = sandbox.environment(ENV | {"HOME": os.environ["HOME"]})
    async with await Process.start(command, env=env, merge_stderr=True) as process:
        output = await process.stdout.read()
        return await process.wait(), output.decode()


def test_hidden_is_what_begins_with_a_dot_and_is_not_known_to_hold_programs(home: Path) -> None:
    (home / ".link").symlink_to(home / ".ssh")
    hidden = {place.relative_to(home).as_posix() for place in hidden_in_home(home)}
    assert hidden == {
        *(".ssh", ".aws", ".bashrc", ".netrc", ".some-new-tool", ".config/rillet", ".cargo/credentials.toml"),
        *(".local/share/rillet", ".local/share/keyrings", ".bash_history", "snap/firefox"),
    }


def test_a_home_that_is_not_there_hides_nothing(tmp_path: Path) -> None:
    assert list(hidden_in_home(tmp_path / "gone")) == []


@linux
async def test_no_secret_of_the_home_folder_can_be_read_and_programs_can(sandbox: Sandbox, home: Path) -> None:
    (home / ".link").symlink_to(home / ".ssh")
    _, output = await run(sandbox, f"grep -rhs canary {home}; cat {home}/.link/id_ed25519")
    assert sorted(output.splitlines())[:7] == [
        "canary .cargo/bin/tool",
        "canary .config/git/config",
        "canary .local/bin/tool",
        "canary .pyenv/shims/python",
        "canary Documents/text",
        "canary project/.git/config",
        "canary project/file",
    ]
    assert output.count("canary") == 7


@linux
@pytest.mark.parametrize(
    "script",
    [
        "echo x > {home}/Documents/text",
        "echo x > {home}/new",
        "rm {home}/Documents/text",
        "mv {home}/Documents/text .",
        "chmod 777 {home}/Documents",
        "ln {home}/Documents/text linked && echo x > linked",
        "ln -s {home}/Documents/text link && echo x > link",
        "echo x > /etc/rillet-test",
        "mount -o remount,rw / && echo x > {home}/new",
        "umount {home}/.ssh && cat {home}/.ssh/id_ed25519",
        "unshare -rm umount {home}/.ssh && cat {home}/.ssh/id_ed25519",
        "cat /proc/1/root{home}/.ssh/id_ed25519",
        "mknod disk b 8 0 && cat disk",
        "echo x > .git/config",
        "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && false",
        "mv .git gone && mkdir .git && cp -r gone/* .git && echo x > .git/config",
    ],
)
async def test_nothing_outside_changes_and_what_steers_other_programs_does_not_either(
    sandbox: Sandbox, home: Path, script: str
) -> None:
    def state() -> dict[str, str]:
        return {
            path.relative_to(home).as_posix(): path.read_text()
            for path in home.rglob("*")
            if path.is_file() and "project/" not in str(path)
        }

    before = state()
    code, output = await run(sandbox, script.format(home=shlex.quote(str(home))))
    assert code, output
    assert state() == before
    assert (home / "project/.git/config").read_text() == "canary project/.git/config"
    assert not list((home / "project/.git").glob("hooks/*"))
    assert "rillet-test" not in os.listdir("/etc")  # noqa: PTH208 (no path to wait for)


@linux
async def test_its_own_folder_is_written_for_good_and_tmp_is_its_own(sandbox: Sandbox, home: Path) -> None:
    script = "pwd; echo x > made; mkdir -p a/b; echo y > /var/tmp/scratch && cat /var/tmp/scratch"
    assert await run(sandbox, script) == (0, f"{home}/project\ny\n")
    assert (home / "project/made").read_text() == "x\n"
    assert "scratch" not in os.listdir("/var/tmp")  # noqa: PTH208


@pytest.fixture
def plain(tmp_path: Path) -> Sandbox:
    return confining(tmp_path)


@linux
async def test_tmp_is_empty_but_for_a_folder_that_lies_in_it(plain: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    (tmp_path.parent / "beside").write_text("not here")
    code, output = await run(plain, "cat file; echo; ls ..; ls /run; echo $TMPDIR; mktemp")
    assert code == 0
    assert output.startswith(f"here\n{tmp_path.name}\n/tmp\n/tmp/tmp.")


@linux
@pytest.mark.parametrize("network", [False, True])
async def test_the_network_is_there_only_if_it_was_asked_for(sandbox: Sandbox, *, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.setblocking(False)
        code, _ = await run(sandbox, f": < /dev/tcp/127.0.0.1/{port}", network=network)
        assert (code == 0) is network
        if network:
            server.accept()[0].close()
        with pytest.raises(BlockingIOError):
            server.accept()


@linux
async def test_sockets_of_others_cannot_be_reached_through_the_file_system(sandbox: Sandbox, home: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as abstract:
        place = home / "Documents/agent.sock"
        server.bind(str(place))
        server.listen()
        abstract.bind(f"\0rillet-{word()}")
        abstract.listen()
        connect = f"{sys.executable} -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])'"
        name = abstract.getsockname()[1:].decode()
        code, output = await run(sandbox, f'{connect} {shlex.quote(str(place))}; {connect} "$(printf @){name}"')
        assert code
        assert "Error" in output
        for each in (server, abstract):
            each.setblocking(False)
            with pytest.raises(BlockingIOError):
                each.accept()


@linux
async def test_processes_outside_are_neither_seen_nor_reached(sandbox: Sandbox) -> None:
    code, output = await run(sandbox, f"kill -0 {os.getpid()} && exit 9; ls -d /proc/[0-9]* | wc -l")
    assert code == 0
    assert int(output.splitlines()[-1]) < 10
    _, output = await run(sandbox, "cat /proc/*/environ | tr '\\0' '\\n' | cut -d= -f1 | sort -u")
    assert set(output.split()) <= {"PATH", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "LC_CTYPE", "_"}


@linux
async def test_no_capability_and_no_new_privileges(plain: Sandbox) -> None:
    _, output = await run(plain, "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status")
    values = dict(line.split(":\t") for line in output.splitlines())
    assert values == {"CapEff": "0" * 16, "CapPrm": "0" * 16, "CapBnd": "0" * 16, "NoNewPrivs": "1"}


@linux
async def test_a_confined_tree_is_ended_like_any_other(sandbox: Sandbox) -> None:
    mark = word()
    script = f"setsid sleep {mark} & trap '' TERM; sleep {mark} & sleep {mark}; sleep {mark}"
    command = sandbox.command(["/bin/bash", "-c", script], sandbox.root, network=False)
    process = await Process.start(command, env=ENV)
    assert await alive(mark, 3)
    await process.stop()
    assert await dead(mark)


@linux
async def test_a_program_that_cannot_confine_is_none_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bwrap"
    file.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    file.chmod(0o755)
    monkeypatch.setattr("rillet.core.tools.sandbox._PROGRAMS", str(tmp_path))
    found = await find_sandbox(tmp_path)
    assert (found.kind, found.confines) == ("none", False)
    assert found.reason == "bwrap cannot run here: bwrap: No permissions to create new namespace"
    assert found.command(["x"], tmp_path, network=False) == ["x"]


@linux
async def test_a_setuid_program_is_tried_where_there_are_no_user_namespaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bwrap"
    file.write_text('#!/bin/sh\ncase "$*" in *--unshare-user*) exit 1;; esac\nexit 42\n')
    file.chmod(0o755)
    monkeypatch.setattr("rillet.core.tools.sandbox._PROGRAMS", f"{tmp_path}:/bin:/usr/bin")
    assert (await find_sandbox(tmp_path)).kind == "bubblewrap-setuid"


@linux
async def test_a_program_that_hangs_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bwrap"
    file.write_text("#!/bin/sh\nexec sleep 300\n")
    file.chmod(0o755)
    monkeypatch.setattr("rillet.core.tools.sandbox._PROGRAMS", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr("rillet.core.tools.sandbox.PATIENCE", 0.2)
    assert (await find_sandbox(tmp_path)).reason == "bwrap cannot run here: it does not answer"


async def test_without_any_that_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rillet.core.tools.sandbox._PROGRAMS", str(tmp_path))
    found = await find_sandbox(tmp_path)
    assert found.statement(network=False).startswith("Nothing confines this command")
    assert found.statement(network=False) == found.statement(network=True)
    assert "not installed" in found.statement(network=False)


def test_the_sentence_tells_the_network_apart(tmp_path: Path) -> None:
    sandbox = Sandbox("bubblewrap", tmp_path, "/usr/bin/bwrap")
    assert "without network" in sandbox.statement(network=False)
    assert "with the network" in sandbox.statement(network=True)
    assert str(tmp_path) in sandbox.statement(network=True)


def test_on_macos_the_last_rule_that_fits_is_the_strictest(home: Path) -> None:
    root = home / "project"
    words = seatbelt.arguments(["sh", "-c", "x"], root=root, home=home, private=[home / "data", root / "own"])
    places = dict(word.split("=", 1) for option, word in itertools.pairwise(words) if option == "-D")
    profile = words[words.index("-p") + 1]
    rules = [line for line in profile.splitlines() if "PLACE_" in line]
    shown = [(line[1:].split(" (")[0], places[line.split('"')[1]]) for line in rules]
    assert ("deny file*", str(home / ".ssh")) in shown
    assert ("deny file*", str(home / "data")) in shown
    at = shown.index(("allow file*", str(root)))
    assert shown.index(("deny file*", str(root / ".ssh"))) > at
    assert shown.index(("deny file*", str(root / "own"))) > at
    assert shown.index(("deny file-write*", str(root / ".git/hooks"))) > at
    assert all(not Path(place).is_relative_to(root) for _, place in shown[:at])
    assert f"GIT={root}/.git" in words
    assert words[-3:] == ["sh", "-c", "x"]


def test_on_macos_the_network_is_denied_unless_asked_for(home: Path) -> None:
    without, with_it = (
        seatbelt.arguments(["x"], root=home / "project", home=home, network=network) for network in (False, True)
    )
    assert "(deny network*)" in without[-2]
    assert "(deny network*)" not in with_it[-2]
    assert without[-2].count("(") == without[-2].count(")")


@pytest.fixture(autouse=True, scope="module")
def _no_leftovers() -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    with Family(os.getpid()) as family:
        yield
        confined = "bwrap --unshare"
        run_apart(comes_true(lambda: not any(confined in command for command in family.living()), 30))
    assert [command for command in family.living() if confined in command] == []
