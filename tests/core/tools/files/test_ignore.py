"""Rules of ``.gitignore``, compared with what git itself says wherever there is a git."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.files.ignore import IgnoreFile, is_ignored, parse_rules

if TYPE_CHECKING:
    from pathlib import Path

LINES = [
    *("*.log", "/x", "x", "x/", "/x/", "a/x", "a/*", "a/**", "**/x", "**/x/", "a/**/x", "a/**/b/x", "x/**", "/a/*.log"),
    *(
        "!x",
        "#x",
        "\\#x",
        "\\!x",
        "x ",
        "x\\ ",
        "",
        "   ",
        "/",
        "//",
        "**",
        "*",
        "[xy]",
        "[!x]",
        "?",
        "a/?",
        "*.l?g",
        "a//x",
    ),
    *(
        "*.log\n!keep.log",
        "*\n!*/\n!*.txt",
        "/*\n!/a",
        "a/\n!a/x",
        "!a\na",
        "x\n!x\nx",
        "a/b",
        "a/b/",
        "b/x",
        "**/b/**",
        "a/**/",
    ),
    *("{x,a}", "[z-a]", "[", "x\r", "\\x", "a/[^b]", "a\\/x", "*x*", "**x", "x**"),
]
PATHS = [
    *(
        "x",
        "y",
        "a/x",
        "a/y",
        "a/b/x",
        "a/b/c/x",
        "b/x",
        "x.log",
        "keep.log",
        "a/x.log",
        "a/b/y.log",
        "#x",
        "!x",
        "x ",
        "ax",
    ),
    *("xa", "a/x.txt", "t.txt", "c/x/y", "x b/x", "{x,a}", "b/c/b/x", ".x", "a/.x"),
]


def ignored_by_us(text: str, path: str) -> bool:
    names = tuple(path.split("/"))
    files = [IgnoreFile(parse_rules(text), ())]
    return any(is_ignored(files, names[:depth], is_folder=depth < len(names)) for depth in range(1, len(names) + 1))


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git to compare with")
@pytest.mark.parametrize("text", LINES, ids=ascii)
def test_git_leaves_out_the_same(tmp_path: Path, text: str) -> None:
    def git(*command: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", "-c", "core.excludesFile=", *command],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    git("init", "-q")
    (tmp_path / ".gitignore").write_bytes(text.encode())
    ours = []
    for path in PATHS:
        if any((tmp_path / path).is_relative_to(tmp_path / other) for other in PATHS if other != path):
            continue  # a name cannot be a file and a folder
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
        ours += [path] if ignored_by_us(text, path) else []
    present = git("ls-files", "-o", "-z").split("\0")
    kept = git("ls-files", "-o", "-z", "--exclude-standard").split("\0")
    assert sorted(ours) == sorted({*present} - {*kept, ".gitignore"})


def test_the_innermost_file_decides() -> None:
    files = [IgnoreFile(parse_rules("*.log"), ()), IgnoreFile(parse_rules("!keep.log"), ("a",))]
    assert not is_ignored(files, ("a", "keep.log"), is_folder=False)
    assert is_ignored(files, ("a", "x.log"), is_folder=False)
    assert is_ignored(files[:1], ("keep.log",), is_folder=False)


def test_rules_are_seen_from_their_own_folder() -> None:
    files = [IgnoreFile(parse_rules("/x"), ("a",))]
    assert is_ignored(files, ("a", "x"), is_folder=False)
    assert not is_ignored(files, ("a", "b", "x"), is_folder=False)
