"""What servers say about signing in: the challenge of a 401, and the two metadata documents behind it.

Pure. Above: ``failure``. Below: ``oauth``. Follows RFC 9728 (protected resource), RFC 8414 (authorization server), RFC
9207 (``iss``) and the MCP specification (basic/authorization). Guarantees: no address leaves here that is not https
(http on this machine, if the MCP server is on it), no authorization server without PKCE S256, no document that speaks
for another server than the one that was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from rillet.core.net.loopback import is_loopback
from rillet.core.tools.mcp.failure import ServerFailure

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_URL: Final = 2000
_PARAMETER = re.compile(r'([A-Za-z_][\w-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """Where to sign in for a server."""

    resource: str
    authorization_servers: tuple[str, ...]
    scopes: tuple[str, ...] = ()
    is_assumed: bool = False
    """Nobody said so: a server of 2025-03-26 has people sign in at its own origin, under whatever path."""


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """Where to sign in."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str | None
    names_itself: bool
    """Whether its answers carry ``iss``, so that one without it is not its own."""
    auth_methods: tuple[str, ...]


def challenge_parameters(header: str) -> dict[str, str]:
    """The parameters of a ``Bearer`` challenge, names in lower case."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.lower() != "bearer":
        return {}
    found: dict[str, str] = {}
    for name, quoted, plain in _PARAMETER.findall(rest):
        found.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) if quoted else plain)
    return found


def resource_documents(server: str, challenge: Mapping[str, str]) -> list[str]:
    """Where the metadata of ``server`` may be (RFC 9728, section 3.1), the place that it named itself first."""
    named = challenge.get("resource_metadata")
    if named is not None:
        return [checked(named, "the metadata of the server", server)]
    parts = urlsplit(server)
    path = parts.path.rstrip("/")
    known = "/.well-known/oauth-protected-resource"
    return [_at(server, known + each) for each in dict.fromkeys((path, ""))]


def issuer_documents(issuer: str, server: str) -> list[str]:
    """Where the metadata of an authorization server may be (RFC 8414, section 3.1; OpenID Connect Discovery)."""
    checked(issuer, "the authorization server", server)
    path = urlsplit(issuer).path.rstrip("/")
    oauth, openid = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
    if not path:
        return [_at(issuer, oauth), _at(issuer, openid)]
    return [_at(issuer, oauth + path), _at(issuer, openid + path), _at(issuer, path + openid)]


def protected_resource(document: object, server: str) -> ProtectedResource:
    """Read the metadata of ``server``.

    Raises:
        ServerFailure: it is none, or that of another server.
    """
    fields = _object(document, "the metadata of the server")
    resource = checked(fields.get("resource"), "the resource in the metadata of the server", server)
    if not covers(resource, server):
        raise ServerFailure(f"its metadata speak for another server ({resource})")
    servers = _texts(fields.get("authorization_servers"))
    if not servers:
        raise ServerFailure("its metadata name no authorization server")
    return ProtectedResource(resource, servers, _texts(fields.get("scopes_supported")))


def authorization_server(
    document: object, issuer: str, server: str, *, is_assumed: bool = False
) -> AuthorizationServer:
    """Read the metadata of ``issuer``, at which the MCP server ``server`` has people sign in.

    ``is_assumed``: nobody named the issuer, so any at the same origin will do.

    Raises:
        ServerFailure: it is none, that of another issuer, or signing in there would not be safe.
    """
    fields = _object(document, "the metadata of the authorization server")
    named = fields.get("issuer")
    is_it = isinstance(named, str) and named.rstrip("/") == issuer.rstrip("/")
    if not isinstance(named, str) or not (is_it or (is_assumed and root(named) == root(issuer))):
        raise ServerFailure(f"the authorization server {issuer} gives itself another name")
    if "S256" not in _texts(fields.get("code_challenge_methods_supported")):
        raise ServerFailure(
            "its authorization server does not offer PKCE with S256, without which nobody signs in here"
        )
    registration = fields.get("registration_endpoint")
    if registration is not None:
        registration = checked(registration, "the address for registering", server)
    return AuthorizationServer(
        issuer=named,
        authorization_endpoint=checked(fields.get("authorization_endpoint"), "the page for signing in", server),
        token_endpoint=checked(fields.get("token_endpoint"), "the address for tokens", server),
        registration_endpoint=registration,
        names_itself=fields.get("authorization_response_iss_parameter_supported") is True,
        auth_methods=_texts(fields.get("token_endpoint_auth_methods_supported")) or ("client_secret_basic",),
    )


def checked(url: object, what: str, server: str) -> str:
    """An address that may be visited, named by the MCP server ``server``.

    Raises:
        ServerFailure: it is none, not encrypted, or on this machine while the server is not.
    """
    if not isinstance(url, str) or len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        raise ServerFailure(f"{what} is no address")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ServerFailure(f"{what} is no address") from None
    if is_loopback(host):
        is_safe = parts.scheme in ("http", "https") and is_loopback(urlsplit(server).hostname or "")
    else:
        is_safe = parts.scheme == "https"
    if not is_safe or not host or parts.username is not None or parts.fragment:
        raise ServerFailure(f"{what} is not an address with https")
    return url


def covers(resource: str, server: str) -> bool:
    """Whether a token for ``resource`` is one for ``server``: the same origin, and a path that leads to it."""
    wanted, given = urlsplit(resource), urlsplit(server)
    if (wanted.scheme, wanted.netloc.lower()) != (given.scheme, given.netloc.lower()):
        return False
    folder = wanted.path.rstrip("/")
    return given.path.rstrip("/") == folder or given.path.startswith(f"{folder}/")


def root(url: str) -> str:
    """Scheme, host and port only."""
    return _at(url, "")


def _at(url: str, path: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _object(document: object, what: str) -> Mapping[str, Any]:
    if not isinstance(document, dict):
        raise ServerFailure(f"{what} are no JSON object")
    return document


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
