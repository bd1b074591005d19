"""Swaps at the worst moment: between any two steps of a call, something on its way becomes a way out.

Not by chance but by counting: each call is made once for every system call in it, with the swap right before that one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from rillet.core.tools.files import folders
from rillet.core.tools.workspace import Workspace
from support.workspaces import CANARY, Grounds, every_way, run_all

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not folders.HANDLES, reason="this system opens nothing relative to a folder")

STEPS = ("open", "stat", "readlink", "mkdir", "replace", "unlink", "rmdir", "fstat", "scandir", "fchmod")


def swap_folder(grounds: Grounds) -> None:
    """A folder becomes a link to one outside that has the same names in it."""
    (grounds.root / "sub").rename(grounds.root / "old")
    (grounds.root / "sub").symlink_to(grounds.outside / "twin")


def swap_inner_folder(grounds: Grounds) -> None:
    (grounds.root / "sub" / "deep").rename(grounds.root / "old")
    (grounds.root / "sub" / "deep").symlink_to(grounds.outside / "twin")


def swap_file(grounds: Grounds) -> None:
    (grounds.root / "sub" / "inner.txt").unlink()
    (grounds.root / "sub" / "inner.txt").symlink_to(grounds.outside / "twin" / "inner.txt")


def swap_for_pipe(grounds: Grounds) -> None:
    (grounds.root / "sub" / "inner.txt").unlink()
    os.mkfifo(grounds.root / "sub" / "inner.txt")


def swap_root(grounds: Grounds) -> None:
    grounds.root.rename(grounds.root.with_name("old"))
    grounds.root.symlink_to(grounds.outside / "twin")


def move_out(grounds: Grounds) -> None:
    """A folder moves outside, so that what is above it is no longer what was."""
    (grounds.root / "sub" / "deep").rename(grounds.outside / "twin" / "moved")


def turn_link(grounds: Grounds) -> None:
    """A link that led inside leads out."""
    (grounds.root / "link").unlink()
    (grounds.root / "link").symlink_to(grounds.outside / "twin")


SWAPS = [swap_folder, swap_inner_folder, swap_file, swap_for_pipe, swap_root, move_out, turn_link]
PATHS = ["sub/inner.txt", "sub/deep/../inner.txt", "link/inner.txt", "sub/new/new.txt", "link/deep/new.txt"]
ALL = [(swap, path) for swap in SWAPS for path in PATHS]
TELLING = [
    (swap_folder, "sub/inner.txt"),
    (swap_inner_folder, "link/deep/new.txt"),
    (swap_file, "link/inner.txt"),
    (swap_for_pipe, "sub/inner.txt"),
    (swap_root, "sub/new/new.txt"),
    (move_out, "sub/deep/../inner.txt"),
    (turn_link, "link/inner.txt"),
]
IS_WHOLE = bool(os.environ.get("RILLET_ALL_RACES"))
CASES = ALL if IS_WHOLE else TELLING


@dataclass
class Saboteur:
    """Counts steps and, right before one of them, swaps."""

    swap: Callable[[], None]
    moment: int
    count: int = 0

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in STEPS:
            monkeypatch.setattr(os, name, self._wrap(getattr(os, name)))

    def _wrap(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            if self.count == self.moment:
                self.swap()
            return step(*args, **kwargs)

        return call


def make_grounds(base: Path) -> Grounds:
    """As few files as make every path that is tried lead somewhere, inside and in the twin."""
    grounds = Grounds(base / "ws", base / "outside")
    twin = grounds.outside / "twin"
    for folder in (grounds.root / "sub" / "deep", twin / "deep", twin / "new"):
        folder.mkdir(parents=True)
    (grounds.root / "sub" / "inner.txt").write_text("one\n")
    (grounds.root / "file.txt").write_text("one\n")
    (grounds.root / "link").symlink_to("sub")
    for file in (
        twin / "inner.txt",
        twin / "new" / "new.txt",
        twin / "deep" / "new.txt",
        grounds.outside / "inner.txt",
    ):
        file.write_text(f"one\n{CANARY}\n")
    return grounds


def attack(base: Path, swap: Callable[[Grounds], None], way: tuple[str, dict[str, Any]], moment: int) -> bool:
    """One call with a swap before step ``moment``; False when it was over before."""
    grounds = make_grounds(base)
    saboteur = Saboteur(lambda: swap(grounds), moment)
    workspace = Workspace(grounds.root)
    with pytest.MonkeyPatch.context() as patch:
        saboteur.install(patch)
        patch.setattr(os, "fsync", lambda descriptor: None)  # for speed: a machine that breaks down is another matter
        results = run_all(workspace, [way])
    assert not any(CANARY in result.output or CANARY in str(result.metadata) for result in results)
    for file in grounds.outside.rglob("*"):
        if file.is_file() and "moved" not in file.parts:  # what moves out takes along what is written in it
            assert file.read_text() == f"one\n{CANARY}\n"
    return saboteur.count >= moment


@pytest.mark.parametrize(("swap", "path"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_a_swap_at_any_moment_leads_nowhere(tmp_path: Path, swap: Callable[[Grounds], None], path: str) -> None:
    ways = every_way(path) if IS_WHOLE else [way for way in every_way(path) if way[0] != "apply_patch"]
    moments = 0
    for number, way in enumerate(ways):
        moment = 1
        while attack(tmp_path / f"{number}-{moment}", swap, way, moment):
            moment += 1
        moments += moment - 1
    assert moments > 5 * len(ways)
