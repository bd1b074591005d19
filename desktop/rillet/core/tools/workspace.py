"""The folder that a chat may work in, and the way to everything in it.

Knows no tool and no model. Above: ``files/paths``, ``files/guards`` and ``files/folders``. Below: ``files/changes``
writes what was located here, the built-in tools read and search, ``builtin/shell`` runs commands in it.

Guarantees: whatever a path says and whoever swaps folders and links meanwhile, what opens lies in the workspace, is a
regular file, and is no secret. Links that stay inside are followed. On systems without handles for folders (Windows)
a swap in exactly the moment between a check and an open could get past; see ``files/folders``.

Reading a file that has other names (hard links) is allowed: package managers fill whole folders with such files, and
making one takes rights on the original. Writing to one is refused.
"""

from __future__ import annotations

import difflib
import stat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from rillet.core.tools.files.folders import HANDLES, open_folder
from rillet.core.tools.files.guards import Guards, own_places, secret_places
from rillet.core.tools.files.paths import FileError, PathRefused, outside, parse_path, show

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from rillet.core.tools.files.folders import Folder

MAX_LINKS: Final = 40
"""Links in one path, as Linux follows."""
MAX_STEPS: Final = 2000
"""Names to go through for one path, those in links included."""


class Workspace:
    """A folder and its rules. Holds nothing open.

    Args:
        root: The folder. It must exist and may be reached through links.
        private: More places that nobody opens for a model, besides the usual ones and the data of this program.
        writes_guarded: Whether also ``files/guards.GUARDED_NAMES`` may be written.
        by_handle: For tests: go by real paths where the system could do better.

    Raises:
        ValueError: the folder is missing, is the root of the file system, or lies in a place for secrets.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        private: Iterable[str | os.PathLike[str]] = (),
        writes_guarded: bool = False,
        by_handle: bool = HANDLES,
    ) -> None:
        given = Path(root).absolute()
        self.root: Final = given.resolve()
        self._spellings = (str(self.root), str(given))
        self._by_handle = by_handle
        self.private: Final = (*own_places(), *(Path(place).resolve() for place in private))
        self.guards: Final = Guards(self.root, (*secret_places(), *self.private), writes_guarded=writes_guarded)
        if not self.root.is_dir():
            raise ValueError(f"{self.root} is no folder")
        if self.root == Path(self.root.anchor):
            raise ValueError("the root of the file system is no workspace")
        if self.guards.is_secret(()):
            raise ValueError(f"{self.root} is a place for secrets")

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    def locate(self, path: str) -> Location:
        """Find a path, which need not exist; to be used in a ``with`` statement.

        Relative paths begin at the root. Costs a few system calls per name; blocks as disks do.

        Raises:
            PathRefused: it leads outside, or to a secret.
            FileError: a folder on the way is a file, or cannot be opened.
        """
        if path.replace("\\", "/").split("/", 1)[0] == "~":
            raise PathRefused("~ is not expanded: give a path relative to the workspace, or the whole path")
        walk = _Walk(self._spellings, self._by_handle)
        try:
            rest = walk.follow(path)
            if self.guards.is_secret((*walk.names, *rest)):
                raise PathRefused(f"{show(path)} is a place for secrets, which is never opened here")
        except OSError as error:
            walk.folder.close()
            raise FileError(f"{show(path)}: {error.strerror or error}") from error
        except FileError:
            walk.folder.close()
            raise
        return Location(self, walk.folder, tuple(walk.names), rest, is_link=walk.ends_in_link)


class Location:
    """Where a path leads: an open folder, and the names below it that are no folders, or not there.

    Attributes:
        folder: The deepest folder on the way, open until ``close``.
        names: Its real names below the root.
        rest: Nothing when the path is that folder itself; else the names after it.
        path: The whole, below the root, with "/"; "." for the root.
        is_link: Whether the last name that was given is a link to all this.
    """

    __slots__ = ("folder", "is_link", "names", "path", "rest", "workspace")

    def __init__(
        self, workspace: Workspace, folder: Folder, names: tuple[str, ...], rest: tuple[str, ...], *, is_link: bool
    ) -> None:
        self.workspace = workspace
        self.folder = folder
        self.names = names
        self.rest = rest
        self.path = "/".join((*names, *rest)) or "."
        self.is_link = is_link

    def __enter__(self) -> Location:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder. May be called twice."""
        self.folder.close()

    @property
    def is_folder(self) -> bool:
        """Whether the path is a folder."""
        return not self.rest

    @property
    def absolute(self) -> Path:
        """The whole path, to tell others: only what was opened through this location is safe from swaps."""
        return self.workspace.root.joinpath(*self.names, *self.rest)

    def status(self) -> os.stat_result | None:
        """What the last name is now; None when nothing is there. Only for paths that are no folder."""
        if len(self.rest) != 1:
            return None
        try:
            return self.folder.status(self.rest[0])
        except FileNotFoundError:
            return None

    def open(self) -> IO[bytes]:
        """Open the file for reading.

        Raises:
            PathRefused: it is a pipe, a socket or a device.
            FileError: it is a folder, is not there, or cannot be opened.
        """
        if self.is_folder:
            raise FileError(f"{show(self.path)} is a folder")
        status = self.status()
        if status is None:
            raise FileError(self._absence())
        if not stat.S_ISREG(status.st_mode):
            raise PathRefused(f"{show(self.path)} is not a regular file")
        try:
            return self.folder.open_file(self.rest[0])
        except OSError as error:
            raise FileError(f"{show(self.path)}: {error.strerror or error}") from error

    def require_writable(self) -> os.stat_result | None:
        """Make sure that a file may be written here; its status, or None when it would be new.

        Raises:
            PathRefused: it is guarded, no regular file, read-only, or has other names outside of our sight.
            FileError: it is a folder.
        """
        shown = show(self.path)
        if self.is_folder:
            raise FileError(f"{shown} is a folder")
        if self.workspace.guards.is_guarded((*self.names, *self.rest)):
            raise PathRefused(f"{shown} may only be read: it can make programs run something")
        status = self.status()
        if status is None:
            return None
        if not stat.S_ISREG(status.st_mode):
            raise PathRefused(f"{shown} is not a regular file")
        if status.st_nlink > 1:
            raise PathRefused(f"{shown} is one of {status.st_nlink} names of the same file (hard links)")
        if not status.st_mode & 0o222:
            raise PathRefused(f"{shown} is read-only")
        return status

    def _absence(self) -> str:
        """That nothing is there, and what of a similar name is."""
        missing = self.rest[0]
        message = f"there is no {show('/'.join((*self.names, missing)))}"
        try:
            present = [entry.name for _, entry in zip(range(2000), self.folder.entries(), strict=False)]
        except OSError:
            return message
        visible = [name for name in present if not self.workspace.guards.is_secret((*self.names, name))]
        similar = difflib.get_close_matches(missing, visible, n=3)
        return f"{message}; there is {', '.join(map(show, similar))}" if similar else message


class _Walk:
    """On the way along a path: one folder is open, and its real names are known."""

    def __init__(self, roots: Sequence[str], by_handle: bool) -> None:
        self._roots = roots
        self._by_handle = by_handle
        self.names: list[str] = []
        self.folder = self._open_root()
        self.ends_in_link = False

    def follow(self, path: str) -> tuple[str, ...]:
        """Go as far as there are folders; the names that remain. Raises OSError and FileError."""
        todo = [*reversed(parse_path(path, self._roots).names)]
        links = 0
        for _ in range(MAX_STEPS):
            if not todo:
                return ()
            name = todo.pop()
            if name == "..":
                self._leave(path)
                continue
            try:
                self._enter(name)
            except FileNotFoundError:
                return self._missing(name, todo)
            except NotADirectoryError:
                target = self.folder.link_target(name)
                if target is None:
                    return self._no_folder(name, todo)
                links += 1
                self.ends_in_link = self.ends_in_link or not todo
                if links > MAX_LINKS:
                    break
                todo += reversed(self._parse_link(target, path))
        raise PathRefused(f"{show(path)} leads through too many links")

    def _enter(self, name: str) -> None:
        real = self.folder.real_name(name)
        inner = self.folder.enter(real)
        self.folder.close()
        self.folder = inner
        self.names.append(real)

    def _leave(self, path: str) -> None:
        """Go one folder up, from the root again: the folder above may be another one by now, and outside."""
        if not self.names:
            raise outside(path)
        self._restart(self.names[:-1])

    def _restart(self, names: list[str]) -> None:
        self.folder.close()
        self.folder, self.names = self._open_root(), []
        for name in names:
            self._enter(name)

    def _parse_link(self, target: str, path: str) -> tuple[str, ...]:
        try:
            parsed = parse_path(target, self._roots)
        except PathRefused:
            raise outside(path) from None
        if parsed.is_absolute:
            self._restart([])
        return parsed.names

    def _missing(self, name: str, todo: list[str]) -> tuple[str, ...]:
        if ".." in todo:
            raise FileError(f"there is no folder {self._show(name)}")
        return (name, *reversed(todo))

    def _no_folder(self, name: str, todo: list[str]) -> tuple[str, ...]:
        if todo:
            raise FileError(f"{self._show(name)} is no folder")
        return (self.folder.real_name(name),)

    def _show(self, name: str) -> str:
        return show("/".join((*self.names, name)))

    def _open_root(self) -> Folder:
        try:
            return open_folder(self._roots[0], by_handle=self._by_handle)
        except OSError as error:
            raise PathRefused(f"the workspace {self._roots[0]} is gone, or has become a link") from error
