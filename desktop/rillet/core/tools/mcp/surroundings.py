"""What MCP servers are given by the program they belong to. A value.

Above: ``net/profile``, ``tokens``. Below: ``server`` and ``connect``.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rillet.core.net.profile import NetworkProfile
from rillet.core.tools.mcp.tokens import MemoryTokenStore, TokenStore
from rillet.core.types.suspension import Answer, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """For all servers of one program."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    """Where ``${NAME}`` is looked up."""
    workspace: Path | None = None
    """Told to servers, where the user trusts the folder; None: they are told nothing."""
    network: NetworkProfile = field(default_factory=NetworkProfile)
    tokens: TokenStore = field(default_factory=MemoryTokenStore)
    """Where sign-ins are kept."""
    ask: Callable[[Request], Awaitable[Answer]] | None = None
    """Takes the user to a sign-in while a server starts; None: the server waits as "needs sign-in"."""
