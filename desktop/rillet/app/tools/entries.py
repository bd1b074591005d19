"""Entries of MCP servers as people give them: JSON from a README, or fields of a form; and what is secret in them.

Pure. Above: ``core/tools/mcp/config`` says what an entry may hold. Below: ``server_dialog``, ``tools``. Guarantee: an
entry that comes out of here can be read by ``config``; ``apart`` takes the values of variables and headers out of it,
so that the settings file holds a reference in the place of each.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.mcp.config import GROUPS, read_config
from rillet.core.tools.mcp.risks import risk_of_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ACCOUNT: Final = "mcp:"
"""What the accounts of these secrets begin with in the key store."""
_OURS: Final = re.compile(r"RILLET_[A-Z0-9_]*_[0-9A-F]{8}")
_MENTION: Final = re.compile(rf"\$\{{(?:env:)?{_OURS.pattern}(?::-[^}}]*)?\}}")
_NOBODYS: Final = "${A_SECRET_OF_ANOTHER_SERVER}"
_VALUES: Final = ("env", "environment", "headers")


def read_entries(text: str) -> dict[str, Any]:
    """The servers of a JSON text: a whole configuration, servers by their names, or what stands inside the braces.

    Raises:
        ValueError: it is none; the message is a sentence.
    """
    try:
        data = _loaded(text)
    except ValueError as error:
        raise ValueError(f"This is no JSON: {error}.") from None
    except RecursionError:
        raise ValueError("This is nested too deeply to be the settings of a server.") from None
    if not isinstance(data, dict):
        raise ValueError("This is no JSON object.")
    if "command" in data or "url" in data:
        raise ValueError('The server lacks a name: write {"name": {…}}.')
    if not any(group in data for group in GROUPS):
        data = {"mcpServers": data}
    entries: dict[str, Any] = {}
    for group in GROUPS:
        content = data.get(group)
        if group == "mcp" and isinstance(content, dict) and isinstance(content.get("servers"), dict):
            content = content["servers"]
        entries |= content if isinstance(content, dict) else {}
    return checked(entries)


def checked(entries: dict[str, Any]) -> dict[str, Any]:
    """The entries, if every one of them can be used.

    Raises:
        ValueError: one cannot; the message says which, and why.
    """
    if not entries:
        raise ValueError("There is no server in it.")
    read = read_config({"mcpServers": entries})
    if read.problems:
        raise ValueError(f"{read.problems[0]}.")
    return entries


def require_own(entries: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """Let no entry that somebody pasted refer to the secrets of other servers, whose references can be guessed.

    ``before``: the entry in whose place they come; its secrets are theirs.

    Raises:
        ValueError: one does; the message says which.
    """
    known = set(_OURS.findall(json.dumps(before)))
    for name, entry in entries.items():
        if set(_OURS.findall(json.dumps(entry))) - known:
            raise ValueError(f"{name} refers to a secret of another server.")


def local_entry(command: str, arguments: str, folder: str, variables: str) -> dict[str, Any]:
    """A program. ``arguments``: one in each line; ``variables``: NAME=value in each line.

    Raises:
        ValueError: a line is no variable.
    """
    entry: dict[str, Any] = {"command": command.strip(), "args": [each for each in arguments.splitlines() if each]}
    if folder.strip():
        entry["cwd"] = folder.strip()
    if values := _pairs(variables, "="):
        entry["env"] = values
    return entry


def remote_entry(url: str, headers: str) -> dict[str, Any]:
    """An address. ``headers``: "Name: value" in each line.

    Raises:
        ValueError: a line is no header.
    """
    entry: dict[str, Any] = {"url": url.strip()}
    if values := _pairs(headers, ":"):
        entry["headers"] = values
    return entry


def apart(server: str, entry: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The entry with references in the place of values, and the secrets by their accounts."""
    secrets: dict[str, str] = {}
    kept = dict(entry)
    for key in _VALUES:
        values = kept.get(key)
        if isinstance(values, dict):
            kept[key] = {name: _put(server, name, value, secrets) for name, value in values.items()}
    return kept, secrets


def is_ours(name: str) -> bool:
    """Whether a variable is none of the environment's, but stands for a secret that was taken ``apart``."""
    return _OURS.fullmatch(name) is not None


def accounts(servers: Mapping[str, Any]) -> dict[str, str]:
    """The accounts of all secrets that these entries refer to, each to its own, by the names of the references."""
    own = (_own(server, entry) for server, entry in servers.items())
    return {name: f"{ACCOUNT}{name}" for names in own for name in names.values()}


def guarded(servers: Mapping[str, Any]) -> dict[str, Any]:
    """The entries without references to secrets of other servers: anybody can work out how those are called."""
    return {server: _guarded(server, entry) for server, entry in servers.items()}


def filled_in(server: str, entry: Mapping[str, Any], secret_of: Callable[[str], str | None]) -> dict[str, Any]:
    """An entry with its own secrets in their places, as far as they are known: to be kept under another name."""
    filled = dict(entry)
    for key, name in _own(server, entry):
        secret = secret_of(f"{ACCOUNT}{_name(server, name)}")
        if secret is not None:
            filled[key] = {**filled[key], name: secret}
    return filled


def addresses(servers: Mapping[str, Any]) -> tuple[str, ...]:
    """Of those that are remote."""
    found = [entry.get("url") for entry in servers.values() if isinstance(entry, dict)]
    return tuple(url for url in found if isinstance(url, str))


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(f"{{{text.strip().rstrip(',')}}}")  # READMEs often show a piece of a file


def _name(server: str, variable: str) -> str:
    """How the reference to a value is called."""
    mark = hashlib.sha256(f"{server}\0{variable}".encode("utf-8", "surrogatepass")).hexdigest()[:8].upper()
    word = re.sub(r"[^A-Z0-9]+", "_", f"{server}_{variable}".upper()).strip("_")
    return f"RILLET_{word}_{mark}"


def _own(server: str, entry: Any) -> dict[tuple[str, str], str]:
    """Where an entry refers to secrets of its own, and how those references are called."""
    groups = {key: entry.get(key) for key in _VALUES} if isinstance(entry, dict) else {}
    return {
        (key, variable): _name(server, variable)
        for key, group in groups.items()
        if isinstance(group, dict)
        for variable, value in group.items()
        if value == f"${{{_name(server, variable)}}}"
    }


def _guarded(server: str, entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    own, kept = _own(server, entry), dict(entry)
    for key in _VALUES:
        if isinstance(group := kept.get(key), dict):
            kept[key] = {
                variable: _MENTION.sub(_NOBODYS, value)
                if isinstance(value, str) and (key, variable) not in own
                else value
                for variable, value in group.items()
            }
    return kept


def _put(server: str, name: str, value: str, secrets: dict[str, str]) -> str:
    """The reference to a value. One that refers to the environment stays, and so does one that has to be seen."""
    if not value or "${" in value or risk_of_variable(name) is not None:
        return value
    reference = _name(server, name)
    secrets[f"{ACCOUNT}{reference}"] = value
    return f"${{{reference}}}"


def _pairs(text: str, sign: str) -> dict[str, str]:
    pairs = {}
    for line in filter(str.strip, text.splitlines()):
        name, found, value = line.partition(sign)
        if not found or not name.strip():
            raise ValueError(f"{line.strip()!r} is not of the form NAME{sign}value.")
        pairs[name.strip()] = value.strip()
    return pairs
