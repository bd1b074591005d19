"""What ``.gitignore`` files leave out of a search. Pure; the rules are those of gitignore(5).

Above: ``globs``. Below: ``search`` reads the files. What git knows from elsewhere (``info/exclude``, the user's global
file) is not asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rillet.core.tools.files.globs import compile_glob

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Rule:
    """One line: what it fits, below the folder of its file."""

    regex: re.Pattern[str]
    is_exception: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The rules of one file, and the names of the folder in which it lies, from where the search began."""

    rules: tuple[Rule, ...]
    names: tuple[str, ...]


def parse_rules(text: str) -> tuple[Rule, ...]:
    """The lines of a file; those that are no pattern fit nothing, as for git."""
    return tuple(rule for line in text.splitlines() if (rule := _rule(line)) is not None)


def is_ignored(files: Sequence[IgnoreFile], names: tuple[str, ...], *, is_folder: bool) -> bool:
    """Whether the files, outermost first, leave these names out: the last line that fits decides, the innermost first.

    That a folder above is left out is for the caller to know: it does not go in.
    """
    for file in reversed(files):
        path = "/".join(names[len(file.names) :])
        for rule in reversed(file.rules):
            if (is_folder or not rule.folders_only) and rule.regex.fullmatch(path):
                return not rule.is_exception
    return False


def _rule(line: str) -> Rule | None:
    line = line.rstrip("\r\n")
    stripped = line.rstrip(" ")
    pattern = stripped + " " if stripped.endswith("\\") and stripped != line else stripped
    if not pattern or pattern.startswith("#"):
        return None
    is_exception = pattern.startswith("!")
    pattern = pattern[is_exception:]
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if not pattern:
        return None
    try:
        regex = compile_glob(pattern.removeprefix("/"), anywhere="/" not in pattern, braces=False)
    except ValueError:
        return None
    return Rule(regex, is_exception, folders_only)
