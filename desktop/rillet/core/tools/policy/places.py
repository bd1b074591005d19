"""Where a path or an address leads, before anything is opened: to a place in the workspace, to a host, or to neither.

Knows no tools. Above: ``workspace``, which finds places just as the tools will when they open them. Below: ``calls``
places what a call names, ``rules`` compare it with patterns. Guarantee: a place or a host is told only where every
reading of the text gives the same one; else there is none.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from rillet.core.tools.files.guards import is_sensitive
from rillet.core.tools.files.paths import WINDOWS, FileError
from rillet.core.visible import hidden_in

if TYPE_CHECKING:
    from pathlib import Path

    from rillet.core.tools.workspace import Workspace

_ADDRESS: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[^\s/?#@:\\\[\]%]+)(?::(?P<port>[0-9]{1,5}))?(?:[/?#][!#-;=?-\[\]_a-z~]*)?",
    re.IGNORECASE | re.ASCII,
)
"""No login, no number in brackets, no escapes in the host, no backslash anywhere: programs read those differently."""
_HOST: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
"""A name of several labels, the last of which begins with a letter, so that no reading takes it for a number."""
_LONGEST_HOST: Final = 253
_PORTS: Final = {"http": 80, "https": 443}


def place(workspace: Workspace, path: str, base: str = ".") -> str | None:
    """Where ``path``, seen from the folder ``base``, leads: names below the root with "/", "." for the root itself.

    None: outside, to what is never opened, or nowhere. Costs a few system calls per name.
    """
    if hidden_in(path):
        return None
    is_whole = path.startswith(("/", "\\")) or path[1:2] == ":" if WINDOWS else path.startswith("/")
    try:
        with workspace.locate(path if is_whole else f"{base}/{path}") as location:
            return location.path
    except FileError:
        return None


def is_secret(at: str) -> bool:
    """Whether a place holds keys or passwords, going by names; those of other names no tool ever opens."""
    return any(map(is_sensitive, at.split("/")))


def is_in_repository(folder: Path, root: Path) -> bool:
    """Whether ``folder``, or one above it up to ``root``, is a git repository by what it holds, without a ``.git``.

    Git obeys the settings of such a folder, which may run programs, and a clone can bring one along (see
    ``safe.bareRepository`` in git-config).
    """
    above = (each for each in (folder, *folder.parents) if each.is_relative_to(root))
    return any((each / "HEAD").is_file() and (each / "objects").is_dir() for each in above)


def host_of(address: str) -> tuple[str, int] | None:
    """The host of a web address, as name servers know it, and the port; None when it is no plain name."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return None
    host = ascii_host(found["host"])
    port = int(found["port"]) if found["port"] else _PORTS[found["scheme"].lower()]
    return (host, port) if host and 0 < port < 1 << 16 else None


def ascii_host(host: str) -> str | None:
    """``host`` as name servers know it; None when it is a number, or not the same name to everybody."""
    if unicodedata.normalize("NFKC", host) != host:
        return None  # a Kelvin sign is a K to some programs
    host = host.lower()
    if not host.isascii():
        import idna  # (a large table, and most hosts need none of it)

        try:
            if idna.uts46_remap(host) != host:
                return None
            host = idna.encode(host).decode("ascii")
        except UnicodeError:
            return None
    return host if _HOST.fullmatch(host) and len(host) <= _LONGEST_HOST else None


class PlacePattern:
    """A pattern of places: ``*`` and ``?`` within a name, ``**`` for any number of names.

    None of them stands for a name that begins with a dot: such files steer programs (``.git``, ``.vscode``), and are
    named or not meant. Loose, for rules that deny, they stand for everything, letters count alike, and what lies below
    a match is meant too. The time does not depend on how a place is made to fit nearly.

    Raises:
        ValueError: it can match nothing in a workspace.
    """

    def __init__(self, text: str, *, loose: bool = False) -> None:
        parts = composed(text).split("/")
        if not text or "\\" in text or any(part in ("", ".", "..") for part in parts):
            raise ValueError(f"{text!r} is no pattern of files: write it from the workspace on, as in docs/**/*.md")
        if parts[-1] == "**":
            parts.append("*")  # a folder is not one of the files below it
        self._loose = loose
        self._parts = [None if part == "**" else self._name(part) for part in parts]

    def matches(self, place: str) -> bool:
        """Whether it means ``place``."""
        end = len(self._parts)
        reached = self._skipped({0})
        for name in composed(place).split("/"):
            if self._loose and end in reached:
                return True
            reached = self._skipped({after for at in reached if (after := self._after(at, name)) is not None})
        return end in reached

    def _after(self, at: int, name: str) -> int | None:
        """The part to go on with when ``name`` is taken by part ``at``; None when it is not."""
        if at == len(self._parts):
            return None
        part = self._parts[at]
        if part is None:
            return at if self._loose or not name.startswith(".") else None
        return at + 1 if part.fullmatch(name) else None

    def _skipped(self, reached: set[int]) -> set[int]:
        """``reached``, and what follows where a ``**`` may stand for nothing."""
        todo = list(reached)
        while todo:
            after = todo.pop() + 1
            if after <= len(self._parts) and self._parts[after - 1] is None and after not in reached:
                reached.add(after)
                todo.append(after)
        return reached

    def _name(self, part: str) -> re.Pattern[str]:
        first, *others = ("".join("." if char == "?" else re.escape(char) for char in text) for text in part.split("*"))
        # The shortest way to each piece is as good as any other: atomic, so that only the last one is looked for twice.
        between = "".join(f"(?>.*?{piece})" for piece in others[:-1])
        dot = r"(?!\.)" if part[0] in "*?" and not self._loose else ""
        flags = re.DOTALL | (re.IGNORECASE if self._loose else 0)
        return re.compile(f"{dot}{first}{between}.*{others[-1]}" if others else dot + first, flags)


def composed(text: str) -> str:
    """``text`` in one spelling of its letters: file systems differ in how they keep an é."""
    return unicodedata.normalize("NFC", text)
