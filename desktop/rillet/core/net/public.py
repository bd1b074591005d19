"""Whether an address belongs to the public internet, or to this machine, its neighbours, or nobody.

Pure: addresses in, reasons out; looks up no name. Below: ``public_routes`` asks before every connection. The tables are
those of IANA's registries of special-purpose addresses (RFC 6890 and what followed), not the standard library's, whose
answers change with its version. Guarantee: what is not known to be public is not.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

_SPECIAL_4: Final = tuple(
    (IPv4Network(network), what)
    for network, what in (
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "the network of a provider"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "the services of a data centre"),  # Azure's, in the midst of public addresses
        ("169.254.0.0/16", "the local network, where data centres keep their metadata"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "nobody"),
        ("192.0.2.0/24", "nobody"),
        ("192.88.99.0/24", "nobody"),
        ("192.168.0.0/16", "a private network"),
        ("198.18.0.0/15", "nobody"),
        ("198.51.100.0/24", "nobody"),
        ("203.0.113.0/24", "nobody"),
        ("224.0.0.0/4", "many machines"),
        ("240.0.0.0/4", "nobody"),
    )
)
_GLOBAL_6: Final = IPv6Network("2000::/3")
"""Of all IPv6 only this is given out (IANA, IPv6 Global Unicast Address Assignments)."""
_SPECIAL_6: Final = tuple(
    (IPv6Network(network), what)
    for network, what in (
        ("2001::/23", "a tunnel or a protocol"),  # Teredo, ORCHID, benchmarks
        ("2001:db8::/32", "nobody"),
        ("2002::/16", "a tunnel to IPv4"),
        ("3fff::/20", "nobody"),
    )
)
_LOCAL_6: Final = tuple(
    (IPv6Network(network), what)
    for network, what in (
        ("::/127", "this machine"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "the local network"),
        ("fec0::/10", "a private network"),
        ("ff00::/8", "many machines"),
    )
)
_CARRIED: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""IPv6 addresses that are IPv4 addresses: mapped (RFC 4291), and of networks without IPv4 of their own (RFC 6052)."""
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)
"""The third quarter of addresses that are a tunnel to the IPv4 address in the last (RFC 5214)."""


def why_not_public(address: str) -> str | None:
    """Whose the address is instead, as in "127.0.0.1 is …"; None when it is public.

    Raises:
        ValueError: it is no address.
    """
    parsed = ip_address(address.partition("%")[0])
    return _of_4(parsed) if isinstance(parsed, IPv4Address) else _of_6(parsed)


def _of_4(address: IPv4Address) -> str | None:
    return next((what for network, what in _SPECIAL_4 if address in network), None)


def _of_6(address: IPv6Address) -> str | None:
    if any(address in network for network in _CARRIED):
        return _of_4(IPv4Address(int(address) & 0xFFFF_FFFF))
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return "a tunnel to IPv4"
    if address not in _GLOBAL_6:
        return next((what for network, what in _LOCAL_6 if address in network), "nobody")
    return next((what for network, what in _SPECIAL_6 if address in network), None)
