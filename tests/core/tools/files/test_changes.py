from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.files import changes as module
from rillet.core.tools.files import folders
from rillet.core.tools.files.changes import ChangeSet
from rillet.core.tools.files.paths import FileError, PathRefused
from rillet.core.tools.files.text import NotText, TextFile
from rillet.core.tools.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODES = [pytest.param(True, id="by handle"), pytest.param(False, id="by path")]
if not folders.HANDLES:
    MODES = MODES[1:]


def never() -> bool:
    return False


def contents(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text() if path.is_file() else "folder" for path in root.rglob("*")
    }


@pytest.fixture(params=MODES)
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.txt").write_text("a\n")
    (root / "b.txt").write_text("b\n")
    return Workspace(root, by_handle=request.param)


def change_everything(changes: ChangeSet) -> None:
    """Replace, remove, move into new folders, and add."""
    changes.write("a.txt", TextFile("A\n"))
    changes.move("b.txt", "new/deep/c.txt", TextFile("c\n"))
    changes.write("new/d.txt", TextFile("d\n"))
    changes.write("e.txt", TextFile("e\n"))


AFTER = {
    "a.txt": "A\n",
    "new": "folder",
    "new/deep": "folder",
    "new/deep/c.txt": "c\n",
    "new/d.txt": "d\n",
    "e.txt": "e\n",
}


def test_several_files_change_together_and_nothing_else_is_left(workspace: Workspace) -> None:
    with ChangeSet(workspace) as changes:
        change_everything(changes)
        assert changes.paths == ("a.txt", "b.txt", "new/deep/c.txt", "new/d.txt", "e.txt")
        changes.commit(never)
    assert contents(workspace.root) == AFTER


def test_nothing_happens_before_the_commit(workspace: Workspace) -> None:
    before = contents(workspace.root)
    with ChangeSet(workspace) as changes:
        change_everything(changes)
        assert changes.diff().count("--- ") == 4
    assert contents(workspace.root) == before


def test_nothing_happens_once_it_was_stopped(workspace: Workspace) -> None:
    before = contents(workspace.root)
    with ChangeSet(workspace) as changes:
        change_everything(changes)
        with pytest.raises(FileError, match="stopped: nothing was changed"):
            changes.commit(lambda: True)
    assert contents(workspace.root) == before


class Breaks:
    """One step of the file system that fails once, the ``moment``-th of all."""

    STEPS = ("create_file", "replace", "make_folder", "enter", "status")

    def __init__(self, moment: int) -> None:
        self.moment = moment
        self.count = 0

    def install(self, patch: pytest.MonkeyPatch, folder: type) -> None:
        for name in self.STEPS:
            patch.setattr(folder, name, self._wrap(getattr(folder, name)))

    def _wrap(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            self.count += 1
            if self.count == self.moment:
                raise OSError(28, "No space left on device")
            return step(*args)

        return call


def test_whichever_step_fails_everything_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = 0
    while True:
        moment += 1
        root = tmp_path / str(moment)
        root.mkdir()
        (root / "a.txt").write_text("a\n")
        (root / "b.txt").write_text("b\n")
        before = contents(root)
        workspace = Workspace(root)
        with ChangeSet(workspace) as changes:
            change_everything(changes)
            breaks = Breaks(moment)
            with monkeypatch.context() as patch:
                breaks.install(patch, folders._HandleFolder if folders.HANDLES else folders._PathFolder)
                try:
                    changes.commit(never)
                except FileError as error:
                    assert "No space left on device; nothing was changed" in str(error)
                    assert contents(root) == before
                    continue
        assert breaks.count < moment
        assert contents(root) == AFTER
        break
    assert moment > 20


def test_what_cannot_be_put_back_is_told(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(workspace.locate("a.txt").folder)
    replace, calls = kind.replace, []

    def fails_from_the_second_on(self: Any, name: str, new_name: str) -> None:
        calls.append(name)
        if len(calls) > 1:
            raise OSError(5, "Input/output error")
        replace(self, name, new_name)

    monkeypatch.setattr(kind, "replace", fails_from_the_second_on)
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("A\n"))
        changes.write("b.txt", TextFile("B\n"))
        with pytest.raises(
            FileError, match=r"could not be put back: a.txt \(Input/output error, its old content is in"
        ) as caught:
            changes.commit(never)
    kept = str(caught.value).rpartition(" is in ")[2].rstrip(")")
    assert (workspace.root / kept).read_text() == "a\n"
    assert (workspace.root / "b.txt").read_text() == "b\n"


def test_an_interruption_after_the_only_file_was_written_leaves_it_written(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    swap = module._swap

    def interrupted(change: Any) -> None:
        swap(change)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_swap", interrupted)
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("A\n"))
        with pytest.raises(KeyboardInterrupt):
            changes.commit(never)
    assert contents(workspace.root) == {"a.txt": "A\n", "b.txt": "b\n"}


def test_an_interruption_puts_everything_back_too(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(workspace.root)

    def interrupted(change: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_swap", interrupted)
    with ChangeSet(workspace) as changes:
        change_everything(changes)
        with pytest.raises(KeyboardInterrupt):
            changes.commit(never)
    assert contents(workspace.root) == before


@pytest.mark.parametrize("meddle", ["write", "remove", "create"])
def test_what_somebody_else_changed_meanwhile_is_not_overwritten(workspace: Workspace, meddle: str) -> None:
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("A\n"))
        changes.write("new.txt", TextFile("new\n"))
        match meddle:
            case "write":
                (workspace.root / "a.txt").write_text("mine\n")
            case "remove":
                (workspace.root / "a.txt").unlink()
            case _:
                (workspace.root / "new.txt").write_text("mine\n")
        before = contents(workspace.root)
        with pytest.raises(FileError, match="was changed by somebody else in between: read it again"):
            changes.commit(never)
    assert contents(workspace.root) == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o666])
def test_a_file_keeps_its_mode(workspace: Workspace, mode: int) -> None:
    (workspace.root / "a.txt").chmod(mode)
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("A\n"))
        changes.commit(never)
    assert (workspace.root / "a.txt").stat().st_mode & 0o7777 == mode


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_no_file_becomes_one_that_runs_as_somebody_else(workspace: Workspace) -> None:
    (workspace.root / "a.txt").chmod(0o6755)
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("A\n"))
        changes.commit(never)
    assert (workspace.root / "a.txt").stat().st_mode & 0o7777 == 0o755


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_new_file_has_the_mode_that_the_user_gives_new_files(workspace: Workspace) -> None:
    old = os.umask(0o027)
    try:
        with ChangeSet(workspace) as changes:
            changes.write("new.txt", TextFile("new\n"))
            changes.commit(never)
    finally:
        os.umask(old)
    assert (workspace.root / "new.txt").stat().st_mode & 0o7777 == 0o640


def test_while_it_is_written_every_file_is_the_old_or_the_new_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set()
    fsync, kind = os.fsync, type(workspace.locate("a.txt").folder)
    replace = kind.replace

    def look() -> None:
        seen.add((workspace.root / "a.txt").read_text())

    def watched_fsync(descriptor: int) -> None:
        look()
        fsync(descriptor)

    def watched_replace(self: Any, name: str, new_name: str) -> None:
        look()
        replace(self, name, new_name)
        look()

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(kind, "replace", watched_replace)
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("A" * 100_000))
        changes.commit(never)
    assert seen == {"a\n", "A" * 100_000}


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_that_waits_under_the_name_of_what_is_written_is_not_followed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = workspace.root.parent / "outside.txt"
    outside.write_text("outside")
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * size)
    (workspace.root / f".rillet-{'0' * 8}.tmp").symlink_to(outside)
    with ChangeSet(workspace) as changes, pytest.raises(FileError, match="nothing was changed"):
        changes.write("a.txt", TextFile("A\n"))
        changes.commit(never)
    assert outside.read_text() == "outside"
    assert (workspace.root / "a.txt").read_text() == "a\n"


def test_a_set_sees_its_own_changes(workspace: Workspace) -> None:
    with ChangeSet(workspace) as changes:
        changes.write("a.txt", TextFile("1\n"))
        assert changes.read("./a.txt") == TextFile("1\n")
        changes.remove("a.txt")
        assert changes.read("a.txt") is None
        changes.write("a.txt", TextFile("a\n"))
        assert changes.paths == ()


def test_a_file_that_comes_and_goes_in_one_set_is_never_there(workspace: Workspace) -> None:
    before = contents(workspace.root)
    with ChangeSet(workspace) as changes:
        changes.write("new.txt", TextFile("x"))
        changes.remove("new.txt")
        assert changes.paths == ()
        with pytest.raises(FileError, match=r"there is no new\.txt"):
            changes.remove("new.txt")
        changes.commit(never)
    assert contents(workspace.root) == before


def test_a_binary_file_can_go_and_nothing_else(workspace: Workspace) -> None:
    (workspace.root / "x.bin").write_bytes(b"\0\1\2")
    with ChangeSet(workspace) as changes:
        with pytest.raises(NotText, match=r"x\.bin: the file is binary"):
            changes.read("x.bin")
        changes.remove("x.bin")
        assert "x.bin" in changes.diff()
        with pytest.raises(FileError, match="cannot be replaced in the same step"):
            changes.write("x.bin", TextFile("x"))
        changes.commit(never)
    assert not (workspace.root / "x.bin").exists()


def test_a_binary_file_that_went_comes_back_if_the_rest_fails(workspace: Workspace) -> None:
    (workspace.root / "x.bin").write_bytes(b"\0\1\2")
    with ChangeSet(workspace) as changes:
        changes.remove("x.bin")
        changes.write("a.txt", TextFile("A\n"))
        changes.write("y/z.txt", TextFile("y"))
        (workspace.root / "y").write_text("a file in the way")
        with pytest.raises(FileError, match="nothing was changed"):
            changes.commit(never)
    assert (workspace.root / "x.bin").read_bytes() == b"\0\1\2"
    assert (workspace.root / "a.txt").read_text() == "a\n"


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_removing_by_way_of_a_link_is_refused(workspace: Workspace) -> None:
    (workspace.root / "l").symlink_to("a.txt")
    with ChangeSet(workspace) as changes, pytest.raises(FileError, match="is a link: name the file itself"):
        changes.remove("l")


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda path: path.mkdir(), FileError, "is a folder"),
        (lambda path: path.write_bytes(b"x" * (module.MAX_BYTES + 1)), NotText, "larger than 8 MB"),
        (lambda path: (path.write_text("x"), path.chmod(0o444)), PathRefused, "is read-only"),
        (lambda path: (path.write_text("x"), path.with_name("y").hardlink_to(path)), PathRefused, "hard links"),
    ],
)
def test_what_is_not_changed_here_says_why(
    workspace: Workspace, make: Callable[[Path], object], error: type[FileError], reason: str
) -> None:
    make(workspace.root / "x")
    with ChangeSet(workspace) as changes, pytest.raises(error, match=reason):
        changes.read("x")


@pytest.mark.parametrize("text", ["x" * (module.MAX_BYTES + 1), "half of one: \ud83d"])
def test_text_that_no_file_should_hold_is_refused(workspace: Workspace, text: str) -> None:
    with ChangeSet(workspace) as changes, pytest.raises(FileError):
        changes.write("a.txt", TextFile(text))


def test_there_is_a_limit_to_the_number_of_files(workspace: Workspace) -> None:
    with ChangeSet(workspace) as changes, pytest.raises(FileError, match="more than 200 files at once"):
        for number in range(module.MAX_FILES + 1):
            changes.write(f"{number}.txt", TextFile("x"))
