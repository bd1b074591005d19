"""A path as a model, a link or a person writes it → the names below the root of the workspace, or a refusal.

Pure: looks at no disk, so that a path which points elsewhere (a share, a device, an automounter's folder) is refused
before anything is touched. Knows the spellings of POSIX and of Windows on either system. Below: ``workspace`` follows
the names. Guarantee: no name that comes out is empty, holds a separator or means something else to the system; "..",
which only the disk can resolve, is the one exception.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOWS: Final = sys.platform == "win32"
LONGEST: Final = 4096
"""Characters of a path, as PATH_MAX of Linux."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WINDOWS_SIGNS = re.compile(r'[<>:"|?*]')
# "Naming Files, Paths, and Namespaces", learn.microsoft.com: also with an extension, and the superscript digits.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?", re.IGNORECASE)


class FileError(Exception):
    """What cannot be done with a file, with the reason in words for the model."""


class PathRefused(FileError):
    """A path that may not be used: it leads out of the workspace, or to what nobody opens for a model."""


@dataclass(frozen=True, slots=True)
class ParsedPath:
    """Names to follow, from the root of the workspace when ``is_absolute``."""

    names: tuple[str, ...]
    is_absolute: bool


def parse_path(text: str, roots: Sequence[str], *, windows: bool = WINDOWS) -> ParsedPath:
    """Split a path; an absolute one must begin with one of the spellings of the root.

    Raises:
        PathRefused: it leads elsewhere, or cannot be the path of an ordinary file.
    """
    if len(text) > LONGEST:
        raise PathRefused(f"the path is longer than {LONGEST} characters")
    if _CONTROL.search(text) or _LONE_SURROGATE.search(text):
        raise PathRefused(f"{show(text)} is no path: it holds characters that no path may hold here")
    if text[:6].lower() == "file:/":
        raise PathRefused(f"{text} is a URL: give the path alone")
    return _parse_windows(text, roots) if windows else _parse_posix(text, roots)


def show(name: str) -> str:
    """A name on one line of text for a model: controls are escaped, bytes that are no UTF-8 become U+FFFD."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], _LONE_SURROGATE.sub("\ufffd", name))


def fold_name(name: str) -> str:
    """A name as the most forgiving file system compares it: to tell whether it means a name that is guarded.

    HFS+ leaves out invisible characters and NTFS trailing dots and spaces (CVE-2014-9390: ``.g\u200cit``); both
    ignore case.
    """
    if name.isascii():
        return name.lower().rstrip(". ")
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", visible).casefold().rstrip(". ")


def _parse_posix(text: str, roots: Sequence[str]) -> ParsedPath:
    names = _names(text, "/")
    if not text.startswith("/"):
        return ParsedPath(names, is_absolute=False)
    for root in roots:
        base = _names(root, "/")
        if names[: len(base)] == base:
            return ParsedPath(names[len(base) :], is_absolute=True)
    raise outside(text)


def _parse_windows(text: str, roots: Sequence[str]) -> ParsedPath:
    path = text.replace("/", "\\")
    if path.startswith(("\\\\?\\", "\\\\.\\", "\\??\\")):
        raise PathRefused(f"{text} is the path of a device")
    drive, _, tail = path.partition(":") if path[1:2] == ":" else ("", "", path)
    if not drive and not path.startswith("\\"):
        return ParsedPath(_checked(_names(path, "\\"), text), is_absolute=False)
    if drive and not tail.startswith("\\"):
        raise PathRefused(f"{text} depends on a current folder: give the whole path")
    is_share = path.startswith("\\\\")
    names = [f"{drive}:" if drive else "", *_names(tail, "\\")]
    for root in roots:
        root_path = root.replace("/", "\\")
        root_drive = root_path[:2] if root_path[1:2] == ":" else ""
        base = [root_drive, *_names(root_path.removeprefix(root_drive), "\\")]
        if is_share == root_path.startswith("\\\\") and _folded(names[: len(base)]) == _folded(base):
            return ParsedPath(_checked(tuple(names[len(base) :]), text), is_absolute=True)
    raise outside(text)


def outside(path: str) -> PathRefused:
    """The refusal of what is not in the workspace."""
    return PathRefused(f"{show(path)} is outside the workspace")


def _names(text: str, separator: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(separator) if name not in ("", "."))


def _folded(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names]


def _checked(names: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Names that Windows takes literally: no stream, no wildcard, no device, nothing that it would cut off."""
    for name in names:
        if name == "..":
            continue
        if _WINDOWS_SIGNS.search(name) or name.endswith((".", " ")) or _DEVICES.fullmatch(name):
            raise PathRefused(f"{show(text)} is no path of an ordinary file on Windows")
    return names
