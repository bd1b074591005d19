"""A folder to be attached: what was found in it, and which of its files were chosen. Values, without I/O.

Below: ``folder_scan`` finds, ``bundle`` reads what was chosen, the composer shows and chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

LARGE: Final = 1_000_000
"""Bytes of a file that is not taken unless somebody says so."""

REASONS: Final = {
    "ignored": "left out by .gitignore",
    "secret": "may hold keys or passwords",
    "large": "large",
    "git": "the history of git",
    "packages": "made by tools: packages, caches",
    "binary": "no text",
    "image": "an image: attach it by itself",
    "link": "leads elsewhere",
    "special": "no file",
    "closed": "cannot be opened",
    "deep": "too many folders in each other",
    "name": "its name cannot be written",
}
"""Why something is not taken, by what is said in ``Entry.why``."""
OPTIONAL: Final = frozenset(("ignored", "secret", "large"))
"""Reasons that a person may overrule."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file or a folder.

    Attributes:
        path: Below the folder, with "/".
        size: Bytes of a file.
        is_folder: Whether it is a folder. What is in it follows; nothing where ``why`` says why it was not opened.
        why: Why it is not taken (a name in ``REASONS``); "": it is.
    """

    path: str
    size: int = 0
    is_folder: bool = False
    why: str = ""

    @property
    def can_be_taken(self) -> bool:
        """Whether a person may choose it."""
        return not self.is_folder and (not self.why or self.why in OPTIONAL)


@dataclass(frozen=True, slots=True)
class FolderChoice:
    """Files of a folder that somebody chose.

    Attributes:
        root: The whole path of the folder.
        paths: Of the files, below it, with "/".
    """

    root: str
    paths: tuple[str, ...]
