"""A place or a host is told only where there is one reading of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rillet.core.net.web_address import WebAddress
from rillet.core.tools.policy.places import PlacePattern, ascii_host, host_of, is_secret, place

if TYPE_CHECKING:
    from rillet.core.tools.workspace import Workspace


PIECES = (
    *("https://", "http://", "HTTPS:", "//", "/", "\\", "@", ":", "#", "?", ".", "%", "[", "]", " ", "-", "_", "~"),
    *("example.com", "EXAMPLE.com", "evil.example", "xn--bcher-kva.example", "b\u00fccher", "stra\u00dfe.example"),
    *(
        "443",
        "80",
        "8443",
        "0",
        "127.0.0.1",
        "0x7f.1",
        "\u3002",
        "\uff0e",
        "\u212a",
        "\u200d",
        "\u0430",
        "\u0131",
        "\u0130",
    ),
)
"""What programs have read differently in an address."""


@pytest.mark.parametrize(
    ("path", "at"),
    [
        (".", "."),
        ("", "."),
        ("src/app.py", "src/app.py"),
        ("./src//app.py", "src/app.py"),
        ("src/../docs", "docs"),
        ("notes/two words.md", "docs/two words.md"),
        ("not/there/yet", "not/there/yet"),
    ],
)
def test_a_path_in_the_workspace_has_its_real_place(workspace: Workspace, path: str, at: str) -> None:
    assert place(workspace, path) == at
    assert place(workspace, f"{workspace.root}/{path}") == at


def test_a_path_is_seen_from_its_base(workspace: Workspace) -> None:
    assert place(workspace, "app.py", "src") == "src/app.py"
    assert place(workspace, "../README.md", "src") == "README.md"
    assert place(workspace, "../../x", "src") is None
    for odd in ("a:b", "\\a", "c:\\d"):
        assert place(workspace, odd, "src") in (f"src/{odd}", None)


@pytest.mark.parametrize(
    "path",
    ["..", "../x", "/etc/passwd", "out", "out/passwd", "link-to-out/x", "src/up/x", "a\0b", "a\nb", "\u202ea", ".ssh"],
)
def test_a_path_that_leads_elsewhere_has_none(workspace: Workspace, path: str) -> None:
    assert place(workspace, path) is None


@pytest.mark.parametrize("at", [".env", "a/.ENV", ".env.local", "id_rsa", "x/server.pem", "y.key", "a/.npmrc/b"])
def test_what_holds_keys_is_secret(at: str) -> None:
    assert is_secret(at)


@pytest.mark.parametrize("at", ["env", ".envrc", ".env.example", "key.py", "monkey", "id_rsa.md", "secrets.md", "."])
def test_what_only_sounds_like_it_is_not(at: str) -> None:
    assert not is_secret(at)


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://example.com", ("example.com", 443)),
        ("http://example.com/a?b#c", ("example.com", 80)),
        ("HTTPS://EXAMPLE.com:8443/", ("example.com", 8443)),
        ("https://b\u00fccher.example/x", ("xn--bcher-kva.example", 443)),
        ("https://xn--bcher-kva.example", ("xn--bcher-kva.example", 443)),
        ("https://example.com/a@b:c", ("example.com", 443)),
    ],
)
def test_a_plain_address_has_its_host(address: str, host: tuple[str, int]) -> None:
    assert host_of(address) == host


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com@evil.example/",
        "https://user:pass@example.com/",
        "https://example.com\\@evil.example/",
        "https://evil.example\\.example.com/",
        "https://example.com%2eevil.example/",
        "https://example.com /",
        " https://example.com",
        "https://example.com\n",
        "https://exa\tmple.com",
        "https://example\u3002com",
        "https://\uff45xample.com",
        "https://\u212b\u212a.example",
        "https://boo\u212a.example",
        "https://example.com.",
        "https://example.com:0/",
        "https://example.com:99999/",
        "https://example.com:/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://-example.com/",
        "https://exa_mple.com/",
        "http\u017f://example.com",
        "https://example.com/\u212a",
        "https:example.com",
        "https:///example.com",
        "//example.com",
        "ftp://example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://example.com/\u202e",
        "https://",
        "",
    ],
)
def test_an_address_that_programs_read_differently_has_none(address: str) -> None:
    assert host_of(address) is None


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
@example("https://example.com:443/@x")
def test_the_host_that_is_judged_is_the_host_that_is_fetched_from(address: str) -> None:
    told = host_of(address)
    if told is not None:
        fetched = WebAddress.parse(address, ports=frozenset(range(1, 1 << 16)))
        assert (fetched.host, fetched.port) == told


def test_a_host_is_written_as_name_servers_know_it() -> None:
    assert ascii_host("B\u00dcCHER.example") == "xn--bcher-kva.example"
    assert ascii_host("a" * 64 + ".example") is None
    assert ascii_host(".".join(["abc"] * 80)) is None


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        ("docs/*.md", ["docs/a.md"]),
        ("docs/**", ["docs/a.md", "docs/b/c.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/b/c/d.md"]),
        ("**/*.md", ["a.md", "docs/a.md"]),
        ("**", ["a", "a/b"]),
        ("a?.txt", ["ab.txt"]),
        (".github/**", [".github/a", ".github/workflows/x.yml"]),
        ("a+(b).txt", ["a+(b).txt"]),
        ("*a*b*c", ["abc", "aabbcc", "xaxbxc", "abcabc"]),
        ("a**b", ["ab", "axb"]),
        ("**/x/**/y", ["x/y", "a/x/b/c/y", "x/x/y"]),
        ("**/**/x", ["x", "a/x", "a/b/x"]),
        ("caf\u00e9/*", ["cafe\u0301/x"]),
    ],
)
def test_a_pattern_matches_what_it_says(pattern: str, places: list[str]) -> None:
    assert [at for at in places if not PlacePattern(pattern).matches(at)] == []


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        (
            "docs/*.md",
            ["docs/b/c.md", "docs/a.mdx", "xdocs/a.md", "docs/a.md/b", "docs/.a.md", "DOCS/a.md", "docs/a.md\n"],
        ),
        ("docs/**", ["docs", "docsx/a", "docs/.git/config", "docs/a/.b/c", "."]),
        ("**", [".git/hooks/x", "a/.git/config", ".env", "."]),
        ("**/*.md", ["a.txt", ".x/a.md"]),
        ("?", ["/", ".", "ab"]),
        ("*a*b*c", ["acb", "abcx", ".abc", "abc/x"]),
        ("a**b", ["a/b", "a/x/b"]),
        ("**/x/**/y", ["x", "y/x", "x/y/z", "x/.a/y"]),
    ],
)
def test_a_pattern_matches_nothing_else(pattern: str, places: list[str]) -> None:
    assert [at for at in places if PlacePattern(pattern).matches(at)] == []


@pytest.mark.parametrize("at", [".env", "a/.env", "A/.ENV", ".env/x", "a/b/.env/c"])
def test_a_loose_pattern_matches_more(at: str) -> None:
    assert PlacePattern("**/.env", loose=True).matches(at)


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../x", "a/../b", "./a", "a//b", "a/", "a\\b"])
def test_a_pattern_that_could_match_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="no pattern"):
        PlacePattern(pattern)


def test_a_place_that_nearly_fits_costs_no_more_than_another() -> None:
    # With backtracking each of these would take longer than the universe is old.
    assert not PlacePattern("*a*a*a*a*a*a*a*a*b").matches("a" * 4000)
    assert not PlacePattern("**/a/**/a/**/a/**/a/**/a/**/b").matches("/".join("a" * 2000))
