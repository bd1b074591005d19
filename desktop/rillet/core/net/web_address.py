"""The address of a page that somebody else chose: read strictly, so that no two readers understand it differently.

Pure. Below: ``fetch`` reads what it was given and every redirect. Knows the shape of addresses, not whose they are:
that is judged when the name was looked up (``public``). Guarantee: what ``parse`` accepts has one host, written as name
servers know it, no login, a usual port, and nothing that a browser and a library would read differently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

LONGEST: Final = 8000
"""Characters of an address that servers have to understand (RFC 9110, section 4.1)."""
PORTS: Final = {"http": 80, "https": 443}
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|[0-9]+")
"""A last label like this makes the whole host a number to browsers and resolvers (WHATWG URL, "ends in a number")."""
_UNREADABLE: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]")
_KEPT: Final = "!#$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True, slots=True)
class WebAddress:
    """Where a page is.

    Attributes:
        scheme: "http" or "https".
        host: In ASCII, without brackets or a dot at its end.
        port: The number, also when it is the usual one.
        path: What is asked for, with the query; begins with "/".
        shown: The host in its own script, when that is another than ASCII.
    """

    scheme: str
    host: str
    port: int
    path: str
    shown: str | None = None

    @classmethod
    def parse(cls, text: str, *, ports: frozenset[int] = frozenset(PORTS.values())) -> WebAddress:
        """Read an address; its fragment is left out.

        Raises:
            ValueError: it is no address that will be fetched; the text says why.
        """
        text = text.strip()
        if len(text) > LONGEST:
            raise ValueError("the address is too long")
        if _UNREADABLE.search(text):
            raise ValueError("the address holds blanks, backslashes or invisible characters")
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            raise ValueError("this is no address") from None
        if parts.scheme not in PORTS or not text[len(parts.scheme) :].startswith("://"):
            raise ValueError("the address must begin with https:// or http://")
        if "@" in parts.netloc:
            raise ValueError("the address holds a user name or a password")
        port = PORTS[parts.scheme] if port is None else port
        if port not in ports:
            raise ValueError(f"port {port} is none of the web: {' or '.join(map(str, sorted(ports)))} will do")
        host = _host(parts.hostname or "", is_bracketed="[" in parts.netloc)
        path = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
        return cls(parts.scheme, host, port, path, _in_its_script(host))

    def joined(self, location: str, *, ports: frozenset[int] = frozenset(PORTS.values())) -> WebAddress:
        """Where a redirect leads. Raises ValueError as ``parse``."""
        return WebAddress.parse(urljoin(str(self), location.strip()), ports=ports)

    @property
    def authority(self) -> str:
        """Host and port as addresses write them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def _host(text: str, *, is_bracketed: bool) -> str:
    if is_bracketed:
        try:
            return str(IPv6Address(text if "%" not in text else ""))  # a zone is this machine's own matter
        except ValueError:
            raise ValueError("the host is no IPv6 address") from None
    name = text.removesuffix(".")
    if not name.isascii():
        import idna  # (a large table, and most hosts need none of it)

        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except UnicodeError:
            raise ValueError("the host is no name that could be registered") from None
    labels = name.lower().split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _dotted(name)
    if not all(map(_LABEL.fullmatch, labels)) or len(name) > 253:
        raise ValueError("the host is no name that could be registered")
    return name.lower()


def _in_its_script(host: str) -> str | None:
    if "xn--" not in host:
        return None
    import idna

    try:
        return idna.decode(host)
    except UnicodeError:
        return None


def _dotted(text: str) -> str:
    try:
        return str(IPv4Address(text))
    except ValueError:
        raise ValueError("an address in numbers must be written as four decimal ones, as in 93.184.216.34") from None
