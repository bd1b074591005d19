"""Confinement on Linux: what bubblewrap has to be told so that a command sees a machine without network and secrets.

Builds argument vectors; reads folders, runs nothing. Above: ``hidden``. Below: ``sandbox``. Facts are from bwrap(1);
what mounts do was tried with bubblewrap 0.8.

The command gets the whole file system to read but not to write, without what is hidden; its folder to write; an empty
``/tmp`` and an empty ``/run`` (buses, agents, container engines); processes and a network of its own. Sockets in the
file system work across a read-only mount, so those that somebody listens on are covered one by one.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rillet.core.tools.hidden import STEERING, hidden_in_home, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EMPTY: Final = ("/tmp", "/var/tmp", "/run")  # noqa: S108 (mounted over, not used)
"""Folders that are the command's own and begin empty."""
KEPT_IN_RUN: Final = ("/run/current-system", "/run/opengl-driver")
"""Where NixOS keeps its programs."""


def arguments(
    command: Sequence[str],
    *,
    root: Path,
    cwd: Path,
    home: Path,
    private: Iterable[Path] = (),
    network: bool = False,
    user_namespace: bool = True,
) -> list[str]:
    """What follows ``bwrap``. All paths are real ones; ``root`` may be written to.

    ``private`` is hidden wherever it lies. Without ``user_namespace`` bwrap has to be setuid, as older Debians have it.
    """
    hidden = [*hidden_in_home(home), *(place for place in private if place.exists())]
    secrets = [place for place in (*hidden, *secrets_in(root)) if place.is_relative_to(root) and place != root]
    return [
        *(("--unshare-user",) if user_namespace else ()),
        *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
        *(() if network else ("--unshare-net",)),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *_each("--tmpfs", (place for place in map(Path, EMPTY) if place.is_dir() and not place.is_symlink())),
        *_twice("--ro-bind-try", map(Path, KEPT_IN_RUN)),
        *(_twice("--ro-bind-try", _name_servers()) if network else ()),
        *_covers(hidden),
        *_covers(_sockets(hidden, root)),
        *("--bind", str(root), str(root)),
        *_covers(secrets),
        *_twice("--bind", (root / ".git",) if (root / ".git").is_dir() else ()),  # a mount point cannot be moved away
        *_twice("--ro-bind", (place for place in map(root.joinpath, STEERING) if place.exists())),
        *_each("--tmpfs", _missing_hooks(root)),
        *("--chdir", str(cwd), "--", *command),
    ]


def _sockets(hidden: Sequence[Path], root: Path) -> Iterator[Path]:
    """Sockets of the file system that somebody listens on and nothing covers yet (proc(5), /proc/net/unix)."""
    covered = (*map(Path, EMPTY), Path("/dev"), Path("/proc"), root, *hidden)
    names: set[str] = set()
    with suppress(OSError):
        lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()
        names = {line.split(maxsplit=7)[7] for line in lines[1:] if line.count(" ") >= 7 and "/" in line}
    for place in map(Path, sorted(names)):
        if place.is_absolute() and not any(place.is_relative_to(each) for each in covered):
            with suppress(OSError):
                if stat.S_ISSOCK(place.lstat().st_mode):
                    yield place


def _missing_hooks(root: Path) -> Iterator[Path]:
    """Where hooks of git could be put if nothing were there."""
    if (root / ".git").is_dir() and not (root / ".git/hooks").exists():
        yield root / ".git/hooks"


def _name_servers() -> Iterator[Path]:
    """Where names are looked up, when that is a link into ``/run``."""
    real = Path("/etc/resolv.conf").resolve()
    if real.is_relative_to("/run"):
        yield real


def _covers(places: Iterable[Path]) -> Iterator[str]:
    """An empty folder over each folder; over each file one that cannot be opened, because devices are off there."""
    for place in places:
        if place.is_dir():
            yield from ("--tmpfs", str(place))
        else:
            yield from ("--ro-bind", os.devnull, str(place))


def _each(option: str, places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        yield from (option, str(place))


def _twice(option: str, places: Iterable[Path]) -> Iterator[str]:
    for place in places:
        yield from (option, str(place), str(place))
