"""A folder that stands open, and what is done with one name in it.

Follows no link, ever: who wants to follow one reads its target and decides. Knows no workspace. Above: ``paths`` (names
come checked from there). Below: ``workspace`` walks from folder to folder, ``changes`` writes.

Where a system opens names relative to a handle (POSIX), a folder is its descriptor: whatever happens to the path
meanwhile, one stays in the folder that was opened. Elsewhere (Windows) it is a real path, and around every step it is
checked that it still is one; what remains is the moment between a check and the step after it. That code runs, and is
tested, on Linux as well; on Windows itself it was read, not run.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDLES: Final = (
    {os.open, os.stat, os.unlink, os.rmdir, os.rename, os.mkdir, os.readlink} <= os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
)
"""Whether this system opens files relative to a folder that stands open."""


def _flag(*names: str) -> int:
    """The sum of those flags that this system has."""
    return sum(getattr(os, name, 0) for name in names)


# A FIFO without a writer would block, a terminal could become ours; on Windows "\r\n" would be translated.
_READ = os.O_RDONLY | _flag("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT")
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _flag("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT")
_ENTER = os.O_RDONLY | _flag("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
# Folders above the workspace need not be readable to be passed.
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | _flag("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a folder, as it was found."""

    name: str
    is_folder: bool
    is_file: bool
    """A regular file; links, pipes, sockets and devices are neither."""


class Folder(Protocol):
    """An open folder. ``name`` is always one name, never a path. Every method but ``close`` may raise OSError."""

    def enter(self, name: str) -> Folder:
        """Open the folder ``name``. NotADirectoryError for anything else, a link to a folder too."""

    def real_name(self, name: str) -> str:
        """``name`` as it is written on the disk, as far as the system tells."""

    def status(self, name: str) -> os.stat_result:
        """What ``name`` is; of a link the link itself."""

    def link_target(self, name: str) -> str | None:
        """Where the link ``name`` leads; None when it is no link."""

    def open_file(self, name: str) -> IO[bytes]:
        """Open the regular file ``name`` for reading. OSError(EINVAL) when it is something else."""

    def create_file(self, name: str, mode: int) -> IO[bytes]:
        """Create the file ``name``, which must not be there."""

    def replace(self, name: str, new_name: str) -> None:
        """Rename, in one step, over whatever has the new name."""

    def remove_file(self, name: str) -> None:
        """Remove a file, or a link."""

    def make_folder(self, name: str) -> None:
        """Make a folder, which must not be there."""

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""

    def entries(self) -> Iterator[Entry]:
        """What is in it, in no order."""

    def sync(self) -> None:
        """Wait until names that changed are on the disk, where the system offers that."""

    def close(self) -> None:
        """Let go of it. May be called twice."""


def open_folder(path: str, *, by_handle: bool = HANDLES) -> Folder:
    """Open an absolute path in which nothing is a link. NotADirectoryError when something has become one."""
    return _HandleFolder.open(path) if by_handle else _PathFolder.open(Path(path))


class _HandleFolder:
    """A folder by its descriptor."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: str) -> _HandleFolder:
        *above, last = path.strip("/").split("/")
        descriptor = os.open("/", _PASS)
        try:
            for name in above:
                descriptor = _close_after(descriptor, _open_folder(name, _PASS, descriptor))
            descriptor = _close_after(descriptor, _open_folder(last, _ENTER, descriptor))
        except OSError:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def enter(self, name: str) -> _HandleFolder:
        return _HandleFolder(_open_folder(name, _ENTER, self._descriptor))

    def real_name(self, name: str) -> str:
        return name

    def status(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)

    def link_target(self, name: str) -> str | None:
        try:
            return os.readlink(name, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return None
            raise

    def open_file(self, name: str) -> IO[bytes]:
        _require_regular(self.status(name), name)  # opening a device can do something
        return _regular(os.open(name, _READ, dir_fd=self._descriptor), name)

    def create_file(self, name: str, mode: int) -> IO[bytes]:
        return os.fdopen(os.open(name, _CREATE, mode, dir_fd=self._descriptor), "wb")

    def replace(self, name: str, new_name: str) -> None:
        os.replace(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def remove_file(self, name: str) -> None:
        os.unlink(name, dir_fd=self._descriptor)

    def make_folder(self, name: str) -> None:
        os.mkdir(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        os.rmdir(name, dir_fd=self._descriptor)

    def entries(self) -> Iterator[Entry]:
        with os.scandir(self._descriptor) as found:
            yield from map(_entry, found)

    def sync(self) -> None:
        with suppress(OSError):  # some file systems have no such thing for folders
            os.fsync(self._descriptor)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _PathFolder:
    """A folder by its real path: one in which nothing is a link, a junction or a short name."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def open(cls, path: Path) -> _PathFolder:
        folder = cls(path)
        folder._require_real()
        return folder

    def enter(self, name: str) -> _PathFolder:
        status = (self._path / name).lstat()
        if not stat.S_ISDIR(status.st_mode) or _is_link(status):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        return _PathFolder.open(self._path / self.real_name(name))

    def real_name(self, name: str) -> str:
        path = self._path / name
        if _is_link(path.lstat()):
            return name
        real = path.resolve()
        if real.parent != self._path:
            raise NotADirectoryError(errno.ENOTDIR, "moved while it was opened", name)
        return real.name

    def status(self, name: str) -> os.stat_result:
        self._require_real()
        return (self._path / name).lstat()

    def link_target(self, name: str) -> str | None:
        path = self._path / name
        if not _is_link(path.lstat()):
            return None
        # Windows stores absolute targets in the form that switches parsing off.
        return str(path.readlink()).removeprefix("\\\\?\\")

    def open_file(self, name: str) -> IO[bytes]:
        found = self.status(name)
        _require_regular(found, name)
        handle = _regular(os.open(self._path / name, _READ), name)
        try:
            self._require_real()
            if not os.path.samestat(found, os.fstat(handle.fileno())):
                raise OSError(errno.EINVAL, "replaced while it was opened", name)
        except OSError:
            handle.close()
            raise
        return handle

    def create_file(self, name: str, mode: int) -> IO[bytes]:
        self._require_real()
        return os.fdopen(os.open(self._path / name, _CREATE, mode), "wb")

    def replace(self, name: str, new_name: str) -> None:
        self._require_real()
        (self._path / name).replace(self._path / new_name)

    def remove_file(self, name: str) -> None:
        self._require_real()
        (self._path / name).unlink()

    def make_folder(self, name: str) -> None:
        self._require_real()
        (self._path / name).mkdir()

    def remove_folder(self, name: str) -> None:
        self._require_real()
        (self._path / name).rmdir()

    def entries(self) -> Iterator[Entry]:
        self._require_real()
        with os.scandir(self._path) as found:
            yield from map(_entry, found)

    def sync(self) -> None:
        pass  # a folder cannot be opened for it on Windows

    def close(self) -> None:
        pass

    def _require_real(self) -> None:
        if not self._path.is_dir() or self._path.resolve() != self._path:
            raise NotADirectoryError(errno.ENOTDIR, "no folder any more, or behind a link", str(self._path))


def _open_folder(name: str, flags: int, parent: int) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except OSError as error:
        # A link: ENOTDIR on Linux, ELOOP on macOS, EMLINK on FreeBSD.
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise NotADirectoryError(errno.ENOTDIR, error.strerror, name) from None
        raise


def _close_after(old: int, new: int) -> int:
    os.close(old)
    return new


def _regular(descriptor: int, name: str) -> IO[bytes]:
    """The open file, if it is a regular one: between looking and opening it may have been swapped."""
    try:
        _require_regular(os.fstat(descriptor), name)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _require_regular(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode) or _is_link(status):
        raise OSError(errno.EINVAL, "not a regular file", name)


def _is_link(status: os.stat_result) -> bool:
    """A link, or on Windows a junction: a folder of which ``lstat`` says that it is mounted elsewhere."""
    junction: Any = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)
    return stat.S_ISLNK(status.st_mode) or (junction and getattr(status, "st_reparse_tag", 0) == junction)


def _entry(found: os.DirEntry[str]) -> Entry:
    if found.is_symlink():
        return Entry(found.name, is_folder=False, is_file=False)
    return Entry(found.name, found.is_dir(follow_symlinks=False), found.is_file(follow_symlinks=False))
