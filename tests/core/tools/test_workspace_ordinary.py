"""What people and models do all day in a workspace: none of it is refused.

The other half of ``test_workspace_escapes``: a rule that is too strict fails here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.files import folders
from rillet.core.tools.workspace import MAX_LINKS, Workspace
from support.workspaces import Grounds, call, run_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rillet.core.tools.tool import ToolResult

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="made of names that Windows has not")

MODES = [pytest.param(True, id="by handle"), pytest.param(False, id="by path")]
if not folders.HANDLES:
    MODES = MODES[1:]

NAMES = [
    *(
        "plain.txt",
        "no_extension",
        "UPPER.TXT",
        "dotted.name.tar.gz",
        "a",
        "1",
        "-dash",
        "--help",
        "-rf.txt",
        "_x",
        "+x",
    ),
    *(
        "with space.txt",
        " leading",
        "trailing ",
        "two  spaces",
        "trailing.",
        "many....dots",
        "..leading",
        "...",
        "a..b",
    ),
    *(
        "ünïcödé.txt",
        "u\u0308.txt",
        "日本語.md",
        "עברית.txt",
        "العربية.txt",
        "emoji 🦆.txt",
        "👩‍👧‍👦.txt",
        "ﬁ.txt",
        "ß.txt",
    ),
    *("İstanbul.txt", "no\u00a0break.txt", "narrow\u202fspace.png.txt", "ﬀ/ﬁ.txt", "．．/x.txt", "‥/x.txt"),
    *(
        "~backup",
        "file~",
        "~$draft.docx.txt",
        "$HOME",
        "${x}.txt",
        "%20.txt",
        "%2e%2e",
        "#x#",
        "a&b",
        "a;b",
        "a|b",
        "a>b",
    ),
    *(
        "it's.txt",
        'say "x".txt',
        "(1).txt",
        "[id].tsx",
        "{x}.txt",
        "a,b",
        "a=b",
        "a:b",
        "a\\b",
        "c:\\x.txt",
        "a*b",
        "why?.txt",
    ),
    *(
        "con",
        "aux.txt",
        "nul",
        "COM1",
        "@scope/pkg/index.js",
        "!important",
        "^",
        "`tick`",
        "file:txt",
        "http:",
        "x.lnk",
    ),
    *(
        ".env",
        ".env.example",
        ".gitignore",
        ".gitattributes",
        ".gitmodules",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
    ),
    *(
        ".vscode/settings.json",
        ".idea/x.xml",
        ".config/app.toml",
        ".docker/config.json",
        ".aws/config",
        ".npmrc",
        ".bashrc",
    ),
    *("README", "Makefile", "src/main.rs", "docs/Über uns/Preis (neu) 2026.md", "photos/IMG 1234.txt", "notes/30.md"),
    *("__init__.py", "node_modules/.bin/x", ".venv/pyvenv.cfg", "build/.keep", "a.b/c.d/e.f", "ПРИВЕТ.txt"),
    *(
        "git/config",
        "x.git/config",
        "ssh/id",
        ".sshx/id",
        "x.ssh",
        "netrc",
        "mcp.json",
        ".mcp",
        "rillet/x",
        ".rillets/x",
    ),
    *(
        "Library/x.txt",
        ".local/share/x",
        "snap/x",
        "secrets/readme.md",
        "private/x",
        "etc/passwd",
        "proc/self/cwd/x",
        "dev/null",
    ),
    *("deep/" * 60 + "x.txt", "n" * 255, "ä" * 127, "/".join(["long" * 20] * 12) + "/x.txt", "a/b/c/d/e/f/g/h"),
]
SPELLINGS = [
    *(
        "sub/inner.txt",
        "./sub/inner.txt",
        "sub//inner.txt",
        "sub/./inner.txt",
        ".//sub/./inner.txt",
        "sub/deep/../inner.txt",
    ),
    *("sub/../sub/inner.txt", "sub/deep/../../sub/inner.txt", "sub/deep/./../inner.txt", "sub/../sub/../sub/inner.txt"),
    *("{root}/sub/inner.txt", "{root}//sub/inner.txt", "{root}/./sub/inner.txt", "{root}/sub/deep/../inner.txt"),
    *(
        "{given}/sub/inner.txt",
        "{given}/sub/../sub/inner.txt",
        "//{root}/sub/inner.txt",
        "{root}/sub/../sub//inner.txt",
    ),
]
LINKS = {
    "a link beside": ("l", "file.txt", "l"),
    "with a dot": ("l", "./file.txt", "l"),
    "into a folder": ("l", "sub/inner.txt", "l"),
    "up and down again": ("sub/l", "../file.txt", "sub/l"),
    "far up": ("sub/deep/l", "../../file.txt", "sub/deep/l"),
    "absolute": ("l", "{root}/file.txt", "l"),
    "absolute, as the folder was chosen": ("l", "{given}/sub/inner.txt", "l"),
    "absolute with detours": ("l", "{root}/sub/../file.txt", "l"),
    "to a folder": ("l", "sub", "l/inner.txt"),
    "to a folder with a slash": ("l", "sub/", "l/inner.txt"),
    "to the folder it is in": ("l", ".", "l/l/l/file.txt"),
    "to the root": ("sub/l", "..", "sub/l/file.txt"),
    "to the root, absolute": ("sub/l", "{root}", "sub/l/sub/l/file.txt"),
    "and up from where it leads": ("l", "sub/deep", "l/../inner.txt"),
    "as package managers do": ("node_modules/x", "../sub", "node_modules/x/inner.txt"),
    "with a name that is not ASCII": ("ünï 🦆", "file.txt", "ünï 🦆"),
}


def ways(path: str) -> list[tuple[str, dict[str, str]]]:
    """Read, edit, patch, replace."""
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-second\n+third\n*** End Patch"
    return [
        ("read", {"path": path}),
        ("edit", {"path": path, "oldString": "one", "newString": "second"}),
        ("apply_patch", {"patchText": patch}),
        ("write", {"path": path, "content": "four\n"}),
    ]


def failures(results: list[ToolResult]) -> list[str]:
    return [result.output for result in results if result.is_error]


def cases() -> Iterator[str]:
    yield from (*NAMES, *SPELLINGS, *LINKS)


def test_there_are_enough_of_them() -> None:
    assert len(set(cases())) >= 150


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:30])
def test_a_file_of_any_name_is_created_read_and_changed(tmp_path: Path, name: str, by_handle: bool) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    workspace = Workspace(root, by_handle=by_handle)
    results = run_all(
        workspace,
        [("write", {"path": name, "content": "one\n"}), *(ways(name) if name == name.strip() else ways(name)[:2])],
    )
    assert failures(results) == []
    assert (root / name).read_text() == ("four\n" if name == name.strip() else "second\n")


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_path_may_be_written_in_any_way_that_stays_inside(tmp_path: Path, spelling: str, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    given = tmp_path / "chosen"
    given.symlink_to(grounds.root)
    workspace = Workspace(given, by_handle=by_handle)
    path = spelling.format(root=grounds.root, given=given)
    assert failures(run_all(workspace, ways(path))) == []
    assert (grounds.root / "sub" / "inner.txt").read_text() == "four\n"


@pytest.mark.parametrize("by_handle", MODES)
@pytest.mark.parametrize("case", LINKS)
def test_a_link_that_stays_inside_is_followed_and_stays_a_link(tmp_path: Path, case: str, by_handle: bool) -> None:
    name, target, path = LINKS[case]
    grounds = Grounds.make(tmp_path)
    given = tmp_path / "chosen"
    given.symlink_to(grounds.root)
    at = grounds.root / name
    at.parent.mkdir(exist_ok=True)
    at.symlink_to(target.format(root=grounds.root, given=given))
    file = (grounds.root / path).resolve()
    assert failures(run_all(Workspace(given, by_handle=by_handle), ways(path))) == []
    assert file.read_text() == "four\n"
    assert at.is_symlink()


@pytest.mark.parametrize("by_handle", MODES)
def test_a_chain_of_as_many_links_as_the_system_follows_is_followed(tmp_path: Path, by_handle: bool) -> None:
    (tmp_path / f"l{MAX_LINKS}").write_text("one\n")
    for number in range(MAX_LINKS):
        (tmp_path / f"l{number}").symlink_to(f"l{number + 1}")
    assert call(Workspace(tmp_path, by_handle=by_handle), "read", path="l0").output.startswith("     1\tone")


@pytest.mark.parametrize("by_handle", MODES)
def test_a_dangling_link_inside_is_written_through(tmp_path: Path, by_handle: bool) -> None:
    (tmp_path / "l").symlink_to("new/new.txt")
    assert not call(Workspace(tmp_path, by_handle=by_handle), "write", path="l", content="x\n").is_error
    assert (tmp_path / "new" / "new.txt").read_text() == "x\n"


@pytest.mark.parametrize("by_handle", MODES)
def test_a_file_that_a_package_manager_linked_is_read(tmp_path: Path, by_handle: bool) -> None:
    grounds = Grounds.make(tmp_path)
    (grounds.root / "package.py").hardlink_to(grounds.outside / "secret.txt")
    assert not call(Workspace(grounds.root, by_handle=by_handle), "read", path="package.py").is_error


@pytest.mark.parametrize(
    "place", [".docker/config.json", ".aws/x", "Library/Keychains/x", ".mozilla/x", ".config/gh/x"]
)
def test_names_that_are_secret_at_home_are_ordinary_elsewhere(tmp_path: Path, place: str) -> None:
    assert not call(Workspace(tmp_path), "write", path=place, content="x").is_error


def test_a_home_folder_is_a_workspace_but_for_its_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    workspace = Workspace(tmp_path)
    results = run_all(
        workspace, [("write", {"path": path, "content": "x"}) for path in ("notes.txt", ".config/x", ".bashrc")]
    )
    assert failures(results) == []


def test_what_is_beside_the_private_place_is_not_private(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, private=[tmp_path / "data"])
    names = ("data2/x", "dat", "sub/data/x", "data.txt")
    assert failures(run_all(workspace, [("write", {"path": name, "content": "x"}) for name in names])) == []


def test_a_folder_that_may_be_passed_but_not_listed_above_the_workspace_is_no_obstacle(tmp_path: Path) -> None:
    inner = tmp_path / "above" / "ws"
    inner.mkdir(parents=True)
    (inner / "x.txt").write_text("one\n")
    (tmp_path / "above").chmod(0o111)
    try:
        assert not call(Workspace(inner), "read", path="x.txt").is_error
    finally:
        (tmp_path / "above").chmod(0o755)
