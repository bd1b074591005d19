"""The arguments of a call → an HTTP request: what goes into the path, the query, the headers and the body.

Pure. Knows no sockets and no results. Below: ``http`` sends, ``openapi`` reads endpoints from a document. Styles are
those of OpenAPI (https://spec.openapis.org/oas/v3.1.1#style-values).

Guarantees: the origin is the host's alone: no argument reaches the scheme, the host or the port, and none climbs out of
its place in the path. A header that the host set is never replaced by an argument. What ``${NAME}`` in a header stood
for is listed as a secret.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urljoin, urlsplit

import msgspec

from rillet.core.wire.surrogates import mend, mend_all
from rillet.version import __version__

Where: TypeAlias = Literal["path", "query", "header", "cookie"]
Style: TypeAlias = Literal["form", "simple", "spaceDelimited", "pipeDelimited", "deepObject", "json"]
Body: TypeAlias = Literal["json", "form", "raw"]

_ABOUT_CONNECTIONS = frozenset(
    ("connection", "expect", "forwarded", "host", "te", "trailer", "transfer-encoding", "upgrade", "content-length")
)
OURS: Final = _ABOUT_CONNECTIONS | frozenset(
    ("accept", "accept-encoding", "authorization", "content-type", "cookie", "origin", "proxy-authorization")
)
"""Headers that no argument may set."""

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CLIMBING = re.compile(r"(?:^|[/\\])\.\.?(?:[/\\]|$)")
"""Many servers decode "%2F" before they look at dots."""
_SEE_OTHER = 303
_KEEPS_METHOD = (307, 308)
_WITHOUT_BODY = frozenset(("GET", "HEAD"))
_MEDIA_TYPES: Mapping[Body, str] = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "raw": "text/plain; charset=utf-8",
}
_SECRETIVE = re.compile(r"auth|cookie|key|password|secret|session|token", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument that has a place outside of the body."""

    name: str
    where: Where
    sent_as: str
    """Its name on the wire."""
    style: Style = "form"
    explode: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a tool sends its requests, and how.

    Raises:
        ValueError: the method is none, or the address none that requests may go to.
    """

    method: str
    url: str
    """http or https; ``{name}`` in its path or query stands for an argument."""
    parameters: tuple[Parameter, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """``${NAME}`` in a value stands for a variable of the environment."""
    body: Body = "json"
    """How arguments without another place are sent. GET and HEAD have no body: there they go into the query."""
    body_argument: str | None = None
    """The argument that is the whole body; None: all those without another place are its members."""
    media_type: str | None = None

    def __post_init__(self) -> None:
        if not (self.method.isascii() and self.method.isalpha()):
            raise ValueError(f"{self.method!r} is no method")
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{self.url!r} is no http or https address")
        if "@" in parts.netloc:
            raise ValueError("an address holds no user and password: put them into a header")
        if _PLACEHOLDER.search(parts.netloc):
            raise ValueError("the host of an address cannot be an argument")

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return _origin(self.url)


class Outgoing(NamedTuple):
    """A request as it will be sent."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    secrets: frozenset[str]
    """What no log, no result and no error may hold."""


def write(endpoint: Endpoint, args: Mapping[str, Any], environ: Mapping[str, str]) -> Outgoing:
    """Write the request down.

    Raises:
        ValueError: an argument does not fit its place, or a variable is missing; the message quotes no secret.
    """
    plan = _Plan.of(endpoint, args)
    content = _content(endpoint, plan.rest)
    headers = _headers(endpoint, plan.placed, has_body=content is not None)
    fixed, secrets = _expanded(endpoint.headers, environ)
    return Outgoing(endpoint.method.upper(), plan.url, headers | fixed, content, frozenset(secrets))


def address(endpoint: Endpoint, args: Mapping[str, Any]) -> str:
    """Where the request for these arguments goes.

    Raises:
        ValueError: an argument does not fit its place.
    """
    return _Plan.of(endpoint, args).url


def redirected(outgoing: Outgoing, status: int, location: str | None) -> Outgoing | None:
    """The request that an answer asks for instead; None when it is no redirect.

    Only within the same origin, for the headers may hold keys, and only where RFC 9110 leaves no doubt what to send:
    many servers put a slash behind an address that way.

    Raises:
        ValueError: it leads elsewhere, or would make something else of the request.
    """
    if not 300 <= status < 400 or location is None:
        return None
    url = urljoin(outgoing.url, location)
    if (here := _origin(outgoing.url)) != (there := _origin(url)):
        raise ValueError(f"the address redirects to {there}; this tool sends to {here} alone")
    if status == _SEE_OTHER and outgoing.method not in _WITHOUT_BODY:
        kept = {name: value for name, value in outgoing.headers.items() if name != "content-type"}
        return outgoing._replace(method="GET", url=url, headers=kept, content=None)
    if status not in _KEEPS_METHOD and outgoing.method not in _WITHOUT_BODY:
        raise ValueError(f"the address redirects to {url} ({status}); a {outgoing.method} is not sent again")
    return outgoing._replace(url=url)


class _Plan(NamedTuple):
    """The arguments of a request, each in its place."""

    url: str
    placed: list[tuple[Parameter, Any]]
    rest: dict[str, Any]
    """What belongs into the body."""

    @classmethod
    def of(cls, endpoint: Endpoint, args: Mapping[str, Any]) -> _Plan:
        rest = {name: value for name, value in args.items() if value is not None}
        url = _filled(endpoint.url, rest)
        placed = [(each, rest.pop(each.name)) for each in endpoint.parameters if each.name in rest]
        query = [pair for each, value in placed if each.where == "query" for pair in _query(each, value)]
        if endpoint.method.upper() in _WITHOUT_BODY:
            query += [pair for name, value in rest.items() for pair in _query(Parameter(name, "query", name), value)]
            rest = {}
        if query:
            url += ("&" if urlsplit(url).query else "?") + "&".join(query)
        return cls(url, placed, rest)


def placeholders(url: str) -> list[str]:
    """The names that an address asks for."""
    return _PLACEHOLDER.findall(url)


def _filled(url: str, rest: dict[str, Any]) -> str:
    """The address with its placeholders replaced; their arguments are used up."""
    values = {}
    for name in placeholders(url):
        values[name] = _joined(rest.get(name, ""), ",", _escaped)
        if not values[name]:
            raise ValueError(f"{name} belongs into the address and must not be empty")
        if _CLIMBING.search(_joined(rest[name], ",", str)):
            raise ValueError(f"{name} must not hold . or .. as a step of a path: it would lead to another address")
    for name in values:
        del rest[name]
    base, mark, query = url.partition("#")[0].partition("?")
    filled = _PLACEHOLDER.sub(lambda match: values[match[1]], base)
    for before, after in zip(base.split("/"), filled.split("/"), strict=True):
        if after in (".", "..") and before != after:  # put together from several
            raise ValueError(f"{before} must not become {after}: it would lead to another address")
    return filled + mark + _PLACEHOLDER.sub(lambda match: values[match[1]], query)


def _query(parameter: Parameter, value: Any) -> list[str]:
    """The parts of the query for one argument, escaped."""
    name = quote(parameter.sent_as, safe="[]")
    match parameter.style, value:
        case "json", _:
            return [f"{name}={_escaped(_json(value))}"]
        case "deepObject", dict():
            return [f"{name}[{_escaped(key)}]={_escaped(_text(item))}" for key, item in value.items()]
        case "form", dict() if parameter.explode:
            return [f"{_escaped(key)}={_escaped(_text(item))}" for key, item in value.items()]
        case _, list() if parameter.explode:
            return [f"{name}={_escaped(_text(item))}" for item in value]
        case _:
            separator = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}.get(parameter.style, ",")
            return [f"{name}={_joined(value, separator, _escaped)}"]


def _headers(endpoint: Endpoint, placed: list[tuple[Parameter, Any]], *, has_body: bool) -> dict[str, str]:
    headers = {"user-agent": f"rillet/{__version__}", "accept": "*/*", "accept-encoding": "identity"}
    if has_body:
        headers["content-type"] = endpoint.media_type or _MEDIA_TYPES[endpoint.body]
    cookies = []
    for parameter, value in placed:
        if parameter.where == "header" and parameter.sent_as.lower() not in OURS:
            text = _json(value) if parameter.style == "json" else _joined(value, ",", str)
            if not (text.isascii() and text.isprintable()):
                raise ValueError(f"{parameter.name} holds a character that no header can")
            headers[parameter.sent_as.lower()] = text
        elif parameter.where == "cookie":
            cookies.append(f"{parameter.sent_as}={_joined(value, ',', _escaped)}")
    return headers | ({"cookie": "; ".join(cookies)} if cookies else {})


def _content(endpoint: Endpoint, rest: dict[str, Any]) -> bytes | None:
    if endpoint.body_argument is not None:
        if endpoint.body_argument not in rest:
            return None
        value = rest[endpoint.body_argument]
    elif not rest:
        return None
    elif endpoint.body == "raw" and len(rest) == 1:
        [value] = rest.values()
    else:
        value = rest
    if endpoint.body == "json":
        return _json(value).encode()
    if endpoint.body == "raw":
        return mend(_text(value)).encode()
    if not isinstance(value, dict):
        raise ValueError("a form has fields, so its body must be an object")
    return "&".join(pair for name, item in value.items() for pair in _field(name, item)).encode()


def _field(name: str, value: Any) -> list[str]:
    """A field of a form: a list repeats it, an object is JSON (https://spec.openapis.org/oas/v3.0.3#encoding-object)."""
    return _query(Parameter(name, "query", name, "json" if isinstance(value, dict) else "form"), value)


def _expanded(headers: Mapping[str, str], environ: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
    """The host's headers as they go out, and what in them is secret."""
    secrets: set[str] = set()

    def value_of(match: re.Match[str]) -> str:
        if (value := environ.get(match[1])) is None:
            raise ValueError(f"the environment variable {match[1]} is not set")
        secrets.add(value.strip())
        return value.strip()

    expanded = {}
    for name, template in headers.items():
        value = expanded[name.lower()] = _VARIABLE.sub(value_of, template)
        if _SECRETIVE.search(name):
            scheme, _, credentials = value.partition(" ")
            secrets |= {value, credentials, _password(credentials) if scheme.lower() == "basic" else ""}
    return expanded, {secret for secret in secrets if secret}


def _password(credentials: str) -> str:
    """What "Basic" hides from nobody (RFC 7617): a server may well send it back as it reads it."""
    try:
        return base64.b64decode(credentials).decode().partition(":")[2]
    except ValueError:
        return ""


def _joined(value: Any, separator: str, escape: Callable[[str], str]) -> str:
    """Members one behind the other, as the styles "simple" and "form" without "explode" write them."""
    if isinstance(value, list):
        return separator.join(escape(_text(item)) for item in value)
    if isinstance(value, dict):
        return separator.join(escape(_text(item)) for pair in value.items() for item in pair)
    return escape(_text(value))


def _text(value: Any) -> str:
    return mend(value) if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(mend_all(value)).decode()


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _escaped(text: str) -> str:
    return quote(text, safe="")
