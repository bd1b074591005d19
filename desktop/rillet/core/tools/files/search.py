"""The child of ``rillet --search``: looks for names or lines in a workspace, and can be killed at any time.

A process of its own, because nothing stops a regular expression, or a pattern of many stars, while it runs in this one.
Knows no tool. Above: ``workspace``, ``walk``, ``lines``, ``globs``. Below: ``builtin/search`` is the other end.

    stdin    one JSON line, a ``Search``
    stdout   one JSON line per finding, written at once: {"path", "line", "text"} or {"path"}; at the end
             {"files": looked at, "binary", "large", "sensitive": passed over, "more": whether there is more},
             or {"error": text} when the search cannot be made
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.files.globs import glob_regex
from rillet.core.tools.files.guards import is_sensitive
from rillet.core.tools.files.lines import HEAD, text_encoding
from rillet.core.tools.files.literals import required_literal
from rillet.core.tools.files.paths import FileError, show
from rillet.core.tools.files.walk import walk_files
from rillet.core.tools.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rillet.core.tools.files.folders import Folder
    from rillet.core.tools.workspace import Location

STDIN, STDOUT = range(2)
MAX_FILE: Final = 10 * 1024 * 1024
"""Bytes of a file whose lines are searched; larger ones are passed over."""
MAX_LINE: Final = 100_000
"""Characters of a line that are searched."""
MAX_SHOWN: Final = 400
"""Characters of a line that are shown, around what was found."""
MAX_NAMES: Final = 200_000
"""Files among which the newest are chosen."""
MAX_MEMORY: Final = 2 * 1024**3
"""Bytes. A regular expression takes as many as it is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What to look for."""

    root: str
    private: tuple[str, ...]
    path: str
    pattern: str
    """A regular expression for lines, or a pattern for paths below ``path``."""
    by_line: bool
    limit: int
    include: str | None = None
    """Of a search by line: a pattern for the paths of files."""

    def to_json(self) -> bytes:
        """One line."""
        return json.dumps(asdict(self)).encode() + b"\n"


def main() -> int:
    """Do one search."""
    _limit_memory()
    with os.fdopen(STDIN, "rb", closefd=False) as stdin:
        search = Search(**json.loads(stdin.readline()))
    warnings.simplefilter("ignore")  # about regular expressions that will mean something else one day
    counts: Counter[str] = Counter()
    try:
        workspace = Workspace(search.root, private=search.private)
        with workspace.locate(search.path) as location:
            find = _find_lines if search.by_line else _find_names
            for number, finding in enumerate(find(search, workspace, location, counts)):
                if number == search.limit:
                    counts["more"] = 1
                    break
                _tell(finding)
    except (FileError, ValueError, RecursionError, OverflowError) as error:
        _tell({"error": str(error)})
    except MemoryError:
        _tell({"error": f"it takes more than {MAX_MEMORY // 1024**3} GB of memory"})
    except re.error as error:
        _tell({"error": f"no regular expression: {error}"})
    else:
        _tell({name: counts[name] for name in ("files", "binary", "large", "sensitive", "more")})
    return 0


def _find_lines(
    search: Search, workspace: Workspace, location: Location, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    regex = re.compile(search.pattern)
    literal = required_literal(search.pattern)
    include = glob_regex(search.include) if search.include else None
    for folder, names in _files(workspace, location):
        below = names[len(location.names) :]
        if include and not include.fullmatch("/".join(below)):
            continue
        if location.is_folder and any(map(is_sensitive, below)):
            counts["sensitive"] += 1
            continue
        try:
            text = _text(folder, names[-1], counts)
        except OSError:  # gone, or not ours to read
            continue
        if text is None or literal not in text:
            continue
        path = show("/".join(names))
        for number, line in enumerate(text.split("\n"), 1):
            if literal in line and (found := regex.search(line[:MAX_LINE])):
                yield {"path": path, "line": number, "text": _excerpt(line, found)}


def _text(folder: Folder, name: str, counts: Counter[str]) -> str | None:
    """A file with line feeds alone, and without the last of them; None when it is to be passed over."""
    with folder.open_file(name) as file:
        encoding = text_encoding(file.read(HEAD))
        if encoding is None or os.fstat(file.fileno()).st_size > MAX_FILE:
            counts["large" if encoding else "binary"] += 1
            return None
        file.seek(0)
        data = file.read(MAX_FILE)
    counts["files"] += 1
    return data.decode(encoding, "replace").replace("\r\n", "\n").removesuffix("\n") if data else None


def _excerpt(line: str, found: re.Match[str]) -> str:
    """The line, or what of it stands around the beginning of the finding."""
    start = max(0, min(found.start() - MAX_SHOWN // 4, len(line) - MAX_SHOWN))
    end = start + MAX_SHOWN
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _find_names(
    search: Search, workspace: Workspace, location: Location, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Files that fit, the newest first."""
    regex = glob_regex(search.pattern)
    found: list[tuple[float, str]] = []
    for folder, names in _files(workspace, location):
        counts["files"] += 1
        if regex.fullmatch("/".join(names[len(location.names) :])):
            with suppress(OSError):  # gone
                found.append((-folder.status(names[-1]).st_mtime, show("/".join(names))))
        if len(found) == MAX_NAMES:
            counts["more"] = 1
            break
    for _, path in sorted(found):
        yield {"path": path}


def _files(workspace: Workspace, location: Location) -> Iterator[tuple[Folder, tuple[str, ...]]]:
    """The file itself, or all below the folder."""
    if location.is_folder:
        yield from walk_files(workspace, location)
        return
    location.open().close()  # or the reason why not
    yield location.folder, (*location.names, *location.rest)


def _tell(finding: dict[str, Any]) -> None:
    os.write(STDOUT, json.dumps(finding).encode() + b"\n")


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    with suppress(OSError, ValueError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
