"""Which proxy, if any, a request goes through.

Knows the environment and the system's settings (through the standard library), not httpx. Above: ``profile``. Below:
``transport`` asks for every request, so that a VPN that comes and goes is noticed. Guarantee: a loopback address never
goes through a proxy, and a setting that cannot be used is an error that names the variable, never its value: that may
hold a password.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from rillet.core.errors import NetworkError
from rillet.core.net.loopback import is_loopback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rillet.core.net.profile import NetworkProfile

SCHEMES = ("http", "https", "socks5", "socks5h")
LONGEST_HOST = 253
"""Characters of a name (RFC 1035, section 2.3.4)."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that can be used."""

    url: str = field(repr=False)
    """With user and password where given, hence not in the repr."""
    label: str
    """Host and port, for messages."""


def proxy_for(url: SplitResult, profile: NetworkProfile) -> Proxy | None:
    """The proxy for ``url``; None means a direct connection.

    Raises:
        NetworkError: the setting names no usable proxy.
    """
    host = url.hostname or ""
    if profile.proxy is None or is_loopback(host):
        return None
    if profile.proxy != "system":
        if is_excepted(url, profile.no_proxy):
            return None
        return _usable(profile.proxy, "the proxy in the settings")
    proxies = getproxies()
    for kind in (url.scheme, "all"):
        if value := proxies.get(kind):
            return None if _is_excepted_by_system(url, proxies) else _usable(value, _source(kind))
    return None


def is_excepted(url: SplitResult, exceptions: Sequence[str]) -> bool:
    """Whether one of ``exceptions`` (see ``NetworkProfile.no_proxy``) means the host of ``url``."""
    host = (url.hostname or "").rstrip(".").lower()
    port = str(url.port or (443 if url.scheme == "https" else 80))
    return any(_means(exception.strip().lower(), host, port) for exception in exceptions)


def _means(exception: str, host: str, port: str) -> bool:
    if exception == "*":
        return True
    if (network := _network(exception)) is not None:
        try:
            return ip_address(host) in network
        except ValueError:
            return False
    name, _, wanted = exception.partition("]:" if exception.startswith("[") else ":")
    if wanted and wanted != port:
        return False
    name = name.strip("[]").removeprefix("*").removeprefix(".").rstrip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text.strip("[]"), strict=False)
    except ValueError:
        return None


def _is_excepted_by_system(url: SplitResult, proxies: dict[str, str]) -> bool:
    """The environment's list in our reading, which knows networks; without one, what the system's settings say."""
    if "no" in proxies:
        return is_excepted(url, proxies["no"].split(","))
    host = url.hostname or ""
    return bool(proxy_bypass(f"{host}:{url.port}" if url.port else host))


def _usable(value: str, source: str) -> Proxy:
    url = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is no number, brackets that do not close
        host, port = None, None
    scheme = url.partition("://")[0].lower()
    if scheme not in SCHEMES:
        shown = f' ("{scheme}://")' if re.fullmatch("[a-z0-9+.-]{1,12}", scheme) else ""
        problem = f"{source} names a kind of proxy that does not exist{shown}"
        raise _unusable(problem, "It must begin with http://, https:// or socks5://.")
    if not host or len(host) > LONGEST_HOST or not url.isprintable() or " " in url:
        raise _unusable(f"{source} is not the address of a proxy", "It must look like http://proxy.example.com:3128.")
    return Proxy(url, f"{host}:{port}" if port else host)


def _unusable(problem: str, advice: str) -> NetworkError:
    return NetworkError(problem, retryable=False, advice=f"Correct or remove it. {advice}")


def _source(kind: str) -> str:
    """Where the proxy for ``kind`` was read; the standard library prefers the variable in lower case."""
    names = [name for name in os.environ if name.lower() == f"{kind}_proxy" and os.environ[name]]
    return f"the environment variable {max(names)}" if names else "the proxy in the system's settings"
