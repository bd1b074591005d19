from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from rillet.core.tools.files import folders
from rillet.core.tools.files.paths import FileError, PathRefused
from rillet.core.tools.workspace import Workspace

MODES = [pytest.param(True, id="by handle"), pytest.param(False, id="by path")]
if not folders.HANDLES:
    MODES = MODES[1:]


@pytest.fixture(params=MODES)
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "x.txt").write_text("x")
    return Workspace(root, by_handle=request.param)


@pytest.mark.parametrize(
    ("path", "at", "names", "rest"),
    [
        (".", ".", (), ()),
        ("", ".", (), ()),
        ("sub", "sub", ("sub",), ()),
        ("sub/x.txt", "sub/x.txt", ("sub",), ("x.txt",)),
        ("sub/new/y.txt", "sub/new/y.txt", ("sub",), ("new", "y.txt")),
        ("sub/../y.txt", "y.txt", (), ("y.txt",)),
    ],
)
def test_a_location_is_the_deepest_folder_and_what_is_left(
    workspace: Workspace, path: str, at: str, names: tuple[str, ...], rest: tuple[str, ...]
) -> None:
    with workspace.locate(path) as location:
        assert (location.path, location.names, location.rest) == (at, names, rest)
        assert location.is_folder == (not rest)
        assert location.absolute == workspace.root.joinpath(*names, *rest)


def test_a_location_holds_on_to_its_folder_whatever_the_path_becomes(tmp_path: Path) -> None:
    if not folders.HANDLES:
        pytest.skip("this system opens nothing relative to a folder")
    (tmp_path / "ws" / "sub").mkdir(parents=True)
    (tmp_path / "ws" / "sub" / "x.txt").write_text("inside")
    (tmp_path / "x.txt").write_text("outside")
    with Workspace(tmp_path / "ws").locate("sub/x.txt") as location:
        (tmp_path / "ws" / "sub").rename(tmp_path / "ws" / "old")
        (tmp_path / "ws" / "sub").symlink_to(tmp_path)
        with location.open() as file:
            assert file.read() == b"inside"


def test_a_workspace_that_has_become_a_link_is_not_entered(workspace: Workspace) -> None:
    workspace.root.rename(workspace.root.with_name("old"))
    with pytest.raises(PathRefused, match="is gone, or has become a link"):
        workspace.locate(".")
    workspace.root.symlink_to(workspace.root.with_name("old"))
    with pytest.raises(PathRefused, match="is gone, or has become a link"):
        workspace.locate("sub/x.txt")


@pytest.mark.parametrize("by_handle", MODES)
def test_nor_is_one_whose_way_has_become_a_link(tmp_path: Path, by_handle: bool) -> None:
    for base in ("above", "elsewhere"):
        (tmp_path / base / "ws").mkdir(parents=True)
    workspace = Workspace(tmp_path / "above" / "ws", by_handle=by_handle)
    (tmp_path / "above").rename(tmp_path / "old")
    (tmp_path / "above").symlink_to("elsewhere")
    with pytest.raises(PathRefused, match="is gone, or has become a link"):
        workspace.locate(".")


@pytest.mark.parametrize("path", ["sub", "sub/new.txt", "new/new.txt"])
def test_only_files_are_opened(workspace: Workspace, path: str) -> None:
    with workspace.locate(path) as location, pytest.raises(FileError):
        location.open()


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")
def test_a_pipe_that_took_the_place_of_a_file_is_not_waited_for(workspace: Workspace) -> None:
    with workspace.locate("sub/x.txt") as location:
        status = location.folder.status("x.txt")
        (workspace.root / "sub" / "x.txt").unlink()
        os.mkfifo(workspace.root / "sub" / "x.txt")
        assert status.st_size == 1
        with pytest.raises(OSError, match="not a regular file"):
            location.folder.open_file("x.txt")
        with pytest.raises(PathRefused, match="is not a regular file"):
            location.require_writable()


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")
def test_what_was_opened_is_looked_at_once_more(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    open_, path = os.open, workspace.root / "sub" / "x.txt"

    def swapped(*args: Any, **named: Any) -> int:
        path.unlink()
        os.mkfifo(path)
        return open_(*args, **named)

    with workspace.locate("sub/x.txt") as location:
        monkeypatch.setattr(os, "open", swapped)
        with pytest.raises(FileError, match="not a regular file"):
            location.open()


def test_no_descriptor_is_left_open(workspace: Workspace) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    if sys.platform != "linux":
        pytest.skip("descriptors are counted on Linux")
    (workspace.root / "out").symlink_to("/etc")
    before = count()
    for path in (
        "sub/x.txt",
        "sub/../sub/x.txt",
        "none/x",
        "sub/x.txt/y",
        "../x",
        "out/passwd",
        "sub/.ssh/x",
        "none/../x",
    ):
        for _ in range(3):
            try:
                with workspace.locate(path) as location:
                    location.open().close()
            except FileError:
                pass
    assert count() == before


@pytest.mark.parametrize("name", ["none", "sub/x.txt"])
def test_only_a_folder_is_a_workspace(workspace: Workspace, name: str) -> None:
    with pytest.raises(ValueError, match="is no folder"):
        Workspace(workspace.root / name)


def test_a_workspace_is_where_its_path_leads_not_the_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    workspace = Workspace(tmp_path / "link")
    assert workspace.root == tmp_path / "real"
    with workspace.locate(str(tmp_path / "link" / "x")) as location:
        assert location.path == "x"
