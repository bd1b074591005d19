"""What servers say about signing in, believed as far as it is safe."""

from __future__ import annotations

from typing import Any

import pytest

from rillet.core.tools.mcp import oauth_metadata as metadata
from rillet.core.tools.mcp.failure import ServerFailure

SERVER = "https://mcp.example.com/v1/mcp"
ISSUER = "https://auth.example.com"
DOCUMENT: dict[str, Any] = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "code_challenge_methods_supported": ["plain", "S256"],
}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", {}),
        ("Basic realm=x", {}),
        ("Bearer", {}),
        ('Bearer resource_metadata="https://h/x", scope="a b"', {"resource_metadata": "https://h/x", "scope": "a b"}),
        ('bearer Error="insufficient_scope",scope=a', {"error": "insufficient_scope", "scope": "a"}),
        (r'Bearer realm="a \"b\"", x=1', {"realm": 'a "b"', "x": "1"}),
        ('Bearer scope="first", scope="second"', {"scope": "first"}),
    ],
)
def test_a_challenge_is_read(header: str, expected: dict[str, str]) -> None:
    assert metadata.challenge_parameters(header) == expected


def test_the_metadata_of_a_server_are_where_it_says_or_where_they_are_known_to_be() -> None:
    assert metadata.resource_documents(SERVER, {"resource_metadata": "https://h/x"}) == ["https://h/x"]
    assert metadata.resource_documents(SERVER, {}) == [
        "https://mcp.example.com/.well-known/oauth-protected-resource/v1/mcp",
        "https://mcp.example.com/.well-known/oauth-protected-resource",
    ]
    assert len(metadata.resource_documents("https://h", {})) == 1


def test_the_metadata_of_an_issuer_are_in_one_of_the_known_places() -> None:
    assert metadata.issuer_documents("https://h", SERVER) == [
        "https://h/.well-known/oauth-authorization-server",
        "https://h/.well-known/openid-configuration",
    ]
    assert metadata.issuer_documents("https://h/tenant", SERVER) == [
        "https://h/.well-known/oauth-authorization-server/tenant",
        "https://h/.well-known/openid-configuration/tenant",
        "https://h/tenant/.well-known/openid-configuration",
    ]


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/", "javascript:alert(1)", "file:///x", "calc:", "ftp://h/", "", "https://", None, 5),
        *("https://u@h/", "https://h/#f", "https://h/\u202e", "https://h/ x", "https://h:x/", "https://" + "a" * 3000),
    ],
)
def test_an_address_that_is_not_safe_is_never_visited(url: Any) -> None:
    with pytest.raises(ServerFailure, match="the page"):
        metadata.checked(url, "the page", "http://localhost/mcp")


@pytest.mark.parametrize("url", ["https://h/", "https://h:8443/?a=b"])
def test_https_is_safe(url: str) -> None:
    assert metadata.checked(url, "the page", SERVER) == url


@pytest.mark.parametrize("url", ["http://localhost:8080/x", "http://127.0.0.1/", "https://[::1]/"])
def test_this_machine_may_be_named_only_by_a_server_on_it(url: str) -> None:
    assert metadata.checked(url, "the page", "http://127.0.0.1:3000/mcp") == url
    with pytest.raises(ServerFailure, match="the page"):
        metadata.checked(url, "the page", SERVER)


@pytest.mark.parametrize(
    "resource", [SERVER, "https://mcp.example.com", "https://mcp.example.com/v1", "https://MCP.example.com/v1/"]
)
def test_metadata_speak_for_the_server_they_cover(resource: str) -> None:
    read = metadata.protected_resource({"resource": resource, "authorization_servers": [ISSUER]}, SERVER)
    assert read.authorization_servers == (ISSUER,)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"resource": SERVER},
        {"resource": SERVER, "authorization_servers": []},
        {"resource": SERVER, "authorization_servers": "x"},
        {"resource": "https://other.example.com/v1/mcp", "authorization_servers": [ISSUER]},
        {"resource": "https://mcp.example.com/v1/mc", "authorization_servers": [ISSUER]},
        {"resource": "https://mcp.example.com:444/v1/mcp", "authorization_servers": [ISSUER]},
        {"resource": "https://mcp.example.com.evil.org/", "authorization_servers": [ISSUER]},
    ],
)
def test_metadata_of_another_server_or_of_none_are_refused(document: Any) -> None:
    with pytest.raises(ServerFailure):
        metadata.protected_resource(document, SERVER)


def test_an_authorization_server_is_read() -> None:
    read = metadata.authorization_server(DOCUMENT, ISSUER, SERVER)
    assert (read.issuer, read.token_endpoint, read.registration_endpoint) == (ISSUER, f"{ISSUER}/token", None)
    assert not read.names_itself
    assert metadata.authorization_server(DOCUMENT | {"issuer": f"{ISSUER}/"}, ISSUER, SERVER).issuer == f"{ISSUER}/"


def test_an_issuer_that_nobody_named_may_be_anywhere_at_its_origin() -> None:
    document = DOCUMENT | {"issuer": f"{ISSUER}/oauth"}
    assert metadata.authorization_server(document, ISSUER, SERVER, is_assumed=True).issuer == f"{ISSUER}/oauth"
    with pytest.raises(ServerFailure, match="another name"):
        metadata.authorization_server(document, ISSUER, SERVER)
    with pytest.raises(ServerFailure, match="another name"):
        metadata.authorization_server(DOCUMENT | {"issuer": "https://evil.org"}, ISSUER, SERVER, is_assumed=True)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"issuer": "https://other.example.com"}, "another name"),
        ({"issuer": None}, "another name"),
        ({"code_challenge_methods_supported": ["plain"]}, "PKCE"),
        ({"code_challenge_methods_supported": None}, "PKCE"),
        ({"code_challenge_methods_supported": "S256"}, "PKCE"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "the page for signing in"),
        ({"authorization_endpoint": "file:///usr/bin/calc"}, "the page for signing in"),
        ({"authorization_endpoint": "calc:"}, "the page for signing in"),
        ({"authorization_endpoint": "ms-msdt:/id PCWDiagnostic"}, "the page for signing in"),
        ({"authorization_endpoint": "\\\\evil\\share\\x.exe"}, "the page for signing in"),
        ({"authorization_endpoint": "HTTPS:calc"}, "the page for signing in"),
        ({"authorization_endpoint": "http://auth.example.com/"}, "the page for signing in"),
        ({"authorization_endpoint": None}, "the page for signing in"),
        ({"token_endpoint": "http://auth.example.com/token"}, "the address for tokens"),
        ({"registration_endpoint": "http://10.0.0.1/"}, "the address for registering"),
    ],
)
def test_an_authorization_server_that_is_not_safe_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ServerFailure, match=why):
        metadata.authorization_server(DOCUMENT | change, ISSUER, SERVER)
