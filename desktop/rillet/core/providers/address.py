"""The base address of an API, from what people type and paste.

Pure. Knows URLs and how those of each style end, no provider. Above: ``errors``. Below: ``compatible`` makes providers
of addresses.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from rillet.core.errors import InvalidRequestError
from rillet.core.net.loopback import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

ENDPOINTS: Final = (
    (re.compile(r"/chat/completions/*$"), "openai"),
    (re.compile(r"/completions/*$"), "openai"),
    (re.compile(r"/responses/*$"), "openai-responses"),
    (re.compile(r"/messages/*$"), "anthropic"),
    (re.compile(r"/models/[^/]+:(?:streamG|g)enerateContent/*$"), "gemini"),
    (re.compile(r"/api/(?:chat|tags|generate)/*$"), "ollama"),
    (re.compile(r"/models/*$"), None),
    (re.compile(r"/*$"), None),
)
"""What documentation appends to the base address, and people paste along with it; which style that tells."""
SECRET_PARAMETER: Final = re.compile(
    r"[?&](?:(?:api|access|subscription)[-_]?)?(?:key|token)=(?P<value>[^&#]*)", re.IGNORECASE
)
"""A key in an address (Gemini's documentation puts it there), where it would be shown and saved."""
EXAMPLE: Final = "It should look like https://api.example.com/v1 or localhost:8080."
LOCAL_SUFFIXES: Final = (".local", ".lan", ".internal", ".home.arpa")


class BadAddress(InvalidRequestError):
    """What was entered is no address that can be used. Nobody was asked, so nobody is named as refusing it."""

    def told(self, translate: Callable[[str], str] = str) -> str:
        """What is wrong with it, and an example of a good one."""
        return f"{self.message[:1].upper()}{self.message[1:]}. {translate(EXAMPLE)}"


class Address(NamedTuple):
    """An address in one spelling."""

    scheme: str
    authority: str
    """Host, and port where it is not the usual one."""
    path: str
    """Without a slash at its end; empty when there was none."""
    query: str
    """With its question mark; Azure wants one."""
    is_local: bool
    """On this machine or the local network, where TLS is rare."""
    style: str | None = None
    """The style that the pasted end of the address belongs to."""


def parse_address(text: str) -> Address:
    """Read an address; without a scheme it is https, or http where it is local.

    Raises:
        BadAddress: it is none, or it holds a password.
    """
    text = text.strip()
    if not text or re.search(r"[\s\x00-\x1f\x7f<>\"'{}|\\^`]", text):
        raise BadAddress("this is not a web address")
    if "://" not in text:
        parts = _split(f"https://{text}")
        text = f"{'http' if _is_local(parts.hostname or '') else 'https'}://{text}"
    parts = _split(text)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https"):
        raise BadAddress("the address must begin with https:// or http://")
    if not re.fullmatch(r"[^/:@%\[\]]+|[0-9a-f:.]+", host) or ".." in host or parts.port == 0:
        raise BadAddress("this is not a web address")
    if parts.username is not None:
        raise BadAddress("the address holds a user name; a key belongs into its own field")
    if SECRET_PARAMETER.search(text):
        raise BadAddress("the address holds a key, which belongs into its own field")
    usual = {"http": 80, "https": 443}[parts.scheme]
    authority = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port not in (None, usual) else "")
    query = f"?{parts.query}" if parts.query else ""
    end, style = next((end, style) for end, style in ENDPOINTS if end.search(parts.path))
    return Address(parts.scheme, authority, end.sub("", parts.path).rstrip("/"), query, _is_local(host), style)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:  # a port that is no number, brackets that do not close
        raise BadAddress("this is not a web address") from None
    return parts


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_private
    except ValueError:
        return is_loopback(host) or "." not in host.strip(".") or host.endswith(LOCAL_SUFFIXES)
