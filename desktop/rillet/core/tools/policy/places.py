"""Where a path or an address leads, before anything is opened: to a place in the workspace, to a host, or to neither.

Knows no tools. Above: ``workspace``, which finds places just as the tools will when they open them. Below: ``calls``
places what a call names, ``rules`` compare it with patterns. Guarantee: a place or a host is told only where every
reading of the text gives the same one; else there is none.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from rillet.core.tools.files.paths import FileError
from rillet.core.visible import is_hidden

if TYPE_CHECKING:
    from rillet.core.tools.workspace import Workspace

_SECRET: Final = re.compile(
    r"\.env(?:\.(?!example$|sample$|template$).*)?|\.(?:npmrc|pypirc|htpasswd|vault-token)|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|.*\.(?:pem|key|p12|pfx|kdbx|keystore)|credentials(?:\.json)?|secrets?\.(?:json|ya?ml|toml)",
    re.IGNORECASE,
)
"""Files with keys or passwords that people do keep in folders they work in; the others no tool ever opens
(``files/guards``)."""

_ADDRESS: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[^\s/?#@:\\\[\]%]+)(?::(?P<port>[0-9]{1,5}))?(?:[/?#][!#-;=?-\[\]_a-z~]*)?",
    re.IGNORECASE,
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
    if any(map(is_hidden, path)):
        return None
    is_relative = not path.startswith(("/", "\\")) and path[1:2] != ":"
    try:
        with workspace.locate(f"{base}/{path}" if is_relative else path) as location:
            return location.path
    except FileError:
        return None


def is_secret(at: str) -> bool:
    """Whether a place holds keys or passwords, going by names."""
    return any(map(_SECRET.fullmatch, at.split("/")))


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


def place_pattern(text: str, *, loose: bool = False) -> re.Pattern[str]:
    """A pattern of places: ``*`` and ``?`` within a name, ``**`` for any number of names.

    None of them stands for a name that begins with a dot: such files steer programs (``.git``, ``.vscode``), and are
    named or not meant. Loose, for rules that deny, they stand for everything, letters count alike, and what lies below
    a match is meant too.

    Raises:
        ValueError: it can match nothing in a workspace.
    """
    parts = text.split("/")
    if not text or "\\" in text or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"{text!r} is no pattern of files: write it from the workspace on, as in docs/**/*.md")
    dot = "" if loose else r"(?!\.)"
    *above, last = parts
    regex = "".join(rf"(?:{dot}[^/]+/)*" if part == "**" else _name_pattern(part, dot) + "/" for part in above)
    regex += rf"(?:{dot}[^/]+/)*{dot}[^/]+" if last == "**" else _name_pattern(last, dot)
    if loose:
        return re.compile(regex + "(?:/.*)?", re.DOTALL | re.IGNORECASE)
    return re.compile(regex, re.DOTALL)


def composed(text: str) -> str:
    """``text`` in one spelling of its letters: file systems differ in how they keep an é."""
    return unicodedata.normalize("NFC", text)


def _name_pattern(name: str, dot: str) -> str:
    signs = {"*": "[^/]*", "?": "[^/]"}
    return (dot if name[0] in signs else "") + "".join(signs.get(char) or re.escape(char) for char in name)
