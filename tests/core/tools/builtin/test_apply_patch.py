from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rillet.core.tools.workspace import Workspace
from support.workspaces import call

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.tools.tool import ToolResult


def apply(root: Path, *lines: str) -> ToolResult:
    return call(Workspace(root), "apply_patch", patchText="\n".join(["*** Begin Patch", *lines, "*** End Patch"]))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "b.txt").write_text("one\ntwo\n")
    (tmp_path / "c.bin").write_bytes(b"\0\1")
    return tmp_path


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_patch_adds_updates_moves_and_deletes(root: Path) -> None:
    result = apply(
        root,
        *("*** Update File: a.txt", "@@ one", "-two", "+2"),
        *("*** Update File: b.txt", "*** Move to: sub/moved.txt", " one", "-two", "+2"),
        *("*** Add File: sub/new.md", "+# new"),
        "*** Delete File: c.bin",
    )
    assert result.output.split("\n") == [
        "updated a.txt",
        "moved b.txt to sub/moved.txt",
        "added sub/new.md",
        "deleted c.bin",
    ]
    assert files(root) == {"a.txt": b"one\r\n2\r\n", "sub/moved.txt": b"one\n2\n", "sub/new.md": b"# new\n"}
    assert result.metadata["paths"] == ("a.txt", "b.txt", "sub/moved.txt", "sub/new.md", "c.bin")


def test_a_file_that_only_moves_keeps_every_byte(root: Path) -> None:
    assert apply(root, "*** Update File: a.txt", "*** Move to: z.txt").output == "moved a.txt to z.txt"
    assert files(root)["z.txt"] == b"one\r\ntwo\r\n"
    assert "a.txt" not in files(root)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("*** Update File: b.txt", "-three"), "b.txt: the hunk in line 6 of the patch does not fit"),
        (("*** Update File: none.txt", "-one"), "there is no none.txt"),
        (("*** Delete File: none.txt",), "there is no none.txt"),
        (("*** Add File: b.txt", "+x"), "b.txt is there already: update it, or delete it first"),
        (("*** Update File: b.txt", "*** Move to: c.txt", "*** Add File: c.txt", "+x"), "c.txt is there already"),
        (("*** Update File: c.bin", "-x"), "c.bin: the file is binary"),
        (("*** Add File: ../out.txt", "+x"), "../out.txt is outside the workspace"),
        (("*** Delete File: .git/config",), ".git/config may only be read"),
        (("*** Update File: b.txt", "*** Move to: .git/hooks/x"), ".git/hooks/x may only be read"),
        (("*** Nonsense",), "line 5 of the patch should begin with"),
    ],
)
def test_if_one_part_does_not_fit_none_is_applied(root: Path, lines: tuple[str, ...], said: str) -> None:
    before = files(root)
    result = apply(root, "*** Update File: a.txt", "-two", "+2", *lines)
    assert result.is_error
    assert said in result.output
    assert files(root) == before


def test_a_file_may_be_patched_twice_in_one_patch(root: Path) -> None:
    apply(root, "*** Update File: a.txt", "-one", "+1", "*** Update File: a.txt", "-two", "+2")
    assert files(root)["a.txt"] == b"1\r\n2\r\n"


def test_a_file_may_be_replaced_by_deleting_and_adding_it(root: Path) -> None:
    apply(root, "*** Delete File: b.txt", "*** Add File: b.txt", "+new")
    assert files(root)["b.txt"] == b"new\n"


def test_two_files_may_change_places_by_way_of_a_third_name(root: Path) -> None:
    apply(
        root,
        *("*** Update File: a.txt", "*** Move to: t.txt"),
        *("*** Update File: b.txt", "*** Move to: a.txt"),
        *("*** Update File: t.txt", "*** Move to: b.txt"),
    )
    assert files(root) == {"a.txt": b"one\ntwo\n", "b.txt": b"one\r\ntwo\r\n", "c.bin": b"\0\1"}


def test_what_was_cut_off_is_not_applied(root: Path) -> None:
    before = files(root)
    result = call(Workspace(root), "apply_patch", patchText="*** Begin Patch\n*** Update File: a.txt\n-two\n+2")
    assert result.is_error
    assert "it was cut off" in result.output
    assert files(root) == before
