"""Where a link leads, said so that a person can judge it before following it.

Knows no Qt and no widgets. Below: ``markdown/inline`` makes links of what is ``allowed`` and ``mark``s those that
mislead, ``blocks/text`` reports a click on one, ``blocks/bubble`` tells its ``destination`` while the mouse or the
keyboard is on it. Guarantee: an allowed address has one meaning. What programs read differently (backslashes, blanks,
controls, escapes or odd characters in the host) is no link, so the host that is shown is the host that is opened.
"""

from __future__ import annotations

import re
import socket
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import unquote

from rillet.core.scripts import is_mixed

IMAGE: Final = "rillet-image:"
"""Stands before the address of a picture that a click asks for; no address that a model writes may begin so."""

_ADDRESS = re.compile(
    r"https?://(?:(?P<user>[^/?#@]*)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/?#@:\[\]]+)(?::(?P<port>\d{0,5}))?(?:[/?#].*)?",
    re.IGNORECASE,
)
_MAILTO: Final = "mailto:"
_MAIL = re.compile(r"mailto:(?P<to>[^?#]*)(?:[?#].*)?", re.IGNORECASE)
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}\.?", re.IGNORECASE)
_QUAD = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_DOTS: Final = str.maketrans("\u3002\uff0e\uff61", "...")
"""What IDNA takes for a full stop (RFC 3490, section 3.1)."""
_HOST = re.compile(r"(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)*(?!-)[a-z0-9_-]{1,63}(?<!-)\.?")
"""In ASCII: letters, digits and hyphens (RFC 1123, section 2.1), and the underscore, which browsers take as well."""
_LONGEST_HOST: Final = 253

_CLAIM = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*):(?://)?)?(?:[^/?#@\s]*@)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[^\s/?#@:\[\]()]+\.[^\s/?#@:\[\]().]+)\.?(?::\d+)?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
_FILE_SUFFIX = re.compile(
    "bat|bin|c|cc|cfg|conf|cpp|cs|css|csv|dll|docx?|env|exe|go|h|hpp|html?|ini|ipynb|java|jl|jsx?|json|kt|lock|log|lua|md"
    "|mjs|php|pl|png|ps1|pyi?|r|rb|rs|rst|scss|sh|sql|svg|swift|tex|toml|tsx?|txt|vue|xml|ya?ml"
)
"""A name such as ``main.py`` is a file's, although py is a country's domain as well."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an address leads.

    Attributes:
        host: As it reads, in the letters of its language; of a mail address all of it.
        ascii: The same in punycode, as name servers know it. Equal to ``host`` when that is plain.
        user: What stands before an @ in a web address: it is no part of where it leads, and a known trick.
        mixed: Whether one label of the host has letters of several scripts.
    """

    host: str
    ascii: str
    user: str = ""
    mixed: bool = False

    @property
    def label(self) -> str:
        """The host, with its punycode where it is not plain ASCII: "bücher.example (xn--bcher-kva.example)"."""
        return self.host if self.host == self.ascii else f"{self.host} ({self.ascii})"


def allowed(address: str) -> bool:
    """Whether a link may lead to ``address``: http, https or mailto, with one meaning only."""
    return destination(address) is not None


@lru_cache(maxsize=512)
def destination(address: str) -> Destination | None:
    """Where ``address`` leads; None where no link may lead.

    Remembered, for a paragraph that grows is built again and again with the same links in it.
    """
    if not address.isprintable() or " " in address:
        return None
    if (mail := _MAIL.fullmatch(address)) is not None:
        return _mailbox(unquote(mail["to"], errors="replace"))
    web = _ADDRESS.fullmatch(address)
    if web is None or "\\" in address.partition("?")[0] or int(web["port"] or 0) > 0xFFFF:
        return None
    names = _names(web["host"])
    if names is None:
        return None
    return Destination(*names, unquote(web["user"] or "", errors="replace"), _is_mixed(names[0]))


def mark(text: str, address: str) -> str:
    """What has to stand beside a link that reads ``text``, because it seems to lead elsewhere; "" when it does not."""
    leads = destination(address)
    if leads is None:
        return ""
    claim = _claimed(text)
    if leads.mixed or leads.user or (claim is not None and not _within(leads.ascii, claim)):
        return leads.label
    return ""


def _within(host: str, claim: str) -> bool:
    host, claim = (name.casefold().removeprefix("www.") for name in (host, claim))
    return host == claim or host.endswith("." + claim)


def _claimed(text: str) -> str | None:
    """The host (or mail address) that ``text`` gives itself out as, in ASCII; None when it does not look like one."""
    text = unicodedata.normalize("NFKC", "".join(char for char in text if unicodedata.category(char) != "Cf")).strip()
    if "@" in text and "/" not in text:
        mailbox = _mailbox(text[len(_MAILTO) :] if text.lower().startswith(_MAILTO) else text)
        if mailbox is not None:
            return mailbox.ascii
    claim = _CLAIM.fullmatch(text)
    if claim is None:
        return None
    labels = claim["host"].translate(_DOTS).split(".")
    last = labels[-1].lower()
    domain = len(last) > 1 and last.isalpha() and not _FILE_SUFFIX.fullmatch(last)
    if not (claim["scheme"] or domain or _QUAD.fullmatch(claim["host"])):
        return None
    names = _names(claim["host"])
    return names[1] if names else None


def _mailbox(text: str) -> Destination | None:
    """The recipient, or the recipients, of a mail link."""
    if not text.isprintable() or not text:
        return None
    user, at, host = text.rpartition("@")
    names = _names(host)
    if not at or not user or names is None:
        return None
    return Destination(f"{user}@{names[0]}", f"{user}@{names[1]}", mixed=_is_mixed(names[0]))


def _names(host: str) -> tuple[str, str] | None:
    """``host`` as it reads and in ASCII; None when it is no host, or not the same one for everybody."""
    host = host.translate(_DOTS).lower()
    if host.startswith("["):
        return _ip6_address(host[1:-1])
    if _NUMERIC.fullmatch(host):
        return _ip_address(host)
    if not host.isascii():
        import idna  # (a large table, and most hosts need none of it)

        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except UnicodeError:
            return None
    return (_decoded(host), host) if _HOST.fullmatch(host) and len(host) <= _LONGEST_HOST else None


def _ip_address(host: str) -> tuple[str, str] | None:
    """Browsers take 2130706433, 0x7f.1 and 127.0.0.1 for the same: it is shown as the last."""
    try:
        usual = ".".join(map(str, socket.inet_aton(host)))
    except OSError:
        return None
    return usual, usual


def _ip6_address(host: str) -> tuple[str, str] | None:
    try:
        usual = f"[{IPv6Address(host)}]"
    except ValueError:
        return None
    return usual, usual


def _decoded(host: str) -> str:
    """``host`` with its punycode read; as it is where that cannot be read."""
    if "xn--" not in host:
        return host
    import idna

    try:
        decoded = idna.decode(host, uts46=True)
    except UnicodeError:
        return host
    return decoded if decoded.isprintable() else host


def _is_mixed(host: str) -> bool:
    """Whether a label has letters of scripts that are not written together."""
    return any(map(is_mixed, host.split(".")))
