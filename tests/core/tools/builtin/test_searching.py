"""``grep`` and ``glob``, with the child in which they look."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.builtin import builtin_tools, searching
from rillet.core.tools.builtin.searching import run_search
from rillet.core.tools.files.search import MAX_FILE, Search
from rillet.core.tools.processes import Process
from rillet.core.tools.workspace import Workspace
from support.workspaces import NO_CONTEXT, call

if TYPE_CHECKING:
    from pathlib import Path


SLOW = "(a+)+$"
"""Takes two to the power of the length of a line of "a" that does not end there."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "README.md": "# Title\nfind me\n",
        "src/main.py": "def find():\n    return 'me'\n",
        "src/deep/er/util.ts": "const find = 1\n",
        "docs/a b/ü.txt": "find\r\nand find again\r\n",
        ".hidden/x.txt": "find\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    return tmp_path


def grep(root: Path, pattern: str, **args: Any) -> list[str]:
    return call(Workspace(root), "grep", pattern=pattern, **args).output.split("\n")


def glob(root: Path, pattern: str, **args: Any) -> list[str]:
    return call(Workspace(root), "glob", pattern=pattern, **args).output.split("\n")


def test_lines_are_found_with_path_and_number(root: Path) -> None:
    assert grep(root, r"\bfind\b") == [
        "README.md:2:find me",
        ".hidden/x.txt:1:find",
        "docs/a b/ü.txt:1:find",
        "docs/a b/ü.txt:2:and find again",
        "src/main.py:1:def find():",
        "src/deep/er/util.ts:1:const find = 1",
    ]


@pytest.mark.parametrize(
    ("args", "paths"),
    [
        ({"path": "src"}, ["src/main.py", "src/deep/er/util.ts"]),
        ({"path": "src/main.py"}, ["src/main.py"]),
        ({"path": "./src/deep/.."}, ["src/main.py", "src/deep/er/util.ts"]),
        ({"include": "*.py"}, ["src/main.py"]),
        ({"include": "src/**"}, ["src/main.py", "src/deep/er/util.ts"]),
        ({"include": "*.{md,ts}"}, ["README.md", "src/deep/er/util.ts"]),
        ({"path": "src", "include": "deep/**"}, ["src/deep/er/util.ts"]),
        ({"path": ""}, ["README.md", ".hidden/x.txt", "docs/a b/ü.txt", "src/main.py", "src/deep/er/util.ts"]),
    ],
)
def test_a_search_can_be_narrowed(root: Path, args: dict[str, str], paths: list[str]) -> None:
    found = [line.partition(":")[0] for line in grep(root, "find", **args)]
    assert list(dict.fromkeys(found)) == paths


def test_what_is_searched_is_one_line_at_a_time(root: Path) -> None:
    assert grep(root, "^find$") == [".hidden/x.txt:1:find", "docs/a b/ü.txt:1:find"]
    assert grep(root, r"me\s+def|Title\n") == ["nothing was found"]
    assert grep(root, "(?i)TITLE") == ["README.md:1:# Title"]


def test_more_than_was_asked_for_is_not_shown_but_said(root: Path) -> None:
    assert grep(root, "find", limit=2)[2:] == ["(the first 2: there are more)"]
    assert len(grep(root, "find", limit=6)) == 6


def test_binary_large_and_unreadable_files_are_passed_over(root: Path) -> None:
    (root / "x.bin").write_bytes(b"find\0me")
    (root / "large.txt").write_bytes(b"find\n" * (MAX_FILE // 5 + 1))
    (root / "utf16.txt").write_bytes("find ü\r\n".encode("utf-16"))
    (root / "latin.txt").write_bytes(b"find \xfc\n")
    lines = grep(root, "find .")
    assert "utf16.txt:1:find ü" in lines
    assert "latin.txt:1:find \ufffd" in lines
    assert lines[-1] == "(passed over: 1 binary and 1 large files)"


def test_a_long_line_is_shown_around_what_was_found(root: Path) -> None:
    (root / "long.txt").write_text("x" * 5000 + "needle" + "y" * 5000)
    (line,) = grep(root, "needle")
    assert "needle" in line
    assert len(line) < 500


def test_what_gitignore_names_is_left_out(root: Path) -> None:
    (root / ".gitignore").write_text("docs/\n*.ts\n!util.ts\n/src/main.py\n")
    (root / "src" / ".gitignore").write_text("deep\n")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("find\n")
    assert grep(root, "find") == ["README.md:2:find me", ".hidden/x.txt:1:find"]
    assert grep(root, "find", path="src") == ["nothing was found"]
    assert grep(root, "find", path="src/main.py") == ["src/main.py:1:def find():"]
    assert sorted(glob(root, "**")) == [".gitignore", ".hidden/x.txt", "README.md", "src/.gitignore"]


def test_a_search_does_not_come_upon_files_that_may_hold_keys(root: Path) -> None:
    (root / "src" / "credentials").mkdir()
    for name in (".env", ".env.example", "src/server.pem", "src/credentials/x.txt"):
        (root / name).write_text("TOKEN=1\n")
    assert grep(root, "TOKEN") == [
        ".env.example:1:TOKEN=1",
        "(left out: 3 files that may hold keys or passwords; name one to search it)",
    ]
    assert grep(root, "TOKEN", path=".env") == [".env:1:TOKEN=1"]
    assert grep(root, "TOKEN", path="src/credentials") == ["src/credentials/x.txt:1:TOKEN=1"]
    assert ".env" in glob(root, "*")


def test_files_are_listed_newest_first(root: Path) -> None:
    for age, name in enumerate(["src/main.py", "README.md", "docs/a b/ü.txt"]):
        os.utime(root / name, (2e9 - age, 2e9 - age))
    assert glob(root, "**")[:3] == ["src/main.py", "README.md", "docs/a b/ü.txt"]
    assert glob(root, "**", limit=1) == ["src/main.py", "(the first 1: there are more)"]


@pytest.mark.parametrize(
    ("pattern", "path", "paths"),
    [
        ("*.py", ".", ["src/main.py"]),
        ("src/*", ".", ["src/main.py"]),
        ("*", "src", ["src/deep/er/util.ts", "src/main.py"]),
        ("deep/**/*.ts", "src", ["src/deep/er/util.ts"]),
        ("*.none", ".", ["no file fits"]),
    ],
)
def test_a_pattern_is_for_paths_below_the_folder(root: Path, pattern: str, path: str, paths: list[str]) -> None:
    assert sorted(glob(root, pattern, path=path)) == paths


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("grep", {"pattern": "("}, "no regular expression: missing ), unterminated subpattern at position 0"),
        ("grep", {"pattern": "a{999999999999}"}, ""),
        ("grep", {"pattern": "x", "include": "[z-a]"}, "'[z-a]' is no pattern"),
        ("glob", {"pattern": "[z-a]"}, "'[z-a]' is no pattern"),
        ("grep", {"pattern": "x", "path": "none"}, "there is no none"),
        ("glob", {"pattern": "x", "path": "none"}, "there is no none"),
        ("grep", {"pattern": "x", "path": ".."}, ".. is outside the workspace"),
        ("glob", {"pattern": "x", "path": "/etc"}, "/etc is outside the workspace"),
        ("grep", {"pattern": "x", "path": "\ud83d"}, "is no path"),
    ],
)
def test_a_search_that_cannot_be_made_says_why(root: Path, name: str, args: dict[str, Any], said: str) -> None:
    result = call(Workspace(root), name, **args)
    assert result.is_error
    assert said in result.output


def test_a_name_that_would_break_the_list_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a\nb:1:x").write_text("find\n")
    assert grep(tmp_path, "find") == ["a\\nb:1:x:1:find"]


def test_the_private_places_of_the_program_are_not_searched(root: Path) -> None:
    workspace = Workspace(root, private=[root / "src"])
    assert "src" not in call(workspace, "grep", pattern="find").output
    assert "src" not in call(workspace, "glob", pattern="**").output


def test_a_regular_expression_that_does_not_end_is_ended_and_what_was_found_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("aaaa\n")
    (tmp_path / "b.txt").write_text("a" * 60 + "!\n")
    children = watched_children(monkeypatch)
    search = Search(root=str(tmp_path), private=(), path=".", pattern=SLOW, by_line=True, limit=9)
    found = asyncio.run(run_search(search, seconds=1.0))
    assert [finding["path"] for finding in found.findings] == ["a.txt"]
    assert found.text(["a.txt:1:aaaa"], "") == (
        "a.txt:1:aaaa\n(stopped after 20 s: there may be more; look in a smaller folder, or for less)"
    )
    assert [is_alive(child.pid) for child in children] == [False]


def test_a_pattern_of_stars_is_ended_too(tmp_path: Path) -> None:
    (tmp_path / ("a" * 200)).touch()
    search = Search(root=str(tmp_path), private=(), path=".", pattern="*a" * 50 + "b", by_line=False, limit=9)
    assert asyncio.run(run_search(search, seconds=1.0)).counts == {}


def test_a_cancelled_search_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.txt").write_text("aaa\n" + "a" * 60 + "!\n")
    children = watched_children(monkeypatch)
    taken = asyncio.Event()
    take = searching._take

    def watched(*args: Any) -> None:
        take(*args)
        taken.set()

    monkeypatch.setattr(searching, "_take", watched)
    tool = next(tool for tool in builtin_tools(Workspace(tmp_path)) if tool.name == "grep")

    async def main() -> None:
        running = asyncio.create_task(tool.run({"pattern": SLOW}, NO_CONTEXT))
        await taken.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert [is_alive(child.pid) for child in children] == [False]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are kept on Linux")
def test_a_search_that_takes_all_memory_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = "search._find_lines = lambda *_: [bytearray(4 << 30)]; search.main()"
    monkeypatch.setattr(
        searching, "_command", lambda: [sys.executable, "-c", f"from rillet.core.tools.files import search; {greedy}"]
    )
    result = call(Workspace(tmp_path), "grep", pattern="x")
    assert (result.output, result.is_error) == ("it takes more than 2 GB of memory", True)


@pytest.mark.parametrize("crash", ["import os; os._exit(1)", "print('no JSON')", "raise SystemError"])
def test_a_search_that_crashes_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: str) -> None:
    monkeypatch.setattr(searching, "_command", lambda: [sys.executable, "-c", crash])
    result = call(Workspace(tmp_path), "grep", pattern="x")
    assert (result.output, result.is_error) == ("the search broke off", True)


def test_the_child_sees_no_secret_of_the_environment(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary")
    seen: list[dict[str, str]] = []
    start = Process.start

    async def watched(command: list[str], *, env: dict[str, str], **named: Any) -> Process:
        seen.append(env)
        return await start(command, env=env, **named)

    monkeypatch.setattr(Process, "start", watched)
    assert grep(root, "Title") == ["README.md:1:# Title"]
    assert "canary" not in str(seen)


def watched_children(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    children: list[Process] = []
    start = Process.start

    async def watched(*args: Any, **named: Any) -> Process:
        children.append(await start(*args, **named))
        return children[-1]

    monkeypatch.setattr(Process, "start", watched)
    return children


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
