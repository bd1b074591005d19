"""Several files of a workspace changed together: all of them, or none.

Knows no tool. Above: ``workspace``, ``text``, ``diff``. Below: the tools that write, and their previews, which do the
same and stop before ``commit``.

Guarantees: a file is at every moment either the old or the new one, whole (written beside it, synced, renamed over it),
keeps its mode, and its group and owner where that is allowed. If anything fails, everything is put back. A file that
somebody else changed since it was read here is not overwritten. A crash in the middle of several renames leaves some
files new and some old, each of them whole.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rillet.core.tools.files.diff import unified_diff
from rillet.core.tools.files.folders import Folder
from rillet.core.tools.files.paths import FileError, show
from rillet.core.tools.files.text import NotText, TextFile
from rillet.core.tools.workspace import Location

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rillet.core.tools.workspace import Workspace

MAX_BYTES: Final = 8 * 1024 * 1024
"""Of a text file that is changed here, before and after."""
MAX_FILES: Final = 200


@dataclass(slots=True, eq=False)
class _Change:
    """One file: as it was read, and as it shall be (None: not there)."""

    location: Location
    status: os.stat_result | None
    before: TextFile | None
    after: TextFile | None
    moved_from: _Change | None = None
    is_moved_away: bool = False
    is_binary: bool = False
    """Not text, so it can only go; ``before`` is empty."""
    new_folders: list[tuple[Folder, str]] = field(default_factory=list)
    """Folders made on the way, each with the one that it was made in."""
    opened: list[Folder] = field(default_factory=list)
    staged: str | None = None
    """The name of the new content, beside the file."""
    backup: str | None = None
    """The name of the old one."""
    is_done: bool = False

    @property
    def name(self) -> str:
        return self.location.rest[-1]

    @property
    def path(self) -> str:
        return show(self.location.path)

    @property
    def folder(self) -> Folder:
        """Where the file is, or will be: the last of the folders on the way."""
        return self.opened[-1] if self.opened else self.location.folder

    def close(self) -> None:
        self.location.close()
        for folder in self.opened:
            folder.close()


class ChangeSet:
    """Read, change, look at the diff, commit; to be used in a ``with`` statement. All of it blocks as disks do."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._changes: list[_Change] = []

    def __enter__(self) -> ChangeSet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for change in self._changes:
            change.close()

    def read(self, path: str) -> TextFile | None:
        """The file as it shall be so far; None when there is none.

        Raises:
            PathRefused: it lies outside, is a secret, or may not be written.
            FileError: it is a folder, too large, or not UTF-8 text.
        """
        return self._change(path).after

    def write(self, path: str, text: TextFile) -> None:
        """The file shall have this content; folders on the way are made. Raises as ``read``."""
        self._set(self._change(path), text)

    def remove(self, path: str) -> None:
        """The file, which need not be text, shall go. Raises as ``read``, and FileError when it is not there."""
        change = self._change(path, may_be_binary=True)
        _require_own_name(change)
        change.after = None

    def move(self, path: str, new_path: str, text: TextFile) -> None:
        """The file shall be elsewhere, with this content. Raises as ``read``."""
        old, new = self._change(path), self._change(new_path)
        if new is not old:
            _require_own_name(old)
            old.after, old.is_moved_away = None, True
            new.moved_from = old
        self._set(new, text)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that change, below the root."""
        return tuple(change.path for change in self._effective())

    def diff(self) -> str:
        """What changes, as one unified diff."""
        return "".join(_diff(change) for change in self._effective() if not change.is_moved_away)

    def commit(self, is_stopped: Callable[[], bool]) -> None:
        """Write it all. ``is_stopped`` is asked before the first file changes.

        Raises:
            FileError: it failed, and nothing has changed; or, if putting back failed too, what is left.
        """
        changes = self._effective()
        path = ""
        try:
            for change in changes:
                path = change.path
                _stage(change, with_backup=len(changes) > 1)
            for change in changes:
                _require_unchanged(change)
            if is_stopped():
                raise FileError("stopped: nothing was changed")
            for change in changes:
                path = change.path
                _require_unchanged(change)
                _swap(change)
        except OSError as error:
            _put_back(changes)
            raise FileError(f"{path}: {error.strerror}; nothing was changed") from error
        except BaseException:
            _put_back(changes)
            raise
        for change in changes:
            _drop(change.folder, change.backup)
            change.folder.sync()

    def _effective(self) -> list[_Change]:
        return [change for change in self._changes if change.before != change.after]

    def _set(self, change: _Change, text: TextFile) -> None:
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise FileError(f"{change.path}: the new text holds half a character (a lone surrogate)") from None
        if size > MAX_BYTES:
            raise FileError(f"{change.path}: more than {MAX_BYTES // 1024**2} MB of text")
        if change.is_binary:
            raise FileError(f"{change.path}: a file that is not text cannot be replaced in the same step")
        change.after, change.is_moved_away = text, False

    def _change(self, path: str, *, may_be_binary: bool = False) -> _Change:
        location = self._workspace.locate(path)
        try:
            status = location.require_writable()
            known = self._known(location, status)
            if known is None:
                known = _read(location, status, may_be_binary=may_be_binary)
                self._changes.append(known)
                return known
        except (OSError, FileError):
            location.close()
            raise
        location.close()
        return known

    def _known(self, location: Location, status: os.stat_result | None) -> _Change | None:
        """The same file, if it was met before, perhaps under a name that differs in case."""
        for change in self._changes:
            if change.location.path == location.path:
                return change
            if status and change.status and os.path.samestat(status, change.status):
                return change
        if len(self._changes) == MAX_FILES:
            raise FileError(f"more than {MAX_FILES} files at once")
        return None


def _read(location: Location, status: os.stat_result | None, *, may_be_binary: bool) -> _Change:
    if status is None:
        return _Change(location, None, None, None)
    path = show(location.path)
    with location.open() as file:
        data = file.read(MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise NotText(f"the file is larger than {MAX_BYTES // 1024**2} MB")
        text = TextFile.decode(data)
    except NotText as error:
        if may_be_binary:
            return _Change(location, status, TextFile(""), TextFile(""), is_binary=True)
        raise NotText(f"{path}: {error}") from None
    return _Change(location, status, text, text)


def _require_own_name(change: _Change) -> None:
    if change.after is None:
        raise FileError(f"there is no {change.path}")
    if change.location.is_link:
        raise FileError(f"the name given for {change.path} is a link: name the file itself")


def _diff(change: _Change) -> str:
    if change.is_binary:
        return f"Binary files a/{change.path} and /dev/null differ\n"  # as git says it
    moved = change.moved_from
    source = moved if moved is not None and moved.before is not None else change
    old = None if source.before is None else source.before.text
    new = None if change.after is None else change.after.text
    return unified_diff(old, new, source.path, change.path)


def _stage(change: _Change, *, with_backup: bool) -> None:
    """Put the new content beside the file; and the old one, so that putting back is nothing but a rename."""
    for name in change.location.rest[:-1]:
        parent = change.folder
        with suppress(FileExistsError):  # another change of this set needed it too
            parent.make_folder(name)
            change.new_folders.append((parent, name))
        change.opened.append(parent.enter(name))
    if change.after is not None:
        change.staged = _beside()
        _write(change.folder, change.staged, change.after, change.status)
    if change.before is not None and change.after is not None and with_backup:
        change.backup = _beside()
        _write(change.folder, change.backup, change.before, change.status)


def _beside() -> str:
    return f".rillet-{secrets.token_hex(8)}.tmp"


def _write(folder: Folder, name: str, text: TextFile, status: os.stat_result | None) -> None:
    with folder.create_file(name, 0o666 if status is None else 0o600) as file:
        file.write(text.encode())
        file.flush()
        if status is not None and hasattr(os, "fchmod"):
            with suppress(PermissionError):
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), status.st_mode & 0o777)
        os.fsync(file.fileno())


def _require_unchanged(change: _Change) -> None:
    try:
        now: os.stat_result | None = change.folder.status(change.name)
    except FileNotFoundError:
        now = None
    if _stamp(now) != _stamp(change.status):
        raise FileError(f"{change.path} was changed by somebody else in between: read it again")


def _stamp(status: os.stat_result | None) -> tuple[int, int, int] | None:
    return status and (status.st_ino, status.st_size, status.st_mtime_ns)


def _swap(change: _Change) -> None:
    if change.staged is not None:
        change.folder.replace(change.staged, change.name)
        change.staged = None
    else:
        change.backup = _beside()
        change.folder.replace(change.name, change.backup)
    change.is_done = True


def _put_back(changes: list[_Change]) -> None:
    """Undo what was done, in reverse; raises FileError, naming the files that stay changed."""
    failed = []
    for change in reversed(changes):
        try:
            if change.is_done and change.backup is not None:
                change.folder.replace(change.backup, change.name)
                change.backup = None
            elif change.is_done and change.before is None:
                change.folder.remove_file(change.name)
        except OSError as error:
            kept = f", its old content is in {change.backup}" if change.backup else ""
            failed.append(f"{change.path} ({error.strerror}{kept})")
        else:
            _drop(change.folder, change.backup)
        _drop(change.folder, change.staged)
        for parent, name in reversed(change.new_folders):
            with suppress(OSError):  # another change of this set has put something in it
                parent.remove_folder(name)
    if failed:
        raise FileError(f"failed, and these files could not be put back: {', '.join(failed)}")


def _drop(folder: Folder, name: str | None) -> None:
    if name is not None:
        with suppress(OSError):  # not written yet; or it stays, which harms nobody
            folder.remove_file(name)
