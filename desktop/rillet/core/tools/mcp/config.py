"""Which MCP servers there are: the JSON that people copy from a server's README, read into values.

Pure: starts nothing, reads no file and no environment. Above: ``net.loopback``. Below: ``consent`` shows what an entry
would start, ``server`` starts it. Guarantee: an entry that cannot be used is a ``Problem`` that says why and concerns
nobody else, and nothing that an entry says about itself (``autoApprove``, ``trust``) grants it anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from rillet.core.net.loopback import is_loopback

GROUPS: Final = ("mcpServers", "servers", "mcp")
"""Names under which programs keep their servers: most of them, VS Code, OpenCode."""
LOCAL_TYPES: Final = ("stdio", "local")
REMOTE_TYPES: Final = ("http", "streamable-http", "streamableHttp", "sse", "remote")
PHASE_TIMEOUT: Final = 30.0
CALL_TIMEOUT: Final = 60.0
LONGEST_TIMEOUT: Final = 3600.0
LONGEST_COMMAND: Final = 30_000
"""Characters: Windows starts nothing longer (CreateProcessW: 32,767), and nobody reads as much before agreeing."""

_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_OAUTH: Final = {"client_id": "clientId", "client_secret": "clientSecret", "issuer": "issuer", "scope": "scope"}
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    name: str
    enabled: bool = True
    allowed: frozenset[str] | None = None
    """The tools, by the server's own names, that may be offered; None: all."""
    start_timeout: float = PHASE_TIMEOUT
    """Seconds for starting or connecting, the handshake included."""
    list_timeout: float = PHASE_TIMEOUT
    """Seconds for a whole list of tools, resources or prompts, all its pages."""
    call_timeout: float = CALL_TIMEOUT
    """Seconds for a call; while somebody is asked, the time stands still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServerConfig(_Common):
    """A program on this machine that is spoken to through its standard input and output."""

    command: tuple[str, ...]
    """The program and its arguments, as they stand: no shell reads them."""
    cwd: str | None = None
    env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """What it gets beside the minimal environment; values may hold ``${NAME}``."""

    @property
    def place(self) -> str:
        """Where it runs, for people who are asked about a call."""
        return "a program that runs on this machine with all your rights"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServerConfig(_Common):
    """A server at an address: streamable HTTP, or the older SSE where ``sse`` says so or the server knows no other."""

    url: str
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Sent with every request to ``url`` and with no other; values may hold ``${NAME}``."""
    sse: bool = False
    client_id: str | None = None
    """How this program is registered with the authorization server; None: it registers itself."""
    client_secret: str | None = field(default=None, repr=False)
    """Given to whatever authorization server the MCP server names, unless ``issuer`` says which one it must be."""
    issuer: str | None = None
    scope: str | None = None

    @property
    def place(self) -> str:
        """Where it runs, for people who are asked about a call."""
        return f"which runs at {urlsplit(self.url).hostname}"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(urlsplit(self.url).hostname or "")


ServerConfig: TypeAlias = LocalServerConfig | RemoteServerConfig


@dataclass(frozen=True, slots=True)
class Problem:
    """Why an entry is not used."""

    entry: str
    why: str

    def __str__(self) -> str:
        return f"{self.entry}: {self.why}"


@dataclass(frozen=True, slots=True)
class Servers:
    """What a configuration says."""

    servers: tuple[ServerConfig, ...]
    problems: tuple[Problem, ...] = ()


def read_config(data: object) -> Servers:
    """The servers of a decoded JSON file: the groups of all ``GROUPS`` together, in the order in which they stand."""
    if not isinstance(data, Mapping):
        return Servers((), (Problem("configuration", "it is not a JSON object"),))
    servers: dict[str, ServerConfig] = {}
    problems: list[Problem] = []
    entries, found = _entries(data, problems)
    if not found:
        problems.append(Problem("configuration", f"it has none of {', '.join(GROUPS)}"))
    for name, entry in entries:
        try:
            if name in servers:
                raise _Unusable("the name occurs twice")
            servers[name] = _server(name, entry)
        except _Unusable as error:
            problems.append(Problem(name, str(error)))
    return Servers(tuple(servers.values()), tuple(problems))


def variables(values: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The names of the environment's variables that these values mention, sorted."""
    return tuple(sorted({match[1] for _, value in values for match in _VARIABLE.finditer(value)}))


def expand(values: Sequence[tuple[str, str]], environ: Mapping[str, str]) -> dict[str, str]:
    """Fill in ``${NAME}``, ``${env:NAME}`` and ``${NAME:-otherwise}``.

    Raises:
        ValueError: a variable is not set; the message names it and no value.
    """

    def value_of(match: re.Match[str]) -> str:
        name, otherwise = match.groups()
        value = environ.get(name) or otherwise
        if value is None:
            raise ValueError(f"the environment variable {name} is not set")
        return value

    return {name: _VARIABLE.sub(value_of, value) for name, value in values}


class _Unusable(ValueError):
    """Why an entry cannot be used."""


def _entries(data: Mapping[Any, Any], problems: list[Problem]) -> tuple[list[tuple[str, Any]], bool]:
    """Every entry with its name, and whether there was a group at all."""
    entries: list[tuple[str, Any]] = []
    found = False
    for group in GROUPS:
        if group not in data:
            continue
        found = True
        content = data[group]
        if group == "mcp" and isinstance(content, Mapping) and isinstance(content.get("servers"), Mapping):
            content = content["servers"]  # VS Code's settings
        if not isinstance(content, Mapping):
            problems.append(Problem(group, "it is not an object of servers by their names"))
            continue
        entries += [(str(name), entry) for name, entry in content.items()]
    return entries, found


def _server(name: str, entry: object) -> ServerConfig:
    if not name.strip() or len(name) > 100:
        raise _Unusable("the name must have 1 to 100 characters")
    if not isinstance(entry, Mapping):
        raise _Unusable("it is not an object")
    if any(map(_is_no_text, _strings((name, entry)))):
        raise _Unusable("it holds half a character")
    kind = entry.get("type")
    if kind is not None and kind not in (*LOCAL_TYPES, *REMOTE_TYPES):
        raise _Unusable(f"the type {kind!r} is unknown")
    has_url, has_command = "url" in entry, "command" in entry
    if has_url == has_command:
        raise _Unusable("it needs either command or url" if not has_url else "it has both command and url")
    if kind is not None and (kind in REMOTE_TYPES) != has_url:
        raise _Unusable(f"the type {kind!r} does not fit {'url' if has_url else 'command'}")
    common: dict[str, Any] = {
        "name": name,
        "enabled": _flag(entry, "enabled", default=True) and not _flag(entry, "disabled", default=False),
        "allowed": _allowed(entry),
        "start_timeout": _seconds(entry, "startTimeout", PHASE_TIMEOUT),
        "list_timeout": _seconds(entry, "listTimeout", PHASE_TIMEOUT),
        "call_timeout": _seconds(entry, "timeout", CALL_TIMEOUT),
    }
    if has_command:
        cwd = entry.get("cwd")
        if cwd is not None and not (isinstance(cwd, str) and cwd and "\0" not in cwd):
            raise _Unusable("cwd is no path")
        return LocalServerConfig(command=_command(entry), cwd=cwd, env=_env(entry), **common)
    return RemoteServerConfig(
        url=_url(entry["url"]), headers=_headers(entry), sse=kind == "sse", **_oauth(entry), **common
    )


def _command(entry: Mapping[Any, Any]) -> tuple[str, ...]:
    command, args = entry["command"], entry.get("args", [])
    if not _is_strings(args):
        raise _Unusable("args is not a list of strings")
    if isinstance(command, str):
        argv = (command, *args)
    elif _is_strings(command) and command:
        argv = (*command, *args)
    else:
        raise _Unusable("command is neither a string nor a list of strings")
    if not argv[0].strip():
        raise _Unusable("command is empty")
    if sum(map(len, argv)) > LONGEST_COMMAND:
        raise _Unusable(f"command and args have more than {LONGEST_COMMAND:,} characters")
    for argument in argv:
        if "\0" in argument:
            raise _Unusable("an argument holds a NUL character")
        if (match := _VARIABLE.search(argument)) is not None:
            raise _Unusable(
                f"no shell fills in {match[0]} in the arguments, which every user of this machine can read: "
                "pass it in env, or write its value"
            )
    return argv


def _env(entry: Mapping[Any, Any]) -> tuple[tuple[str, str], ...]:
    values = _pairs(entry, "env" if "env" in entry else "environment")
    for name, value in values:
        if not _VARIABLE_NAME.fullmatch(name):
            raise _Unusable(f"env: {name!r} is no name for a variable")
        if "\0" in value:
            raise _Unusable(f"env: {name} holds a NUL character")
    return values


def _headers(entry: Mapping[Any, Any]) -> tuple[tuple[str, str], ...]:
    values = _pairs(entry, "headers")
    for name, value in values:
        if not _HEADER_NAME.fullmatch(name):
            raise _Unusable(f"headers: {name!r} is no name for a header")
        if not (value.isascii() and value.isprintable()):
            raise _Unusable(f"headers: {name} holds a character that cannot be sent")
    return values


def _url(url: object) -> str:
    if not isinstance(url, str) or not url.isprintable() or " " in url:
        raise _Unusable("url is no address")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise _Unusable("url is no address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise _Unusable("url must begin with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise _Unusable("url holds a user or a password: send them in headers")
    if parts.fragment:
        raise _Unusable("url holds a fragment (#…), which is never sent")
    return url


def _oauth(entry: Mapping[Any, Any]) -> dict[str, Any]:
    settings = entry.get("oauth") or {}
    if not isinstance(settings, Mapping):
        raise _Unusable("oauth is not an object")
    values: dict[str, Any] = {}
    for field_name, key in _OAUTH.items():
        value = settings.get(key)
        if value is not None and not (isinstance(value, str) and value):
            raise _Unusable(f"oauth.{key} is no text")
        values[field_name] = value
    return values


def _allowed(entry: Mapping[Any, Any]) -> frozenset[str] | None:
    for key in ("tools", "allowedTools"):
        if key in entry:
            if not _is_strings(entry[key]):
                raise _Unusable(f"{key} is not a list of names")
            return None if "*" in entry[key] else frozenset(entry[key])
    return None


def _flag(entry: Mapping[Any, Any], key: str, *, default: bool) -> bool:
    value = entry.get(key, default)
    if not isinstance(value, bool):
        raise _Unusable(f"{key} is neither true nor false")
    return value


def _seconds(entry: Mapping[Any, Any], key: str, default: float) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_TIMEOUT:
        raise _Unusable(f"{key} must be a number of seconds up to {LONGEST_TIMEOUT:g} (not of milliseconds)")
    return float(value)


def _pairs(entry: Mapping[Any, Any], key: str) -> tuple[tuple[str, str], ...]:
    values = entry.get(key) or {}
    if not isinstance(values, Mapping):
        raise _Unusable(f"{key} is not an object")
    for name, value in values.items():
        if not isinstance(value, str):
            raise _Unusable(f"{key}: {name} is not a string")
    return tuple(values.items())


def _strings(value: object) -> Iterator[str]:
    """Every string in JSON, names included, however deep."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case Mapping() as members:
                waiting += (*members, *members.values())
            case list() | tuple() as items:
                waiting += items


def _is_no_text(value: str) -> bool:
    """Whether it holds a lone surrogate, which can be written into no file."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_encrypted(url: str) -> bool:
    """Whether nobody between here and the server can read along."""
    parts = urlsplit(url)
    return parts.scheme == "https" or is_loopback(parts.hostname or "")
