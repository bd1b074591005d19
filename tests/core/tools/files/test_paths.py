from __future__ import annotations

import pytest

from rillet.core.tools.files.paths import ParsedPath, PathRefused, fold_name, parse_path, show

POSIX = ("/home/me/ws", "/link/ws")
DRIVE = ("C:\\Users\\me\\ws", "D:\\link")
SHARE = ("\\\\server\\share\\ws",)


@pytest.mark.parametrize(
    ("text", "names", "is_absolute"),
    [
        ("", (), False),
        (".", (), False),
        ("a/b", ("a", "b"), False),
        ("./a//b/.", ("a", "b"), False),
        ("a/../b", ("a", "..", "b"), False),
        ("/home/me/ws", (), True),
        ("/home/me/ws/", (), True),
        ("/home//me/./ws/a", ("a",), True),
        ("//home/me/ws/a", ("a",), True),
        ("/link/ws/a/..", ("a", ".."), True),
        ("C:\\x", ("C:\\x",), False),
        ("a:b/con", ("a:b", "con"), False),
    ],
)
def test_posix_paths_become_names(text: str, names: tuple[str, ...], is_absolute: bool) -> None:
    assert parse_path(text, POSIX, windows=False) == ParsedPath(names, is_absolute)


@pytest.mark.parametrize(
    "text", ["/", "/home/me", "/home/me/ws2", "/home/me/wsx/a", "/home/me/../me/ws", "/Home/me/ws"]
)
def test_posix_paths_that_do_not_begin_with_the_root_are_outside(text: str) -> None:
    with pytest.raises(PathRefused, match="is outside the workspace"):
        parse_path(text, POSIX, windows=False)


@pytest.mark.parametrize(
    ("text", "roots", "names", "is_absolute"),
    [
        ("a\\b", DRIVE, ("a", "b"), False),
        ("a/b\\..\\c.txt", DRIVE, ("a", "b", "..", "c.txt"), False),
        (".hidden\\ü 🦆.txt", DRIVE, (".hidden", "ü 🦆.txt"), False),
        ("C:\\Users\\me\\ws\\a", DRIVE, ("a",), True),
        ("c:/users/ME/WS/A", DRIVE, ("A",), True),
        ("C:\\Users\\me\\ws", DRIVE, (), True),
        ("D:\\link\\a", DRIVE, ("a",), True),
        ("\\\\SERVER\\share\\ws\\a", SHARE, ("a",), True),
        ("//server/share/ws/a", SHARE, ("a",), True),
        ("console.txt", DRIVE, ("console.txt",), False),
        ("com10", DRIVE, ("com10",), False),
        ("nullable\\auxiliary", DRIVE, ("nullable", "auxiliary"), False),
        ("a.b.c", DRIVE, ("a.b.c",), False),
    ],
)
def test_windows_paths_become_names(
    text: str, roots: tuple[str, ...], names: tuple[str, ...], is_absolute: bool
) -> None:
    assert parse_path(text, roots, windows=True) == ParsedPath(names, is_absolute)


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        ("\\\\server\\share\\ws2\\a", SHARE),
        ("\\\\other\\share\\ws\\a", SHARE),
        ("\\server\\share\\ws\\a", SHARE),
        ("server:\\share\\ws", SHARE),
        ("\\\\C:\\Users\\me\\ws\\a", DRIVE),
        ("\\\\Users\\me\\ws\\a", DRIVE),
        ("C:\\Users\\me\\ws\\a:b", DRIVE),
        ("C:\\Users\\me\\ws\\nul", DRIVE),
        ("E:\\link\\a", DRIVE),
        ("C:Users\\me\\ws\\a", DRIVE),
    ],
)
def test_windows_paths_that_lead_elsewhere_are_refused(text: str, roots: tuple[str, ...]) -> None:
    with pytest.raises(PathRefused):
        parse_path(text, roots, windows=True)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain ü 🦆", "plain ü 🦆"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u2028", "\\u2028"),
        ("\x9b", "\\x9b"),
        ("caf\udce9", "caf\ufffd"),
        ("👩\u200d👧", "👩\u200d👧"),
    ],
)
def test_a_shown_name_stays_on_its_line(name: str, shown: str) -> None:
    assert show(name) == shown


@pytest.mark.parametrize("name", [".git", ".GIT", ".Git ", ".git.", ".g\u200cit", ".git\ufeff", "\u202e.git"])
def test_names_that_some_system_takes_for_the_same_fold_to_the_same(name: str) -> None:
    assert fold_name(name) == ".git"


@pytest.mark.parametrize("name", ["git", ".gitignore", ".github", ".gít", "x.git", ".g it"])
def test_other_names_do_not(name: str) -> None:
    assert fold_name(name) != ".git"
