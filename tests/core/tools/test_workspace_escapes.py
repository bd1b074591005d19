"""Ways out of a workspace: none leads to a byte outside, none changes one, whoever swaps what in the meantime.

Each case is tried by every tool that takes a path; what matters is not the refusal but the bytes.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.files import folders, guards
from rillet.core.tools.files.paths import FileError, PathRefused, parse_path
from rillet.core.tools.workspace import MAX_LINKS, Workspace
from support.workspaces import CANARY, INK, Grounds, call, every_way, run_all

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="made of links and paths of POSIX")

MODES = [pytest.param(True, id="by handle"), pytest.param(False, id="by path")]
if not folders.HANDLES:
    MODES = MODES[1:]


def traversals() -> Iterator[str]:
    """Relative paths that lead out."""
    for target in ("secret.txt", "outside/secret.txt", "ws-2/secret.txt"):
        yield from (
            f"../{target}",
            f"./../{target}",
            f"sub/../../{target}",
            f"sub/deep/../../../{target}",
            f".//..//{target}",
            f"sub/./.././../{target}",
            f"sub//deep//..//..//..//{target}",
            f"../ws/../{target}",
            f"../{target}/.",
        )
    yield from ("/".join([".."] * depth) + "/etc/passwd" for depth in range(1, 16))
    yield from ("/".join([".."] * depth) for depth in range(1, 6))
    yield from ("../", "../.", "sub/../..", "../ws", "../ws/file.txt", "../new.txt", "sub/../../new/new.txt")


def absolutes(grounds: Grounds) -> Iterator[str]:
    """Absolute paths that do not lie inside, whatever they begin with."""
    root, outside = str(grounds.root), str(grounds.outside)
    yield from (
        f"{outside}/secret.txt",
        f"/{outside}/secret.txt",
        f"//{outside}/secret.txt",
        f"{root}/../outside/secret.txt",
        f"{root}/sub/../../outside/secret.txt",
        f"{root}-2/secret.txt",
        f"{root}/../ws-2/secret.txt",
        f"{root}/..",
        f"{root}/../",
        f"{root}//..//secret.txt",
        f"{root}/./../secret.txt",
        f"/../{outside}/secret.txt",
        f"/./{outside}/secret.txt",
        f"/proc/self/root{outside}/secret.txt",
        "/proc/self/root" * 2 + f"{outside}/secret.txt",
        f"/proc/{os.getpid()}/root{outside}/secret.txt",
        f"/proc/thread-self/root{outside}/secret.txt",
        f"/proc/self/root{root}/../outside/secret.txt",
        f"file://{outside}/secret.txt",
        f"file:{outside}/secret.txt",
        f"FILE://localhost{outside}/secret.txt",
    )
    for name in ("etc/passwd", "etc/shadow", "etc/hosts", "root/.bashrc", "tmp", "tmp/new-by-rillet-test.txt"):
        yield f"/{name}"
    for name in ("environ", "cmdline", "maps", "mem", "fd/0", "fd/1", "cwd", "exe", "root", "root/etc/passwd"):
        yield f"/proc/self/{name}"
    for name in ("zero", "null", "tty", "stdin", "fd/0", "random", "mem", "kmsg", "shm/new-by-rillet-test"):
        yield f"/dev/{name}"
    yield from ("/", "//", "/.", "/..", "/sys/kernel/hostname", "/proc/1/environ", "/proc/sys/kernel/hostname")


def oddities() -> Iterator[str]:
    """Paths that something on the way could read in another way."""
    for odd in "\0\n\r\t\x0b\x0c\x1b\x7f\x85\x9b\u2028\u2029\ud83d\udc80":
        yield f"sub/{odd}../../../secret.txt"
        yield f"../secret.txt{odd}"
    yield from (
        "file.txt\0/../../secret.txt",
        "file.txt\0",
        "~",
        "~/secret.txt",
        "~/../secret.txt",
        "~\\secret.txt",
        "a/" * 3000 + "secret.txt",
        "../" * 3000 + "etc/passwd",
        "x" * 5000,
    )


@dataclass(frozen=True)
class Trap:
    """Something in the workspace that leads out, and the path to it."""

    name: str
    path: str
    build: Callable[[Grounds], None]


def link(name: str, target: str, path: str = "") -> Trap:
    """A link in the workspace; ``{out}``, ``{root}`` and ``{base}`` stand for real paths."""

    def build(grounds: Grounds) -> None:
        at = grounds.root / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.symlink_to(target.format(out=grounds.outside, root=grounds.root, base=grounds.root.parent))

    return Trap(f"{name} → {target}, {path or name}", path or name, build)


def chain(length: int, target: str) -> Trap:
    """Links one after the other, the last one to ``target``."""

    def build(grounds: Grounds) -> None:
        for number in range(length):
            (grounds.root / f"l{number}").symlink_to(f"l{number + 1}")
        (grounds.root / f"l{length}").symlink_to(target.format(out=grounds.outside))

    return Trap(f"{length} links → {target}", "l0", build)


def pipe(name: str, linked: str | None = None) -> Callable[[Grounds], None]:
    """Makes a pipe, and a link to it."""

    def build(grounds: Grounds) -> None:
        os.mkfifo(grounds.root / name)
        if linked is not None:
            (grounds.root / linked).symlink_to(name)

    return build


def traps() -> Iterator[Trap]:
    """Links, pipes, sockets, devices and second names."""
    files = ("{out}/secret.txt", "../outside/secret.txt", "sub/../../outside/secret.txt", "{root}/../secret.txt")
    for number, target in enumerate((*files, "./.././outside/./secret.txt", "/proc/self/root{out}/secret.txt")):
        yield link(f"file{number}", target)
        yield link(f"sub/file{number}", target if target.startswith(("{", "/")) else f"../{target}")
    for target in ("{out}", "../outside", "{root}/../outside", "/proc/self/root{out}", "{out}/", "sub/../../outside"):
        yield link("folder", target, "folder/secret.txt")
        yield link("folder", target, "folder/new.txt")
        yield link("folder", target, "folder/new/new.txt")
        yield link("folder", target, "folder/folder/../secret.txt")
    for target in ("..", "../..", "/", "{base}", ".././..", "sub/../.."):
        yield link("up", target, "up/outside/secret.txt")
        yield link("up", target, "up/ws/../outside/secret.txt")
        yield link("up", target, "up")
    for target in (
        "{out}/new.txt",
        "../outside/new.txt",
        "{out}/new/new.txt",
        "../new.txt",
        "/tmp/new-by-rillet-test.txt",
    ):
        yield link("dangling", target)
        yield link("sub/dangling", target if target[0] in "{/" else f"../{target}")
    for target in ("loop", "./loop", "sub/../loop", "{root}/loop"):
        yield link("loop", target)
        yield link("loop", target, "loop/secret.txt")
    for length in (1, 2, 5, 20, MAX_LINKS - 1, MAX_LINKS, MAX_LINKS + 1, 100):
        yield chain(length, "{out}/secret.txt")
        yield chain(length, "../outside/new.txt")
    for name in ("with space", "ünï", "👩‍👧", "-rf", ".hidden", "file.txt.bak", "..odd", "..."):
        yield link(name, "{out}/secret.txt")
    for target in (
        "/dev/zero",
        "/dev/stdin",
        "/dev/null",
        "/dev/tty",
        "/proc/self/environ",
        "/proc/self/fd/0",
        "/proc/self/mem",
    ):
        yield link("special", target)
    yield link("sub/x", "../..", "sub/x/secret.txt")
    yield link("sub/x", "deep/../../..", "sub/x/outside/secret.txt")
    yield link("sub/deep/x", "../../../outside", "sub/deep/x/secret.txt")
    for name in ("pipe", "sub/pipe"):
        yield Trap(f"a pipe {name}", name, pipe(name))
        yield Trap(f"below a pipe {name}", f"{name}/x", pipe(name))
    yield Trap("a link to a pipe", "l", pipe("pipe", linked="l"))
    yield Trap("a link to a pipe outside", "l", pipe("../outside/pipe", linked="l"))
    yield Trap("a socket", "s", _socket)


def _socket(grounds: Grounds) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(grounds.root)  # the path of a socket may have a hundred characters
        try:
            listener.bind("s")
        finally:
            os.chdir(here)


PLACES = Grounds(Path("/base/ws"), Path("/base/outside"))
TRAVERSALS, ODDITIES, TRAPS = list(traversals()), list(oddities()), list(traps())
ABSOLUTES = range(len(list(absolutes(PLACES))))
WINDOWS = [
    *(
        "\\\\server\\share\\secret",
        "//server/share/secret",
        "\\\\?\\C:\\secret",
        "\\\\.\\PhysicalDrive0",
        "\\??\\C:\\x",
    ),
    *("//?/C:/secret", "//./pipe/x", "\\\\?\\UNC\\server\\share\\x", "\\\\localhost\\C$\\x", "\\\\127.0.0.1\\C$\\x"),
    *("D:\\secret", "d:/secret", "C:secret", "C:..\\secret", "D:", "C:", "\\secret", "/secret", "C:\\ws2\\secret"),
    *(
        "C:\\",
        "C:\\wsx",
        "C:\\Windows\\win.ini",
        "c:/users/x",
        "C:\\ws:stream",
        "\\\\ws\\x",
        "C:\\w\\s\\x",
        "Z:\\ws\\x",
    ),
    *("file.txt:stream", "file.txt::$DATA", "sub:x\\y", "sub\\file.txt:evil.exe", ":x", ".:x", "file.txt:"),
    *(
        "file.txt.",
        "file.txt ",
        "sub.\\x",
        "sub \\x",
        "... \\x",
        ".. \\secret",
        ". .\\x",
        "..  \\x",
        "a\\.. .\\x",
        "....\\x",
    ),
    *(
        "CON",
        "con.txt",
        "nul",
        "sub\\NUL.tar.gz",
        "COM1",
        "com¹",
        "LPT9.x",
        "aux ",
        "AUX .txt",
        "CONIN$",
        "prn\\x",
        "lpt³.y",
    ),
    *("a*b", "a?b", 'a"b', "a<b", "a>b", "a|b", "..\0\\x", "sub\n\\x", "FILE:\\\\\\C:\\x"),
]
GUARDED = [
    *(
        ".git/config",
        ".git",
        ".git/hooks/pre-commit",
        "sub/.git/config",
        ".GIT/config",
        ".Git/Config",
        ".g\u200cit/config",
    ),
    *(".git\u200d/hooks/x", ".git./config", ".git /config", ".rillet/settings.json", "sub/.rillet/x", ".mcp.json"),
    *("sub/.mcp.json", ".MCP.json", "./.git/config", "sub/../.git/config"),
]
SECRETS = [
    *(
        ".ssh/id_rsa",
        ".ssh",
        ".SSH/id_rsa",
        ".s\u200bsh/id_rsa",
        "sub/.ssh/known_hosts",
        ".gnupg/x",
        ".netrc",
        "_netrc",
    ),
    *(
        ".git-credentials",
        ".pgpass",
        "sub/../.ssh/id_rsa",
        "./.ssh/./id_rsa",
        ".ssh./id_rsa",
        "private/key",
        "PRIVATE/key",
    ),
    *(
        ".aws/credentials",
        ".mozilla/firefox/x/logins.json",
        ".config/google-chrome/Default/Cookies",
        ".config/gh/hosts.yml",
    ),
    *("Library/Keychains/login.keychain-db", "AppData/Roaming/Mozilla/x", ".local/share/keyrings/x", ".kube/config"),
]


def test_there_are_enough_of_them() -> None:
    distinct = {*TRAVERSALS, *ODDITIES, *absolutes(PLACES), *(trap.name for trap in TRAPS), *SECRETS}
    assert len(distinct) >= 250
    assert len({*WINDOWS}) >= 60


def try_everything(grounds: Grounds, path: str, *, by_handle: bool) -> None:
    before = grounds.everything_outside()
    workspace = Workspace(grounds.root, by_handle=by_handle)
    results = run_all(workspace, every_way(path))
    assert grounds.everything_outside() == before
    assert not any(CANARY in result.output or CANARY in str(result.metadata) for result in results)
    with pytest.raises(FileError), workspace.locate(path) as location:
        location.open()


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("path", TRAVERSALS, ids=ascii)
def test_a_path_that_climbs_out_is_refused(tmp_path: Path, path: str, by_handle: bool) -> None:
    try_everything(Grounds.make(tmp_path), path, by_handle=by_handle)


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("number", ABSOLUTES)
def test_an_absolute_path_elsewhere_is_refused(tmp_path: Path, number: int, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    path = list(absolutes(grounds))[number]
    try_everything(grounds, path, by_handle=by_handle)
    assert not Path("/tmp/new-by-rillet-test.txt").exists()


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("path", ODDITIES, ids=lambda path: ascii(path)[:40])
def test_a_path_that_could_be_read_otherwise_is_refused(tmp_path: Path, path: str, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    with pytest.raises(PathRefused):
        Workspace(grounds.root, by_handle=by_handle).locate(path)
    try_everything(grounds, path, by_handle=by_handle)


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: ascii(trap.name))
def test_what_lies_in_the_workspace_and_leads_out_is_refused(tmp_path: Path, trap: Trap, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    trap.build(grounds)
    try_everything(grounds, trap.path, by_handle=by_handle)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes devices")
@pytest.mark.parametrize("by_handle", MODES)
def test_a_device_is_not_opened(tmp_path: Path, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    try:
        os.mknod(grounds.root / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this root may not make devices")
    try_everything(grounds, "zero", by_handle=by_handle)


@pytest.mark.parametrize("by_handle", MODES)
def test_a_second_name_of_a_file_outside_is_not_written(tmp_path: Path, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    (grounds.root / "second.txt").hardlink_to(grounds.outside / "secret.txt")
    before = grounds.everything_outside()
    results = run_all(Workspace(grounds.root, by_handle=by_handle), every_way("second.txt")[1:])
    assert all(result.is_error for result in results)
    assert grounds.everything_outside() == before
    assert (grounds.root / "second.txt").samefile(grounds.outside / "secret.txt")


@pytest.mark.parametrize("path", WINDOWS, ids=ascii)
def test_windows_reads_no_path_in_another_way(path: str) -> None:
    with pytest.raises(PathRefused):
        parse_path(path, ("C:\\ws",), windows=True)


@pytest.mark.parametrize("path", ["..", "sub\\..\\..\\secret", "C:\\ws\\..\\secret", "c:/WS/../secret"])
def test_on_windows_too_climbing_out_is_left_to_the_walk_which_knows(path: str) -> None:
    assert ".." in parse_path(path, ("C:\\ws",), windows=True).names


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Grounds:
    """A workspace that is somebody's home folder, with a file in every place for secrets."""
    grounds = Grounds.make(tmp_path)
    monkeypatch.setenv("HOME", str(grounds.root))
    for path in SECRETS:
        file = grounds.root / path
        if not file.exists() and "\u200b" not in path:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"one\n{CANARY}\n") if "/" in path.strip("./") or "rc" in path else file.mkdir()
    return grounds


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("path", SECRETS, ids=ascii)
def test_a_secret_in_the_workspace_is_never_opened(home: Grounds, path: str, by_handle: bool) -> None:
    workspace = Workspace(home.root, private=[home.root / "private"], by_handle=by_handle)
    before = {file: file.read_bytes() for file in home.root.rglob("*") if CANARY in _text(file)}
    results = run_all(workspace, every_way(path))
    (home.root / "alias").symlink_to(home.root / path)
    results += run_all(workspace, every_way("alias"))
    assert not any(CANARY in result.output or CANARY in str(result.metadata) for result in results)
    assert results[0].output == f"{path} is a place for secrets, which is never opened here"
    assert {file: file.read_bytes() for file in before} == before
    assert not [
        file
        for file in home.root.rglob("*")
        if INK in _text(file) and workspace.guards.is_secret(file.relative_to(home.root).parts)
    ]


def _text(file: Path) -> str:
    return file.read_text() if file.is_file() else ""


def test_no_secret_is_found_or_listed(home: Grounds) -> None:
    workspace = Workspace(home.root, private=[home.root / "private"])
    assert CANARY not in call(workspace, "grep", pattern="canary").output
    names = call(workspace, "glob", pattern="**", limit=1000).output + call(workspace, "read", path=".").output
    assert "file.txt" in names
    assert not [
        name for name in (".ssh", "id_rsa", "known_hosts", ".gnupg", "netrc", "private", "Keychains") if name in names
    ]


@pytest.mark.parametrize(("variable", "below"), guards.OWN_PLACES.items())
def test_our_own_data_is_private_wherever_it_was_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, below: str
) -> None:
    grounds = Grounds.make(tmp_path)
    monkeypatch.setenv(variable, str(grounds.root / "ours"))
    data = grounds.root / "ours" / below
    data.mkdir(parents=True)
    (data / "chats.txt").write_text(CANARY)
    workspace = Workspace(grounds.root)
    path = f"ours/{below}/chats.txt"
    assert call(workspace, "read", path=path).output == f"{path} is a place for secrets, which is never opened here"
    assert call(workspace, "grep", pattern=CANARY).output == "nothing was found"
    with pytest.raises(ValueError, match="place for secrets"):
        Workspace(data)


@pytest.mark.parametrize("place", [".ssh", "private", "private/inner", ".config/google-chrome/Default"])
def test_no_place_for_secrets_is_a_workspace(home: Grounds, place: str) -> None:
    (home.root / place).mkdir(parents=True, exist_ok=True)
    with pytest.raises(ValueError, match="place for secrets"):
        Workspace(home.root / place, private=[home.root / "private"])


def test_neither_is_the_root_of_everything() -> None:
    with pytest.raises(ValueError, match="root of the file system"):
        Workspace("/")


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("path", GUARDED, ids=ascii)
def test_what_makes_programs_run_something_can_be_read_and_not_written(
    tmp_path: Path, path: str, by_handle: bool
) -> None:
    grounds = Grounds.make(tmp_path)
    file = grounds.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("one\n")
    workspace = Workspace(grounds.root, by_handle=by_handle)
    assert not call(workspace, "read", path=path).is_error
    (grounds.root / "alias").symlink_to(file)
    for name in (path, "alias"):
        results = run_all(workspace, every_way(name)[1:])
        assert all(result.is_error for result in results)
    assert file.read_text() == "one\n"
    allowed = Workspace(grounds.root, writes_guarded=True, by_handle=by_handle)
    assert not call(allowed, "write", path=path, content="two\n").is_error


def test_searches_go_nowhere_else(tmp_path: Path) -> None:
    grounds = Grounds.make(tmp_path)
    (grounds.root / "folder").symlink_to(grounds.outside)
    (grounds.root / "secret.txt").symlink_to(grounds.outside / "secret.txt")
    (grounds.root / ".gitignore").symlink_to(grounds.outside / "secret.txt")
    (grounds.root / "sub" / "round").symlink_to(grounds.root)
    os.mkfifo(grounds.root / "pipe")
    workspace = Workspace(grounds.root)
    assert call(workspace, "grep", pattern="one|canary").output == "file.txt:1:one\nsub/inner.txt:1:one"
    assert sorted(call(workspace, "glob", pattern="**").output.split("\n")) == ["file.txt", "sub/inner.txt"]
    for path in ("..", "folder", "secret.txt", "sub/round/../..", str(grounds.outside), "pipe"):
        for name in ("grep", "glob"):
            result = call(workspace, name, pattern="one", path=path)
            assert result.is_error
            assert CANARY not in result.output
