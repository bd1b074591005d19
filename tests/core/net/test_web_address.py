"""Addresses are read so that nobody could read them differently."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rillet.core.net.web_address import WebAddress
from support.web_addresses import MALFORMED, NUMBERS, ORDINARY


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("https://example.com", "https://example.com/"),
        ("HTTP://EXAMPLE.com:80", "http://example.com/"),
        ("https://example.com./a?b#c", "https://example.com/a?b"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://bücher.example/straße?ö=ä", "https://xn--bcher-kva.example/stra%C3%9Fe?%C3%B6=%C3%A4"),
        ("https://example.com/a%20b%2Fc", "https://example.com/a%20b%2Fc"),
        ('https://example.com/"<>`{|}', "https://example.com/%22%3C%3E%60%7B%7C%7D"),
        ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/"),
        ("http://93.184.216.34", "http://93.184.216.34/"),
        ("  https://example.com/x\n", "https://example.com/x"),
    ],
)
def test_there_is_one_way_to_write_it(text: str, read: str) -> None:
    assert str(WebAddress.parse(text)) == read
    assert WebAddress.parse(read) == WebAddress.parse(text)


@pytest.mark.parametrize("text", [*MALFORMED, *(f"http://{number}/" for number in NUMBERS)])
def test_what_could_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|host|port"):
        WebAddress.parse(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_ones_are_read_as_httpx_reads_them(text: str) -> None:
    address = WebAddress.parse(text)
    url = httpx.URL(str(address))
    assert (url.scheme, url.raw_host.decode().strip("[]")) == (address.scheme, address.host)
    assert url.raw_path.decode() == address.path


def test_a_host_in_another_script_is_shown_in_it() -> None:
    assert WebAddress.parse("https://xn--80ak6aa92e.com/").shown == "аррӏе.com"
    assert WebAddress.parse("https://bücher.example").shown == "bücher.example"
    assert WebAddress.parse("https://example.com").shown is None


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/other", "https://example.com/other"),
        ("other", "https://example.com/a/other"),
        ("//elsewhere.org/x", "https://elsewhere.org/x"),
        ("http://elsewhere.org", "http://elsewhere.org/"),
        ("?q=1", "https://example.com/a/b?q=1"),
        ("", "https://example.com/a/b"),
    ],
)
def test_a_redirect_is_read_from_where_it_was_found(location: str, leads: str) -> None:
    assert str(WebAddress.parse("https://example.com/a/b").joined(location)) == leads


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "//user@example.com/", "http://0x7f.1/", "http://example.com:22/"]
)
def test_a_redirect_is_read_as_strictly(location: str) -> None:
    with pytest.raises(ValueError, match=r"address|host|port"):
        WebAddress.parse("https://example.com/a/b").joined(location)


@given(st.text(max_size=60) | st.from_regex(r"https?://[^\s]{1,30}", fullmatch=True))
def test_whatever_is_accepted_has_one_host_for_all_readers(text: str) -> None:
    try:
        address = WebAddress.parse(text)
    except ValueError:
        return
    written = str(address)
    assert written.isascii()
    assert urlsplit(written).hostname == httpx.URL(written).raw_host.decode().strip("[]") == address.host
    assert WebAddress.parse(written) == address
