"""Every file below a folder of a workspace: in order, without links, secrets, ``.git`` and what ``.gitignore`` names.

Above: ``workspace``, ``folders``, ``ignore``. Below: ``search``. Guarantee: goes into no link, so it ends and stays
inside; opens folders relative to each other, so nothing can be slipped in between. Folders that cannot be opened are
passed over.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rillet.core.tools.files.ignore import IgnoreFile, is_ignored, parse_rules
from rillet.core.tools.files.paths import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.tools.files.folders import Folder
    from rillet.core.tools.workspace import Location, Workspace

MAX_DEPTH: Final = 100
"""Folders in each other, one descriptor each."""
MAX_IGNORE_FILE: Final = 1024 * 1024
_IGNORE_FILE: Final = ".gitignore"


def walk_files(workspace: Workspace, location: Location) -> Iterator[tuple[Folder, tuple[str, ...]]]:
    """Open folders with the names, below the root, of one file in each; the files of a folder before its folders."""
    ignore: list[IgnoreFile] = []
    for depth in range(len(location.names)):
        with suppress(FileError), workspace.locate("/".join(location.names[:depth])) as above:
            ignore += _rules(above.folder, location.names[:depth])
    yield from _walk(workspace, location.folder, location.names, ignore)


def _walk(
    workspace: Workspace, folder: Folder, names: tuple[str, ...], ignore: list[IgnoreFile]
) -> Iterator[tuple[Folder, tuple[str, ...]]]:
    try:
        entries = sorted(folder.entries(), key=lambda entry: (entry.is_folder, entry.name))
    except OSError:
        return
    ignore = [*ignore, *_rules(folder, names)]
    for entry in entries:
        inner = (*names, entry.name)
        if not (entry.is_file or entry.is_folder) or is_ignored(ignore, inner, is_folder=entry.is_folder):
            continue
        if workspace.guards.is_secret(inner):
            continue
        if entry.is_file:
            yield folder, inner
        elif entry.name != ".git" and len(inner) <= MAX_DEPTH:
            try:
                opened = folder.enter(entry.name)
            except OSError:
                continue
            try:
                yield from _walk(workspace, opened, inner, ignore)
            finally:
                opened.close()


def _rules(folder: Folder, names: tuple[str, ...]) -> list[IgnoreFile]:
    try:
        with folder.open_file(_IGNORE_FILE) as file:
            text = file.read(MAX_IGNORE_FILE).decode(errors="replace")
    except OSError:
        return []
    return [IgnoreFile(parse_rules(text), names)]
