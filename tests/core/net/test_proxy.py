"""Which way a request goes."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from rillet.core.errors import NetworkError
from rillet.core.net import proxy
from rillet.core.net.profile import NetworkProfile
from rillet.core.net.proxy import Proxy, is_excepted, proxy_for

API = urlsplit("https://api.example.com/v1")


def test_the_variable_of_the_scheme_wins_over_the_general_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://general:1080")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@special:3128")
    assert proxy_for(API, NetworkProfile(proxy="system")) == Proxy("http://user:secret@special:3128", "special:3128")
    assert proxy_for(urlsplit("http://api.example.com"), NetworkProfile(proxy="system")) == Proxy(
        "socks5://general:1080", "general:1080"
    )
    assert "secret" not in repr(proxy_for(API, NetworkProfile(proxy="system")))


def test_a_direct_profile_ignores_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert proxy_for(API, NetworkProfile(proxy=None)) is None


def test_a_proxy_of_the_profile_needs_no_scheme() -> None:
    assert proxy_for(API, NetworkProfile(proxy="proxy.example.com:3128")) == Proxy(
        "http://proxy.example.com:3128", "proxy.example.com:3128"
    )


@pytest.mark.parametrize("host", ["localhost", "app.localhost", "127.0.0.1", "127.8.9.1", "[::1]", "0.0.0.0"])
@pytest.mark.parametrize("setting", ["system", "http://proxy:3128"])
def test_this_machine_is_never_reached_through_a_proxy(
    host: str, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy:3128")
    monkeypatch.setenv("HTTP_PROXY", "socks://broken")
    assert proxy_for(urlsplit(f"http://{host}:8080/v1"), NetworkProfile(proxy=setting)) is None


@pytest.mark.parametrize("exceptions", ["api.example.com", "example.com", ".example.com", "*", "other, example.com"])
def test_no_proxy_is_honoured(exceptions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", exceptions)
    assert proxy_for(API, NetworkProfile(proxy="system")) is None
    assert proxy_for(API, NetworkProfile(proxy="http://proxy:3128")) is not None, "a profile has its own list"
    assert proxy_for(API, NetworkProfile(proxy="http://proxy:3128", no_proxy=exceptions.split(","))) is None


@pytest.mark.parametrize(
    ("exception", "url", "is_meant"),
    [
        ("example.com", "https://example.com", True),
        ("example.com", "https://a.b.EXAMPLE.com.", True),
        ("*.example.com", "https://api.example.com", True),
        ("example.com", "https://badexample.com", False),
        ("example.com:443", "https://example.com", True),
        ("example.com:80", "http://example.com", True),
        ("example.com:8443", "https://example.com", False),
        ("10.0.0.0/8", "http://10.11.12.13:8000", True),
        ("10.0.0.1/8", "http://10.11.12.13", True),
        ("10.0.0.0/8", "http://11.0.0.1", False),
        ("10.0.0.0/8", "http://ten.example", False),
        ("192.168.1.7", "http://192.168.1.7:1234", True),
        ("192.168.1.7:1234", "http://192.168.1.7:1234", True),
        ("192.168.1.7:1234", "http://192.168.1.7:9999", False),
        ("fd00::/8", "http://[fd00::7]:8000", True),
        ("[fd00::7]", "http://[fd00::7]", True),
        ("[fd00::7]:8000", "http://[fd00::7]:8000", True),
        ("[fd00::7]:8000", "http://[fd00::7]:9000", False),
        ("", "https://example.com", False),
        (".", "https://example.com", False),
        ("*", "https://example.com", True),
    ],
)
def test_an_exception_means_a_name_and_what_is_below_it_or_a_network(exception: str, url: str, is_meant: bool) -> None:
    assert is_excepted(urlsplit(url), [exception]) is is_meant


def test_the_settings_of_the_system_are_asked_where_the_environment_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proxy, "getproxies", lambda: {"https": "http://proxy:3128"})
    monkeypatch.setattr(proxy, "proxy_bypass", lambda host: host == "api.example.com:8443")
    assert proxy_for(urlsplit("https://api.example.com:8443/"), NetworkProfile()) is None
    assert proxy_for(API, NetworkProfile()) is not None
    monkeypatch.setattr(proxy, "getproxies", lambda: {"https": "nonsense://proxy"})
    with pytest.raises(NetworkError, match="the proxy in the system's settings names a kind of proxy"):
        proxy_for(API, NetworkProfile())


@pytest.mark.parametrize(
    ("variable", "value", "shown"),
    [
        ("ALL_PROXY", "socks://127.0.0.1:1080", 'kind of proxy that does not exist ("socks://")'),
        ("https_proxy", "ftp://canary-secret@host", "kind of proxy that does not exist"),
        ("HTTPS_PROXY", "http://", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://user:canary-secret@host:port", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://[::1", "is not the address of a proxy"),
        ("HTTPS_PROXY", "http://canary-secret @host", "is not the address of a proxy"),
    ],
)
def test_an_unusable_variable_is_named_and_its_value_is_not_shown(
    variable: str, value: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(NetworkError) as caught:
        proxy_for(API, NetworkProfile(proxy="system"))
    assert f"the environment variable {variable}" in caught.value.user_message
    assert shown in caught.value.user_message
    assert "canary-secret" not in caught.value.user_message
    assert not caught.value.retryable


def test_a_variable_that_does_not_concern_the_request_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://desktop.example:1080")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert proxy_for(API, NetworkProfile(proxy="system")) == Proxy("http://proxy:3128", "proxy:3128")
