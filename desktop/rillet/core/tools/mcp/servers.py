"""All MCP servers of a toolkit: started side by side, asked about, listed, and ended.

What a host sees of this package. Above: ``server``, ``offer``, ``consent``. Below: ``toolkit`` starts and ends it, the
program shows its inventory. Guarantees: no server waits for another; none starts that was not approved; after
``aclose`` nothing of any of them runs. Importing it loads neither the SDK nor a transport.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from rillet.core.tools.mcp.config import read_config
from rillet.core.tools.mcp.consent import SERVER, ConsentBook
from rillet.core.tools.mcp.names import skeleton
from rillet.core.tools.mcp.offer import Offered, offer
from rillet.core.tools.mcp.server import McpServer, State
from rillet.core.tools.mcp.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from rillet.core.tools.mcp.config import Problem, ServerConfig
    from rillet.core.tools.mcp.consent import Consent
    from rillet.core.tools.mcp.offer import Entry
    from rillet.core.tools.tool import Tool

FIRST_PATIENCE: Final = 10.0
"""Seconds that ``start`` waits for slow servers; their tools are offered as soon as they are there."""


class McpServers:
    """The servers of a configuration (``toolkit.ToolSource``). Belongs to one event loop.

        servers = McpServers.from_config(configuration, book=ConsentBook())
        async with Toolkit(mcp=servers) as toolkit:
            for consent in servers.asked:              # show its ``lines`` to the user; agreed to, it starts:
                await servers.approve(consent.digest)
            kept = servers.book.to_json()              # for the next time: ``ConsentBook.from_json``

    A server whose tools do not come says why: ``servers.servers["name"].reason``; an entry that is none: ``problems``.
    ``taken``: names of tools of ours, which nobody else may have. ``on_change`` is called after every change of a
    server's state, of the tools and of what is asked; it may look at everything here.

    Attributes:
        servers: By name, in the order of the configuration.
        problems: Why entries of the configuration are not among them.
        book: What was approved, and what is asked.
    """

    def __init__(
        self,
        configs: Sequence[ServerConfig],
        *,
        book: ConsentBook | None = None,
        surroundings: Surroundings | None = None,
        taken: Iterable[str] = (),
        off: Iterable[tuple[str, str]] = (),
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.problems: tuple[Problem, ...] = ()
        self.book = ConsentBook() if book is None else book
        self._taken = frozenset(taken)
        self._off = set(off)
        self._on_change = on_change
        self._around = surroundings or Surroundings()
        self.servers = {config.name: self._server(config) for config in configs}
        self._tools: tuple[Tool, ...] = ()
        self._inventory: tuple[Entry, ...] = ()
        self._refuse_names()

    @classmethod
    def from_config(cls, data: object, **settings: Any) -> McpServers:
        """The servers of a decoded JSON file, as ``config.read_config`` reads it; ``settings`` as for the class."""
        read = read_config(data)
        servers = cls(read.servers, **settings)
        servers.problems = read.problems
        return servers

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What is offered now; a new tuple whenever that changes."""
        return self._tools

    @property
    def inventory(self) -> tuple[Entry, ...]:
        """Every tool that a server lists, offered or not, and why not."""
        return self._inventory

    @property
    def asked(self) -> tuple[Consent, ...]:
        """What waits for ``approve``: servers to start, tools that are new or have changed."""
        return self.book.asked

    async def configure(self, data: object, off: Iterable[tuple[str, str]] = ()) -> None:
        """Go by another configuration: servers whose entries are the same go on, all others end."""
        read = read_config(data)
        shapes = Counter(skeleton(config.name) for config in read.servers)
        kept = {
            config.name: server
            for config in read.servers
            if (server := self.servers.get(config.name)) is not None
            and server.config == config
            and server.state is not State.DISABLED
            and shapes[skeleton(config.name)] == 1
        }
        ending = [server for name, server in self.servers.items() if name not in kept]
        self.servers = {config.name: kept.get(config.name) or self._server(config) for config in read.servers}
        self.problems = read.problems
        self._off = set(off)
        for server in ending:
            self.book.withdraw(server.config.name)
        await asyncio.gather(*(server.stop() for server in ending))
        self._refuse_names()
        self._changed()

    async def start(self, names: Collection[str] | None = None) -> None:
        """Start all that may, or those of these names, side by side; who is late comes later."""
        wanted = [server for name, server in self.servers.items() if names is None or name in names]
        starting = [asyncio.ensure_future(server.start()) for server in wanted]
        if starting:
            try:
                await asyncio.wait(starting, timeout=FIRST_PATIENCE)
            except asyncio.CancelledError:
                await self.aclose()
                raise

    async def aclose(self) -> None:
        """End all of them, side by side."""
        await asyncio.gather(*(server.stop() for server in self.servers.values()))

    async def approve(self, digest: str) -> None:
        """The user agreed to what is asked under this digest; a server is started then.

        Raises:
            KeyError: nothing with that digest is asked.
        """
        consent = self.book.approve(digest)
        if consent.subject == SERVER and consent.server in self.servers:
            await self.servers[consent.server].start()
        self._changed()

    async def revoke(self, name: str) -> None:
        """Forget what was approved of a server, and end it."""
        self.book.revoke(name)
        if name in self.servers:
            await self.servers[name].stop()

    def switch(self, server: str, tool: str, *, on: bool) -> None:
        """Offer a tool, by its server's name for it, or do not."""
        (self._off.discard if on else self._off.add)((server, tool))
        self._changed()

    @property
    def off(self) -> frozenset[tuple[str, str]]:
        """The tools that are switched off, to be kept by the host."""
        return frozenset(self._off)

    def _server(self, config: ServerConfig) -> McpServer:
        return McpServer(config, self.book, self._around, self._changed)

    def _refuse_names(self) -> None:
        """Two servers that look alike, or like a tool of ours, are no servers: nobody could tell whose tool it is."""
        ours = {skeleton(name): f"the tool {name} of this program" for name in self._taken}
        seen: dict[str, McpServer] = {}
        for name, server in self.servers.items():
            shape = skeleton(name)
            if shape in ours:
                server.refuse(f"its name could be taken for {ours[shape]}")
            elif not shape:
                server.refuse("its name has no letter or digit")
            elif (other := seen.setdefault(shape, server)) is not server:
                server.refuse(f"its name could be taken for {other.config.name}")
                other.refuse(f"its name could be taken for {name}")

    def _changed(self) -> None:
        offered = [
            Offered(
                name,
                server.listing.tools,
                server.listing.refused,
                server.config.allowed,
                server.call,
                server.config.place,
            )
            for name, server in self.servers.items()
            if server.is_offering
        ]
        self._tools, self._inventory = offer(offered, self.book, self._off, self._taken)
        self._on_change()
