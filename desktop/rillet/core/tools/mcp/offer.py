"""Which tools of which servers a model is offered, and why not the others.

Pure, but for the ``Tool`` values that it makes: what they do when called is given to it. Above: ``names``, ``consent``,
``definition``, ``tool``. Below: ``servers``. Guarantees: a tool is offered only if its server's entry allows it, nobody
switched it off, exactly this definition was approved, and its name cannot be taken for another; what a server says of
its own tools (annotations) changes nothing: every one may do everything, and what it returns is a stranger's word.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rillet.core.tools.mcp.consent import TOOL, tool_consent
from rillet.core.tools.mcp.names import collisions, tool_name
from rillet.core.tools.tool import Effect, Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

    from rillet.core.tools.mcp.consent import ConsentBook
    from rillet.core.tools.mcp.definition import Definition

EVERYTHING: Final = frozenset(Effect)


class Standing(StrEnum):
    """What becomes of a tool."""

    OFFERED = "offered"
    OFF = "off"
    HELD = "held"
    """It is new, or it has changed: somebody has to look at it."""
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the inventory."""

    server: str
    tool: str
    """The server's own name for it."""
    name: str
    """Ours."""
    standing: Standing
    reason: str = ""
    description: str = ""


class Offered(NamedTuple):
    """What one server has."""

    server: str
    tools: Mapping[str, Definition]
    refused: Mapping[str, str]
    allowed: frozenset[str] | None
    call: Callable[[str, dict[str, Any], ToolContext], Awaitable[ToolResult]]
    place: str
    """Where it runs, for whoever is asked about a call: "a program on this machine …"."""


def offer(
    servers: Iterable[Offered], book: ConsentBook, off: Collection[tuple[str, str]], taken: Collection[str]
) -> tuple[tuple[Tool, ...], tuple[Entry, ...]]:
    """The tools, in the order of the servers and of their lists, and the inventory of all. Asks about what is new."""
    servers = tuple(servers)
    everything = [(each.server, name) for each in servers for name in each.tools]
    alike = collisions(everything, taken)
    tools: list[Tool] = []
    inventory: list[Entry] = []
    for each in servers:
        book.meet(each.server, each.tools.values())
        for definition in each.tools.values():
            standing, reason = _standing(each, definition, off, alike)
            if standing is Standing.OFFERED and not _is_approved(each.server, definition, book):
                standing, reason = Standing.HELD, "it is new or has changed since it was approved"
            entry = _entry(each.server, definition, standing, reason)
            inventory.append(entry)
            if standing is Standing.OFFERED:
                tools.append(_tool(entry.name, definition, each))
        inventory += [
            Entry(server=each.server, tool=name, name="", standing=Standing.REFUSED, reason=reason)
            for name, reason in each.refused.items()
        ]
    return tuple(tools), tuple(inventory)


def _standing(
    server: Offered, tool: Definition, off: Collection[tuple[str, str]], alike: Mapping[tuple[str, str], str]
) -> tuple[Standing, str]:
    named = (server.server, tool.name)
    if named in alike:
        return Standing.REFUSED, alike[named]
    if server.allowed is not None and tool.name not in server.allowed:
        return Standing.OFF, "it is not in the entry's list of tools"
    return (Standing.OFF, "it is switched off") if named in off else (Standing.OFFERED, "")


def _is_approved(server: str, tool: Definition, book: ConsentBook) -> bool:
    """Whether exactly this tool was approved; asks, if not."""
    if book.is_approved_tool(server, tool):
        book.withdraw(server, f"{TOOL}{tool.name}")  # it may have changed, been asked about, and changed back
        return True
    book.ask(tool_consent(server, tool, book))
    return False


def _entry(server: str, tool: Definition, standing: Standing, reason: str) -> Entry:
    return Entry(
        server=server,
        tool=tool.name,
        name=tool_name(server, tool.name),
        standing=standing,
        reason=reason,
        description=tool.description,
    )


def _tool(name: str, tool: Definition, server: Offered) -> Tool:
    async def execute(args: dict[str, Any], ctx: ToolContext) -> ToolResult:
        return await server.call(tool.name, args, ctx)

    def preview(args: dict[str, Any]) -> Mapping[str, Any]:
        return {"sandbox": f"It is the tool {tool.name} of the MCP server {server.server}, {server.place}."}

    return Tool(name, tool.description, tool.input_schema, execute, source="mcp", effects=EVERYTHING, preview=preview)
