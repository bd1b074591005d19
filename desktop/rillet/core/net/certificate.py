"""Who signed a certificate: the one line of it that people behind a company's proxy need to see.

The standard library reads only certificates that it trusts, and the others are the interesting ones. Pure; knows as
much of DER (ITU-T X.690) as the issuer of an X.509 certificate (RFC 5280, section 4.1) takes. Below: ``probe``.
Guarantee: any bytes give a name or None, never an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION: Final = 0xA0
_COMMON_NAME: Final = b"\x55\x04\x03"
_ORGANIZATION: Final = b"\x55\x04\x0a"
_WIDE: Final = {0x1E: "utf-16-be", 0x1C: "utf-32-be"}
"""BMPString and UniversalString; every other kind of string is ASCII or UTF-8."""


def issuer(certificate: bytes) -> str | None:
    """The name of who signed this DER certificate ("Root CA (Company)"), or None when it cannot be read."""
    try:
        (_, whole), *_ = _values(certificate)
        (_, signed), *_ = _values(whole)
        fields = [content for tag, content in _values(signed) if tag != _VERSION]
        names = dict(_names(fields[2]))  # after serial number and algorithm
    except (IndexError, ValueError):
        return None
    common, organization = names.get(_COMMON_NAME), names.get(_ORGANIZATION)
    if common and organization and organization not in common:
        return f"{common} ({organization})"
    return common or organization


def _names(issuer: bytes) -> Iterator[tuple[bytes, str]]:
    for _, group in _values(issuer):
        for _, pair in _values(group):
            (_, kind), (tag, text) = _values(pair)
            shown = text.decode(_WIDE.get(tag, "utf-8"), "replace")
            yield kind, "".join(character for character in shown if character.isprintable())


def _values(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of the values that stand in a row. IndexError or ValueError when they are none."""
    position = 0
    while position < len(data):
        tag, length = data[position], data[position + 1]
        position += 2
        if length & 0x80:
            size = length & 0x7F
            length = int.from_bytes(data[position : position + size])
            position += size
        if position + length > len(data):
            raise ValueError("a value is longer than what holds it")
        yield tag, data[position : position + length]
        position += length
