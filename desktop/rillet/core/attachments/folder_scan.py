"""The child of ``rillet --list-folder``, and our end of it: everything in a folder, with what speaks against each.

A process of its own, so that a hundred thousand files cost the program nothing and the search can be ended at any time.
Above: ``folder``, ``kinds``, ``tools/files`` (open folders, ``.gitignore``, secrets). Below: the composer.

    stdin     one JSON line: the path of the folder
    stdout    JSON lines: lists of ``Entry``, parents before what is in them, files before folders; at the end null, or
              a text that says why the folder cannot be opened

Guarantees: no link is followed, so nothing outside of the folder is seen, and the search ends; files are opened only to
look at how they begin, and only where their name does not tell.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

import msgspec

from rillet.core.attachments.folder import LARGE, Entry
from rillet.core.attachments.kinds import HEAD, Kind, kind_of
from rillet.core.attachments.problems import Unreadable
from rillet.core.tools.files.folders import open_folder
from rillet.core.tools.files.guards import Guards, is_sensitive, own_places, secret_places
from rillet.core.tools.files.ignore import IgnoreFile, is_ignored, parse_rules

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from rillet.core.tools.files.folders import Entry as Found
    from rillet.core.tools.files.folders import Folder

MOST: Final = 200_000
"""Files and folders that are listed."""
DEEPEST: Final = 60
_STDIN, _STDOUT = range(2)
_BATCH: Final = 400
_SOON: Final = 0.1
"""Seconds after which what was found is told, however little it is."""
_IGNORE_FILE: Final = ".gitignore"
_MOST_RULES: Final = 1 << 20
_GIT: Final = frozenset((".git", ".hg", ".svn"))
_PACKAGES: Final = frozenset(
    (
        *("node_modules", "bower_components", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache"),
        *(".pytest_cache", ".ruff_cache", ".gradle", ".terraform", ".next", ".nuxt", ".cache", ".idea", ".eggs"),
    )
)
_DOCUMENTS: Final = frozenset((".pdf", ".docx", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"))
_TEXTS: Final = frozenset(
    (
        *(".c", ".cc", ".cfg", ".conf", ".cpp", ".cs", ".css", ".csv", ".go", ".h", ".hpp", ".html", ".ini", ".java"),
        *(".js", ".json", ".jsx", ".kt", ".lua", ".md", ".php", ".pl", ".py", ".pyi", ".r", ".rb", ".rs", ".rst"),
        *(".scala", ".sh", ".sql", ".svg", ".swift", ".tex", ".toml", ".ts", ".tsv", ".tsx", ".txt", ".xml", ".yaml"),
        ".yml",
    )
)
"""What is text as good as always: such files are not opened to see; reading them tells."""
_IMAGES: Final = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".heic", ".tif", ".tiff"))


def main() -> int:
    """List one folder."""
    with os.fdopen(_STDIN, "rb", closefd=False) as stdin:
        root = Path(msgspec.json.decode(stdin.readline(), type=str))
    try:
        real = root.resolve(strict=True)
        with_guards = Guards(real, (*secret_places(), *own_places()), writes_guarded=False)
        folder = open_folder(str(real))
    except OSError as error:
        _tell(error.strerror or str(error))
        return 0
    batch: list[Entry] = []
    told = time.monotonic()
    for number, entry in enumerate(entries(folder, with_guards)):
        if number == MOST:
            break
        batch.append(entry)
        if len(batch) == _BATCH or time.monotonic() - told > _SOON:
            _tell(batch)
            batch, told = [], time.monotonic()
    _tell(batch)
    _tell(None)
    return 0


def entries(folder: Folder, guards: Guards) -> Iterator[Entry]:
    """Everything in an open folder."""
    yield from _walk(folder, (), [], guards)


def _walk(folder: Folder, names: tuple[str, ...], ignore: list[IgnoreFile], guards: Guards) -> Iterator[Entry]:
    try:
        found = sorted(folder.entries(), key=lambda each: (each.is_folder, each.name.casefold(), each.name))
    except OSError:
        return
    ignore = [*ignore, *_rules(folder, names, found)]
    for each in found:
        inner = (*names, each.name)
        path = "/".join(inner)
        if not _is_writable_name(each.name):
            yield Entry(path.encode("utf-8", "replace").decode(), is_folder=each.is_folder, why="name")
        elif not each.is_folder:
            yield _file(folder, each, inner, ignore, guards)
        else:
            opened, why = _entered(folder, each.name, inner, ignore, guards)
            yield Entry(path, is_folder=True, why=why)
            if opened is not None:
                try:
                    yield from _walk(opened, inner, ignore, guards)
                finally:
                    opened.close()


def _entered(
    folder: Folder, name: str, inner: tuple[str, ...], ignore: list[IgnoreFile], guards: Guards
) -> tuple[Folder | None, str]:
    """A folder in a folder, open; or why it is not gone into."""
    why = ""
    if name in _GIT:
        why = "git"
    elif name in _PACKAGES:
        why = "packages"
    elif guards.is_secret(inner):
        why = "secret"
    elif is_ignored(ignore, inner, is_folder=True):
        why = "ignored"
    elif len(inner) > DEEPEST:
        why = "deep"
    if why:
        return None, why
    try:
        return folder.enter(name), ""
    except OSError:
        return None, "closed"


def _file(folder: Folder, found: Found, inner: tuple[str, ...], ignore: list[IgnoreFile], guards: Guards) -> Entry:
    path, name = "/".join(inner), found.name
    try:
        status = folder.status(name)
        if not found.is_file:
            return Entry(path, why="link" if folder.link_target(name) is not None else "special")
        size = status.st_size
        if guards.is_secret(inner) or is_sensitive(name):
            why = "secret"
        elif is_ignored(ignore, inner, is_folder=False):
            why = "ignored"
        else:
            why = _against(folder, name, size)
    except OSError:
        return Entry(path, why="closed")
    return Entry(path, size, why=why)


def _against(folder: Folder, name: str, size: int) -> str:
    """What the kind of a file says against taking it."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _IMAGES:
        return "image"
    if suffix not in _TEXTS and suffix not in _DOCUMENTS and size:
        with folder.open_file(name) as file:
            kind = kind_of(file.read(HEAD), name)
        if kind is not Kind.TEXT:
            return "image" if kind is Kind.IMAGE else "binary"
    return "large" if size > LARGE else ""


def _rules(folder: Folder, names: tuple[str, ...], found: list[Found]) -> list[IgnoreFile]:
    if not any(each.name == _IGNORE_FILE for each in found):
        return []
    try:
        with folder.open_file(_IGNORE_FILE) as file:
            text = file.read(_MOST_RULES).decode(errors="replace")
    except OSError:
        return []
    return [IgnoreFile(parse_rules(text), names)]


def _is_writable_name(name: str) -> bool:
    """Whether a name is text: POSIX takes any bytes."""
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _tell(said: list[Entry] | str | None) -> None:
    line = msgspec.json.encode(said) + b"\n"
    while line:
        line = line[os.write(_STDOUT, line) :]


# Our end


async def scan(root: str) -> AsyncGenerator[list[Entry]]:
    """What is in a folder, as it is found. Closing the iterator ends the search.

    Raises:
        Unreadable: the folder cannot be opened.
    """
    from rillet.core.attachments.reading import OURS, lines
    from rillet.core.tools.environment import minimal
    from rillet.core.tools.processes import Process

    name = PurePath(root).name or root
    async with await Process.start(_command(), env=minimal(os.environ, OURS), stdin=True, merge_stderr=False) as child:
        assert child.stdin is not None
        child.stdin.write(msgspec.json.encode(root) + b"\n")
        async for line in lines(child):
            said = msgspec.json.decode(line, type=list[Entry] | str | None)
            if said is None:
                return
            if isinstance(said, str):
                raise Unreadable("gone", name=name, why=said)
            yield said
    raise Unreadable("failed", name=name)


def _command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, "--list-folder"]
    return [sys.executable, "-P", "-m", "rillet", "--list-folder"]
