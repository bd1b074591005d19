"""The client that the conformance suite of MCP runs: ``python conformance_client.py ADDRESS``.

It connects, signs in where that is wanted, and calls every tool. What a scenario knows beforehand is in the environment
(``MCP_CONFORMANCE_CONTEXT``).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.request
from typing import TYPE_CHECKING

from rillet.core.tools.mcp.config import RemoteServerConfig
from rillet.core.tools.mcp.server import State
from rillet.core.tools.mcp.servers import McpServers
from rillet.core.tools.mcp.surroundings import Surroundings
from rillet.core.tools.tool import ToolContext
from rillet.core.types.suspension import Answer

if TYPE_CHECKING:
    from rillet.core.types.suspension import Request

SIGN_INS = 3


async def agree(request: Request) -> Answer:
    """A user who signs in wherever he is sent, and leaves every form as it is."""
    if request.url is not None:
        await asyncio.to_thread(_visit, request.url)
    return Answer(id=request.id, ok=True, data={})


def _visit(url: str) -> None:
    with urllib.request.urlopen(url, timeout=10) as page:
        page.read()


async def main(url: str) -> None:
    """One visit."""
    known = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    config = RemoteServerConfig(
        name="server", url=url, client_id=known.get("client_id"), client_secret=known.get("client_secret")
    )
    servers = McpServers([config], surroundings=Surroundings(ask=agree))
    await servers.start()
    await servers.approve(servers.asked[0].digest)
    server = servers.servers["server"]
    for _ in range(SIGN_INS):
        for tool in servers.tools:
            await tool.run(dict.fromkeys(tool.input_schema.get("required", ()), 5), ToolContext(ask=agree))
        if server.state is not State.NEEDS_SIGN_IN:
            break
        await server.sign_in(agree)
    await servers.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
