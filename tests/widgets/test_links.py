"""What is shown of a link is where it leads."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QUrl

from rillet.widgets.links import IMAGE, allowed, destination, mark

HARMLESS = [
    "https://example.org/",
    "HTTP://EXAMPLE.ORG",
    "https://example.org:8080/a?b=c#d",
    "https://user@example.org/",
    "http://127.0.0.1:3000/x",
    "http://[::1]:8080/",
    "http://localhost/",
    "https://b\u00fccher.example/",
    "https://xn--bcher-kva.example/",
    "https://\u65e5\u672c\u8a9e.example/",
    "https://example.org/a(b)c",
    "https://example.org/?q=<b>",
    "mailto:someone@example.org",
    "mailto:someone@example.org?subject=Hello%20there",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://017700000001/",
]
REFUSED = [
    "",
    "example.org",
    "//example.org/",
    "/etc/passwd",
    "C:\\Windows\\system32\\calc.exe",
    "\\\\host\\share\\x",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "vbscript:x",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml;base64,AAAA",
    "file:///etc/passwd",
    "file://host/share/x",
    "smb://host/share",
    "ms-msdt:/id PCWDiagnostic",
    "search-ms:query=x",
    "ftp://example.org/",
    "tel:+123",
    "app://new?q=x",
    "qrc:/x",
    "blob:https://example.org/1",
    "view-source:https://example.org",
    "feed:https://example.org",
    "http:example.org",
    "http:/example.org",
    "http:///example.org",
    "http://",
    "https://?x",
    "https://good.example\\@evil.example/",
    "https://good.example\\.evil.example/",
    "https://good.example%2F@evil.example%00/",
    "https://good.example%2eevil.example/",
    "https://a@b@evil.example/",
    "https://good.example /x",
    "https://good.example\t.evil.example/",
    "https://good.example\x00.evil.example/",
    "https://good.example/\u202egnp.exe",
    "https://[::1/",
    "https://exa<b>mple.org/",
    "https://example.org:port/",
    "https://../",
    "https://-bad.example/",
    "http://0x7f.1./",
    "https://" + "a" * 64 + ".example/",
    "http://999.999.999.999/",
    "mailto:",
    "mailto:nobody",
    "mailto:a@",
    "mailto:a@b%0d%0abcc:x@y",
    "mailto:a@ex\\ample.org",
]


@pytest.mark.parametrize("address", HARMLESS)
def test_what_everybody_reads_alike_may_be_a_link(address: str) -> None:
    assert allowed(address)


@pytest.mark.parametrize("address", REFUSED)
def test_other_schemes_and_addresses_of_two_meanings_are_no_links(address: str) -> None:
    assert not allowed(address)
    assert mark("https://example.org", address) == ""


@pytest.mark.parametrize("address", [address for address in HARMLESS if not address.startswith("mailto")])
def test_the_host_that_is_shown_is_the_one_that_qt_opens(address: str) -> None:
    leads = destination(address)
    assert leads is not None
    assert QUrl(address).host(QUrl.ComponentFormattingOption.FullyEncoded) == leads.ascii.strip("[]")


_TRICKS = (
    "https:// http:// / \\ @ : # ? % %2e %40 . .. good.example evil.example [ ] ::1 127.0.0.1 0x7f 1 0 8080 "
    "xn--bcher-kva b\u00fccher \u0430 \u3002 \uff0e & = + ~ * ( ) { | } ^ ` ' ; , ! $ - _ a mailto:"
)
_PIECES = st.sampled_from([*_TRICKS.split(), " ", "\t", "\0", "\u202e", "\u200b", "\xad", '"', "<", ">", "\ud800"])


@settings(max_examples=1500)
@given(st.lists(_PIECES, min_size=1, max_size=9).map("".join))
def test_no_address_made_of_tricks_leads_elsewhere_than_it_says(tail: str) -> None:
    address = "https://" + tail
    leads = destination(address)
    if leads is not None:
        opened = QUrl(address)
        assert opened.isValid()
        assert opened.host(QUrl.ComponentFormattingOption.FullyEncoded) == leads.ascii.strip("[]")
        assert leads.label.isascii() or leads.ascii in leads.label


@pytest.mark.parametrize(
    ("address", "label"),
    [
        ("https://example.org/path", "example.org"),
        ("https://EXAMPLE.org/path", "example.org"),
        ("https://b\u00fccher.example/", "b\u00fccher.example (xn--bcher-kva.example)"),
        ("https://xn--bcher-kva.example/", "b\u00fccher.example (xn--bcher-kva.example)"),
        ("https://\u0430pple.example/", "\u0430pple.example (xn--pple-43d.example)"),
        ("https://xn--80ak6aa92e.com/", "\u0430\u0440\u0440\u04cf\u0435.com (xn--80ak6aa92e.com)"),
        ("https://example\u3002org/", "example.org"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("mailto:a%40b@example.org", "a@b@example.org"),
        ("mailto:x@b\u00fccher.example", "x@b\u00fccher.example (x@xn--bcher-kva.example)"),
    ],
)
def test_a_host_is_followed_by_its_punycode_where_it_is_not_plain(address: str, label: str) -> None:
    leads = destination(address)
    assert leads is not None
    assert leads.label == label


@pytest.mark.parametrize(
    ("address", "mixed"),
    [
        ("https://\u0430pple.example/", True),
        ("https://xn--pple-43d.example/", True),
        ("https://shop.\u0430pple.example/", True),
        ("mailto:x@\u0430pple.example", True),
        ("https://\u0430\u0440\u0440.example/", False),
        ("https://3d\u30d7\u30ea\u30f3\u30c8\u65e5\u672c.example/", False),
        ("https://b\u00fccher.example/", False),
    ],
)
def test_names_that_mix_scripts_are_told_from_those_that_do_not(address: str, mixed: bool) -> None:
    leads = destination(address)
    assert leads is not None
    assert leads.mixed is mixed


def test_a_name_before_the_host_is_not_the_host() -> None:
    leads = destination("https://google.com@evil.example/")
    assert leads is not None
    assert (leads.user, leads.host) == ("google.com", "evil.example")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://bank.example", "https://evil.example/"),
        ("http://bank.example/login", "https://evil.example/bank.example"),
        ("bank.example", "https://bank.example.evil.example/"),
        ("www.bank.example", "https://evil.example/"),
        ("Bank.Example", "https://evil.example"),
        ("BANK.EXAMPLE/Login", "https://evil.example"),
        ("bank.exam\u200bple", "https://evil.example"),
        ("\uff42ank.example", "https://evil.example"),
        ("docs.bank.example", "https://bank.example"),
        ("help@bank.example", "mailto:help@evil.example"),
        ("help@bank.example", "https://evil.example"),
        ("https://bank.example", "mailto:x@evil.example"),
        ("https://bank.example", "https://bank.example@evil.example/"),
        ("127.0.0.1", "https://127.0.0.1@evil.example/"),
        ("ftp://bank.example/", "https://evil.example/"),
        ("https://\u0430pple.com", "https://apple.com"),
    ],
)
def test_a_link_that_reads_like_another_address_is_marked_with_its_own(text: str, address: str) -> None:
    leads = destination(address)
    assert leads is not None
    assert mark(text, address) == leads.label


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("here", "https://example.org"),
        ("https://example.org/a", "https://example.org/b"),
        ("example.org", "https://www.example.org/"),
        ("www.example.org", "https://example.org/"),
        ("example.org", "https://docs.example.org/"),
        ("b\u00fccher.example", "https://xn--bcher-kva.example/"),
        ("main.py", "https://example.org/main.py"),
        ("README.md", "https://example.org/"),
        ("Node.js", "https://nodejs.org"),
        ("version 1.2.3", "https://example.org"),
        ("1.2.3", "https://example.org"),
        ("3.14", "https://example.org"),
        ("e.g.", "https://example.org"),
        ("Read this. Then that.", "https://example.org"),
        ("someone@example.org", "mailto:someone@example.org"),
        ("", "https://example.org"),
        ("@name", "https://example.org/name"),
    ],
)
def test_ordinary_links_are_left_alone(text: str, address: str) -> None:
    assert mark(text, address) == ""


def test_a_host_of_mixed_scripts_is_marked_whatever_the_link_reads() -> None:
    assert mark("your account", "https://xn--pple-43d.example/") == "\u0430pple.example (xn--pple-43d.example)"


def test_plain_hosts_cost_no_table_of_unicode() -> None:
    program = "import sys; from rillet.widgets.links import mark; mark('a.example', 'https://b.example'); "
    program += "sys.exit('idna' in sys.modules or any('PySide6' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_sign_of_a_picture_makes_no_link() -> None:
    assert not allowed(f"{IMAGE}https://example.org/x.png")
