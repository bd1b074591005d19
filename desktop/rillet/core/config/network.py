"""The network settings of a person as the profile that clients take.

Pure. Above: ``settings``, ``net/profile``. Below: the program gives the profile to every provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from rillet.core.net.profile import NetworkProfile

if TYPE_CHECKING:
    from rillet.core.config.settings import NetworkSettings

SHORTEST, LONGEST = 1.0, 24 * 3600.0
"""Seconds."""
PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")


def profile_of(settings: NetworkSettings, proxy_password: str | None = None) -> NetworkProfile:
    """The profile; the password goes into it and nowhere else."""
    return NetworkProfile(
        proxy=_proxy(settings, proxy_password),
        no_proxy=settings.no_proxy,
        ca_file=settings.ca_file or None,
        connect_timeout=_bounded(settings.connect_timeout),
        first_event_timeout=_bounded(settings.idle_timeout),
        idle_timeout=_bounded(settings.idle_timeout),
    )


def proxy_trouble(url: str) -> str | None:
    """What is wrong with the address of a proxy; None: it can be tried."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return "This is no address. It should look like http://proxy.example.com:3128."
    if parts.username is not None or parts.password is not None:
        return "User and password belong into their own fields."
    if parts.scheme not in PROXY_SCHEMES or not parts.hostname:
        return "It should look like http://proxy.example.com:3128 or socks5://localhost:1080."
    return None


def proxy_account(settings: NetworkSettings) -> str | None:
    """Under which name the key store has the proxy's password; None: none is needed."""
    return f"proxy {settings.proxy_user}@{settings.proxy_url}" if settings.proxy_user else None


def _bounded(seconds: float) -> float:
    """What somebody may have written into the file, so that nothing fails at once or waits for ever."""
    return min(max(SHORTEST, seconds), LONGEST)  # (in this order, what is no number is the shortest, too)


def _proxy(settings: NetworkSettings, password: str | None) -> str | None:
    if settings.proxy != "url":
        return "system" if settings.proxy == "system" else None
    scheme, _, host = settings.proxy_url.partition("://")
    login = f"{quote(settings.proxy_user, safe='')}:{quote(password or '', safe='')}@" if settings.proxy_user else ""
    return f"{scheme}://{login}{host}"
