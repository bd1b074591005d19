"""Whether a host is this machine: no proxy leads there, and TLS is rare there.

Pure, and light: the standard library's proxy settings, which ``proxy`` needs, bring its whole HTTP client along.
"""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether ``host``, a name or an address, is this machine."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761, section 6.3
        return True
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
