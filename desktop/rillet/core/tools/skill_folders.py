"""Skills in folders: finding every ``SKILL.md``, and what lies beside one.

Blocks as disks do. Above: ``skill_file``. Below: ``skills`` runs it in the pool. Links are followed, as people link
their skills into one place. Guarantees: links in circles end, a folder is never walked twice; the walk is bounded in
folders and depth, a file in size; only regular files are opened, so nothing waits at a pipe.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from rillet.core.tools.skill_file import Skill, SkillError, parse_skill

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_NAME: Final = "SKILL.md"
LARGEST_FILE: Final = 256 * 1024
MOST_FOLDERS: Final = 10_000
MOST_SKILLS: Final = 500
DEEPEST: Final = 24
_MOST_STEPS: Final = 2000
_PASSED_BY: Final = frozenset((".git", ".hg", ".svn", "__pycache__", "node_modules"))
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Found(NamedTuple):
    """The skill files below a folder, in order of their paths."""

    files: list[Path]
    is_complete: bool


def find_skill_files(root: Path) -> Found:
    """Every ``SKILL.md`` below ``root``.

    Raises:
        OSError: there is no such folder, or it cannot be read.
    """
    os.scandir(root).close()
    walk = _Walk(MOST_FOLDERS)
    files = []
    for file in walk.files(root):
        if file.name == FILE_NAME:
            files.append(file)
            if len(files) >= MOST_SKILLS:
                return Found(files, is_complete=False)
    return Found(files, walk.is_complete)


def read_skill_file(file: Path) -> Skill:
    """The skill in a file.

    Raises:
        SkillError: it cannot be used.
    """
    try:
        with os.fdopen(os.open(file, _FLAGS), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise SkillError("unreadable", "it is no regular file")
            data = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SkillError("unreadable", error.strerror or type(error).__name__) from None
    if len(data) > LARGEST_FILE:
        raise SkillError("too-large", f"it has more than {LARGEST_FILE // 1024} KiB")
    try:
        return parse_skill(data.decode(), file.absolute())
    except UnicodeDecodeError:
        raise SkillError("unreadable", "it is not written in UTF-8") from None


def sample_files(folder: Path, most: int) -> list[Path]:
    """Some of the files that belong to the skill in this folder."""
    found: list[Path] = []
    for file in _Walk(200).files(folder):
        if len(found) >= most:
            break
        if file.name != FILE_NAME:
            found.append(file)
    return found


def way_to(path: Path) -> Iterator[Path]:
    """Every place that the way to ``path`` leads through: whoever may change one of them decides what lies at its end.

    Unlike ``Path.resolve`` it also names where a link leads that leads on.
    """
    here = Path(path.absolute().anchor)
    ahead = list(reversed(path.absolute().parts[1:]))
    for _ in range(_MOST_STEPS):
        if not ahead:
            return
        name = ahead.pop()
        if name == "..":
            here = here.parent
            continue
        here /= name
        yield here
        if here.is_symlink():
            target = here.readlink()
            here = Path(target.anchor) if target.is_absolute() else here.parent
            ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)


class _Walk:
    """A walk through folders, links included, the files of each in order of their names."""

    def __init__(self, most_folders: int) -> None:
        self._left = most_folders
        self._seen: set[tuple[int, int]] = set()
        self.is_complete = True

    def files(self, root: Path) -> Iterator[Path]:
        """Everything that is no folder. Folders that cannot be read are passed by."""
        pending = [(root, 0)]
        while pending:
            folder, depth = pending.pop()
            if self._left <= 0 or depth > DEEPEST:
                self.is_complete = False
                continue
            try:
                status = folder.stat()
                if (status.st_dev, status.st_ino) in self._seen:
                    continue
                self._seen.add((status.st_dev, status.st_ino))
                with os.scandir(folder) as entries:
                    ordered = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            self._left -= 1
            folders = []
            for entry in ordered:
                if not _is_folder(entry):
                    yield Path(entry.path)
                elif entry.name not in _PASSED_BY:
                    folders.append((Path(entry.path), depth + 1))
            pending += reversed(folders)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link in circles
        return False
