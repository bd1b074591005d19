"""What a confined command does not get to see of a home folder, and what it may not write in its own.

Reads folders, opens no files. Above: ``files/guards`` (what is a secret for the file tools). Below: ``bubblewrap`` and
``seatbelt``. In a home folder what begins with a dot is hidden unless it is known to hold programs: keys, tokens and
histories lie there, under names that nobody can list, so the unknown is hidden.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rillet.core.tools.files.guards import SECRET_NAMES, SECRET_PLACES

if TYPE_CHECKING:
    from collections.abc import Iterator

VISIBLE: Final = frozenset(
    (
        *(".asdf", ".bun", ".cabal", ".cargo/bin", ".cargo/git", ".cargo/registry", ".config/git", ".deno", ".dotnet"),
        *(".elan", ".fnm", ".gem/ruby", ".ghcup", ".gitconfig", ".goenv", ".gradle/wrapper", ".jdks", ".jenv"),
        *(".juliaup", ".local/bin", ".local/lib", ".local/pipx", ".local/share/fnm", ".local/share/mise"),
        *(".local/share/nvm", ".local/share/pipx", ".local/share/pnpm", ".local/share/uv", ".m2/repository", ".nimble"),
        *(".nix-profile", ".nodenv", ".nvm", ".opam", ".phpenv", ".pixi", ".pyenv", ".rbenv", ".rustup", ".rvm"),
        *(".sdkman", ".stack", ".swiftly", ".volta"),
    )
)
"""Among what begins with a dot: where managers of versions and packages keep programs, and the settings of git, which
keeps its passwords elsewhere."""
STEERING: Final = (".git/config", ".git/hooks", ".mcp.json", ".rillet", ".vscode", ".idea", ".envrc")
"""What makes programs that are not confined run something later."""


def hidden_in_home(home: Path) -> Iterator[Path]:
    """Files and folders to hide, each of them there and no link."""
    for place in SECRET_PLACES:
        if not place.startswith(".") and (home / place).exists():
            yield home / place
    for entry in _entries(home):
        if entry.name.startswith("."):
            yield from _hidden(entry, entry.name)


def secrets_in(root: Path) -> Iterator[Path]:
    """Secrets in the command's own folder; of its first level, where people put them."""
    return (root / name for name in SECRET_NAMES if (root / name).exists())


def _hidden(entry: os.DirEntry[str], place: str) -> Iterator[Path]:
    """What to hide of one entry: nothing, it, or some of what it holds."""
    if place in VISIBLE or entry.is_symlink():  # a link shows what it leads to, or what hides that
        return
    if entry.is_dir() and any(each.startswith(f"{place}/") for each in VISIBLE):
        for inner in _entries(Path(entry.path)):
            yield from _hidden(inner, f"{place}/{inner.name}")
    else:
        yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)
    return []
