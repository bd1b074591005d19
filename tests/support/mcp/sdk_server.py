"""A server made with the SDK's own server half: ``python sdk_server.py stdio``, or ``… streamable-http PORT``."""

from __future__ import annotations

import sys
from typing import Any

from pydantic import BaseModel

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("sdk")


class Colour(BaseModel):
    """What is asked for."""

    colour: str


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
async def paint(ctx: Context[Any]) -> str:
    """Ask which colour, and say it."""
    await ctx.report_progress(1, 2, "asking")
    answer = await ctx.elicit("Which colour?", Colour)
    return answer.data.colour if answer.action == "accept" else answer.action


@server.resource("note://one")
def note() -> str:
    """A note."""
    return "a note"


@server.prompt()
def review(code: str) -> str:
    """A prompt."""
    return f"Review {code}"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    elif sys.argv[1] == "sse":
        server.run("sse", port=int(sys.argv[2]))
    else:
        server.run("streamable-http", port=int(sys.argv[2]))
