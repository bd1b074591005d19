"""What there is of tools at one moment, as values that a window can show and keep.

Above: ``tools``. Below: ``workbench`` makes them, the settings and the composer show them. Guarantee: nothing in here
changes or can be called, so that it may go to another thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rillet.core.tools.mcp.config import LocalServerConfig
from rillet.core.tools.mcp.consent import SERVER, Agreement, Consent
from rillet.core.tools.mcp.offer import Entry
from rillet.core.tools.mcp.server import State
from rillet.core.tools.policy.grants import Grant
from rillet.core.types.suspension import Request

if TYPE_CHECKING:
    from rillet.core.tools.mcp.server import McpServer


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """What the person set up; JSON values, as the settings file holds them."""

    servers: Mapping[str, Any] = field(default_factory=dict)
    """MCP servers, as ``mcp/config`` reads them."""
    skill_folders: tuple[str, ...] = ()
    skills_off: frozenset[str] = frozenset()
    """Names of skills that are never offered."""
    trusted_folders: frozenset[str] = frozenset()
    """Workspaces whose own skills may be used."""
    off: frozenset[str] = frozenset()
    """Names of tools that are never offered."""
    off_of_servers: frozenset[tuple[str, str]] = frozenset()
    """The same of servers: their names, and their own names for the tools."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What ``${NAME}`` in the entries of servers stands for, before the environment is asked."""
    sign_ins: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sign-ins at remote servers as ``ToolState`` told them, by address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """An MCP server.

    Attributes:
        name: As its entry calls it.
        where: The program with its arguments, or the address.
        is_local: Whether it is a program on this machine.
        state: What it does.
        reason: Why it does not run, for people; empty when it does.
        tools: All that it listed, offered or not. Of a server that does not run there are none.
        asked: What waits for ``Workbench.approve``.
        sign_in: Where somebody has to sign in just now.
    """

    name: str
    where: str
    is_local: bool
    state: State
    reason: str = ""
    tools: tuple[Entry, ...] = ()
    asked: tuple[Consent, ...] = ()
    sign_in: Request | None = None

    @property
    def to_start(self) -> Consent | None:
        """The question whether it may start at all, if that is open."""
        return next((each for each in self.asked if each.subject == SERVER), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolState:
    """All of it.

    Attributes:
        revision: Larger than that of every earlier state.
        servers: In the order of the settings.
        problems: What the person should be told, as sentences.
        grants: What was allowed or denied for longer than once, the oldest first.
        agreements: The servers that may start.
        sign_ins: Those at remote servers, by address: secret text, to be kept and given back.
    """

    revision: int
    servers: tuple[ServerState, ...] = ()
    problems: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    sign_ins: Mapping[str, str] = field(default_factory=dict, repr=False)


def state_of(
    server: McpServer, inventory: tuple[Entry, ...], asked: tuple[Consent, ...], sign_in: Request | None
) -> ServerState:
    """What a server is doing, out of what all of them offer and ask."""
    config = server.config
    is_local = isinstance(config, LocalServerConfig)
    return ServerState(
        name=config.name,
        where=" ".join(config.command) if isinstance(config, LocalServerConfig) else config.url,
        is_local=is_local,
        state=server.state,
        reason=server.reason,
        tools=tuple(entry for entry in inventory if entry.server == config.name),
        asked=tuple(each for each in asked if each.server == config.name),
        sign_in=sign_in,
    )
