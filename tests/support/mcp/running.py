"""MCP servers under test: started with consent, and called by our names for their tools."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rillet.core.tools.mcp.config import LocalServerConfig
from rillet.core.tools.mcp.consent import SERVER
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.tools.tool import ToolContext

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from rillet.core.tools.mcp.config import ServerConfig
    from rillet.core.tools.tool import ToolResult

SCRIPTS = Path(__file__).parent
SOON = 60.0
"""Seconds for what is bound to happen, on a busy machine too. Nothing is measured by it."""
QUICK = 0.4
"""A server's limit, where the test is that the limit is kept."""


def scripted(
    behaviour: str, mark: str = "", *, name: str = "", limits: Mapping[str, float] | None = None, **settings: Any
) -> LocalServerConfig:
    """A server of ``behaviours.BEHAVIOURS``; its limits are long unless they are set."""
    patient = dict.fromkeys(("start_timeout", "list_timeout", "call_timeout"), SOON)
    command = (sys.executable, "-S", str(SCRIPTS), behaviour, mark)
    return LocalServerConfig(name=name or behaviour, command=command, **{**patient, **(limits or {}), **settings})


@asynccontextmanager
async def running(*configs: ServerConfig, **settings: Any) -> AsyncIterator[McpServers]:
    """The servers, approved and started as far as they start; ended when the block is left."""
    servers = McpServers(configs, **settings)
    try:
        await servers.start()
        for consent in servers.asked:
            if consent.subject == SERVER:
                servers.book.approve(consent.digest)
        await servers.start()
        yield servers
    finally:
        await servers.aclose()


async def call(
    servers: McpServers, name: str, args: dict[str, Any] | None = None, ctx: ToolContext | None = None
) -> ToolResult:
    """Call a tool by our name for it."""
    tool = next(tool for tool in servers.tools if tool.name == name)
    return await tool.run(args or {}, ctx or ToolContext())
