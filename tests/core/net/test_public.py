"""Whose an address is, for every range that somebody once forgot."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.net.public import why_not_public
from support.web_addresses import INSIDE, INSIDE_6


@pytest.mark.parametrize("address", [*INSIDE, *INSIDE_6, "fe80::1%eth0", "::1%lo"])
def test_what_is_inside_is_not_public(address: str) -> None:
    assert why_not_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("93.184.216.34", "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "126.255.255.255", "128.0.0.0"),
        *("100.63.255.255", "100.128.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0"),
        *("192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0"),
        *("198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0"),
        *("223.255.255.255", "168.63.129.15", "168.63.129.17", "1.0.0.0"),
        *("2606:4700::1111", "2001:200::1", "2001:4860:4860::8888", "2003::1", "2a00:1450::1", "2400:cb00::1"),
        *("2620:fe::fe", "3ffe::1", "64:ff9b::8.8.8.8", "::ffff:1.1.1.1"),
    ],
)
def test_its_neighbours_are(address: str) -> None:
    assert why_not_public(address) is None


@given(st.integers(0, 2**32 - 1))
def test_nothing_is_called_public_that_the_standard_library_calls_private(number: int) -> None:
    address = IPv4Address(number)
    if why_not_public(str(address)) is None:
        assert address.is_global
        assert not address.is_multicast


@given(st.integers(0, 2**32 - 1), st.sampled_from(["::ffff:0:0", "64:ff9b::"]))
def test_an_address_that_carries_another_is_judged_by_it(number: int, carrier: str) -> None:
    carried = ip_address(int(ip_address(carrier)) | number)
    assert (why_not_public(str(carried)) is None) == (why_not_public(str(IPv4Address(number))) is None)


def test_the_reason_can_be_read() -> None:
    assert why_not_public("169.254.169.254") == "the local network, where data centres keep their metadata"
    assert why_not_public("fe80::1%eth0") == "the local network"


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "1.2.3.4.5"])
def test_what_is_no_address_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        why_not_public(text)
